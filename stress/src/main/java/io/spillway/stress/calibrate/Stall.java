package io.spillway.stress.calibrate;

import java.util.concurrent.atomic.AtomicLong;

/**
 * One stall of all callers, until the same moment: what an appender does whose queue is full while
 * its file rolls over.
 */
final class Stall {

  private static final long NOT_BEGUN = 0;

  private final AtomicLong endNanos = new AtomicLong(NOT_BEGUN);
  private long afterEvents = Long.MAX_VALUE;
  private long nanos;

  void setAfterEvents(long events) {
    afterEvents = events;
  }

  void setMillis(long millis) {
    nanos = millis * 1_000_000;
  }

  /** How long the caller has to wait, if so many events were logged before; 0 or less: not. */
  long left(long events) {
    if (events < afterEvents) {
      return 0;
    }
    long now = System.nanoTime();
    endNanos.compareAndSet(NOT_BEGUN, now + nanos);
    return endNanos.get() - now;
  }
}
