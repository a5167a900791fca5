package io.spillway.stress.plan;

import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.temporal.ChronoUnit;
import java.util.Locale;

/**
 * The end of an hour that falls into a trial, for policies that rotate by the clock. Time zones
 * have offsets in whole minutes, so that in one of them an hour ends at any full minute.
 *
 * @param at a full minute
 */
record HourEnd(Instant at) {
  private static final int MINUTES_PER_HOUR = 60;

  /** The first full minute that is not before an instant. */
  static HourEnd notBefore(Instant earliest) {
    Instant minute = earliest.truncatedTo(ChronoUnit.MINUTES);
    return new HourEnd(minute.equals(earliest) ? minute : minute.plus(1, ChronoUnit.MINUTES));
  }

  /** A time zone in which the hour ends then, as date patterns and {@link java.time} name it. */
  String zone() {
    int minuteOfHour = at.atOffset(ZoneOffset.UTC).getMinute();
    return String.format(
        Locale.ROOT, "GMT+00:%02d", (MINUTES_PER_HOUR - minuteOfHour) % MINUTES_PER_HOUR);
  }

  /** How long to wait, so that it comes that much later. */
  Duration waitUntil(Duration before, Instant now) {
    Duration wait = Duration.between(now, at.minus(before));
    return wait.isNegative() ? Duration.ZERO : wait;
  }
}
