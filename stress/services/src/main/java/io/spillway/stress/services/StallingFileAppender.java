package io.spillway.stress.services;

import ch.qos.logback.core.rolling.RollingFileAppender;

/** Logback's file appender on a disk that stands still for a while, once, from the start on. */
public final class StallingFileAppender<E> extends RollingFileAppender<E> {

  private static final double NANOS = 1e9;

  private double after;
  private double seconds;
  private long beginNanos;

  /** Made by Logback. */
  public StallingFileAppender() {}

  /** Seconds from the start of the appender to the stall. */
  public void setAfter(double after) {
    this.after = after;
  }

  /** How long the stall lasts. */
  public void setSeconds(double seconds) {
    this.seconds = seconds;
  }

  @Override
  public void start() {
    beginNanos = System.nanoTime();
    super.start();
  }

  @Override
  protected void subAppend(E event) {
    double now = (System.nanoTime() - beginNanos) / NANOS;
    if (now >= after && now < after + seconds) {
      Stub.call((int) ((after + seconds - now) * 1e6));
    }
    super.subAppend(event);
  }
}
