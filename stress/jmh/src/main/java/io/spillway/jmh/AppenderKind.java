package io.spillway.jmh;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;

/**
 * The appenders that are compared, each over a file of the same pattern that never rolls over. None
 * may lose an event, and each may wait without limit when it is stopped.
 */
public enum AppenderKind {
  /** Logback's file appender, buffered; calling threads encode and write, under a lock. */
  ROLLING_FILE,
  /** {@code AsyncAppender} over {@code ROLLING_FILE}, 8,192 slots; callers wait if it is full. */
  ASYNC_8192,
  /** {@code AsyncAppender} over {@code ROLLING_FILE}, 131,072 slots. */
  ASYNC_131072,
  /** Log4j 2's async loggers over its buffered file, 8,192 slots; callers wait if it is full. */
  LOG4J2_ASYNC,
  /** {@code SpillwayAppender} over {@code ROLLING_FILE}; spills while the file stalls. */
  SPILLWAY,
  /** {@code SpillwayRollingFileAppender}, which writes its own file. */
  SPILLWAY_FILE;

  /** The pattern of {@code stress}, without caller data, which would cost more than an appender. */
  static final String PATTERN = "%d [%t] %-5p %c{20} - %m%n";

  /** Returns the configuration of that name in the resources, which writes a file. */
  String configuration(Path file) throws IOException {
    try (InputStream xml = AppenderKind.class.getResourceAsStream(name() + ".xml")) {
      return new String(xml.readAllBytes(), StandardCharsets.UTF_8)
          .replace("@file@", file.toString())
          .replace("@pattern@", PATTERN);
    }
  }
}
