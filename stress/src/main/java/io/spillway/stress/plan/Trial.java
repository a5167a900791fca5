package io.spillway.stress.plan;

import io.spillway.stress.report.Role;
import java.util.Map;

/**
 * One configuration to be tried.
 *
 * @param name how it is called in options and results
 * @param role why it is tried
 * @param description one line for readers
 * @param configuration the logback.xml, verbatim
 * @param properties system properties that the configuration names, besides {@code logs} (the
 *     directory of the log file), {@code limit} (the file size at which to rotate, in bytes) and
 *     {@code hourZone} (a time zone in which an hour ends when the rotation is due; to be used by
 *     configurations that rotate by the clock)
 */
public record Trial(
    String name,
    Role role,
    String description,
    String configuration,
    Map<String, String> properties) {

  static final String HOUR_ZONE = "hourZone";

  /** Whether the configuration asks for a time zone to rotate in. */
  boolean rotatesByTheClock() {
    return configuration.contains("${" + HOUR_ZONE + "}");
  }
}
