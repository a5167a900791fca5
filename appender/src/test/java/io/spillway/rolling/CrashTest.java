package io.spillway.rolling;

import static org.assertj.core.api.Assertions.assertThat;

import io.spillway.internal.compress.ArchiveFiles;
import io.spillway.internal.compress.FaultyFiles;
import io.spillway.testkit.InMemory;
import io.spillway.testkit.Probe;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * The process dies before each file operation of a run, and of the run after that: from there on no
 * operation has an effect. Kills of a real process are in {@link ArchiveKillTest}.
 */
@Timeout(1_800)
@Tag("slow")
@Tag("gate")
class CrashTest {
  private static final boolean FULL = Boolean.getBoolean("spillway.test.full");
  private static final int CHAINS = Integer.getInteger("spillway.test.crashes", FULL ? 300 : 10);
  private static final int MESSAGES = 5;

  @TempDir(factory = InMemory.class)
  Path directory;

  private int runs;

  @ParameterizedTest
  @EnumSource
  void shouldLoseNothingWhereverItDies(Scene scene) throws Exception {
    int operations = operations(scene);
    assertThat(operations).isGreaterThan(MESSAGES * 5);
    for (int fatal = 1; fatal <= operations; fatal++) {
      crashAndRecover(scene, List.of(fatal));
    }
  }

  @ParameterizedTest
  @EnumSource
  void shouldLoseNothingWhenItDiesInTheRecovery(Scene scene) throws Exception {
    int operations = operations(scene);
    Random random = new Random(7);
    for (int i = 0; i < CHAINS; i++) {
      crashAndRecover(
          scene,
          List.of(
              1 + random.nextInt(operations),
              1 + random.nextInt(operations / 3),
              1 + random.nextInt(operations / 3)));
    }
  }

  private int operations(Scene scene) throws Exception {
    AtomicInteger operations = new AtomicInteger();
    List<String> logged = new ArrayList<>();
    Path logs = newDirectory();
    FaultyFiles files = new FaultyFiles().hook((name, file) -> operations.incrementAndGet());
    try (RollingRig rig = scene.start(logs, files)) {
      log(rig, logged);
      rig.awaitArchived();
    }
    scene.assertEachOnceInOrder(logs, logged);
    return operations.get();
  }

  private Path newDirectory() throws Exception {
    return Files.createDirectories(directory.resolve("run" + runs++));
  }

  private static void log(RollingRig rig, List<String> logged) {
    for (int i = 0; i < MESSAGES; i++) {
      String message = "message " + logged.size();
      rig.log(message);
      logged.add(message);
    }
  }

  private void crashAndRecover(Scene scene, List<Integer> fatal) throws Exception {
    Path logs = newDirectory();
    List<String> logged = new ArrayList<>();
    List<String> where = new ArrayList<>();
    try {
      for (int at : fatal) {
        where.add(runUntil(scene, logs, logged, at));
        scene.assertNothingLost(logs, logged);
      }
      try (RollingRig rig = scene.start(logs, new ArchiveFiles())) {
        log(rig, logged);
        rig.awaitArchived();
        assertThat(rig.errors()).isEmpty();
      }
      scene.assertEachOnceInOrder(logs, logged);
    } catch (AssertionError e) {
      throw new AssertionError("died before " + where + ": " + Tree.names(logs), e);
    }
  }

  private static String runUntil(Scene scene, Path logs, List<String> logged, int fatal) {
    AtomicInteger operations = new AtomicInteger();
    String[] where = {"the end"};
    FaultyFiles files =
        new FaultyFiles()
            .hook(
                (name, file) -> {
                  int now = operations.incrementAndGet();
                  if (now == fatal) {
                    where[0] = name + " " + file.getFileName();
                  }
                  if (now >= fatal) {
                    throw new Error("crashed"); // whatever is done about it has no effect
                  }
                });
    RollingRig rig = scene.start(logs, files);
    try {
      log(rig, logged);
      Probe.await("dead or done", () -> operations.get() >= fatal || isDone(rig), rig::statuses);
    } catch (Error dead) {
      assertThat(dead).hasMessage("crashed");
    }
    ((ArchivingPolicy) rig.appender.getRollingPolicy()).archiving().archives.stop();
    rig.close();
    return where[0];
  }

  private static boolean isDone(RollingRig rig) {
    return ((ArchivingPolicy) rig.appender.getRollingPolicy()).archiving().archives.awaitDone(1);
  }
}
