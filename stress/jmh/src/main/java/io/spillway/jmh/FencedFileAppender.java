package io.spillway.jmh;

import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.rolling.RollingFileAppender;
import java.time.Duration;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

/**
 * A file behind a queue, which counts what reaches it and tells when everything that was queued
 * before a fence has arrived. Appended to by the one worker thread only.
 */
final class FencedFileAppender extends RollingFileAppender<ILoggingEvent> {
  /** An event with this message is a fence; it is neither counted nor written. */
  static final String FENCE = "fence";

  private final Semaphore fences = new Semaphore(0);
  private long delivered; // by the worker; read after a fence has come through

  @Override
  protected void append(ILoggingEvent event) {
    if (FENCE.equals(event.getMessage())) {
      fences.release();
      return;
    }
    delivered++;
    super.append(event);
  }

  /** Waits for a fence that has been logged; then returns the number of events before it. */
  long awaitFence(Duration patience) throws InterruptedException {
    if (!fences.tryAcquire(patience.toNanos(), TimeUnit.NANOSECONDS)) {
      throw new IllegalStateException("No fence came through within " + patience + ".");
    }
    return delivered;
  }
}
