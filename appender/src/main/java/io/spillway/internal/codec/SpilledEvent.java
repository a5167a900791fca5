package io.spillway.internal.codec;

import ch.qos.logback.classic.spi.CallerData;
import ch.qos.logback.classic.spi.IThrowableProxy;
import ch.qos.logback.classic.spi.LoggingEvent;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.slf4j.Marker;

/**
 * An event read back from disk. Layouts print the same text as for the original event.
 *
 * <p>It is a {@link LoggingEvent}, and not just an {@code ILoggingEvent}, because some appenders
 * (Logback's {@code SocketAppender} is one) refuse any other. What a {@code LoggingEvent} would
 * derive from the current thread or stack is never derived here, because the calling thread is not
 * the one that logged.
 */
public final class SpilledEvent extends LoggingEvent {
  // What LoggingEvent would compute if it were absent.
  private final String threadName;
  private final String formattedMessage;

  private final Time time;
  private final List<Marker> markers;
  private final Map<String, String> mdc;
  private IThrowableProxy throwable;

  /** All three are kept, because only Logback's own events derive one from another. */
  record Time(long epochMillis, int nanoseconds, Instant instant) {}

  SpilledEvent(
      String threadName,
      String formattedMessage,
      Time time,
      List<Marker> markers,
      Map<String, String> mdc) {
    this.threadName = threadName;
    this.formattedMessage = formattedMessage;
    this.time = time;
    this.markers = markers;
    this.mdc = mdc;
  }

  /**
   * Sets what {@code setThrowableProxy} does not take: a throwable of another type than Logback's.
   */
  void throwable(IThrowableProxy read) {
    throwable = read;
  }

  @Override
  public String getThreadName() {
    return threadName;
  }

  @Override
  public String getFormattedMessage() {
    return formattedMessage;
  }

  @Override
  public IThrowableProxy getThrowableProxy() {
    return throwable;
  }

  /**
   * The caller data stored with the event.
   *
   * @return an empty array if the event was spilled without caller data
   */
  @Override
  public StackTraceElement[] getCallerData() {
    return hasCallerData() ? super.getCallerData() : CallerData.EMPTY_CALLER_DATA_ARRAY;
  }

  @Override
  public List<Marker> getMarkerList() {
    return markers;
  }

  @Override
  public Map<String, String> getMDCPropertyMap() {
    return mdc;
  }

  @Override
  public long getTimeStamp() {
    return time.epochMillis;
  }

  @Override
  public int getNanoseconds() {
    return time.nanoseconds;
  }

  @Override
  public Instant getInstant() {
    return time.instant;
  }

  /** Does nothing: the event has been processed already. */
  @Override
  public void prepareForDeferredProcessing() {}
}
