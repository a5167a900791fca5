package io.spillway.rolling;

import ch.qos.logback.core.spi.ContextAware;
import ch.qos.logback.core.util.FileSize;
import io.spillway.internal.disk.Times;
import java.util.Locale;
import java.util.function.Function;

/**
 * Checks settings, reports each one that is refused, and records that there was one. Settings stay
 * text until {@code start()}, because Logback only warns of text that it cannot convert and
 * continues with the default.
 */
final class Refusals {
  private final ContextAware to;
  private boolean any;

  Refusals(ContextAware to) {
    this.to = to;
  }

  /** Returns whether a setting was refused. */
  boolean any() {
    return any;
  }

  /** Refuses the value of a setting. */
  void refuse(String setting, Object value, String allowed, String remedy) {
    refuse(message(setting, value, allowed, remedy));
  }

  /** Returns the message of a refusal. */
  static String message(String setting, Object value, String allowed, String remedy) {
    return "Setting ["
        + setting
        + "] has the value ["
        + (value == null ? "" : value)
        + "]; allowed: "
        + allowed
        + ". To do: "
        + remedy
        + ".";
  }

  /** Refuses a setting with a complete message. */
  void refuse(String message) {
    any = true;
    to.addError(message + " Not started.");
  }

  /** Parses a whole number in a range; returns the least if it is refused. */
  int number(String setting, String value, int least, int most) {
    Function<String, Integer> parser =
        text -> {
          int number = Integer.parseInt(text);
          return number < least || number > most ? null : (Integer) number;
        };
    String allowed =
        most == Integer.MAX_VALUE
            ? "a whole number, " + least + " or more"
            : "a whole number from " + least + " to " + most;
    return parsed(setting, value, parser, allowed, least);
  }

  /** Parses a number of bytes with a minimum; returns the minimum if it is refused. */
  long size(String setting, String value, long least) {
    Function<String, Long> parser =
        text -> {
          long bytes = FileSize.valueOf(text).getSize();
          return bytes < least ? null : (Long) bytes;
        };
    String allowed = "a size such as 10MB" + (least > 0 ? ", " + least + " or more" : "");
    return parsed(setting, value, parser, allowed, least);
  }

  /** Parses milliseconds, of which a long can hold the nanoseconds; returns 0 if refused. */
  long millis(String setting, String value) {
    Function<String, Long> parser =
        text -> {
          long millis = Times.millis(text);
          return millis > Times.MAX_MILLIS ? null : (Long) millis;
        };
    String allowed = "a time from 1 millisecond to 292 years, such as 10 minutes or 1 hour, or 0";
    return parsed(setting, value, parser, allowed, 0L);
  }

  /** Parses true or false; returns false if the value is refused. */
  boolean flag(String setting, String value) {
    Function<String, Boolean> parser =
        text ->
            switch (text.toLowerCase(Locale.ROOT)) {
              case "true" -> Boolean.TRUE;
              case "false" -> Boolean.FALSE;
              default -> null;
            };
    return parsed(setting, value, parser, "true or false", false);
  }

  /** Parses a number for a getter; returns {@code otherwise} if it is no number. */
  static int readNumber(String value, int otherwise) {
    try {
      return Integer.parseInt(String.valueOf(value).strip());
    } catch (NumberFormatException refusedAtStart) {
      return otherwise;
    }
  }

  /** Parses a size for a getter; returns {@code otherwise} if it is no size. */
  static FileSize readSize(String value, FileSize otherwise) {
    try {
      return FileSize.valueOf(String.valueOf(value).strip());
    } catch (IllegalArgumentException refusedAtStart) {
      return otherwise;
    }
  }

  /** Returns a size as text that {@link #size} parses; null for null. */
  static String text(FileSize size) {
    return size == null ? null : String.valueOf(size.getSize());
  }

  private <T> T parsed(
      String setting, String value, Function<String, T> parser, String allowed, T placeholder) {
    T parsed;
    try {
      parsed = parser.apply(String.valueOf(value).strip());
    } catch (IllegalArgumentException e) {
      parsed = null; // reported with the allowed values instead of the parser's message
    }
    if (parsed == null) {
      refuse(setting, value, allowed, "correct the value");
      return placeholder;
    }
    return parsed;
  }
}
