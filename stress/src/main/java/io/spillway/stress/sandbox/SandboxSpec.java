package io.spillway.stress.sandbox;

import io.spillway.stress.report.Json;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;
import java.util.Set;

/**
 * What a forked JVM is told about the configuration that it runs in a sandbox; handed over as a
 * JSON file.
 *
 * @param configuration the absolute path of the configuration
 * @param root the absolute path of the directory below which it writes
 * @param limitBytes the size of a file at rollover, or 0 for the configuration's own
 * @param clockBytes the size of a file at rollover if only the clock triggers that
 * @param rotations the number of rotations whose archives must all be kept
 * @param profiles the active profiles, for {@code <springProfile>}
 * @param network whether appenders and archive listeners may reach other processes
 */
public record SandboxSpec(
    String configuration,
    String root,
    long limitBytes,
    long clockBytes,
    int rotations,
    Set<String> profiles,
    boolean network) {

  /** System property with the path of the file. */
  static final String PROPERTY = "spillway.sandbox";

  /** Writes this to a file, and returns the system property that makes a JVM read it. */
  public Map<String, String> write(Path file) throws IOException {
    Json.write(file, this);
    return Map.of(PROPERTY, file.toString());
  }
}
