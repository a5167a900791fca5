package io.spillway.internal.disk;

import ch.qos.logback.core.util.Duration;
import java.util.Locale;

/** Parses times in settings: Logback's syntax, and the units of {@link #millis}. */
public final class Times {
  /** The longest time, 292 years, that a long holds in nanoseconds. */
  public static final long MAX_MILLIS = Long.MAX_VALUE / 1_000_000;

  private Times() {}

  /**
   * Returns the milliseconds of a text such as {@code 200}, {@code 200 ms}, {@code 5s}, {@code 1
   * min}, {@code 2 h}, {@code 1 d} or {@code 1 second}, zero or more. Throws an
   * IllegalArgumentException for any other, and for less than a millisecond, as zero has another
   * meaning.
   */
  public static long millis(String text) {
    String time = text.trim().toLowerCase(Locale.ROOT);
    int end = time.length();
    while (end > 0 && Character.isLetter(time.charAt(end - 1))) {
      end--;
    }
    String unit = time.substring(end);
    String full =
        switch (unit) {
          case "ms" -> "milliseconds";
          case "s" -> "seconds";
          case "min" -> "minutes";
          case "h" -> "hours";
          case "d" -> "days";
          default -> unit;
        };
    long millis = Duration.valueOf(time.substring(0, end) + full).getMilliseconds();
    if (millis <= 0 && time.chars().anyMatch(c -> c > '0' && c <= '9')) {
      throw new IllegalArgumentException(text); // Logback accepts -1 minute, and reads 0.5 ms as 0
    }
    return millis;
  }
}
