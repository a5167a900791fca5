package io.spillway.stress.sandbox;

import java.util.List;

/**
 * What a configuration turns out to be once Logback has interpreted it.
 *
 * @param errors that Logback reported
 * @param warnings that Logback reported
 * @param logsInfo whether the load's logger logs INFO
 * @param files that the load's events can get into
 * @param others appenders that send them elsewhere, by name and class
 * @param redirections every path that leads elsewhere
 */
public record Findings(
    List<String> errors,
    List<String> warnings,
    boolean logsInfo,
    List<LogFile> files,
    List<String> others,
    List<Redirection> redirections) {

  /** Name of the file in which a probe reports its findings. */
  public static final String FILE = "findings.json";
}
