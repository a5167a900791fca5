package io.spillway.metrics;

/** The figures and the health of an appender, which both Spillway appenders provide. */
public interface MonitoredAppender {
  /** {@return what it has done and holds, all zero until it is started; new at each start} */
  SpillwayMetrics getMetrics();

  /** {@return whether it does its work; any thread may ask at any time, and waits for nothing} */
  default Health health() {
    return getMetrics().health();
  }
}
