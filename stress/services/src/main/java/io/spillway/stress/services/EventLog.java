package io.spillway.stress.services;

import java.util.concurrent.atomic.LongAdder;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The log of a service: each line has a known length, and each call is counted. */
final class EventLog {

  /** The start of every message of this class. */
  static final String MARK = "served ";

  private static final Logger LOG = LoggerFactory.getLogger(EventLog.class);
  private static final LongAdder LOGGED = new LongAdder();

  private final int lines;
  private final String filler;

  /**
   * Creates a log by the settings {@code lines} (per request) and {@code lineBytes} (without the
   * layout's).
   */
  EventLog(Work work) {
    lines = work.number("lines", 1);
    filler = "x".repeat(Math.max(0, work.number("lineBytes", 120) - MARK.length()));
  }

  /** Logs all lines of a request, with the given text in each. */
  void request(String about) {
    if (!LOG.isInfoEnabled()) {
      return;
    }
    String rest = filler.substring(Math.min(filler.length(), about.length()));
    for (int i = 0; i < lines; i++) {
      LOG.info("{}{}{}", MARK, about, rest);
      LOGGED.increment();
    }
  }

  /** Returns the number of log calls that have returned. */
  static long logged() {
    return LOGGED.sum();
  }

  /** Counts a line that other code logs, such as the server's request log. */
  static void counted() {
    LOGGED.increment();
  }
}
