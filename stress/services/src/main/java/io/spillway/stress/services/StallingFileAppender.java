package io.spillway.stress.services;

import ch.qos.logback.core.rolling.RollingFileAppender;

/** Logback's file appender, with a simulated stall of its disk. */
public final class StallingFileAppender<E> extends RollingFileAppender<E> {

  private static final double NANOS = 1e9;
  private static final double NANOS_PER_MICRO = 1e3;

  private static volatile Stall stall;

  private record Stall(long beginNanos, long endNanos) {}

  /** Called by Logback. */
  public StallingFileAppender() {}

  /** Schedules a stall: it begins after the given seconds, and lasts for the given seconds. */
  static void stall(double after, double seconds) {
    long begin = System.nanoTime() + (long) (after * NANOS);
    stall = new Stall(begin, begin + (long) (seconds * NANOS));
  }

  @Override
  protected void subAppend(E event) {
    Stall told = stall;
    long now = System.nanoTime();
    if (told != null && now - told.beginNanos >= 0 && now - told.endNanos < 0) {
      Stub.call((int) ((told.endNanos - now) / NANOS_PER_MICRO));
    }
    super.subAppend(event);
  }
}
