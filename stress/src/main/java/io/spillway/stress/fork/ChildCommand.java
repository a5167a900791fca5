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
   * Text that a JVM prints on its standard output before it ends without memory. The exit code
   * alone is not enough, because the code under test may end the JVM with the same one.
   */
  static final String OUT_OF_MEMORY = "Terminating due to java.lang.OutOfMemoryError";

  private ChildCommand() {}

  /**
   * Returns the command line of a trial, whose JVM ends at its first {@link OutOfMemoryError},
   * after which figures mean nothing.
   *
   * @param first class path entries that precede the harness
   */
  public static List<String> ofTrial(
      String heap, Map<String, String> properties, List<Path> first, Path spec) {
    List<String> options =
        List.of(
            "-Xms" + heap,
            "-Xmx" + heap,
            "-XX:+ExitOnOutOfMemoryError",
            "-XX:FlightRecorderOptions=stackdepth=256",
            "-XX:ErrorFile=" + spec.resolveSibling("hs_err_pid%p.log"),
            "-Xlog:disable",
            "-Xlog:all=error:stderr");
    return of(options, properties, first, Child.class, List.of(spec.toString()));
  }

  /** Returns the command line of a {@link Probe}, which is short-lived. */
  public static List<String> ofProbe(
      Map<String, String> properties, List<Path> first, List<String> arguments) {
    List<String> options = List.of("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC");
    return of(options, properties, first, Probe.class, arguments);
  }

  private static List<String> of(
      List<String> options,
      Map<String, String> properties,
      List<Path> first,
      Class<?> main,
      List<String> arguments) {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(options);
    properties.forEach((name, value) -> command.add("-D" + name + "=" + value));
    command.add("-cp");
    command.add(classPath(first));
    command.add(main.getName());
    command.addAll(arguments);
    return command;
  }

  /** Returns a class path of absolute entries, because the child has another directory. */
  private static String classPath(List<Path> first) {
    String[] own = System.getProperty("java.class.path").split(File.pathSeparator);
    return Stream.concat(first.stream(), Arrays.stream(own).map(Path::of))
        .map(entry -> entry.toAbsolutePath().toString())
        .collect(Collectors.joining(File.pathSeparator));
  }
}
