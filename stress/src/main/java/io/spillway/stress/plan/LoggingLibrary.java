package io.spillway.stress.plan;

import io.spillway.stress.report.RefusedException;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;

/** The logging library behind SLF4J in a trial. */
public enum LoggingLibrary {
  /** Logback, from the class path of the harness. */
  LOGBACK("logback.xml", "logback.configurationFile", Map.of(), null),

  /**
   * Log4j 2 with async loggers. Its jars and its Disruptor 3 are in a separate directory and
   * precede the harness on the class path.
   */
  LOG4J2(
      "log4j2.xml",
      "log4j2.configurationFile",
      Map.of(
          "slf4j.provider", "org.apache.logging.slf4j.SLF4JServiceProvider",
          "log4j2.contextSelector",
              "org.apache.logging.log4j.core.async.AsyncLoggerContextSelector"),
      "log4j2");

  private final String fileName;
  private final String configurationProperty;
  private final Map<String, String> properties;
  private final String folder; // directory beside the harness, or null

  LoggingLibrary(
      String fileName,
      String configurationProperty,
      Map<String, String> properties,
      String folder) {
    this.fileName = fileName;
    this.configurationProperty = configurationProperty;
    this.properties = properties;
    this.folder = folder;
  }

  /** Returns the name of the configuration file. */
  String fileName() {
    return fileName;
  }

  /**
   * Returns the system properties that select the library and its configuration.
   *
   * @param configuration the path or URL of the configuration
   * @return all properties
   */
  public Map<String, String> properties(String configuration) {
    Map<String, String> all = new TreeMap<>(properties);
    all.put(configurationProperty, configuration);
    return all;
  }

  /**
   * Returns the jars that precede the harness on the class path.
   *
   * @return the jars; none for Logback
   * @throws IOException if they cannot be listed; {@link RefusedException} if the build has not put
   *     them there
   */
  public List<Path> classPath() throws IOException {
    if (folder == null) {
      return List.of();
    }
    Path jars = ownDirectory().resolve(folder);
    if (!Files.isDirectory(jars)) {
      throw new RefusedException(
          "the jars for "
              + fileName
              + " are missing: there is no directory "
              + jars
              + ". To do: build the harness with ./mvnw package");
    }
    try (Stream<Path> all = Files.list(jars)) {
      return all.filter(jar -> jar.toString().endsWith(".jar")).sorted().toList();
    }
  }

  /** Returns the directory of the harness's jar or classes, from the first class path entry. */
  private static Path ownDirectory() {
    String first = System.getProperty("java.class.path").split(File.pathSeparator)[0];
    return Path.of(first).toAbsolutePath().getParent();
  }
}
