package io.spillway.stress.sandbox;

import java.util.List;

/**
 * The findings of a probe on a configuration that Logback has interpreted.
 *
 * @param errors errors that Logback reported
 * @param warnings warnings that Logback reported
 * @param logsInfo whether the load's logger logs INFO
 * @param files files that the load's events can reach
 * @param outside appenders of any logger that may reach another process, by name and class, and
 *     listeners that receive archives
 * @param counted appenders replaced by counting ones because they would reach another process, and
 *     listeners left out
 * @param notes differences from the configuration as its owner knows it
 * @param redirections every path that is redirected
 */
public record Findings(
    List<String> errors,
    List<String> warnings,
    boolean logsInfo,
    List<LogFile> files,
    List<String> outside,
    List<String> counted,
    List<String> notes,
    List<Redirection> redirections) {

  /** Name of the file in which a probe reports its findings. */
  public static final String FILE = "findings.json";

  /**
   * A file that a configuration writes.
   *
   * @param appender name of the appender
   * @param type class of the appender
   * @param file the active file, in the sandbox
   * @param named whether the active file has a separate name, rather than the name of its future
   *     archive
   * @param fileNamePattern pattern of the archives, in the sandbox; null without a rolling policy
   * @param trigger what makes it roll over
   * @param maxFileSizeBytes size at which it rolls over; 0 unless {@code trigger} is {@code SIZE}
   */
  public record LogFile(
      String appender,
      String type,
      String file,
      boolean named,
      String fileNamePattern,
      Trigger trigger,
      long maxFileSizeBytes) {}

  /** The trigger of a rollover. */
  public enum Trigger {
    /** It never rolls over. */
    NONE,
    /** Its size. */
    SIZE,
    /** The clock alone. */
    CLOCK
  }

  /**
   * A path of a configuration that is redirected in a trial.
   *
   * @param property the property's name in the configuration
   * @param from the configured path, with all variables substituted
   * @param to the path in the sandbox
   */
  public record Redirection(String property, String from, String to) {}
}
