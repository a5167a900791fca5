package io.spillway.rolling;

import ch.qos.logback.core.rolling.helper.DateTokenConverter;
import ch.qos.logback.core.rolling.helper.PeriodicityType;
import ch.qos.logback.core.rolling.helper.RollingCalendar;
import io.spillway.rolling.Periods.Period;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.ZoneId;
import java.time.ZonedDateTime;
import java.time.temporal.TemporalAmount;
import java.util.List;
import java.util.Locale;
import java.util.TimeZone;
import java.util.function.Function;

/**
 * Computes the periods of a date pattern with Logback's {@link RollingCalendar}. Not thread-safe.
 */
final class Periods {
  /** After each of these a date repeats that lacks the greater units: hours repeat after a day. */
  private static final List<TemporalAmount> CYCLES =
      List.of(
          Duration.ofSeconds(1),
          Duration.ofMinutes(1),
          Duration.ofHours(1),
          Duration.ofHours(12),
          java.time.Period.ofDays(1),
          java.time.Period.ofWeeks(1),
          java.time.Period.ofMonths(1),
          java.time.Period.ofWeeks(52),
          java.time.Period.ofYears(1));

  private static final LocalDateTime ANY_TIME = LocalDateTime.parse("2026-01-10T10:30:30.500");
  private static final int FIRST_YEAR = 2026; // 2029 ends in the first week of 2030, in each locale
  private static final int YEARS = 5;

  private final RollingCalendar calendar;
  private final ZoneId zone;
  private final long lengthMillis; // of a period of an hour or less, else 0

  /**
   * A period: a range of time whose files have the same date in their names.
   *
   * @param date an instant in the period, which gives the name
   * @param endMillis the end of the period, in milliseconds since the epoch
   * @param lowestMillis a clock before this time has stepped back by more than a period
   */
  record Period(Instant date, long endMillis, long lowestMillis) {
    /** Returns whether the period lasts; a clock that steps back by up to a period prolongs it. */
    boolean holds(long nowMillis) {
      return nowMillis < endMillis && nowMillis >= lowestMillis;
    }
  }

  /**
   * Creates the periods of a date pattern.
   *
   * @param zone the time zone, or null for that of the system
   * @throws IllegalArgumentException if the pattern has no period of a month or less, or Logback
   *     finds that it gives two periods the same name; {@link #repeat} finds more
   */
  Periods(String datePattern, ZoneId zone) {
    calendar =
        zone == null
            ? new RollingCalendar(datePattern)
            : new RollingCalendar(datePattern, TimeZone.getTimeZone(zone), Locale.getDefault());
    this.zone = zone == null ? ZoneId.systemDefault() : zone;
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

  /** Creates the periods of a date token in a file name pattern. */
  static Periods of(DateTokenConverter<Object> token) {
    return new Periods(token.getDatePattern(), token.getZoneId());
  }

  /**
   * Returns whether names repeat after a cycle of the calendar, such as those that have an hour and
   * no day. Logback looks for this only where a period is a half day, a day or a week.
   *
   * @param name gives the name of the period of an instant
   */
  boolean repeat(Function<Instant, String> name) {
    ZonedDateTime first = ANY_TIME.atZone(zone);
    Instant end = start(first.toInstant(), 1);
    String named = name.apply(first.toInstant());
    for (TemporalAmount cycle : CYCLES) { // a stream and its lambdas would be linked at each start
      Instant later = first.plus(cycle).toInstant();
      if (!later.isBefore(end) && name.apply(later).equals(named)) {
        return true;
      }
    }
    return false;
  }

  /**
   * Returns the last day of a year that has the name of that year's first week, or null. Such names
   * have the year of the day and the number of the week, as {@code yyyy-ww} gives them.
   *
   * @param name gives the name of the period of an instant
   */
  LocalDate misnamed(Function<Instant, String> name) {
    for (int year = FIRST_YEAR; year < FIRST_YEAR + YEARS; year++) {
      LocalDate last = LocalDate.of(year, 12, 31);
      String named = name.apply(noon(last));
      // In each locale one of these days is in the first week.
      if (named.equals(name.apply(noon(LocalDate.of(year, 1, 1))))
          || named.equals(name.apply(noon(LocalDate.of(year, 1, 4))))) {
        return last;
      }
    }
    return null;
  }

  private Instant noon(LocalDate day) {
    return day.atTime(12, 0).atZone(zone).toInstant();
  }

  /** Returns the beginning of the period {@code offset} periods after that of an instant. */
  Instant start(Instant instant, int offset) {
    return calendar.getEndOfNextNthPeriod(instant, offset);
  }

  /**
   * Returns the beginning of the period that is {@code count} periods before that of an instant.
   * For an hour that occurs twice, the calendar returns the second beginning for both, and would
   * count back from there.
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
   * Returns how many periods begin between two instants, as Logback counts them. Periods of an hour
   * or less are counted by the elapsed time, since local time jumps by many of them when clocks
   * change.
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

  /** Returns the period of an instant, given in milliseconds since the epoch. */
  Period at(long nowMillis) {
    Instant now = Instant.ofEpochMilli(nowMillis);
    long end = start(now, 1).toEpochMilli();
    if (end <= nowMillis) { // a half day of 11 hours, when clocks change
      end = start(now, 2).toEpochMilli();
    }
    // For an hour that occurs twice, the calendar returns the second beginning for both.
    long start = Math.min(start(now, 0).toEpochMilli(), nowMillis);
    return new Period(now, end, start - (end - start));
  }

  /**
   * Tells when the current period is over. A clock that steps back by up to a period makes the
   * period longer; a clock that steps back further ends it at once, because otherwise nothing would
   * roll over until the clock reaches the old time again. Thread-safe; the common case costs two
   * comparisons.
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
     * Begins with the period in which an earlier run last wrote its file, unless that is more than
     * a period ahead of the clock.
     */
    void begin(long writtenMillis, long nowMillis) {
      Period written = at(writtenMillis);
      current = writtenMillis <= nowMillis || written.holds(nowMillis) ? written : at(nowMillis);
    }

    /** Returns the period that the active file belongs to. */
    Period current() {
      return current;
    }

    /** Returns whether the period of the active file is over. */
    boolean isOver(long nowMillis) {
      return !current.holds(nowMillis) && !isOfTheSameName(nowMillis);
    }

    /**
     * Returns whether the new period has the same name, and continues with it then: when the clock
     * steps back or daylight saving ends, a boundary may lie between equal names.
     */
    private synchronized boolean isOfTheSameName(long nowMillis) {
      Period next = periods.at(nowMillis);
      boolean same = name.apply(next.date()).equals(name.apply(current.date()));
      if (same) {
        current = next;
      }
      return same;
    }

    /** Begins another period. */
    void begin(Period period) {
      current = period;
    }

    /** Returns the period of an instant without beginning it. */
    synchronized Period at(long nowMillis) {
      return periods.at(nowMillis);
    }
  }
}
