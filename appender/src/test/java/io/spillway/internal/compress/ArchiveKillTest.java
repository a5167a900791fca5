package io.spillway.internal.compress;

import static org.assertj.core.api.Assertions.assertThat;

import io.spillway.testkit.Fork;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** kill -9 of a process at named steps and at random moments; see also {@link CrashTest}. */
@Timeout(3_600)
@Tag("slow")
@Tag("gate")
class ArchiveKillTest {
  private static final boolean FULL = Boolean.getBoolean("spillway.test.full");
  private static final int KILLS = Integer.getInteger("spillway.test.kills", FULL ? 10 : 1);
  private static final int RANDOM_KILLS = Integer.getInteger("spillway.test.kills", FULL ? 30 : 1);

  @TempDir Path directory;

  static Stream<String> steps() {
    Stream<String> few = Stream.of("write", "rename", "syncDirectory");
    Stream<String> others =
        Stream.of(
            "list",
            "openForReading",
            "read",
            "create",
            "sync",
            "close",
            "copyAttributes",
            "sync archive",
            "delete");
    return FULL ? Stream.concat(few, others) : few;
  }

  @ParameterizedTest
  @MethodSource("steps")
  void shouldArchiveEachFileOnceAfterAKillAtAStep(String operation) throws IOException {
    Random random = new Random(operation.hashCode());
    for (int kill = 0; kill < KILLS; kill++) {
      Path place = directory.resolve("kill" + kill);
      Corpus corpus = Corpus.plant(place);
      boolean once = operation.equals("list") || operation.equals("sync archive");
      int count = once ? 1 : 1 + random.nextInt(4);
      try (Fork child = Fork.start(ArchiveKillChild.class, List.of(), place, operation, count)) {
        assertThat(child.awaitEnd()).as("halted itself").isEqualTo(137);
      }
      recover(place, corpus, operation + " " + count);
    }
  }

  @Test
  void shouldArchiveEachFileOnceAfterKillsAtRandomMoments() throws IOException {
    Random random = new Random(11);
    for (int kill = 0; kill < RANDOM_KILLS; kill++) {
      Path place = directory.resolve("kill" + kill);
      Corpus corpus = Corpus.plant(place);
      for (int times = 1 + random.nextInt(3); times > 0; times--) {
        try (Fork child = Fork.start(ArchiveKillChild.class, List.of(), place, "none", 1)) {
          child.awaitLine("started");
          LockSupport.parkNanos(random.nextInt(100_000_000));
          child.kill();
        }
        corpus.assertNothingLost();
      }
      recover(place, corpus, "at random");
    }
  }

  private static void recover(Path place, Corpus corpus, String killedAt) {
    try {
      corpus.assertNothingLost();
      try (ArchiverRig rig = new ArchiverRig(place).start()) {
        rig.awaitIdle();
        corpus.assertArchivedOnce();
        assertThat(rig.metrics().failures()).isZero();
      }
    } catch (AssertionError e) {
      throw new AssertionError("killed before " + killedAt + ": " + Samples.names(place), e);
    }
  }
}
