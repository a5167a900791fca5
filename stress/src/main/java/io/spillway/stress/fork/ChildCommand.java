package io.spillway.stress.fork;

import io.spillway.stress.load.Child;
import io.spillway.stress.load.VirtualThreads;
import io.spillway.stress.sandbox.Probe;
import java.io.File;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Command lines of forked JVMs: this JVM's Java and class path. */
public final class ChildCommand {

  /**
   * Ends a JVM at its first {@link OutOfMemoryError}: what it measures after that means nothing.
   */
  public static final String EXIT_OUT_OF_MEMORY = "-XX:+ExitOnOutOfMemoryError";

  /**
   * What it says on its standard output then; code that it runs may end it with the same exit code.
   */
  public static final String OUT_OF_MEMORY = "Terminating due to java.lang.OutOfMemoryError";

  private static final List<String> SHORT_LIVED =
      List.of("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC");

  private ChildCommand() {}

  /**
   * The command line of a trial.
   *
   * @param heap for {@code -Xms} and {@code -Xmx}
   * @param properties system properties: where the configuration is, and what it may name
   * @param first what comes before the harness on the class path
   * @param virtualThreads whether application threads are virtual
   * @param spec the file that says what to do
   */
  public static List<String> ofTrial(
      String heap,
      Map<String, String> properties,
      List<Path> first,
      boolean virtualThreads,
      Path spec) {
    List<String> command = new ArrayList<>();
    command.add(java());
    command.add("-Xms" + heap);
    command.add("-Xmx" + heap);
    command.add(EXIT_OUT_OF_MEMORY);
    command.add("-XX:FlightRecorderOptions=stackdepth=64");
    command.add("-Xlog:disable");
    command.add("-Xlog:all=error:stderr");
    if (virtualThreads) {
      command.add(VirtualThreads.OPENED);
    }
    add(command, properties, first);
    command.add(Child.class.getName());
    command.add(spec.toString());
    return command;
  }

  /**
   * The command line of a probe.
   *
   * @param properties system properties that the configuration may name
   * @param first what comes before the harness on the class path
   * @param arguments as for {@link Probe}
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

  /** The program that runs this JVM. */
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

  /** The child runs in another directory. */
  private static Stream<Path> own() {
    return Arrays.stream(System.getProperty("java.class.path").split(File.pathSeparator))
        .map(Path::of);
  }
}
