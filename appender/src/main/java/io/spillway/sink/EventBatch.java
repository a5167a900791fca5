package io.spillway.sink;

import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.spi.IThrowableProxy;
import ch.qos.logback.classic.spi.StackTraceElementProxy;

/** A run of events for a nested appender. */
public final class EventBatch implements Batch {
  /** A LoggingEvent, its lists, its time and its share of the MDC; an estimate, not measured. */
  private static final int EVENT_BYTES = 256;

  private static final int FRAME_BYTES = 128;

  private final ILoggingEvent[] events;
  private final int from;
  private final long heapBytes;

  /**
   * A batch of all these events.
   *
   * @param events used as it is
   */
  public EventBatch(ILoggingEvent[] events) {
    this(events, 0);
  }

  /**
   * A batch that begins later in an array.
   *
   * @param events used as it is
   * @param from index of the first event that counts
   */
  public EventBatch(ILoggingEvent[] events, int from) {
    this(events, from, estimate(events, from));
  }

  /**
   * A batch whose size is known.
   *
   * @param events used as it is
   * @param from index of the first event that counts
   * @param heapBytes the sum of their {@link #estimate}
   */
  public EventBatch(ILoggingEvent[] events, int from, long heapBytes) {
    this.events = events;
    this.from = from;
    this.heapBytes = heapBytes;
  }

  private static long estimate(ILoggingEvent[] events, int from) {
    long sum = 0;
    for (int i = from; i < events.length; i++) {
      sum += estimate(events[i]);
    }
    return sum;
  }

  /**
   * The heap that an event keeps alive, roughly.
   *
   * @param event prepared for deferred processing
   * @return bytes
   */
  public static long estimate(ILoggingEvent event) {
    String message = event.getFormattedMessage();
    long bytes = EVENT_BYTES + (message == null ? 0 : message.length());
    IThrowableProxy throwable = event.getThrowableProxy();
    for (int depth = 0; throwable != null && depth < 16; depth++) {
      StackTraceElementProxy[] frames = throwable.getStackTraceElementProxyArray();
      bytes += EVENT_BYTES + (frames == null ? 0L : (long) frames.length * FRAME_BYTES);
      throwable = throwable.getCause();
    }
    return bytes;
  }

  /**
   * The array behind this batch.
   *
   * @return not copied; read it from {@link #from()} on
   */
  public ILoggingEvent[] array() {
    return events;
  }

  /**
   * Where this batch begins in {@link #array()}.
   *
   * @return an index
   */
  public int from() {
    return from;
  }

  @Override
  public int events() {
    return events.length - from;
  }

  @Override
  public long heapBytes() {
    return heapBytes;
  }
}
