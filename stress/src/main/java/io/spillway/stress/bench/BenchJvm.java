package io.spillway.stress.bench;

import io.spillway.stress.fork.ChildCommand;
import io.spillway.stress.plan.Cancellation;
import io.spillway.stress.plan.LoggingLibrary;
import io.spillway.stress.plan.RunDirectory;
import io.spillway.stress.report.RefusedException;
import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** Runs a measurement in a forked JVM and a temporary directory, and reads its figures. */
final class BenchJvm {
  /** Spillway's configurations: one appender wraps another one, one writes a file itself. */
  static final List<String> OWN = List.of("spillway", "spillway-file");

  /** Configurations that Spillway's appenders are compared with. */
  static final List<String> PEERS =
      List.of("rolling-file", "async-8192", "async-131072", Configurations.LOG4J2);

  private static final Pattern FIGURE = Pattern.compile("(?<!\\S)([\\w.]+)=([-\\d.E]+)(?!\\S)");
  private static final Pattern LOADED = Pattern.compile(" source: ");
  private static final Pattern STARTED = Pattern.compile("process running for ([\\d.]+)");
  private static final Pattern TIMES = Pattern.compile("(\\d+)m([\\d.]+)s");

  /**
   * Shell script that runs a command and prints its times. {@code LC_ALL=C} follows the command: it
   * keeps the shell from printing a decimal comma and leaves the locale of the measured program
   * alone.
   */
  private static final String TIMED = "\"$@\" && LC_ALL=C && times";

  private static final long DEADLINE_MINUTES = 10;

  private final Path work;
  private volatile Process running;

  BenchJvm(Path work) {
    this.work = work;
  }

  /** What a child printed as {@code name=number}, and the lines that it left in its log file. */
  record Figures(Map<String, Double> values, long lines) {
    double get(String name) {
      Double value = values.get(name);
      if (value == null) {
        throw new IllegalStateException("The program has not told [" + name + "]: " + values);
      }
      return value;
    }
  }

  /** Returns all configurations, without Log4j 2 if the build has not copied its jars. */
  static List<String> all() throws IOException {
    List<String> all = new ArrayList<>(PEERS);
    all.addAll(OWN);
    try {
      LoggingLibrary.LOG4J2.classPath();
    } catch (RefusedException notBuilt) {
      all.remove(Configurations.LOG4J2);
    }
    return all;
  }

  /**
   * Runs a main class of this program. Its arguments are the configuration, a temporary directory
   * that this method creates and removes, and the given ones.
   */
  Figures run(Class<?> main, String configuration, String... arguments)
      throws IOException, InterruptedException {
    return inDirectory(
        directory -> {
          List<String> command = java(List.of("-Xms1g", "-Xmx1g"), configuration, main.getName());
          command.addAll(List.of(configuration, directory.toString()));
          command.addAll(List.of(arguments));
          return new Figures(parse(output(command, directory)), lines(directory));
        });
  }

  /**
   * Runs any program in a JVM with default options. Adds the figures of the whole process: {@code
   * cpuSeconds}, user and system, as the shell's {@code times} reports them; {@code classes}, if
   * the JVM logs class loading; and the {@code startedSeconds} that Spring Boot logs.
   */
  Figures runTimed(List<String> options, String configuration, String main, String... arguments)
      throws IOException, InterruptedException {
    return inDirectory(
        directory -> {
          List<String> command = new ArrayList<>(List.of("bash", "-c", TIMED, "timed"));
          List<String> all = new ArrayList<>(options);
          all.add("-Ddir=" + directory);
          command.addAll(java(all, configuration, main));
          for (String argument : arguments) {
            command.add(argument.replace("DIR", directory.toString()));
          }
          String text = output(command, directory);
          Map<String, Double> values = new HashMap<>(parse(text));
          values.put("cpuSeconds", cpuSeconds(text));
          values.put("classes", (double) LOADED.matcher(text).results().count());
          Matcher started = STARTED.matcher(Files.readString(directory.resolve("app.log")));
          if (started.find()) {
            values.put("startedSeconds", Double.valueOf(started.group(1)));
          }
          return new Figures(values, lines(directory));
        });
  }

  /** Prints figures for the parent process as {@code name=number}, alike in every locale. */
  static void tell(String format, Object... figures) {
    System.out.printf(Locale.ROOT, format + "%n", figures);
  }

  /** Returns user plus system time of the shell's children, from the last line of {@code times}. */
  static double cpuSeconds(String output) {
    Matcher children =
        TIMES.matcher(output.substring(output.stripTrailing().lastIndexOf('\n') + 1));
    List<Double> seconds =
        children
            .results()
            .map(time -> 60 * Double.parseDouble(time.group(1)) + Double.parseDouble(time.group(2)))
            .toList();
    if (seconds.size() != 2) {
      throw new IllegalStateException("Not the shell's times, user and system: " + output);
    }
    return seconds.get(0) + seconds.get(1);
  }

  private static List<String> java(List<String> options, String configuration, String main)
      throws IOException {
    List<String> command = new ArrayList<>();
    command.add(ChildCommand.java());
    command.addAll(options);
    if (!options.contains("-cp")) {
      StringBuilder classPath = new StringBuilder();
      if (Configurations.LOG4J2.equals(configuration)) {
        for (Path jar : LoggingLibrary.LOG4J2.classPath()) {
          classPath.append(jar).append(File.pathSeparator);
        }
      }
      command.addAll(List.of("-cp", classPath + System.getProperty("java.class.path")));
    }
    command.add(main);
    return command;
  }

  private interface Work {
    Figures in(Path directory) throws IOException, InterruptedException;
  }

  private Figures inDirectory(Work work) throws IOException, InterruptedException {
    Path directory = Files.createTempDirectory(this.work, "bench");
    try (Cancellation cancellation = new Cancellation(() -> end(directory))) {
      try {
        return work.in(directory);
      } catch (IOException | RuntimeException e) {
        if (cancellation.cancelled()) {
          // cancelling deletes the directory, which explains the failure
          throw new Cancellation.Cancelled(e);
        }
        throw e;
      } finally {
        RunDirectory.delete(directory);
      }
    }
  }

  private void end(Path directory) throws IOException {
    Process child = running;
    if (child != null) {
      kill(child);
    }
    RunDirectory.delete(directory);
  }

  private static void kill(Process child) {
    child.descendants().forEach(ProcessHandle::destroyForcibly);
    child.destroyForcibly();
    child.onExit().join();
  }

  private String output(List<String> command, Path directory)
      throws IOException, InterruptedException {
    Path output = directory.resolve("stdout.txt");
    Process process =
        new ProcessBuilder(command)
            .redirectErrorStream(true)
            .redirectOutput(output.toFile())
            .start();
    running = process;
    if (!process.waitFor(DEADLINE_MINUTES, TimeUnit.MINUTES)) {
      kill(process);
      throw new IOException("Hung for " + DEADLINE_MINUTES + " minutes: " + command);
    }
    String text = Files.readString(output);
    if (process.exitValue() != 0) {
      throw new IOException("Exit code " + process.exitValue() + " of " + command + ": " + text);
    }
    return text;
  }

  private static Map<String, Double> parse(String text) {
    Map<String, Double> values = new HashMap<>();
    Matcher figure = FIGURE.matcher(text);
    while (figure.find()) {
      values.put(figure.group(1), Double.valueOf(figure.group(2)));
    }
    return values;
  }

  private static long lines(Path directory) throws IOException {
    Path file = directory.resolve("app.log");
    if (!Files.exists(file)) {
      return 0;
    }
    try (Stream<String> lines = Files.lines(file, StandardCharsets.UTF_8)) {
      return lines.count();
    }
  }
}
