package io.spillway.internal.codec;

import ch.qos.logback.classic.spi.ILoggingEvent;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.net.URI;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import org.slf4j.Marker;
import org.slf4j.event.KeyValuePair;

/**
 * Arguments, values and markers whose {@code toString()} may do anything: wait for a lock, run for
 * ever. Collections are among them, whoever made them: some are synchronised, and print what they
 * hold.
 */
final class ForeignObjects {
  /** Immutable, and printed without a lock. Exactly these: a subclass may do anything. */
  private static final Set<Class<?>> HARMLESS =
      Set.of(
          String.class,
          Integer.class,
          Long.class,
          Double.class,
          Float.class,
          Boolean.class,
          Character.class,
          Short.class,
          Byte.class,
          BigDecimal.class,
          BigInteger.class,
          UUID.class,
          URI.class,
          Class.class,
          SpilledText.class,
          SpilledMarker.class);

  private static final String TIME = "java.time.";
  private static final String SLF4J_MARKER = "org.slf4j.helpers.BasicMarker";

  private ForeignObjects() {}

  static boolean isOne(Object value) {
    if (value == null) {
      return false;
    }
    Class<?> type = value.getClass();
    return !HARMLESS.contains(type)
        && !type.getName().startsWith(TIME)
        && !type.getName().equals(SLF4J_MARKER);
  }

  static boolean isIn(ILoggingEvent event) {
    Object[] arguments = event.getArgumentArray();
    if (arguments != null) {
      for (Object argument : arguments) {
        if (isOne(argument)) {
          return true;
        }
      }
    }
    List<KeyValuePair> pairs = event.getKeyValuePairs();
    if (pairs != null) {
      for (KeyValuePair pair : pairs) {
        if (pair != null && isOne(pair.value)) {
          return true;
        }
      }
    }
    List<Marker> markers = event.getMarkerList();
    if (markers != null) {
      for (Marker marker : markers) {
        if (isOne(marker)) {
          return true;
        }
      }
    }
    return false;
  }

  static String standIn(Object value) {
    return "["
        + value.getClass().getName()
        + " left out: its toString() or another one did not return]";
  }
}
