package io.spillway.rolling;

import io.spillway.rolling.Periods.Period;
import java.time.Instant;
import java.util.function.Function;

/**
 * Tells when the current period is over. A clock that steps back by up to a period only makes it
 * longer; one that steps back further ends it at once, else nothing would roll over until that time
 * has come again. Thread-safe; the common answer costs one comparison.
 */
final class PeriodWatch {
  private final Periods periods; // guarded by this
  private final Function<Instant, String> name;
  private volatile Period current;

  PeriodWatch(Periods periods, Function<Instant, String> name) {
    this.periods = periods;
    this.name = name;
  }

  /**
   * Begins where an earlier run stopped: its file belongs to the period in which it was written
   * last, unless that lies too far ahead to be true.
   */
  void begin(long writtenMillis, long nowMillis) {
    Period written = at(writtenMillis);
    current = writtenMillis <= nowMillis || written.holds(nowMillis) ? written : at(nowMillis);
  }

  /** The period that the active file belongs to. */
  Period current() {
    return current;
  }

  /** Whether that is over. */
  boolean isOver(long nowMillis) {
    return !current.holds(nowMillis) && !isOfTheSameName(nowMillis);
  }

  /** When the clock steps back or daylight saving ends, a boundary may lie between equal names. */
  private synchronized boolean isOfTheSameName(long nowMillis) {
    Period next = periods.at(nowMillis);
    boolean same = name.apply(next.date()).equals(name.apply(current.date()));
    if (same) {
      current = next;
    }
    return same;
  }

  /** Another period begins. */
  void begin(Period period) {
    current = period;
  }

  /** The period of an instant, without beginning it. */
  synchronized Period at(long nowMillis) {
    return periods.at(nowMillis);
  }
}
