package io.spillway.jmh;

import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.rolling.RollingFileAppender;
import java.time.Duration;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

/**
 * A file appender behind a queue. It counts the events that reach it, and reports when all events
 * queued before a fence have arrived. Only the queue's single worker thread appends to it.
 */
final class FencedFileAppender extends RollingFileAppender<ILoggingEvent> {
  /** An event with this message is a fence; it is neither counted nor written. */
  static final String FENCE = "fence";

  private final Semaphore fences = new Semaphore(0);
  private long delivered; // written by the worker; read after a fence

  @Override
  protected void append(ILoggingEvent event) {
    if (FENCE.equals(event.getMessage())) {
      fences.release();
      return;
    }
    delivered++;
    super.append(event);
  }

  /** Waits for a logged fence and returns the number of events before it. */
  long awaitFence(Duration patience) throws InterruptedException {
    if (!fences.tryAcquire(patience.toNanos(), TimeUnit.NANOSECONDS)) {
      throw new IllegalStateException("No fence came through within " + patience + ".");
    }
    return delivered;
  }
}
