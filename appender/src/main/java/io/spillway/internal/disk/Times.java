package io.spillway.internal.disk;

import ch.qos.logback.core.util.Duration;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Parses times in settings: Logback's syntax, and the units {@code ms}, {@code s}, {@code min},
 * {@code h} and {@code d}.
 */
public final class Times {
  /** The longest time, 292 years, that a long holds in nanoseconds. */
  public static final long MAX_MILLIS = Long.MAX_VALUE / 1_000_000;

  private static final int PLAIN_DIGITS = 9;

  private Times() {}

  /**
   * Parses a time.
   *
   * @param text such as {@code 200ms}, {@code 200 milliseconds}, {@code 1 second} or {@code 200}
   * @return the time in milliseconds, zero or more
   * @throws IllegalArgumentException if the text is no time, or is a time under a millisecond but
   *     not zero, because zero has another meaning
   */
  public static long millis(String text) {
    int digits = digits(text);
    long unit = digits == 0 || digits > PLAIN_DIGITS ? 0 : plainUnit(text.substring(digits));
    if (unit > 0) { // as Logback, but without a regular expression
      return unit * Long.parseLong(text.substring(0, digits));
    }
    Matcher matcher = Pattern.compile("(?i)\\s*([0-9.]+)\\s*(ms|s|min|h|d)\\s*").matcher(text);
    long millis =
        Duration.valueOf(matcher.matches() ? full(matcher) : text.trim()).getMilliseconds();
    if (millis <= 0 && Pattern.compile("[1-9]").matcher(text).find()) {
      throw new IllegalArgumentException(text); // Logback accepts -1 minute, and reads 0.5 ms as 0
    }
    return millis;
  }

  /** Counts the digits at the beginning of a text. */
  private static int digits(String text) {
    int digits = 0;
    while (digits < text.length() && text.charAt(digits) >= '0' && text.charAt(digits) <= '9') {
      digits++;
    }
    return digits;
  }

  /** Returns the milliseconds of the units of defaults and most settings; zero for others. */
  private static int plainUnit(String text) {
    return switch (text.trim().toLowerCase(Locale.ROOT)) {
      case "", "ms", "millisecond", "milliseconds" -> 1;
      case "s", "second", "seconds" -> 1_000;
      default -> 0;
    };
  }

  private static String full(Matcher matcher) {
    String unit = matcher.group(2);
    String full = "day";
    if (unit.equalsIgnoreCase("ms")) {
      full = "millisecond";
    } else if (unit.equalsIgnoreCase("s")) {
      full = "second";
    } else if (unit.equalsIgnoreCase("min")) {
      full = "minute";
    } else if (unit.equalsIgnoreCase("h")) {
      full = "hour";
    }
    return matcher.group(1) + " " + full;
  }
}
