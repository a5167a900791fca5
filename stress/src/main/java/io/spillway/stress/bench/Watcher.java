package io.spillway.stress.bench;

import io.spillway.stress.Main;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** {@code spillway-stress watch} in a JVM of its own, until it is closed. */
final class Watcher implements AutoCloseable {
  private static final String BEGUN = "Watching";
  private static final String MOST_SECONDS = "3600";
  private static final int TERMINATED = 143;

  private final Process process;

  private Watcher(Process process) {
    this.process = process;
  }

  /** Watches this JVM; returns once it does. */
  static Watcher ofThisJvm(Path out) throws IOException {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(List.of("--add-exports", "jdk.attach/sun.tools.attach=ALL-UNNAMED"));
    command.addAll(List.of("-cp", System.getProperty("java.class.path"), Main.class.getName()));
    command.addAll(List.of("watch", Long.toString(ProcessHandle.current().pid())));
    command.addAll(List.of("--seconds", MOST_SECONDS, "--out", out.toString()));
    Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
    BufferedReader said = process.inputReader();
    for (String line = said.readLine(); line != null; line = said.readLine()) {
      if (line.startsWith(BEGUN)) {
        Thread drain = new Thread(() -> said.lines().forEach(rest -> {}), "watcher-output");
        drain.setDaemon(true);
        drain.start();
        return new Watcher(process);
      }
    }
    throw new IOException("The watcher did not begin");
  }

  /** The CPU time that it has used so far. */
  Duration cpu() {
    return process.info().totalCpuDuration().orElseThrow();
  }

  /** Ends the watch, as Ctrl-C would. */
  @Override
  public void close() throws IOException {
    process.destroy();
    if (process.onExit().join().exitValue() != TERMINATED) {
      throw new IOException("The watcher ended before its time: " + process.exitValue());
    }
  }
}
