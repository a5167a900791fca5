package io.spillway.stress.bench;

import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.rolling.RollingFileAppender;
import java.util.concurrent.Semaphore;

/** Logback's file appender with a switch that blocks it: a stalled sink. */
public final class StallAppender extends RollingFileAppender<ILoggingEvent> {
  private static volatile boolean stalled;
  private static final Semaphore GATE = new Semaphore(0);

  /** Created by Logback. */
  public StallAppender() {}

  static void stall() {
    stalled = true;
  }

  static void goOn() {
    stalled = false;
    GATE.release();
  }

  @Override
  protected void append(ILoggingEvent event) {
    if (stalled) {
      GATE.acquireUninterruptibly();
    }
    super.append(event);
  }
}
