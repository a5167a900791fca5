package io.spillway.internal.disk;

import ch.qos.logback.core.util.Duration;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Times in settings: what Logback reads, and the short units {@code ms}, {@code s}, {@code h}. */
public final class Times {
  private static final int PLAIN_DIGITS = 9;

  private Times() {}

  /**
   * A time in milliseconds.
   *
   * @param text such as {@code 200ms}, {@code 200 milliseconds}, {@code 1 second} or {@code 200}
   * @return milliseconds
   * @throws IllegalArgumentException if it is none
   */
  public static long millis(String text) {
    if (isPlain(text)) {
      return Long.parseLong(text); // as Logback, without what it takes to read a fraction
    }
    Matcher matcher = Pattern.compile("(?i)\\s*([0-9.]+)\\s*(ms|s|min|h|d)\\s*").matcher(text);
    return Duration.valueOf(matcher.matches() ? full(matcher) : text.trim()).getMilliseconds();
  }

  private static boolean isPlain(String text) {
    for (int i = 0; i < text.length(); i++) {
      if (text.charAt(i) < '0' || text.charAt(i) > '9') {
        return false;
      }
    }
    return !text.isEmpty() && text.length() <= PLAIN_DIGITS;
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
