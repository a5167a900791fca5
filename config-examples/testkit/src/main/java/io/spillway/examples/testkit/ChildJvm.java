package io.spillway.examples.testkit;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * Commands for JVMs that live for seconds, so without C2 and parallel collectors, which would only
 * cost time.
 */
public final class ChildJvm {
  private ChildJvm() {}

  /**
   * Returns a builder for a JVM with the class path of this one.
   *
   * @param directory its working directory
   * @param options options of the JVM
   */
  public static ProcessBuilder of(
      Path directory, List<String> options, Class<?> main, Object... arguments) {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(List.of("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC"));
    command.addAll(options);
    command.addAll(List.of("-cp", System.getProperty("java.class.path"), main.getName()));
    for (Object argument : arguments) {
      command.add(argument.toString());
    }
    ProcessBuilder builder = new ProcessBuilder(command).directory(directory.toFile());
    builder.environment().keySet().removeAll(List.of("JAVA_TOOL_OPTIONS", "_JAVA_OPTIONS"));
    return builder;
  }
}
