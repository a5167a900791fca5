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
 *     directory of the log file) and {@code limit} (the file size at which to rotate, in bytes)
 */
public record Trial(
    String name,
    Role role,
    String description,
    String configuration,
    Map<String, String> properties) {}
