package io.spillway.testkit;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Assumptions;

/** System calls of a running child that fail, by strace. */
public final class Faults {
  private Faults() {}

  /**
   * Lets calls fail while something runs, or skips the test where that is impossible.
   *
   * @param calls such as {@code fsync,fdatasync}
   * @param how such as {@code error=EIO:when=2+3}
   * @param files whose calls fail; none: those of all files
   */
  public static void during(
      Fork child, String calls, String how, List<Path> files, Runnable action) {
    Shell.run("strace", "-V");
    List<String> command =
        new ArrayList<>(List.of("strace", "-f", "-p", String.valueOf(child.pid())));
    command.addAll(List.of("-o", "/dev/null", "-e", "trace=" + calls));
    command.addAll(List.of("-e", "inject=" + calls + ":" + how));
    for (Path file : files) {
      command.addAll(List.of("-P", file.toString()));
    }
    try {
      Process strace = new ProcessBuilder(command).redirectErrorStream(true).start();
      try (BufferedReader output = strace.inputReader()) {
        String line = output.readLine();
        while (line != null && !line.contains(" attached")) {
          line = output.readLine();
        }
        Assumptions.assumeTrue(line != null, "skipped, strace may not attach here");
        action.run();
      } finally {
        strace.destroy(); // it detaches
        strace.waitFor(30, TimeUnit.SECONDS);
      }
    } catch (IOException | InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }
}
