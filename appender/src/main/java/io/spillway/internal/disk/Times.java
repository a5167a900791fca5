package io.spillway.internal.disk;

import java.util.Locale;

/** Parses times in settings: a whole number, and one of Logback's units or its short form. */
public final class Times {
  /** The longest time, 292 years, that a long holds in nanoseconds. */
  public static final long MAX_MILLIS = Long.MAX_VALUE / 1_000_000;

  private Times() {}

  /**
   * Returns the milliseconds of a text such as {@code 200}, {@code 200 ms}, {@code 5s} or {@code 1
   * second}, zero or more. Throws an IllegalArgumentException for any other.
   */
  public static long millis(String text) {
    String time = text.trim().toLowerCase(Locale.ROOT);
    int end = time.length();
    while (end > 0 && Character.isLetter(time.charAt(end - 1))) {
      end--;
    }
    long unit =
        switch (time.substring(end)) {
          case "", "ms", "milli", "millisecond", "milliseconds" -> 1;
          case "s", "second", "seconds" -> 1_000;
          case "min", "minute", "minutes" -> 60_000;
          case "h", "hour", "hours" -> 3_600_000;
          case "d", "day", "days" -> 86_400_000;
          default -> throw new IllegalArgumentException(text);
        };
    long number = Long.parseLong(time.substring(0, end).trim());
    if (number < 0) {
      throw new IllegalArgumentException(text);
    }
    return number > Long.MAX_VALUE / unit ? Long.MAX_VALUE : number * unit;
  }
}
