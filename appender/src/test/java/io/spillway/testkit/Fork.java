package io.spillway.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.lang.reflect.InvocationTargetException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Predicate;

/**
 * A JVM of its own that runs a main class of the tests. It dies with its parent, or at its deadline
 * with exit code {@link #STUCK}, and an exception in its main thread is exit code {@link #FAILED}.
 */
public final class Fork implements AutoCloseable {
  public static final int FAILED = 70;
  public static final int STUCK = 71;

  private static final String FULL = "spillway.test.full";
  private static final Duration DEADLINE =
      Boolean.getBoolean(FULL) ? Duration.ofMinutes(18) : Duration.ofMinutes(2);

  private final Process process;
  private final Thread reader;
  private final ConcurrentLinkedQueue<String> output = new ConcurrentLinkedQueue<>();

  private Fork(Process process) {
    this.process = process;
    reader = new Thread(this::read, "fork-output-" + process.pid());
    reader.setDaemon(true);
    reader.start();
  }

  /** Starts a main class with the class path of this JVM. */
  public static Fork start(Class<?> main, List<String> jvmOptions, Object... arguments) {
    List<String> options = new ArrayList<>(ClassArchive.options());
    options.addAll(jvmOptions);
    return startOn(ClassArchive.CLASS_PATH, main, options, arguments);
  }

  /** Starts a main class with another class path. */
  public static Fork startOn(
      String classPath, Class<?> main, List<String> jvmOptions, Object... arguments) {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(List.of("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-Xshare:auto"));
    command.addAll(List.of("-XX:+ExitOnOutOfMemoryError", "-XX:-UsePerfData"));
    command.add("-D" + FULL + "=" + Boolean.getBoolean(FULL)); // its deadline, too
    command.addAll(jvmOptions);
    command.addAll(List.of("-cp", classPath, Fork.class.getName()));
    command.add(main.getName());
    for (Object argument : arguments) {
      command.add(argument.toString());
    }
    ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
    builder.environment().keySet().removeAll(List.of("JAVA_TOOL_OPTIONS", "_JAVA_OPTIONS"));
    try {
      return new Fork(builder.start());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private void read() {
    try (BufferedReader lines =
        new BufferedReader(
            new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8))) {
      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
        output.add(line);
      }
    } catch (IOException e) {
      output.add("(output ended: " + e + ")"); // the pipe of a killed child may break
    }
  }

  /** For tools that act on a process. */
  public long pid() {
    return process.pid();
  }

  /** The lines printed so far, standard error included. */
  public List<String> output() {
    return List.copyOf(output);
  }

  /** Waits for a line that begins so; fails with all output if the child dies first. */
  public String awaitLine(String prefix) {
    return awaitLine(prefix, line -> true);
  }

  /** Waits for a line "key value" with a value as large as this one. */
  public void awaitAtLeast(String key, long value) {
    awaitLine(key + " ", line -> Long.parseLong(line.substring(key.length() + 1).trim()) >= value);
  }

  private String awaitLine(String prefix, Predicate<String> condition) {
    long deadline = System.nanoTime() + DEADLINE.toNanos();
    while (true) {
      boolean alive = process.isAlive() || reader.isAlive();
      for (String line : output) {
        if (line.startsWith(prefix) && condition.test(line)) {
          return line;
        }
      }
      assertThat(alive && deadline - System.nanoTime() > 0)
          .as(() -> "child without [" + prefix + "], its output: " + output)
          .isTrue();
      LockSupport.parkNanos(1_000_000);
    }
  }

  /** The value in the line "key value" that the child printed last; fails if there is none. */
  public long number(String key) {
    return output.stream()
        .filter(line -> line.startsWith(key + " "))
        .mapToLong(line -> Long.parseLong(line.substring(key.length() + 1).trim()))
        .reduce((first, second) -> second)
        .orElseThrow(() -> new AssertionError("no [" + key + "] in " + output));
  }

  /** SIGTERM. */
  public void terminate() {
    process.toHandle().destroy(); // Process.destroy would close the pipes as well
  }

  /** SIGSTOP, and SIGCONT after that time: what a machine that stands still does to a JVM. */
  public void freeze(Duration time) {
    Shell.run("kill", "-STOP", process.pid());
    long end = System.nanoTime() + time.toNanos();
    while (end - System.nanoTime() > 0) {
      LockSupport.parkNanos(end - System.nanoTime());
    }
    Shell.run("kill", "-CONT", process.pid());
  }

  /** SIGKILL; returns when the child is gone and its output is read. */
  public void kill() {
    process.toHandle().destroyForcibly();
    awaitEnd();
  }

  /** Waits for the end and returns the exit code. */
  public int awaitEnd() {
    try {
      boolean ended = process.waitFor(DEADLINE.toSeconds() + 5, TimeUnit.SECONDS);
      assertThat(ended).as(() -> "child ended in time, its output: " + output).isTrue();
      reader.join();
      return process.exitValue();
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  /** Waits for the end and fails unless the exit code is this one. */
  public Fork awaitEnd(int exitCode) {
    assertThat(awaitEnd()).as(() -> "exit code; output: " + output).isEqualTo(exitCode);
    return this;
  }

  @Override
  public void close() {
    process.destroyForcibly();
  }

  /** The child's side: runs the main class named first. */
  public static void main(String[] arguments) throws Exception {
    daemon("fork-parent-watch", Fork::awaitParentsEnd);
    daemon(
        "fork-deadline",
        () -> {
          long deadline = System.nanoTime() + DEADLINE.toNanos();
          while (deadline - System.nanoTime() > 0) {
            LockSupport.parkNanos(deadline - System.nanoTime());
          }
          die(STUCK);
        });
    String[] rest = List.of(arguments).subList(1, arguments.length).toArray(String[]::new);
    try {
      Class.forName(arguments[0]).getMethod("main", String[].class).invoke(null, (Object) rest);
    } catch (InvocationTargetException e) {
      e.getCause().printStackTrace();
      die(FAILED);
    }
  }

  private static void awaitParentsEnd() {
    try {
      while (System.in.read() >= 0) {
        LockSupport.parkNanos(1_000_000);
      }
    } catch (IOException e) {
      die(STUCK); // the pipe is broken: the parent is gone as well
    }
    die(STUCK);
  }

  private static void die(int code) {
    Runtime.getRuntime().halt(code);
  }

  private static void daemon(String name, Runnable action) {
    Thread thread = new Thread(action, name);
    thread.setDaemon(true);
    thread.start();
  }
}
