package io.spillway.examples;

import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.Appender;
import ch.qos.logback.core.filter.Filter;
import ch.qos.logback.core.spi.FilterReply;
import java.util.concurrent.CountDownLatch;

/**
 * Holds up a nested appender, as a stalled disk would: a filter that is added when the XML has been
 * loaded, and lets nothing through until it is released.
 */
final class HeldAppender extends Filter<ILoggingEvent> {
  private final CountDownLatch released = new CountDownLatch(1);

  HeldAppender(Appender<ILoggingEvent> appender) {
    start();
    appender.addFilter(this);
  }

  void release() {
    released.countDown();
  }

  @Override
  public FilterReply decide(ILoggingEvent event) {
    boolean interrupted = false;
    while (true) {
      try {
        released.await();
        if (interrupted) {
          Thread.currentThread().interrupt();
        }
        return FilterReply.NEUTRAL;
      } catch (InterruptedException e) {
        interrupted = true; // a disk does not care
      }
    }
  }
}
