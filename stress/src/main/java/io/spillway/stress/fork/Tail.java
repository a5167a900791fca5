package io.spillway.stress.fork;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** The last lines of what a child wrote to its standard error. */
final class Tail {

  private static final int LINES = 12;

  private Tail() {}

  static String of(Path file) {
    try {
      List<String> lines =
          new String(Files.readAllBytes(file), StandardCharsets.UTF_8).strip().lines().toList();
      return String.join("\n", lines.subList(Math.max(0, lines.size() - LINES), lines.size()));
    } catch (IOException e) {
      return "(its standard error cannot be read: " + e + ")";
    }
  }
}
