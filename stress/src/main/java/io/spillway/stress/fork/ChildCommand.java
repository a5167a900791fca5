package io.spillway.stress.fork;

import io.spillway.stress.load.Child;
import io.spillway.stress.sandbox.Probe;
import java.io.File;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Builds the command lines of forked JVMs, with the Java and the class path of this JVM. */
public final class ChildCommand {

  /**
   * Option that ends a JVM at its first {@link OutOfMemoryError}, after which figures mean nothing.
   */
  public static final String EXIT_OUT_OF_MEMORY = "-XX:+ExitOnOutOfMemoryError";

  /**
   * Text that such a JVM prints on its standard output. The exit code alone is not enough, because
   * the code under test may end the JVM with the same one.
   */
  public static final String OUT_OF_MEMORY = "Terminating due to java.lang.OutOfMemoryError";

  private static final List<String> SHORT_LIVED =
      List.of("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC");

  private ChildCommand() {}

  /**
   * Returns the command line of a trial.
   *
   * @param heap the value of {@code -Xms} and {@code -Xmx}
   * @param properties system properties: the path of the configuration, and variables that it
   *     refers to
   * @param first class path entries that precede the harness
   * @param spec the file with the {@link io.spillway.stress.load.LoadSpec}
   */
  public static List<String> ofTrial(
      String heap, Map<String, String> properties, List<Path> first, Path spec) {
    List<String> command = new ArrayList<>();
    command.add(java());
    command.add("-Xms" + heap);
    command.add("-Xmx" + heap);
    command.add(EXIT_OUT_OF_MEMORY);
    command.add("-XX:FlightRecorderOptions=stackdepth=256");
    command.add("-XX:ErrorFile=" + spec.resolveSibling("hs_err_pid%p.log"));
    command.add("-Xlog:disable");
    command.add("-Xlog:all=error:stderr");
    add(command, properties, first);
    command.add(Child.class.getName());
    command.add(spec.toString());
    return command;
  }

  /**
   * Returns the command line of a probe.
   *
   * @param properties system properties that the configuration may refer to
   * @param first class path entries that precede the harness
   * @param arguments the arguments of {@link Probe}
   */
  public static List<String> ofProbe(
      Map<String, String> properties, List<Path> first, List<String> arguments) {
    List<String> command = new ArrayList<>();
    command.add(java());
    command.addAll(SHORT_LIVED);
    add(command, properties, first);
    command.add(Probe.class.getName());
    command.addAll(arguments);
    return command;
  }

  /** Returns the path of the program that runs this JVM. */
  public static String java() {
    return Path.of(System.getProperty("java.home"), "bin", "java").toString();
  }

  private static void add(List<String> command, Map<String, String> properties, List<Path> first) {
    properties.forEach((name, value) -> command.add("-D" + name + "=" + value));
    command.add("-cp");
    command.add(
        Stream.concat(first.stream(), own())
            .map(entry -> entry.toAbsolutePath().toString())
            .collect(Collectors.joining(File.pathSeparator)));
  }

  /** Returns this JVM's class path, to be made absolute: the child has another directory. */
  private static Stream<Path> own() {
    return Arrays.stream(System.getProperty("java.class.path").split(File.pathSeparator))
        .map(Path::of);
  }
}
