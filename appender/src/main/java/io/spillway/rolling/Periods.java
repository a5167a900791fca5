package io.spillway.rolling;

import ch.qos.logback.core.rolling.helper.DateTokenConverter;
import ch.qos.logback.core.rolling.helper.PeriodicityType;
import ch.qos.logback.core.rolling.helper.RollingCalendar;
import io.spillway.rolling.Periods.Period;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.util.Locale;
import java.util.TimeZone;
import java.util.function.Function;

/** When a date pattern's periods begin and end, by Logback's own calendar. Not thread-safe. */
final class Periods {
  private final RollingCalendar calendar;
  private final long lengthMillis; // of a period of an hour or less, else 0

  /**
   * A stretch of time with one name.
   *
   * @param date an instant in it, which gives the name
   * @param endMillis when it is over
   * @param lowestMillis a clock before this has stepped back by more than a period
   */
  record Period(Instant date, long endMillis, long lowestMillis) {
    /** Whether nothing is to be done: a clock that stepped back a little only makes it longer. */
    boolean holds(long nowMillis) {
      return nowMillis < endMillis && nowMillis >= lowestMillis;
    }
  }

  /**
   * Periods of a date pattern.
   *
   * @param zone null for that of the system
   * @throws IllegalArgumentException if it is none, or names of one period repeat in another
   */
  Periods(String datePattern, ZoneId zone) {
    calendar =
        zone == null
            ? new RollingCalendar(datePattern)
            : new RollingCalendar(datePattern, TimeZone.getTimeZone(zone), Locale.getDefault());
    if (calendar.getPeriodicityType() == PeriodicityType.ERRONEOUS) {
      throw new IllegalArgumentException(
          "date pattern [" + datePattern + "] has no period of a month or less");
    }
    if (!calendar.isCollisionFree()) {
      throw new IllegalArgumentException(
          "date pattern [" + datePattern + "] gives different periods the same name");
    }
    lengthMillis =
        switch (calendar.getPeriodicityType()) {
          case TOP_OF_MILLISECOND -> 1;
          case TOP_OF_SECOND -> 1_000;
          case TOP_OF_MINUTE -> 60_000;
          case TOP_OF_HOUR -> 3_600_000;
          default -> 0;
        };
  }

  /** Those of a token in a file name. */
  static Periods of(DateTokenConverter<Object> token) {
    return new Periods(token.getDatePattern(), token.getZoneId());
  }

  /** The beginning of a period so many after the one of an instant. */
  Instant start(Instant instant, int offset) {
    return calendar.getEndOfNextNthPeriod(instant, offset);
  }

  /**
   * The beginning of the period so many before that of an instant. Of an hour that comes twice, the
   * calendar gives the second beginning for both, and would count back from there.
   */
  Instant before(Instant instant, int count) {
    int ahead = 0;
    if (lengthMillis > 0) {
      long millis = Duration.between(instant, start(instant, 0)).toMillis();
      ahead = (int) Math.max(0, (millis + lengthMillis - 1) / lengthMillis);
    }
    return start(instant, -count - ahead);
  }

  /**
   * How many periods begin between two instants, as Logback counts them; short ones by the time
   * that has passed, since local times have jumped by many of them when clocks are set.
   */
  long between(Instant from, Instant to) {
    if (lengthMillis > 0) {
      return Duration.between(from, to).toMillis() / lengthMillis;
    }
    if (calendar.getPeriodicityType() == PeriodicityType.HALF_DAY) { // which Logback cannot count
      return Duration.between(from, to).toHours() / 12;
    }
    return calendar.periodBarriersCrossed(from.toEpochMilli(), to.toEpochMilli());
  }

  /** The period of an instant. */
  Period at(long nowMillis) {
    Instant now = Instant.ofEpochMilli(nowMillis);
    long end = start(now, 1).toEpochMilli();
    if (end <= nowMillis) { // a half day of 11 hours, when clocks change
      end = start(now, 2).toEpochMilli();
    }
    // Of an hour that comes twice, the calendar gives the second beginning for both.
    long start = Math.min(start(now, 0).toEpochMilli(), nowMillis);
    return new Period(now, end, start - (end - start));
  }

  /**
   * Tells when the current period is over. A clock that steps back by up to a period only makes it
   * longer; one that steps back further ends it at once, else nothing would roll over until that
   * time has come again. Thread-safe; the common answer costs one comparison.
   */
  static final class Watch {
    private final Periods periods; // guarded by this
    private final Function<Instant, String> name;
    private volatile Period current;

    Watch(Periods periods, Function<Instant, String> name) {
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

    /**
     * When the clock steps back or daylight saving ends, a boundary may lie between equal names.
     */
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
}
