package io.spillway.examples;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.spillway.examples.testkit.ChildJvm;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** {@link App} in a JVM of its own, with an example as its configuration. */
final class AppJvm implements AutoCloseable {
  /** How the lines begin that are not for the user. */
  static final String ANSWER = "app: ";

  private final Process process;
  private final Writer commands;
  private final BufferedReader errors;

  /** What the application has done so far. */
  record Answer(int logged, long spilled) {}

  /** Starts it and waits until it is there. */
  AppJvm(String folder, Path logs, String... options) throws IOException {
    List<String> all = new ArrayList<>(List.of("-XX:+ExitOnOutOfMemoryError"));
    all.addAll(List.of(options));
    all.add("-DLOG_DIR=" + logs);
    all.add("-Dlogback.configurationFile=" + Path.of(folder, "logback.xml").toAbsolutePath());
    process = ChildJvm.of(logs, all, App.class).start();
    commands = process.outputWriter(StandardCharsets.UTF_8);
    errors = process.errorReader(StandardCharsets.UTF_8);
    answerTo("started");
  }

  /** Has it do something, and waits until it is done. */
  Answer tell(String command, Object... arguments) throws IOException {
    commands.write(command);
    for (Object argument : arguments) {
      commands.write(" " + argument);
    }
    commands.write("\n");
    commands.flush();
    return answerTo(command);
  }

  private Answer answerTo(String command) throws IOException {
    List<String> others = new ArrayList<>();
    for (String line = errors.readLine(); line != null; line = errors.readLine()) {
      if (line.startsWith(ANSWER + command + " ")) {
        String[] words = line.split(" ");
        return new Answer(Integer.parseInt(words[2]), Long.parseLong(words[3]));
      }
      others.add(line);
    }
    throw new AssertionError("no answer to [" + command + "] but " + others);
  }

  /** Not read until the test does. */
  InputStream output() {
    return process.getInputStream();
  }

  /** Ends its main method; the JVM goes on until everything is logged. */
  void endMain() throws IOException {
    commands.close();
  }

  /** It has more to print than the pipe takes, and waits for that. */
  void assertAliveFor(Duration time) {
    await().during(time).until(process::isAlive);
  }

  /** All that it still prints, until it has ended. */
  List<String> readToEnd() throws Exception {
    try (BufferedReader reader =
        new BufferedReader(new InputStreamReader(output(), StandardCharsets.UTF_8))) {
      List<String> lines = reader.lines().toList();
      assertThat(process.waitFor(Example.PATIENCE.toSeconds(), TimeUnit.SECONDS)).isTrue();
      assertThat(process.exitValue()).isZero();
      return lines;
    }
  }

  @Override
  public void close() {
    process.destroyForcibly();
  }
}
