package io.spillway.metrics;

/** What both Spillway appenders tell of themselves. */
public interface MonitoredAppender {
  /**
   * What this appender has done and holds.
   *
   * @return never null; all zero until it is started, and another object after each start
   */
  SpillwayMetrics getMetrics();

  /**
   * Whether it does its work; costs microseconds, waits for nothing, and may be asked by any thread
   * at any time.
   *
   * @return never null; {@link Health#NOT_STARTED} before the start and after the stop
   */
  default Health health() {
    return getMetrics().health();
  }
}
