package io.spillway.file;

import static org.assertj.core.api.Assertions.assertThat;

import io.spillway.testkit.Shell;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
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

  private List<String> child(String failing, boolean moving) throws IOException {
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
            "-e",
            "trace=fsync,write,pwrite64",
            "-e",
            "inject=fsync:error=EIO:when=" + failing,
            Path.of(System.getProperty("java.home"), "bin", "java"),
            "-XX:TieredStopAtLevel=1",
            "-XX:+UseSerialGC",
            "-cp",
            System.getProperty("java.class.path"),
            ForcedFileChild.class.getName(),
            log,
            moving);
    Assumptions.assumeFalse(
        result.output().contains("ptrace"), () -> "skipped, strace may not trace here: " + result);
    return result.output().lines().toList();
  }

  @Test
  void shouldWriteAgainWhatAFailedSyncMayHaveDropped() throws Exception {
    assertThat(child("1", false)).containsExactly("failed", "forced", "forced");
    assertThat(Files.readString(directory.resolve("app.log"))).isEqualTo("one\ntwo\n");
    List<String> calls = Files.readAllLines(directory.resolve("trace"));
    int failed = first(calls, 0, "fsync(.*EIO.*");
    int again = first(calls, failed, "write(64)?\\(\\d+, \"one.*");
    assertThat(again).as(() -> "written again: " + calls).isPositive();
    assertThat(first(calls, failed + 1, "fsync(.*"))
        .as(() -> "forced after that: " + calls)
        .isGreaterThan(again);
  }

  @Test
  void shouldNeverCallForcedWhatWasMovedAwayInDoubt() throws Exception {
    assertThat(child("1..2", true)).containsExactly("failed", "failed", "failed");
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
