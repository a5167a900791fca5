package io.spillway.stress.plan;

import io.spillway.stress.report.RefusedException;
import io.spillway.stress.report.TrialResult;
import io.spillway.stress.verify.LogLine;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Stream;

/**
 * One configuration to be tested.
 *
 * @param name its name in options and results
 * @param role why it is tested
 * @param description one line for readers
 * @param library the logging library behind the log calls
 * @param configuration the library's configuration file, verbatim
 * @param properties system properties that the configuration needs, besides {@code logs} (the
 *     directory of the log file) and {@code limit} (the file size at which to rotate, in bytes)
 * @param sandboxed the findings about a user's configuration, or null for a built-in one
 */
public record Trial(
    String name,
    TrialResult.Role role,
    String description,
    Library library,
    String configuration,
    Map<String, String> properties,
    UserConfiguration.Sandboxed sandboxed) {

  /** Creates a built-in trial of Logback. */
  public Trial(
      String name,
      TrialResult.Role role,
      String description,
      String configuration,
      Map<String, String> properties) {
    this(name, role, description, Library.LOGBACK, configuration, properties, null);
  }

  /** Returns this trial with the caller's file and line in its lines; unchanged without Logback. */
  public Trial withCallers() {
    if (library != Library.LOGBACK) {
      return this;
    }
    String callers =
        configuration
            .replace("%c{20} - %m", "%c{20} \\(%F:%L\\) - %m")
            .replaceAll(
                "(?m)^(.*class=\"[^\"]*(Async|Spillway)[A-Za-z]*Appender\">)$",
                "$1\n    <includeCallerData>true</includeCallerData>");
    return new Trial(name, role, description, library, callers, properties, sandboxed);
  }

  /** Plans this trial at a size; for a user's configuration, the one at which it rolls over. */
  public PlannedTrial at(long sizeBytes) {
    return new PlannedTrial(name, this, sizeBytes, null);
  }

  /** Returns the bytes that the load writes in a second. */
  double bytesPerSecond(RunOptions options) {
    double lineBytes =
        sandboxed == null ? LogLine.typicalBytes(options.messageBytes()) : sandboxed.lineBytes();
    return options.eventsPerSecond() * lineBytes;
  }

  /** Returns whether Spillway's policies compress, which by default use half a core. */
  boolean pacesCompression() {
    return configuration.contains("io.spillway.rolling.");
  }

  /** The logging library behind SLF4J. */
  enum Library {
    /** Logback, from the class path of the harness. */
    LOGBACK,
    /** Log4j 2; its jars are in a directory beside the harness and precede it on the class path. */
    LOG4J2;

    private final String id = name().toLowerCase(Locale.ROOT);

    String fileName() {
      return id + ".xml";
    }

    /** Returns the system property with the path of the configuration. */
    String configurationProperty() {
      return id + ".configurationFile";
    }

    /**
     * Returns the jars that precede the harness on the class path.
     *
     * @throws RefusedException if the build has not put them there
     */
    List<Path> classPath() throws IOException {
      if (this == LOGBACK) {
        return List.of();
      }
      String harness = System.getProperty("java.class.path").split(File.pathSeparator)[0];
      Path jars = Path.of(harness).toAbsolutePath().resolveSibling(id);
      if (!Files.isDirectory(jars)) {
        throw new RefusedException(
            "the jars for "
                + fileName()
                + " are missing: there is no directory "
                + jars
                + ". To do: build the harness with ./mvnw package");
      }
      try (Stream<Path> all = Files.list(jars)) {
        return all.filter(jar -> jar.toString().endsWith(".jar")).sorted().toList();
      }
    }
  }
}
