package io.spillway.stress.services;

import java.util.concurrent.atomic.LongAdder;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The log of a service: each line has a length that is known, and each call is counted. */
final class EventLog {

  /** What a line begins with that has come from here. */
  static final String MARK = "served ";

  private static final Logger LOG = LoggerFactory.getLogger(EventLog.class);
  private static final LongAdder LOGGED = new LongAdder();

  private final int lines;
  private final String filler;

  /** Makes one that logs so many lines a request, each of so many bytes besides the layout's. */
  EventLog(Work work) {
    lines = work.number("lines", 1);
    filler = "x".repeat(Math.max(0, work.number("lineBytes", 120) - MARK.length()));
  }

  /** All lines of a request, with what they are about. */
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

  /** Calls that have returned. */
  static long logged() {
    return LOGGED.sum();
  }

  /** Somebody else's line, which comes without a call of ours. */
  static void counted() {
    LOGGED.increment();
  }
}
