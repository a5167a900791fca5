package io.spillway.stress.fork;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Writes down what the threads of a hung child are doing, before it is killed. */
final class ThreadDump {

  private static final long PATIENCE_SECONDS = 15;

  private ThreadDump() {}

  /**
   * Asks {@code jcmd}, or {@code jstack}, of this JDK.
   *
   * @return where the dump is, or why there is none
   */
  static String of(long pid, Path directory) throws IOException, InterruptedException {
    Path file = directory.resolve("thread-dump.txt");
    Path bin = Path.of(System.getProperty("java.home"), "bin");
    String target = Long.toString(pid);
    List<List<String>> ways =
        List.of(
            List.of(bin.resolve("jcmd").toString(), target, "Thread.print"),
            List.of(bin.resolve("jstack").toString(), target));
    for (List<String> way : ways) {
      if (Files.isExecutable(Path.of(way.get(0))) && ran(way, file)) {
        return "its threads are in " + file;
      }
    }
    return "its threads could not be dumped (no working jcmd or jstack in " + bin + ")";
  }

  private static boolean ran(List<String> command, Path file)
      throws IOException, InterruptedException {
    ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
    Process process = builder.redirectOutput(file.toFile()).start();
    if (!process.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS)) {
      process.destroyForcibly();
      return false;
    }
    return process.exitValue() == 0;
  }
}
