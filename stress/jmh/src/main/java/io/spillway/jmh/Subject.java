package io.spillway.jmh;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;

/**
 * One appender under test, in a directory of its own. {@link #close} stops it and fails if its file
 * does not hold exactly the events that it should.
 */
abstract class Subject implements AutoCloseable {
  static final Duration PATIENCE = Duration.ofMinutes(5);
  static final long POLL_NANOS = 20_000;

  /** Whose name is in every line. */
  static final String LOGGER = "io.spillway.jmh.Service";

  private final AppenderKind kind;
  private final WorkDirectory directory = WorkDirectory.create();
  private final Path file = directory.path().resolve("app.log");
  private long calls;
  private Settlement total = new Settlement(0, 0);

  /** A log call of the library under test. */
  interface LogCall {
    void info(String format, Object argument);
  }

  /**
   * What became of calls.
   *
   * @param dropped calls whose event was lost
   * @param spilled calls whose event went through the disk
   */
  record Settlement(long dropped, long spilled) {}

  Subject(AppenderKind kind) throws IOException {
    this.kind = kind;
  }

  /** Starts one. */
  static Subject of(AppenderKind kind) throws IOException {
    return kind == AppenderKind.LOG4J2_ASYNC ? new Log4j2Subject(kind) : new LogbackSubject(kind);
  }

  /** Where it logs to. */
  final Path file() {
    return file;
  }

  abstract LogCall logger();

  /** Waits until nothing is on its way, while nobody logs; then what became of all calls. */
  abstract Settlement awaitIdle(long callsSoFar) throws InterruptedException;

  /** Stops the library. */
  abstract void stop();

  /**
   * Waits until the appender has dealt with every call so far, while nobody logs.
   *
   * @param callsSoFar all calls since the start
   * @return what became of those since the last time
   */
  final Settlement settle(long callsSoFar) throws InterruptedException {
    if (callsSoFar == calls) {
      return new Settlement(0, 0); // done by another thread, which may have stopped it as well
    }
    Settlement before = total;
    calls = callsSoFar;
    total = awaitIdle(callsSoFar);
    return new Settlement(total.dropped - before.dropped, total.spilled - before.spilled);
  }

  @Override
  public final void close() throws IOException {
    stop();
    long lines = lines();
    directory.close();
    if (lines != calls - total.dropped || (total.dropped > 0 && !kind.mayDrop())) {
      throw new IllegalStateException(
          kind
              + ": "
              + calls
              + " log calls, "
              + total.dropped
              + " dropped, "
              + lines
              + " lines in the file; a figure of an appender that loses events compares with none");
    }
  }

  private long lines() throws IOException {
    long lines = 0;
    byte[] chunk = new byte[1 << 16];
    try (InputStream in = Files.newInputStream(file)) {
      for (int count = in.read(chunk); count >= 0; count = in.read(chunk)) {
        for (int i = 0; i < count; i++) {
          lines += chunk[i] == '\n' ? 1 : 0;
        }
      }
    }
    return lines;
  }
}
