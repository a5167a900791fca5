package io.spillway.stress.load;

import io.spillway.stress.verify.LogLine;
import java.util.concurrent.locks.LockSupport;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Logs a few events from one thread before any is measured, so that classes are loaded by then: the
 * class loader's own locks would be taken for the appender's. They are events like any other when
 * the files are read back.
 */
final class WarmUp {

  private static final int EVENTS = 500;
  private static final long PAUSE_NANOS = 1_000_000;

  private WarmUp() {}

  /**
   * Logs as the thread of the given number.
   *
   * @return how many events
   */
  static long run(int number, LoadTarget target) {
    Logger logger = LoggerFactory.getLogger(target.logger());
    for (long i = 0; i < EVENTS; i++) {
      LogLine.log(logger, number, i, target.messageBytes(), target.formatted());
      LockSupport.parkNanos(PAUSE_NANOS);
    }
    return EVENTS;
  }
}
