package io.spillway;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.spi.LoggingEvent;
import io.spillway.internal.codec.ForeignObjects;
import java.util.function.UnaryOperator;

/**
 * What a log call does to an event before other threads get it; as a function, an event without the
 * foreign objects that it holds.
 */
interface Preparer<E> extends UnaryOperator<E> {
  /** Whether it may be dropped when the ring fills up, as AsyncAppender has it. */
  default boolean isDiscardable(E event) {
    return event instanceof ILoggingEvent logging && logging.getLevel().toInt() <= Level.INFO_INT;
  }

  /** Fixes everything that may change after the call. */
  void prepare(E event);

  /**
   * Fixes everything but the message, if that cannot change.
   *
   * @param mostCharacters that the message may have
   * @return what it is formatted with; null to have the event prepared as a whole
   */
  default Object[] prepareUnformatted(E event, long mostCharacters) {
    return null;
  }

  /**
   * That of Logback's own events. Those with a throwable, markers or key-value pairs, which are
   * few, have converters of any kind look at them.
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
