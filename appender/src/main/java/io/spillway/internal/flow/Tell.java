package io.spillway.internal.flow;

import ch.qos.logback.core.Appender;
import io.spillway.internal.metrics.Counters;
import io.spillway.internal.metrics.FlightEvents;
import io.spillway.internal.metrics.Reports;

/**
 * Where the parts of one start of an appender count and report.
 *
 * @param counters counted first, without limit
 * @param reports told second, with a limit of their rate
 * @param flightEvents recorded if a flight recording runs
 */
public record Tell(Counters counters, Reports reports, FlightEvents flightEvents) {
  /** Returns counters of zero, and reports of an appender. */
  public static Tell of(Appender<?> appender) {
    return new Tell(
        new Counters(),
        new Reports(appender),
        new FlightEvents(appender.getContext(), appender.getName()));
  }
}
