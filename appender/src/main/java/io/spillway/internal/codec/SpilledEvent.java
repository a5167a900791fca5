package io.spillway.internal.codec;

import ch.qos.logback.classic.spi.CallerData;
import ch.qos.logback.classic.spi.IThrowableProxy;
import ch.qos.logback.classic.spi.LoggingEvent;

/**
 * An event read back from disk. Layouts print the same text as for the original event. It is a
 * {@link LoggingEvent} because some appenders (Logback's {@code SocketAppender}) refuse any other;
 * what that would derive from the current thread or stack is never derived here.
 */
public final class SpilledEvent extends LoggingEvent {
  String formattedMessage;
  IThrowableProxy throwable;
  byte[] line;

  SpilledEvent() {}

  /** Returns what the nested appender's encoder made of the original event; null if nothing. */
  public byte[] line() {
    return line;
  }

  @Override
  public String getFormattedMessage() {
    return formattedMessage;
  }

  @Override
  public IThrowableProxy getThrowableProxy() {
    return throwable;
  }

  @Override
  public StackTraceElement[] getCallerData() {
    return hasCallerData() ? super.getCallerData() : CallerData.EMPTY_CALLER_DATA_ARRAY;
  }
}
