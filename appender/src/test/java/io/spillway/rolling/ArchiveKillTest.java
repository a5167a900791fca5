package io.spillway.rolling;

import static org.assertj.core.api.Assertions.assertThat;

import io.spillway.internal.compress.ArchiveFiles;
import io.spillway.testkit.Fork;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * kill -9 of a process before named operations and at random moments; see also {@link CrashTest}.
 */
@Timeout(3_600)
@Tag("slow")
@Tag("gate")
class ArchiveKillTest {
  private static final boolean FULL = Boolean.getBoolean("spillway.test.full");
  private static final int KILLS = Integer.getInteger("spillway.test.kills", FULL ? 25 : 1);
  private static final int MESSAGES = 15; // the window has 20

  @TempDir Path directory;
  private final Random random = new Random(11);

  @ParameterizedTest
  @ValueSource(
      strings = {
        "create",
        "write",
        "copyAttributes",
        "force",
        "rename",
        "forceDirectory",
        "delete"
      })
  void shouldArchiveEachFileOnceAfterAKillAtAStep(String operation) throws IOException {
    for (int kill = 0; kill < KILLS; kill++) {
      for (Scene scene : FULL ? Scene.values() : new Scene[] {Scene.WINDOW}) {
        Path logs = Files.createDirectories(directory.resolve("kill" + kill + scene));
        int count = 1 + random.nextInt(5);
        List<String> logged = new ArrayList<>();
        try (Fork child = child(scene, logs, MESSAGES, operation, count)) {
          assertThat(child.awaitEnd()).as("halted itself").isEqualTo(137);
          add(child, logged);
        }
        assertRecovered(scene, logs, logged, operation + " " + count);
      }
    }
  }

  @ParameterizedTest
  @EnumSource
  void shouldArchiveEachFileOnceAfterKillsAtRandomMoments(Scene scene) throws IOException {
    for (int kill = 0; kill < KILLS; kill++) {
      Path logs = Files.createDirectories(directory.resolve("kill" + kill));
      List<String> logged = new ArrayList<>();
      try (Fork child = child(scene, logs, MESSAGES, "none", 1)) {
        child.awaitLine(String.valueOf(random.nextInt(MESSAGES - 1)));
        LockSupport.parkNanos(random.nextInt(10_000_000));
        child.kill();
        add(child, logged);
      }
      scene.assertNothingLost(logs, logged);
      try (Fork child = child(scene, logs, 0, "none", 1)) { // only recovers
        child.awaitLine("started");
        LockSupport.parkNanos(random.nextInt(40_000_000));
        child.kill();
      }
      assertRecovered(scene, logs, logged, "at random");
    }
  }

  private static Fork child(Scene scene, Path logs, int most, String operation, int count) {
    return Fork.start(ArchiveKillChild.class, List.of(), logs, scene, most, operation, count);
  }

  private static void add(Fork child, List<String> logged) {
    child.output().stream()
        .filter(line -> line.matches("\\d+"))
        .forEach(line -> logged.add(Scene.message(Integer.parseInt(line))));
  }

  /** The message that was being written when the process died may be there, cut or not. */
  private static void assertRecovered(Scene scene, Path logs, List<String> logged, String killed) {
    try {
      scene.assertNothingLost(logs, logged);
      try (RollingRig rig = scene.start(logs, new ArchiveFiles())) {
        rig.awaitArchived();
        assertThat(rig.errors()).isEmpty();
      }
      List<String> found = scene.messages(logs);
      assertThat(found.size()).isBetween(logged.size(), logged.size() + 1);
      assertThat(found.subList(0, logged.size())).isEqualTo(logged);
      if (found.size() > logged.size()) {
        assertThat(Scene.message(logged.size())).startsWith(found.get(logged.size()));
      }
    } catch (AssertionError e) {
      throw new AssertionError("killed before " + killed + ": " + Tree.names(logs), e);
    }
  }
}
