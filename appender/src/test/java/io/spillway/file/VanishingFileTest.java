package io.spillway.file;

import static org.assertj.core.api.Assertions.assertThat;

import io.spillway.testkit.FileRig;
import io.spillway.testkit.Numbered;
import io.spillway.testkit.Shell;
import io.spillway.testkit.Tmpfs;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The file, or its directory, is deleted or moved while it is written. */
@Timeout(60)
class VanishingFileTest {
  private static final Duration PROMISED = Duration.ofSeconds(1);

  @TempDir Path directory;

  private Path logs() {
    return directory.resolve("logs");
  }

  private Path log() {
    return logs().resolve("app.log");
  }

  private FileRig started() {
    return new FileRig(log()).spill(directory.resolve("spill")).start();
  }

  @Test
  void shouldRecreateADeletedDirectoryAndWriteEverythingLoggedAfterwards() {
    try (FileRig rig = started()) {
      rig.log(500);
      rig.awaitDelivered();
      Shell.run("rm", "-rf", logs());

      Duration resumed = rig.resumesAfter(() -> rig.log(500));

      rig.awaitDelivered();
      assertThat(resumed).isLessThanOrEqualTo(PROMISED);
      Numbered.assertWhole(Numbered.lines(log()), 500, 1_000);
      rig.assertAllDelivered();
    }
  }

  /** As after a boot with {@code errors=remount-ro}. */
  @ParameterizedTest
  @ValueSource(strings = {"app.log", "missing/app.log"})
  void shouldWaitForAFileSystemThatIsReadOnlyAtTheStart(String name) {
    try (Tmpfs disk = new Tmpfs(logs(), "ro")) {
      Path log = disk.directory().resolve(name);
      try (FileRig rig = new FileRig(log).spill(directory.resolve("spill"))) {
        rig.start();
        rig.log(500);
        rig.await("failures are counted", () -> rig.metrics().getSinkFailures() > 1);
        assertThat(rig.statuses("Cannot open file [" + log + "] yet")).isEqualTo(1);

        rig.resumesAfter(() -> Shell.run("mount", "-o", "remount,rw", logs()));

        rig.awaitDelivered();
        Numbered.assertWhole(Numbered.lines(log), 0, 500);
        rig.assertAllDelivered();
      }
    }
  }

  /** Of a FUSE file system whose server has died: mkdir says that the directory exists. */
  @Test
  void shouldWaitForAMountThatIsAwayAtTheStart() {
    Shell.run("mkdir", logs());
    String options = "fd=3,rootmode=40000,user_id=0,group_id=0";
    String mount = "exec 3<>/dev/fuse; mount -i -t fuse -o " + options + " dead " + logs();
    Shell.Result mounted = Shell.attempt("sh", "-c", mount);
    Assumptions.assumeTrue(
        mounted.exitCode() == 0, () -> "skipped, FUSE cannot be mounted here: " + mounted);
    try (FileRig rig = new FileRig(log()).spill(directory.resolve("spill"))) {
      rig.start();
      rig.log(500);
      rig.await("failures are counted", () -> rig.metrics().getSinkFailures() > 1);
      assertThat(rig.statuses("Cannot open file [" + log() + "] yet")).isEqualTo(1);

      rig.resumesAfter(() -> Shell.run("umount", "-l", logs()));

      rig.awaitDelivered();
      Numbered.assertWhole(Numbered.lines(log()), 0, 500);
      rig.assertAllDelivered();
    } finally {
      Shell.attempt("umount", "-l", logs());
    }
  }

  @Test
  void shouldTearNothingWhenTheDirectoryIsDeletedInTheMiddleOfWriting() throws Exception {
    try (FileRig rig = started()) {
      for (int round = 0; round < 10; round++) {
        int loggedBefore = whileLogging(rig, () -> Shell.attempt("rm", "-rf", logs()));

        List<String> lines = Numbered.lines(log());
        int first = numberOf(lines.get(0));
        assertThat(first).as("everything logged later is there").isLessThanOrEqualTo(loggedBefore);
        Numbered.assertWhole(lines, first, rig.logged());
      }
      rig.assertAllDelivered();
    }
  }

  @Test
  void shouldLoseNothingWhenTheFileIsMovedInTheMiddleOfWriting() throws Exception {
    try (FileRig rig = started()) {
      int moves = 20;
      Path[] files = new Path[moves + 1];
      for (int i = 0; i < moves; i++) {
        Path moved = directory.resolve("moved." + i);
        files[i] = moved;
        whileLogging(rig, () -> Shell.run("mv", log(), moved));
      }
      files[moves] = log();

      Numbered.assertWhole(Numbered.lines(files), 0, rig.logged());
      rig.assertAllDelivered();
    }
  }

  @Test
  void shouldWriteToANewFileWhenTheOldOneIsDeleted() throws IOException {
    try (FileRig rig = started()) {
      rig.log(100);
      rig.awaitDelivered();
      Files.delete(log());
      rig.log(100);
      rig.awaitDelivered();

      Numbered.assertWhole(Numbered.lines(log()), 100, 200);
    }
  }

  @Test
  void shouldKeepWhatIsSpilledWhenTheSpillIsDeletedWithTheLogDirectory() {
    FileRig unstarted = new FileRig(log()); // spills beside the log file
    unstarted.appender.setMemoryBuffer("64 KB");
    unstarted.appender.setMaxSpillSize("1 MB"); // small segments: several are open
    try (FileRig rig = unstarted.start()) {
      rig.policy.gate.shut();
      rig.log(6_000);
      rig.await("all spilled", () -> rig.metrics().getRingUsed() == 0);
      assertThat(rig.metrics().getSpilled()).isPositive();
      Shell.run("rm", "-rf", logs());
      rig.policy.gate.open();
      rig.log(2_000);
      rig.awaitDelivered();

      Numbered.assertWhole(Numbered.lines(log()), 0, 8_000);
      rig.assertAllDelivered();
    }
  }

  /** Does something while another thread logs; returns how much was logged when it was done. */
  private static int whileLogging(FileRig rig, Runnable action) throws InterruptedException {
    AtomicBoolean done = new AtomicBoolean();
    int start = rig.logged();
    Thread thread =
        new Thread(
            () -> {
              while (!done.get()) {
                rig.log(5);
                LockSupport.parkNanos(100_000);
              }
              rig.log(5);
            });
    thread.start();
    rig.await("some logged", () -> rig.logged() > start + 50);
    action.run();
    int logged = rig.logged() + 1; // the one being logged may be in the old file
    done.set(true);
    thread.join();
    rig.awaitDelivered();
    return logged;
  }

  private static int numberOf(String line) {
    return Integer.parseInt(line.split(" ")[1]);
  }
}
