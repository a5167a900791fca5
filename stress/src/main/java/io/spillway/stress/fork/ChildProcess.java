package io.spillway.stress.fork;

import io.spillway.stress.load.Child;
import io.spillway.stress.report.Progress;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
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
  public ChildOutcome await(Duration deadline, Progress progress)
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
    return new ChildOutcome(command, code == 0 ? null : failure(code));
  }

  /** Ends the child at once, if it still runs, and waits until it is gone. */
  public void kill() {
    process.destroyForcibly();
    process.onExit().join();
  }

  private ChildOutcome hung(Duration deadline) throws IOException, InterruptedException {
    String dump = ThreadDump.of(process.pid(), directory);
    kill();
    String failure =
        String.format(
            Locale.ROOT,
            "the forked JVM was still running after %d s and was killed; %s",
            deadline.toSeconds(),
            dump);
    return new ChildOutcome(command, failure);
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
}
