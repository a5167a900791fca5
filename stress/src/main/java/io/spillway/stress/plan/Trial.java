package io.spillway.stress.plan;

import io.spillway.stress.report.TrialResult;
import io.spillway.stress.verify.LogLine;
import java.util.Map;

/**
 * One configuration to be tried.
 *
 * @param name how it is called in options and results
 * @param role why it is tried
 * @param description one line for readers
 * @param library what its log calls go to
 * @param configuration the library's configuration file, verbatim
 * @param properties system properties that the configuration names, besides {@code logs} (the
 *     directory of the log file), {@code limit} (the file size at which to rotate, in bytes) and
 *     {@code hourZone} (a time zone in which an hour ends when the rotation is due; to be used by
 *     configurations that rotate by the clock)
 * @param sandboxed what is known of somebody else's configuration, or null for one of the harness's
 */
public record Trial(
    String name,
    TrialResult.Role role,
    String description,
    LoggingLibrary library,
    String configuration,
    Map<String, String> properties,
    UserConfiguration.Sandboxed sandboxed) {

  /** One of the harness's own for Logback. */
  public Trial(
      String name,
      TrialResult.Role role,
      String description,
      String configuration,
      Map<String, String> properties) {
    this(name, role, description, LoggingLibrary.LOGBACK, configuration, properties, null);
  }

  static final String HOUR_ZONE = "hourZone";

  private static final double TYPICAL_BYTES_PER_SECOND = 50e6;

  /**
   * The same with the caller's file and line in its lines; what is not Logback's stays as it is.
   */
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

  /** To be tried at a size; of somebody else's configuration, at the one that it rolls over at. */
  public PlannedTrial at(long sizeBytes) {
    return new PlannedTrial(name, this, sizeBytes);
  }

  /** Bytes of a line. */
  double lineBytes(RunOptions options) {
    return sandboxed == null ? LogLine.typicalBytes(options.messageBytes()) : sandboxed.lineBytes();
  }

  /** Whether Spillway's policies compress, which by default takes them half a core. */
  boolean pacesCompression() {
    return configuration.contains("io.spillway.rolling.");
  }

  /** Whether nothing of the rolled file is left but a {@code .gz}; not known of a user's. */
  boolean isArchivedAsGzip() {
    return sandboxed == null;
  }

  /** What the load writes in a second; a guess if it is as much as it can. */
  double bytesPerSecond(RunOptions options) {
    return options.closedLoop()
        ? TYPICAL_BYTES_PER_SECOND
        : options.eventsPerSecond() * lineBytes(options);
  }

  /** Whether the configuration asks for a time zone to rotate in. */
  boolean rotatesByTheClock() {
    return configuration.contains("${" + HOUR_ZONE + "}");
  }
}
