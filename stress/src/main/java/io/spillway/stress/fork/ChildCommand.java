package io.spillway.stress.fork;

import io.spillway.stress.load.Child;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** The command line of a forked JVM: this JVM's Java and class path, a fixed heap. */
public final class ChildCommand {

  private ChildCommand() {}

  /**
   * Builds the command line.
   *
   * @param heap for {@code -Xms} and {@code -Xmx}
   * @param configuration the logback.xml
   * @param properties system properties that the configuration may name
   * @param spec the file that says what to do
   */
  public static List<String> of(
      String heap, Path configuration, Map<String, String> properties, Path spec) {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.add("-Xms" + heap);
    command.add("-Xmx" + heap);
    command.add("-XX:+ExitOnOutOfMemoryError");
    command.add("-XX:FlightRecorderOptions=stackdepth=64");
    command.add("-Xlog:disable");
    command.add("-Xlog:all=error:stderr");
    command.add("-Dlogback.configurationFile=" + configuration);
    properties.forEach((name, value) -> command.add("-D" + name + "=" + value));
    command.add("-cp");
    command.add(System.getProperty("java.class.path"));
    command.add(Child.class.getName());
    command.add(spec.toString());
    return command;
  }
}
