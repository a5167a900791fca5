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
 * Arguments, values and markers whose {@code toString()} may do anything: wait for a lock, run for
 * ever. Collections are among them, whoever made them: some are synchronised, and print what they
 * hold.
 */
public final class ForeignObjects {
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
          Instant.class,
          LocalDate.class,
          LocalTime.class,
          LocalDateTime.class,
          OffsetDateTime.class,
          ZonedDateTime.class,
          Duration.class,
          ValueCodec.Text.class,
          MarkerCodec.Spilled.class);

  /** Whether an enum is printed by its name, which no program can change. */
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

  private static final int NUMBER = 26; // characters of a double, the longest of them
  private static final int SHORT = 128; // of a time with its zone, the longest of the rest

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
   * A copy of a message's arguments, if each of them prints the same text for ever, without a lock:
   * the array is the caller's, who may use it again.
   *
   * @param arguments of an event
   * @param mostCharacters that their texts may have together
   * @return null if one of them may change, or there may be more characters
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

  /** Of an argument's text; -1 if that may change. */
  private static long mostCharactersOf(Object argument) {
    if (argument instanceof String text) {
      return text.length();
    } else if (argument instanceof Integer || argument instanceof Long || argument == null) {
      return NUMBER;
    }
    Class<?> type = argument.getClass();
    if (type == BigInteger.class) {
      return ((BigInteger) argument).bitLength(); // a digit has more than three
    } else if (type == BigDecimal.class) {
      return NUMBER + ((BigDecimal) argument).precision();
    } else if (argument instanceof Class<?> named) {
      return NUMBER + named.getName().length();
    } else if (argument instanceof Enum<?> constant) {
      return PLAIN_ENUM.get(type) ? constant.name().length() : -1;
    } else if (argument instanceof URI) {
      return -1; // of any length, made when it is first asked for
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
