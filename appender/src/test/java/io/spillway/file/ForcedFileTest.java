package io.spillway.file;

import static org.assertj.core.api.Assertions.assertThat;

import io.spillway.SpillwayRollingFileAppender;
import io.spillway.testkit.FileRig;
import io.spillway.testkit.Shell;
import java.io.IOException;
import java.lang.reflect.Field;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * A failed fsync of the log: the system knows nothing of it when asked again, so what was written
 * is written once more before that. Failed by strace, seen by strace.
 */
@Timeout(120)
class ForcedFileTest {
  @TempDir Path directory;

  private List<String> child(Class<?> child, String failing, boolean how) throws IOException {
    Path trace = directory.resolve("trace");
    Path log = directory.resolve("app.log");
    Shell.Result probe = Shell.attempt("strace", "-V");
    Assumptions.assumeTrue(probe.exitCode() == 0, () -> "skipped, no strace: " + probe);
    Shell.Result result =
        Shell.attempt(
            "strace",
            "-f",
            "-qq",
            "-o",
            trace,
            "-P",
            log,
            "-P",
            directory.resolve("app.log.1"),
            "-e",
            "trace=fsync,write,pwrite64",
            "-e",
            "inject=fsync:error=EIO:when=" + failing,
            Path.of(System.getProperty("java.home"), "bin", "java"),
            "-XX:TieredStopAtLevel=1",
            "-XX:+UseSerialGC",
            "-cp",
            System.getProperty("java.class.path"),
            child.getName(),
            log,
            how);
    Assumptions.assumeFalse(
        result.output().contains("ptrace"), () -> "skipped, strace may not trace here: " + result);
    return result.output().lines().toList();
  }

  @Test
  void shouldWriteAgainWhatAFailedSyncMayHaveDropped() throws Exception {
    assertThat(child(ForcedFileChild.class, "1", false))
        .containsExactly("failed", "forced", "forced");
    assertThat(Files.readString(directory.resolve("app.log"))).isEqualTo("one\ntwo\n");
    requireWrittenAgainAndForced();
  }

  @Test
  void shouldNeverCallForcedWhatSomebodyMovedAwayInDoubt() throws Exception {
    assertThat(child(ForcedFileChild.class, "1", true))
        .containsExactly("failed", "failed", "failed");
  }

  /** A disk that was cut back: the log goes on, and the spill keeps all of it until a restart. */
  @Test
  void shouldForceWhatComesAfterWhatIsLostAndLetTheFileBeMoved() throws Exception {
    assertThat(child(LostFileChild.class, "1", false))
        .containsExactly(
            "failed", "may move: false, lost: false",
            "failed", "may move: true, lost: true",
            "failed", "may move: true, lost: true",
            "forced", "may move: true, lost: false");
    List<String> calls = Files.readAllLines(directory.resolve("trace"));
    int written = first(calls, 0, "write(64)?\\(\\d+, \"two.*");
    assertThat(first(calls, written, "fsync(.* = 0"))
        .as(() -> "forced after that: " + calls)
        .isGreaterThan(written);
  }

  /** What was forced before a rollover is not forced again by it, so that this cannot fail. */
  @Test
  void shouldForgetNoFailureAndKeepNoneOfAFileThatWasForcedAndMoved() throws Exception {
    assertThat(child(MovedFileChild.class, "2", true))
        .containsExactly("failed", "forced", "forced");
  }

  @Test
  void shouldWriteAgainWhatCouldNotBeForcedBeforeTheFileWasMoved() throws Exception {
    assertThat(child(MovedFileChild.class, "1", false))
        .containsExactly("forced", "forced", "forced");
    assertThat(Files.readString(directory.resolve("app.log.1"))).isEqualTo("one\n");
    assertThat(Files.readString(directory.resolve("app.log"))).isEqualTo("two\n");
    requireWrittenAgainAndForced();
  }

  /** Asked by the spill of a stopped start, which a disk that hangs has held up. */
  @Test
  void shouldNotCallForcedWhatAnEarlierStartHasLost() throws Exception {
    Path log = directory.resolve("app.log");
    Files.createSymbolicLink(log, Path.of("/dev/null")); // takes all, and cannot be forced
    try (FileRig rig = new FileRig(log).spill(directory.resolve("spill"))) {
      rig.appender.setSpillSync("1 hour");
      rig.start();
      BooleanSupplier first = force(rig.appender);
      rig.log(1);
      rig.awaitDelivered();
      assertThat(first.getAsBoolean()).isFalse();
      rig.appender.stop();
      Files.delete(log);

      rig.policy.start();
      rig.start();

      assertThat(force(rig.appender).getAsBoolean()).as("what the second start wrote").isTrue();
      assertThat(first.getAsBoolean()).as("what the first start wrote").isFalse();
    }
  }

  private static BooleanSupplier force(SpillwayRollingFileAppender<?> appender) throws Exception {
    Object gate = get(SpillwayRollingFileAppender.class.getDeclaredField("gate"), appender);
    return (BooleanSupplier) get(gate.getClass().getDeclaredField("preparer"), gate);
  }

  private static Object get(Field field, Object from) throws Exception {
    field.setAccessible(true);
    return field.get(from);
  }

  private void requireWrittenAgainAndForced() throws IOException {
    List<String> calls = Files.readAllLines(directory.resolve("trace"));
    int failed = first(calls, 0, "fsync(.*EIO.*");
    int again = first(calls, failed, "write(64)?\\(\\d+, \"one.*");
    assertThat(again).as(() -> "written again: " + calls).isPositive();
    assertThat(first(calls, failed + 1, "fsync(.*"))
        .as(() -> "forced after that: " + calls)
        .isGreaterThan(again);
  }

  private static int first(List<String> calls, int from, String call) {
    for (int i = from; i < calls.size(); i++) {
      if (calls.get(i).matches("\\d+ +" + call.replace("fsync(", "fsync\\("))) {
        return i;
      }
    }
    return -1;
  }
}
