package io.spillway.metrics;

/** The figures and the health of an appender, which both Spillway appenders provide. */
public interface MonitoredAppender {
  /**
   * Returns the figures of this appender: what it has done, and what it holds.
   *
   * @return never null; all figures are zero until the appender is started, and each start has
   *     another object
   */
  SpillwayMetrics getMetrics();

  /**
   * Returns whether this appender does its work. The call costs microseconds and waits for nothing;
   * any thread may make it at any time.
   *
   * @return never null; {@link Health#NOT_STARTED} before the start and after the stop
   */
  default Health health() {
    return getMetrics().health();
  }
}
