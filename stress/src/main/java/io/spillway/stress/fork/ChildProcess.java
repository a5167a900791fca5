package io.spillway.stress.fork;

import io.spillway.stress.load.Child;
import io.spillway.stress.report.Progress;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;

/**
 * One forked JVM: started, watched until its deadline, dumped and killed if it hangs. Its standard
 * input stays open as long as this process lives; the child ends when that closes.
 */
public final class ChildProcess {

  private static final long TICK_MILLIS = 200;

  private final List<String> command;
  private final Path directory;
  private final Process process;
  private final Queue<String> said = new ConcurrentLinkedQueue<>();

  private ChildProcess(List<String> command, Path directory, Process process) {
    this.command = command;
    this.directory = directory;
    this.process = process;
  }

  /** Starts a JVM in the given directory, which also gets its standard error. */
  public static ChildProcess start(List<String> command, Path directory) throws IOException {
    ProcessBuilder builder = new ProcessBuilder(command).directory(directory.toFile());
    builder.redirectError(stderr(directory).toFile());
    ChildProcess child = new ChildProcess(command, directory, builder.start());
    Thread reader = new Thread(child::readOutput, "child-output");
    reader.setDaemon(true);
    reader.start();
    return child;
  }

  /** Waits until the child ends, at most until its deadline. */
  public Outcome await(Duration deadline, Progress progress)
      throws IOException, InterruptedException {
    long start = System.nanoTime();
    while (!process.waitFor(TICK_MILLIS, TimeUnit.MILLISECONDS)) {
      tell(progress);
      progress.tick();
      if (System.nanoTime() - start > deadline.toNanos()) {
        return hung(deadline);
      }
    }
    tell(progress);
    int code = process.exitValue();
    return new Outcome(command, code == 0 ? null : failure(code));
  }

  /** Ends the child at once, if it still runs, and waits until it is gone. */
  public void kill() {
    process.destroyForcibly();
    process.onExit().join();
  }

  private Outcome hung(Duration deadline) throws IOException, InterruptedException {
    String dump = ThreadDump.of(process.pid(), directory);
    kill();
    String failure =
        String.format(
            Locale.ROOT,
            "the forked JVM was still running after %d s and was killed; %s",
            deadline.toSeconds(),
            dump);
    return new Outcome(command, failure);
  }

  private String failure(int code) {
    String tail = Tail.of(stderr(directory));
    String start =
        code == Child.CONFIGURATION_ERROR
            ? "the logging library reported an error in its configuration"
            : "the forked JVM ended with exit code " + code;
    return start + (tail.isEmpty() ? "" : ": " + tail);
  }

  private void tell(Progress progress) {
    for (String line = said.poll(); line != null; line = said.poll()) {
      progress.note(line);
    }
  }

  private void readOutput() {
    try (BufferedReader lines =
        new BufferedReader(
            new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8))) {
      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
        said.add(line);
      }
    } catch (IOException e) {
      said.add("its output could not be read: " + e);
    }
  }

  private static Path stderr(Path directory) {
    return directory.resolve("stderr.txt");
  }

  /**
   * How a forked JVM ended.
   *
   * @param command its command line
   * @param failure why it did not end well, or null
   */
  public record Outcome(List<String> command, String failure) {

    /** Whether the child ended by itself, reporting success. */
    public boolean ok() {
      return failure == null;
    }
  }

  /** The last lines of what a child wrote to its standard error. */
  static final class Tail {

    private static final int LINES = 12;

    private Tail() {}

    static String of(Path file) {
      try {
        List<String> lines =
            new String(Files.readAllBytes(file), StandardCharsets.UTF_8).strip().lines().toList();
        return String.join("\n", lines.subList(Math.max(0, lines.size() - LINES), lines.size()));
      } catch (IOException e) {
        return "(its standard error cannot be read: " + e + ")";
      }
    }
  }

  /** Writes down what the threads of a hung child are doing, before it is killed. */
  static final class ThreadDump {

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
}
