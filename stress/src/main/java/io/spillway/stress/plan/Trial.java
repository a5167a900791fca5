package io.spillway.stress.plan;

import io.spillway.stress.report.TrialResult;
import io.spillway.stress.verify.LogLine;
import java.nio.file.Path;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * One configuration to be tested.
 *
 * @param name its name in options and results
 * @param role why it is tested
 * @param description one line for readers
 * @param library the logging library behind the log calls
 * @param configuration the library's configuration file, verbatim
 * @param properties system properties that the configuration refers to, besides {@code logs} (the
 *     directory of the log file) and {@code limit} (the file size at which to rotate, in bytes)
 * @param sandboxed the findings about a user's configuration, or null for a built-in one
 */
public record Trial(
    String name,
    TrialResult.Role role,
    String description,
    LoggingLibrary library,
    String configuration,
    Map<String, String> properties,
    UserConfiguration.Sandboxed sandboxed) {

  /** Name of the log file of built-in trials. */
  static final String LOG_FILE = "app.log";

  private static final Pattern ARCHIVES =
      Pattern.compile("(?:fileNamePattern>|filePattern=\")\\$\\{(?:sys:)?logs}/([^<\"]+)");

  /** Creates a built-in trial of Logback. */
  public Trial(
      String name,
      TrialResult.Role role,
      String description,
      String configuration,
      Map<String, String> properties) {
    this(name, role, description, LoggingLibrary.LOGBACK, configuration, properties, null);
  }

  /** Returns this trial with the caller's file and line in its lines; unchanged without Logback. */
  public Trial withCallers() {
    if (library != LoggingLibrary.LOGBACK) {
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
    return new PlannedTrial(name, this, sizeBytes);
  }

  /**
   * Returns the pattern of the archives of a built-in trial whose logs are in a directory; that of
   * a trial without a rotation is the name of its log file.
   */
  String archives(Path logs) {
    Matcher pattern = ARCHIVES.matcher(configuration);
    return logs.resolve(pattern.find() ? pattern.group(1) : LOG_FILE).toString();
  }

  /** Returns the bytes of a line. */
  double lineBytes(RunOptions options) {
    return sandboxed == null ? LogLine.typicalBytes(options.messageBytes()) : sandboxed.lineBytes();
  }

  /** Returns whether Spillway's policies compress, which by default use half a core. */
  boolean pacesCompression() {
    return configuration.contains("io.spillway.rolling.");
  }

  /**
   * Returns whether only a {@code .gz} of the rolled file remains; not known, hence false, for a
   * user's configuration.
   */
  boolean isArchivedAsGzip() {
    return sandboxed == null;
  }

  /** Returns the bytes that the load writes in a second. */
  double bytesPerSecond(RunOptions options) {
    return options.eventsPerSecond() * lineBytes(options);
  }
}
