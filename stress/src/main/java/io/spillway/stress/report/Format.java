package io.spillway.stress.report;

import java.util.Locale;

/** Figures as text, rounded for readers. */
final class Format {

  private Format() {}

  static String seconds(double seconds) {
    return String.format(Locale.ROOT, "%.1f s", seconds);
  }

  static String threadSeconds(double seconds) {
    return seconds == 0 ? "0" : String.format(Locale.ROOT, "%,.3f thread-s", seconds);
  }

  static String number(double number) {
    return String.format(Locale.ROOT, "%,.0f", number);
  }

  /** As Logback counts: 1 KB is 1024 bytes. */
  static String bytes(double bytes) {
    String[] units = {"bytes", "KB", "MB", "GB"};
    double value = bytes;
    int unit = 0;
    while (value >= 1024 && unit < units.length - 1) {
      value /= 1024;
      unit++;
    }
    return String.format(Locale.ROOT, unit == 0 ? "%.0f %s" : "%.1f %s", value, units[unit]);
  }

  /** Three significant digits at most, in the unit that a reader expects. */
  static String micros(double micros) {
    if (micros >= 1_000_000) {
      return String.format(Locale.ROOT, "%.2f s", micros / 1_000_000);
    }
    if (micros >= 1_000) {
      return String.format(Locale.ROOT, "%.1f ms", micros / 1_000);
    }
    return String.format(Locale.ROOT, "%.0f us", micros);
  }
}
