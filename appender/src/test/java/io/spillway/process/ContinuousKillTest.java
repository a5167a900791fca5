package io.spillway.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.spillway.testkit.Configured;
import io.spillway.testkit.Fork;
import io.spillway.testkit.Rig;
import java.io.File;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * kill -9 while the active file is compressed as it is written: what was in any file before is in
 * one file once after, and every archive is whole.
 */
@Timeout(1_800)
@Tag("slow")
class ContinuousKillTest {
  private static final int KILLS =
      Integer.getInteger("spillway.test.kills", Boolean.getBoolean("spillway.test.full") ? 50 : 3);
  private static final String LOG = "app(\\.\\d{4}-\\d{2}\\.\\d+)?\\.log(\\.gz)?";
  private static final String ROLLED = "app\\.\\d{4}-\\d{2}\\.\\d+\\.log";

  @TempDir Path directory;

  @Test
  void shouldArchiveEachFileOnceWhateverWasCompressedOfIt() {
    Random random = new Random(5);
    Set<String> written = new HashSet<>();
    int halfway = 0;
    for (int kill = 0; kill < KILLS; kill++) {
      try (Fork child = Fork.start(ContinuousChild.class, List.of(), directory, kill)) {
        child.awaitAtLeast("logged", 10_000 + random.nextInt(10_000));
        if (kill == 0) { // of few, one has to be then
          await().until(this::isHalfway);
        } else {
          LockSupport.parkNanos(random.nextInt(100_000_000));
        }
        child.kill();
      }
      halfway += isHalfway() ? 1 : 0;
      lines().forEach(written::add);
    }
    assertThat(halfway).as("killed while there was half of an archive").isPositive();

    try (Configured last =
        new Configured(Configured.SPILLWAY, directory, ContinuousChild.SETTINGS)) {
      last.awaitDelivered();
      await()
          .atMost(Duration.ofMinutes(1))
          .until(() -> names().noneMatch(name -> name.matches(ROLLED)));
    }

    assertThat(Rig.filesBelow(directory.resolve("app.log.spill"))).isEmpty();
    assertThat(names()).allMatch(name -> name.matches(LOG));
    List<String> after = lines().toList();
    Set<String> once = new HashSet<>(after);
    assertThat(after).as("without duplicates").hasSameSizeAs(once);
    assertThat(written).hasSizeGreaterThan(KILLS * 9_000);
    written.removeAll(once);
    assertThat(written).as("lost").isEmpty();
  }

  private boolean isHalfway() {
    return names().anyMatch(name -> name.endsWith(".part"));
  }

  private Stream<String> names() {
    return Stream.of(directory.toFile().listFiles(File::isFile)).map(File::getName);
  }

  /** Without those that a kill has torn. Fails if an archive is not whole. */
  private Stream<String> lines() {
    return Configured.contents(directory).entrySet().stream()
        .filter(file -> file.getKey().matches(LOG))
        .flatMap(file -> file.getValue().lines())
        .filter(line -> line.matches("#\\d+:\\d+\\.[0-9a-f]+;"));
  }
}
