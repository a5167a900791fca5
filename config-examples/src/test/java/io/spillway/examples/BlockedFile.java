package io.spillway.examples;

import ch.qos.logback.classic.spi.ILoggingEvent;
import io.spillway.SpillwayRollingFileAppender;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * A log file that takes no writes for a while: somebody has put a directory where it was. It works
 * on every file system, for root too, and needs nothing in the configuration.
 */
final class BlockedFile {
  /** How the appender reports it. */
  static final String REPORT = "Cannot write to file [";

  private final Path file;

  /** Blocks the file of an appender that is at rest. */
  BlockedFile(SpillwayRollingFileAppender<ILoggingEvent> appender) throws IOException {
    this(Path.of(appender.getFile()));
  }

  /** Blocks a file; what is in it is kept with ".before" behind its name. */
  BlockedFile(Path file) throws IOException {
    this.file = file;
    if (Files.size(file) == 0) {
      Files.delete(file);
    } else {
      Files.move(file, Path.of(file + ".before"));
    }
    Files.createDirectory(file);
  }

  /** The next attempt to write creates the file anew. */
  void lift() throws IOException {
    Files.delete(file);
  }
}
