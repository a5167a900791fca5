package io.spillway.jmh;

import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.UnsynchronizedAppenderBase;

/** Discards events; between {@link #stall} and {@link #goOn} it blocks its caller instead. */
final class StandstillAppender extends UnsynchronizedAppenderBase<ILoggingEvent> {
  private final Object gate = new Object();
  private volatile boolean stalled;

  void stall() {
    stalled = true;
  }

  void goOn() {
    synchronized (gate) {
      stalled = false;
      gate.notifyAll();
    }
  }

  @Override
  protected void append(ILoggingEvent event) {
    if (stalled) {
      standStill();
    }
  }

  private void standStill() {
    synchronized (gate) {
      while (stalled) {
        try {
          gate.wait();
        } catch (InterruptedException e) {
          Thread.currentThread().interrupt();
          return;
        }
      }
    }
  }
}
