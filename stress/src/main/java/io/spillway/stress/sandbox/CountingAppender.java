package io.spillway.stress.sandbox;

import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.UnsynchronizedAppenderBase;
import java.util.concurrent.atomic.LongAdder;

/**
 * Counts events in place of an appender that would send them to another process. Logback creates
 * it, with the name and the filters of the appender that it replaces.
 */
public final class CountingAppender extends UnsynchronizedAppenderBase<ILoggingEvent> {
  private final LongAdder events = new LongAdder();

  /** Called by Logback. */
  public CountingAppender() {}

  @Override
  protected void append(ILoggingEvent event) {
    events.increment();
  }

  /** Returns the number of events so far. */
  long events() {
    return events.sum();
  }
}
