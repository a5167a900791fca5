package io.spillway.examples.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * An application in a separate JVM, with the class path of this one, and {@code LOG_DIR} set as a
 * user would set it. It is killed when this JVM ends.
 */
public final class ForkedApp implements AutoCloseable {
  /** Timeout for each step of the application; a step takes seconds. */
  public static final Duration PATIENCE = Duration.ofSeconds(60);

  private final Process process;
  private final Path output;
  private final Path logs;
  private final Thread killer;

  private ForkedApp(Process process, Path output, Path logs) {
    this.process = process;
    this.output = output;
    this.logs = logs;
    killer = new Thread(process::destroyForcibly);
    Runtime.getRuntime().addShutdownHook(killer);
  }

  /**
   * Starts a main class.
   *
   * @param directory its working directory; logs go to {@code logs} in it
   */
  public static ForkedApp start(
      Path directory, List<String> jvmOptions, Class<?> main, String... arguments)
      throws IOException {
    Path output = directory.resolve("output.txt");
    List<String> options = new ArrayList<>(List.of("-Xmx256m"));
    options.addAll(jvmOptions);
    ProcessBuilder builder =
        ChildJvm.of(directory, options, main, (Object[]) arguments)
            .redirectErrorStream(true)
            .redirectOutput(output.toFile());
    Path logs = directory.resolve("logs");
    builder.environment().put("LOG_DIR", logs.toString());
    return new ForkedApp(builder.start(), output, logs);
  }

  /** Returns the process ID. */
  public long pid() {
    return process.pid();
  }

  /** Returns the directory of its logs. */
  public Path logs() {
    return logs;
  }

  /**
   * Waits for a log line that matches and returns the port in it; fails if the application ends
   * first.
   */
  public int awaitPort(String log, Pattern line) {
    Path file = logs.resolve(log);
    String port =
        await("[" + line + "] in " + file)
            .atMost(PATIENCE)
            .pollInterval(Duration.ofMillis(20))
            .until(
                () -> {
                  assertThat(process.isAlive()).as(this::output).isTrue();
                  return find(file, line);
                },
                found -> found != null);
    return Integer.parseInt(port);
  }

  private static String find(Path file, Pattern line) throws IOException {
    if (!Files.exists(file)) {
      return null;
    }
    try (Stream<String> lines = Files.lines(file)) {
      return lines
          .map(line::matcher)
          .filter(Matcher::find)
          .map(matcher -> matcher.group(1))
          .findFirst()
          .orElse(null);
    }
  }

  /** Returns the application's standard output and error. */
  public String output() {
    try {
      return Files.readString(output);
    } catch (IOException e) {
      return "(no output: " + e + ")";
    }
  }

  /** Sends SIGTERM. */
  public void terminate() {
    process.destroy();
  }

  /** Waits for its end and returns the exit code. */
  public int awaitEnd() throws InterruptedException {
    boolean ended = process.waitFor(PATIENCE.toSeconds(), TimeUnit.SECONDS);
    assertThat(ended).as("the application ended").isTrue();
    return process.exitValue();
  }

  @Override
  public void close() {
    process.destroyForcibly();
    Runtime.getRuntime().removeShutdownHook(killer);
  }
}
