package io.spillway.stress.sandbox;

import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.UnsynchronizedAppenderBase;
import java.util.concurrent.atomic.LongAdder;

/**
 * Counts events in place of an appender that would send them to another process. Made by Logback,
 * under the name and with the filters of the appender that it stands for.
 */
public final class CountingAppender extends UnsynchronizedAppenderBase<ILoggingEvent> {
  private final LongAdder events = new LongAdder();

  /** Made by Logback. */
  public CountingAppender() {}

  @Override
  protected void append(ILoggingEvent event) {
    events.increment();
  }

  /** How many events have come so far. */
  long events() {
    return events.sum();
  }

  @Override
  public void stop() {
    if (isStarted()) {
      System.out.println("Appender " + getName() + ": " + events + " events counted, none sent");
    }
    super.stop();
  }
}
