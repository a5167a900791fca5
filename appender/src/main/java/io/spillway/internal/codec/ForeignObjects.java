package io.spillway.internal.codec;

import ch.qos.logback.classic.spi.ILoggingEvent;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.net.URI;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.OffsetDateTime;
import java.time.ZonedDateTime;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import org.slf4j.Marker;
import org.slf4j.event.KeyValuePair;

/**
 * Recognizes foreign objects: arguments, values and markers whose {@code toString()} may do
 * anything, such as wait for a lock or run for ever. All collections are foreign, those of the JDK
 * as well: some are synchronised, and all print their elements.
 */
public final class ForeignObjects {
  /** Classes that are immutable and printed without a lock; their subclasses may do anything. */
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
          Instant.class,
          LocalDate.class,
          LocalTime.class,
          LocalDateTime.class,
          OffsetDateTime.class,
          ZonedDateTime.class,
          Duration.class,
          ValueCodec.Text.class,
          MarkerCodec.Spilled.class);

  /** Whether the constants of an enum are printed by their names, which never change. */
  private static final ClassValue<Boolean> PLAIN_ENUM =
      new ClassValue<>() {
        @Override
        protected Boolean computeValue(Class<?> type) {
          try {
            return type.getMethod("toString").getDeclaringClass() == Enum.class;
          } catch (NoSuchMethodException | LinkageError | SecurityException e) {
            return false;
          }
        }
      };

  private static final int NUMBER = 26; // characters of the longest number, a double
  private static final int SHORT = 128; // of the longest other text, a time with its zone

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

  /**
   * Copies the arguments of a message, if each of them prints the same text for ever, without a
   * lock. A copy is necessary because the array belongs to the caller, who may use it again.
   *
   * @param arguments the arguments of an event
   * @param mostCharacters the number of characters that their texts may have together
   * @return the copy; null if an argument may change, or there may be more characters
   */
  public static Object[] copyOfImmutable(Object[] arguments, long mostCharacters) {
    Object[] copy = arguments.clone();
    long characters = 0;
    for (Object argument : copy) {
      long length = mostCharactersOf(argument);
      if (length < 0) {
        return null;
      }
      characters += length;
    }
    return characters <= mostCharacters ? copy : null;
  }

  /** Returns the most characters that an argument's text may have; -1 if the text may change. */
  private static long mostCharactersOf(Object argument) {
    if (argument instanceof String text) {
      return text.length();
    } else if (argument instanceof Integer || argument instanceof Long || argument == null) {
      return NUMBER;
    }
    Class<?> type = argument.getClass();
    if (type == BigInteger.class) {
      return ((BigInteger) argument).bitLength(); // each digit takes more than three bits
    } else if (type == BigDecimal.class) {
      return NUMBER + ((BigDecimal) argument).precision();
    } else if (argument instanceof Class<?> named) {
      return NUMBER + named.getName().length();
    } else if (argument instanceof Enum<?> constant) {
      return PLAIN_ENUM.get(type) ? constant.name().length() : -1;
    } else if (argument instanceof URI) {
      return -1; // its text is built on first use and has any length
    }
    return HARMLESS.contains(type)
            && type != ValueCodec.Text.class
            && type != MarkerCodec.Spilled.class
        ? SHORT
        : -1;
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
