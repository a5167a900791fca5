package io.spillway.process;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.core.status.Status;
import io.spillway.testkit.FileRig;
import io.spillway.testkit.Fork;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A second process on a log file is told that it is the second one. */
@Timeout(120)
class SharedFileTest {
  @TempDir Path directory;

  /** Writes a file until it is killed. */
  public static final class Writer {
    private Writer() {}

    public static void main(String[] arguments) {
      FileRig rig = new FileRig(Path.of(arguments[0])).start();
      rig.log(1);
      rig.awaitDelivered();
      System.out.println("writes");
      while (true) {
        LockSupport.park();
      }
    }
  }

  @Test
  void shouldWarnOfAnotherProcessThatWritesTheFile() {
    Path file = directory.resolve("app.log");
    try (Fork other = Fork.start(Writer.class, List.of("-Xmx64m"), file)) {
      other.awaitLine("writes");
      try (FileRig rig = new FileRig(file).start()) {
        rig.await("told", () -> isTold(rig, file));
        assertThat(rig.statuses("On a network file system each also overwrites lines of the other"))
            .isOne();
        rig.log(1);
        rig.awaitDelivered();
      }
      other.kill();
    }
    try (FileRig alone = new FileRig(file).start()) {
      assertThat(isTold(alone, file)).isFalse();
    }
  }

  /** Whoever sets the directory says that it is not that of the file alone. */
  @Test
  void shouldNotTakeASharedSpillDirectoryForASharedFile() {
    Path spill = directory.resolve("own.log.spill");
    try (Fork other = Fork.start(Writer.class, List.of("-Xmx64m"), directory.resolve("own.log"))) {
      other.awaitLine("writes");
      Path file = directory.resolve("app.log");
      try (FileRig rig = new FileRig(file).spill(spill).start()) {
        rig.await("told", () -> rig.statuses("is taken, this spill uses") == 1);
        assertThat(isTold(rig, file)).isFalse();
      }
    }
  }

  private static boolean isTold(FileRig rig, Path file) {
    return rig.context.getStatusManager().getCopyOfStatusList().stream()
        .anyMatch(
            status ->
                status.getLevel() == Status.WARN
                    && status.getMessage().contains("Another process writes file [" + file + "]"));
  }
}
