package io.spillway;

import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.spi.IThrowableProxy;
import ch.qos.logback.core.spi.ContextAware;
import io.spillway.internal.metrics.Environment;
import io.spillway.internal.ring.EventRing;
import java.time.Instant;
import java.util.List;
import org.slf4j.event.KeyValuePair;

/**
 * Checks the libraries that both appenders need, before a start creates anything that uses them.
 */
final class Libraries {
  private Libraries() {}

  /** Returns false, and adds an error status, if something is missing. */
  static boolean suffice(ContextAware appender) {
    return Environment.hasLogbackCore(appender)
        && Environment.has(appender, hasLogbackClassic())
        && hasDisruptor(appender);
  }

  private static boolean hasLogbackClassic() {
    try {
      return Environment.hasMethod(KeyValuePair.class, "toString", String.class)
          && Environment.hasMethod(ILoggingEvent.class, "getKeyValuePairs", List.class)
          && Environment.hasMethod(ILoggingEvent.class, "getMarkerList", List.class)
          && Environment.hasMethod(ILoggingEvent.class, "getInstant", Instant.class)
          && Environment.hasMethod(IThrowableProxy.class, "isCyclic", boolean.class);
    } catch (LinkageError missing) { // a type is missing
      return false;
    }
  }

  private static boolean hasDisruptor(ContextAware appender) {
    try {
      EventRing.tryOut();
      return true;
    } catch (LinkageError missing) {
      return Environment.refused(
          appender,
          "no LMAX Disruptor with all that is called (" + missing.getMessage() + ")",
          "com.lmax:disruptor 3.4.4 or newer",
          "add com.lmax:disruptor 4.0.0");
    }
  }
}
