package io.spillway.process;

import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.UnsynchronizedAppenderBase;
import java.util.concurrent.locks.LockSupport;

/** What an appender must not do: waits on the calling thread, one way or the other. */
final class WaitingAppender extends UnsynchronizedAppenderBase<ILoggingEvent> {
  private final boolean withMonitor;
  private final Object monitor = new Object();

  WaitingAppender(boolean withMonitor) {
    this.withMonitor = withMonitor;
  }

  @Override
  protected void append(ILoggingEvent event) {
    if (withMonitor) {
      synchronized (monitor) {
        long until = System.nanoTime() + 20_000;
        while (System.nanoTime() < until) {
          Thread.onSpinWait(); // long enough for others to find it held
        }
      }
    } else {
      LockSupport.parkNanos(1_000);
    }
  }
}
