package io.spillway.stress.plan;

import io.spillway.stress.load.LoadSpec;
import io.spillway.stress.report.RefusedException;
import io.spillway.stress.report.TrialResult;
import io.spillway.stress.service.ServiceTrial;
import io.spillway.stress.verify.LogLine;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Stream;

/**
 * One configuration to be tested, at one file size.
 *
 * @param name its name in options and results, unique in a run
 * @param library the logging library behind SLF4J: {@link #LOGBACK}, or the directory of its jars
 *     beside the harness
 * @param configuration the library's configuration file, verbatim
 * @param properties system properties that the configuration needs, besides {@code logs} (the
 *     directory of the log file) and {@code limit} (the file size at which to rotate, in bytes)
 * @param sandboxed the findings about a user's configuration, or null for a built-in one
 * @param sizeBytes the size of the log file at which it rolls over; 0 for a service without
 *     rotation
 * @param service the service whose requests make the log calls, or null if threads only log
 */
public record Trial(
    String name,
    TrialResult.Role role,
    String description,
    String library,
    String configuration,
    Map<String, String> properties,
    UserConfiguration.Sandboxed sandboxed,
    long sizeBytes,
    ServiceTrial service) {

  /** The library on the class path of the harness. */
  static final String LOGBACK = "logback";

  private static final List<String> UNITS = List.of("B", "KB", "MB", "GB");

  /** Creates a built-in trial of Logback without a size. */
  public Trial(
      String name,
      TrialResult.Role role,
      String description,
      String configuration,
      Map<String, String> properties) {
    this(name, role, description, LOGBACK, configuration, properties, null, 0, null);
  }

  /** Returns this trial with the caller's file and line in its lines; unchanged without Logback. */
  public Trial withCallers() {
    if (!library.equals(LOGBACK)) {
      return this;
    }
    String callers =
        configuration
            .replace("%c{20} - %m", "%c{20} \\(%F:%L\\) - %m")
            .replaceAll(
                "(?m)^(.*class=\"[^\"]*(Async|Spillway)[A-Za-z]*Appender\">)$",
                "$1\n    <includeCallerData>true</includeCallerData>");
    return with(name, callers, sizeBytes, service);
  }

  /** Returns this trial at a size; for a user's configuration, the one at which it rolls over. */
  public Trial at(long size) {
    return with(name, configuration, size, service);
  }

  /** Returns this trial at a size, with log calls by the requests to a service. */
  public Trial at(long size, ServiceTrial of) {
    return with(name, configuration, size, of);
  }

  private Trial with(String newName, String newConfiguration, long size, ServiceTrial of) {
    return new Trial(
        newName, role, description, library, newConfiguration, properties, sandboxed, size, of);
  }

  /** Sorts trials by size; several sizes are appended to the names: {@code async-4GB}. */
  public static List<Trial> bySize(List<Trial> trials) {
    if (trials.stream().mapToLong(Trial::sizeBytes).distinct().count() < 2) {
      return trials;
    }
    return trials.stream()
        .sorted(Comparator.comparingLong(Trial::sizeBytes))
        .map(Trial::namedBySize)
        .toList();
  }

  /** Appends the size to the name, in the largest unit in which it is a whole number. */
  private Trial namedBySize() {
    int unit = Math.min(Long.numberOfTrailingZeros(sizeBytes) / 10, UNITS.size() - 1);
    String size = (sizeBytes >> 10 * unit) + UNITS.get(unit);
    return with(name + "-" + size, configuration, sizeBytes, service);
  }

  /** Returns the options of this trial: those of the run, with what a service replaces. */
  RunOptions options(RunOptions run) {
    if (service == null) {
      return run;
    }
    return new RunOptions(
        service.application().threads(),
        false,
        service.rate() * service.lines(),
        service.lineBytes(),
        run.rotation() && sizeBytes > 0,
        1,
        Set.of(),
        service.warmUpSeconds(),
        run.aroundSeconds(),
        Objects.requireNonNullElse(service.heap(), run.heap()),
        run.repeats(),
        run.limits(),
        run.keep(),
        run.out(),
        run.deadline());
  }

  /**
   * Returns the class path entries of a built-in trial that precede the harness.
   *
   * @throws RefusedException if the build has not put them beside the harness
   */
  List<Path> classPath() throws IOException {
    if (service != null) {
      return service.classPath();
    }
    if (library.equals(LOGBACK)) {
      return List.of();
    }
    String harness = System.getProperty("java.class.path").split(File.pathSeparator)[0];
    Path jars = Path.of(harness).toAbsolutePath().resolveSibling(library);
    if (!Files.isDirectory(jars)) {
      throw new RefusedException(
          ("the jars for %s.xml are missing: there is no directory %s. To do: build the harness"
                  + " with ./mvnw package")
              .formatted(library, jars));
    }
    try (Stream<Path> all = Files.list(jars)) {
      return all.filter(jar -> jar.toString().endsWith(".jar")).sorted().toList();
    }
  }

  /** Returns the beginning of the names of application threads. */
  String threadPrefix() {
    return service == null ? LoadSpec.APPLICATION_THREAD : service.threadPrefix();
  }

  /** Returns whether Spillway's policies compress, which by default use half a core. */
  boolean pacesCompression() {
    return configuration.contains("io.spillway.rolling.");
  }

  /** Returns the bytes that the load writes in a second. */
  double bytesPerSecond(RunOptions options) {
    double lineBytes =
        sandboxed == null ? LogLine.typicalBytes(options.messageBytes()) : sandboxed.lineBytes();
    int extraBytes = options.extras().stream().mapToInt(extra -> extra.bytes).sum();
    return options.eventsPerSecond() * (lineBytes + extraBytes);
  }

  /** Returns the bytes that the load writes until the rotation is due; 0 without a rotation. */
  private long leadBytes(RunOptions options) {
    return sizeBytes == 0 ? 0 : (long) (bytesPerSecond(options) * options.leadSeconds());
  }

  /** Returns the length of the file before the load, so that the rotation is due in time. */
  long prefillBytes(RunOptions options) {
    return sizeBytes - leadBytes(options);
  }

  /** Returns the least size at which the file rolls over when due, and only once. */
  long leastSizeBytes(RunOptions options) {
    return 2 * leadBytes(options);
  }
}
