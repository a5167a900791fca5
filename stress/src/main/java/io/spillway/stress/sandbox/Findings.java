package io.spillway.stress.sandbox;

import java.util.List;

/**
 * What a configuration turns out to be once Logback has interpreted it.
 *
 * @param errors that Logback reported
 * @param warnings that Logback reported
 * @param logsInfo whether the load's logger logs INFO
 * @param files that the load's events can get into
 * @param outside appenders, of whatever loggers, that may reach another process, by name and class,
 *     and listeners that get archives
 * @param counted appenders that count what they would have sent to another process, and listeners
 *     that get no archives
 * @param notes what is not as the owner of the configuration knows it
 * @param redirections every path that leads elsewhere
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
   * @param appender its name
   * @param type class of the appender
   * @param file the active file, in the sandbox
   * @param named whether the active file has a name of its own, rather than that of an archive to
   *     be
   * @param fileNamePattern of the archives, in the sandbox; null without a rolling policy
   * @param trigger what makes it roll over
   * @param maxFileSizeBytes at which it does; 0 unless {@code trigger} is {@code SIZE}
   */
  public record LogFile(
      String appender,
      String type,
      String file,
      boolean named,
      String fileNamePattern,
      Trigger trigger,
      long maxFileSizeBytes) {}

  /** What makes a file roll over. */
  public enum Trigger {
    /** It never does. */
    NONE,
    /** Its size. */
    SIZE,
    /** The clock alone. */
    CLOCK
  }

  /**
   * A path of a configuration that leads elsewhere in a trial.
   *
   * @param property its name in the configuration
   * @param from what the configuration says, with all variables put in
   * @param to where it leads
   */
  public record Redirection(String property, String from, String to) {}
}
