package io.spillway.examples;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;

/** Programs that a user runs in a folder. */
final class Command {

  /** Builds that live for seconds: what a better compiler gains them is less than it takes. */
  private static final String SHORT_LIVED = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC";

  private Command() {}

  /** Runs it to its end, which has to be a good one; what it printed. */
  static String run(Path folder, String... command) throws Exception {
    return run(folder, List.of(), command);
  }

  /**
   * The same.
   *
   * @param environment variables, as {@code NAME=value}
   */
  static String run(Path folder, List<String> environment, String... command) throws Exception {
    Path output = Files.createTempFile(folder, "output", ".txt");
    ProcessBuilder builder =
        new ProcessBuilder(command)
            .directory(folder.toFile())
            .redirectErrorStream(true)
            .redirectOutput(output.toFile());
    builder.environment().remove("JAVA_TOOL_OPTIONS");
    builder.environment().put("MAVEN_OPTS", SHORT_LIVED);
    builder.environment().put("GRADLE_OPTS", SHORT_LIVED);
    builder.environment().put("JAVA_HOME", System.getProperty("java.home"));
    for (String variable : environment) {
      String[] pair = variable.split("=", 2);
      builder.environment().put(pair[0], pair[1]);
    }
    Process process = builder.start();
    Thread killer = new Thread(process::destroyForcibly);
    Runtime.getRuntime().addShutdownHook(killer);
    try {
      int exit = process.waitFor();
      String printed = Files.readString(output);
      assertThat(exit).as(() -> Arrays.toString(command) + "\n" + printed).isZero();
      return printed;
    } finally {
      process.destroyForcibly();
      Runtime.getRuntime().removeShutdownHook(killer);
      Files.delete(output);
    }
  }

  /** Whether the path of programs has it. */
  static boolean has(String program) {
    return Arrays.stream(System.getenv("PATH").split(":"))
        .anyMatch(folder -> Files.isExecutable(Path.of(folder, program)));
  }

  /**
   * Maven with a repository of its own: what is installed goes there, and what others have fetched
   * already is read from theirs.
   */
  static String[] maven(Path repository, String... command) {
    String fetched =
        System.getProperty("maven.repo.local", System.getProperty("user.home") + "/.m2/repository");
    List<String> all = new ArrayList<>(List.of(command));
    all.add("-B");
    all.add("-ntp");
    all.add("-Dmaven.repo.local=" + repository);
    all.add("-Dmaven.repo.local.tail=" + fetched);
    return all.toArray(String[]::new);
  }

  /** The project as a user has it: its sources, without what builds and versions left there. */
  static Path checkOut(Path to) throws IOException {
    List<String> left = List.of("target", ".git", "spillway-results");
    try (Stream<Path> all = Files.walk(Readme.PROJECT)) {
      for (Path file : (Iterable<Path>) all::iterator) {
        Path relative = Readme.PROJECT.relativize(file);
        boolean isLeft =
            Stream.iterate(relative, path -> path != null, Path::getParent)
                .anyMatch(path -> left.contains(path.getFileName().toString()));
        if (!isLeft && Files.isDirectory(file)) {
          Files.createDirectories(to.resolve(relative));
        } else if (!isLeft) {
          Files.copy(file, to.resolve(relative), java.nio.file.StandardCopyOption.COPY_ATTRIBUTES);
        }
      }
    }
    return to;
  }
}
