package io.spillway.stress.report;

import java.util.Locale;

/** The one way in which figures are written for readers. */
public final class Format {

  private Format() {}

  /** Returns a number, with a decimal below 10 unless it is whole. */
  public static String number(double number) {
    return String.format(Locale.ROOT, number % 1 != 0 && number < 10 ? "%.1f" : "%,.0f", number);
  }

  /** Returns seconds, with a decimal below 100. */
  public static String seconds(double seconds) {
    return String.format(Locale.ROOT, seconds < 100 ? "%.1f s" : "%,.0f s", seconds);
  }

  /** Returns a number of bytes in Logback's units: 1 KB is 1024 bytes. */
  public static String bytes(double bytes) {
    String[] units = {"bytes", "KB", "MB", "GB"};
    double value = bytes;
    int unit = 0;
    while (value >= 1024 && unit < units.length - 1) {
      value /= 1024;
      unit++;
    }
    return String.format(Locale.ROOT, unit == 0 ? "%.0f %s" : "%.1f %s", value, units[unit]);
  }

  /** Returns microseconds in the unit of their magnitude; "too few" for null. */
  public static String micros(Double micros) {
    if (micros == null) {
      return "too few";
    }
    if (micros >= 1_000_000) {
      return String.format(Locale.ROOT, "%.2f s", micros / 1_000_000);
    }
    return micros >= 1_000
        ? String.format(Locale.ROOT, "%.1f ms", micros / 1_000)
        : String.format(Locale.ROOT, "%.0f us", micros);
  }
}
