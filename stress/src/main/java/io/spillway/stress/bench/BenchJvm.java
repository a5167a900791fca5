package io.spillway.stress.bench;

import io.spillway.stress.plan.RunDirectory;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/** Runs one measurement in a JVM of its own and a directory of its own, and reads its figures. */
final class BenchJvm {
  /** That of this program. */
  static final String OWN_CLASS_PATH = System.getProperty("java.class.path");

  /** Configurations that are compared. */
  static final List<String> LOGBACK_KINDS =
      List.of("rolling-file", "async-8192", "spillway", "spillway-file");

  private static final long DEADLINE_MINUTES = 10;

  private final Path work;

  BenchJvm(Path work) {
    this.work = work;
  }

  /** What a child printed as {@code name=number}, and the lines that it left in its log file. */
  record Figures(Map<String, Double> values, long lines) {
    double get(String name) {
      return values.get(name);
    }
  }

  /** Runs a main class with a class path; its first directory argument is made and removed here. */
  Figures run(String classPath, String mainClass, String configuration, String... arguments)
      throws IOException, InterruptedException {
    Path directory = Files.createTempDirectory(work, "bench");
    try {
      List<String> command = new ArrayList<>();
      command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
      command.addAll(List.of("-Xms1g", "-Xmx1g", "-cp", classPath, mainClass));
      if (configuration != null) {
        command.add(configuration);
      }
      command.add(directory.toString());
      command.addAll(List.of(arguments));
      Path output = directory.resolve("stdout.txt");
      Process process =
          new ProcessBuilder(command)
              .redirectErrorStream(true)
              .redirectOutput(output.toFile())
              .start();
      if (!process.waitFor(DEADLINE_MINUTES, TimeUnit.MINUTES)) {
        process.destroyForcibly();
        throw new IOException("Hung for " + DEADLINE_MINUTES + " minutes: " + command);
      }
      String text = Files.readString(output);
      if (process.exitValue() != 0) {
        throw new IOException("Exit code " + process.exitValue() + " of " + command + ": " + text);
      }
      return new Figures(parse(text), countLines(directory.resolve("app.log")));
    } finally {
      RunDirectory.delete(directory);
    }
  }

  private static Map<String, Double> parse(String text) {
    Map<String, Double> values = new HashMap<>();
    for (String word : text.strip().split("\\s+")) {
      int equals = word.indexOf('=');
      if (equals > 0) {
        values.put(word.substring(0, equals), Double.valueOf(word.substring(equals + 1)));
      }
    }
    return values;
  }

  private static long countLines(Path file) throws IOException {
    if (!Files.exists(file)) {
      return 0;
    }
    try (Stream<String> lines = Files.lines(file, StandardCharsets.UTF_8)) {
      return lines.count();
    }
  }
}
