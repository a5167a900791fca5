package io.spillway.stress.services;

import ch.qos.logback.core.rolling.RollingFileAppender;

/**
 * Logback's file appender, whose disk stands still once for some seconds. It is for the one thread
 * of an asynchronous appender before it.
 */
public final class StallingFileAppender<E> extends RollingFileAppender<E> {

  private static final long NANOS = 1_000_000_000L;
  private static final int MICROS = 1_000_000;

  private int stallAfter;
  private int stallSeconds;
  private long startNanos;
  private boolean stalled;

  /** Called by Logback. */
  public StallingFileAppender() {}

  /** Sets after how many seconds from the first event the disk stands still. */
  public void setStallAfter(int seconds) {
    stallAfter = seconds;
  }

  /** Sets for how many seconds the disk stands still. */
  public void setStallSeconds(int seconds) {
    stallSeconds = seconds;
  }

  @Override
  protected void subAppend(E event) {
    long now = System.nanoTime();
    startNanos = startNanos == 0 ? now : startNanos;
    if (!stalled && now - startNanos >= stallAfter * NANOS) {
      stalled = true;
      Work.block(stallSeconds * MICROS);
    }
    super.subAppend(event);
  }
}
