package io.spillway;

import java.nio.file.Path;

/** Where spills live by default. Never in a temp directory: what is there may be swept away. */
final class SpillDirectories {
  private SpillDirectories() {}

  /** The directory for an appender without a log file. */
  static Path underWorkingDirectory(String appenderName) {
    return Path.of("spillway", fileName(appenderName));
  }

  /** Names are free text; a file name must not lead elsewhere. */
  private static String fileName(String appenderName) {
    String safe = String.valueOf(appenderName).replaceAll("[^A-Za-z0-9_-]", "_");
    return safe.isEmpty() ? "appender" : safe;
  }
}
