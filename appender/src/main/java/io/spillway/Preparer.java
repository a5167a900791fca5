package io.spillway;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.spi.LoggingEvent;
import io.spillway.internal.codec.ForeignObjects;
import java.util.function.UnaryOperator;

/**
 * What a log call does to an event before other threads get it. As a function it returns the event
 * to be encoded if foreign objects of the argument must not be used.
 */
interface Preparer<E> extends UnaryOperator<E> {
  /** Returns whether an event may be dropped as in AsyncAppender: its level is INFO or below. */
  default boolean isDiscardable(E event) {
    return event instanceof ILoggingEvent logging && logging.getLevel().toInt() <= Level.INFO_INT;
  }

  /** Fixes everything of an event that may change after the log call. */
  void prepare(E event);

  /**
   * Fixes everything but the message of an event, if its message cannot change.
   *
   * @param mostCharacters most characters that the message may have
   * @return arguments with which the message is formatted later; null to have the event prepared as
   *     a whole
   */
  default Object[] prepareUnformatted(E event, long mostCharacters) {
    return null;
  }

  /**
   * Implements {@link #prepareUnformatted} for Logback's own events. It returns null for the few
   * with a throwable, markers or key-value pairs, since converters of any kind may read those.
   */
  static Object[] unformatted(LoggingEvent event, boolean callerData, long mostCharacters) {
    String message = event.getMessage();
    Object[] arguments = event.getArgumentArray();
    if (message == null
        || arguments == null
        || event.getThrowableProxy() != null
        || event.getMarkerList() != null
        || event.getKeyValuePairs() != null) {
      return null;
    }
    Object[] copy = ForeignObjects.copyOfImmutable(arguments, mostCharacters - message.length());
    if (copy != null) {
      event.getThreadName();
      event.getMDCPropertyMap();
      if (callerData) {
        event.getCallerData();
      }
    }
    return copy;
  }
}
