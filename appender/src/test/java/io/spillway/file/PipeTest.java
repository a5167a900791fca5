package io.spillway.file;

import static org.assertj.core.api.Assertions.assertThat;

import io.spillway.testkit.FileRig;
import io.spillway.testkit.Fork;
import io.spillway.testkit.Numbered;
import io.spillway.testkit.Shell;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * To open a named pipe is to wait for its reader; devices and standard output are another thing.
 */
@Timeout(
    value = 60,
    threadMode = Timeout.ThreadMode.SEPARATE_THREAD) // an open cannot be interrupted
class PipeTest {
  @TempDir Path directory;

  private Path log() {
    return directory.resolve("app.log");
  }

  @Test
  void shouldSayThatTheFileWasReplacedByAPipeAndGoOnWithoutIt() throws Exception {
    try (FileRig rig = new FileRig(log()).spill(directory.resolve("spill")).start()) {
      rig.log(500);
      rig.awaitDelivered();
      Files.delete(log());
      Shell.run("mkfifo", log());
      try {
        rig.log(500);
        rig.await("said so", () -> rig.metrics().getSinkFailures() > 0);
      } finally {
        Files.delete(log());
      }
      rig.awaitDelivered();
      Numbered.assertWhole(Numbered.lines(log()), 500, 1_000);
      rig.assertAllDelivered();
      assertThat(rig.statuses("Cannot write to file [" + log() + "]")).isPositive();
    }
  }

  @Test
  void shouldRefuseAPipeAtStart() {
    Shell.run("mkfifo", log());
    try (FileRig rig = new FileRig(log()).spill(directory.resolve("spill"))) {
      rig.appender.start();
      assertThat(rig.appender.isStarted()).isFalse();
      assertThat(rig.context.getStatusManager().getCopyOfStatusList())
          .anyMatch(
              status ->
                  String.valueOf(status.getThrowable())
                      .contains(log() + "], which cannot be opened: is a named pipe"));
    }
  }

  @Test
  void shouldWriteToALinkToADevice() throws Exception {
    Files.createSymbolicLink(log(), Path.of("/dev/null"));
    try (FileRig rig = new FileRig(log()).spill(directory.resolve("spill")).start()) {
      rig.log(500);
      rig.awaitDelivered();
      rig.assertAllDelivered();
    }
  }

  /** As in a container, where it is a pipe. */
  @Test
  void shouldWriteToStandardOutput() {
    try (Fork child = Fork.start(StandardOutput.class, List.of(), directory)) {
      child.awaitEnd(0);
      assertThat(child.output()).contains(Numbered.message(0), Numbered.message(99));
    }
  }

  /** Logs to its standard output by that name. */
  public static final class StandardOutput {
    private StandardOutput() {}

    public static void main(String[] arguments) {
      try (FileRig rig =
          new FileRig(Path.of("/dev/stdout")).spill(Path.of(arguments[0], "spill")).start()) {
        rig.log(100);
        rig.awaitDelivered();
      }
      System.exit(0);
    }
  }
}
