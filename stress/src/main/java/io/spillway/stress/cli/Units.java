package io.spillway.stress.cli;

import com.fasterxml.jackson.databind.util.StdConverter;
import java.util.Locale;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Parsers of values with units, for options and scenarios. */
final class Units {

  private Units() {}

  private static TypeConversionException wrong(String value, String allowed) {
    return new TypeConversionException("'" + value + "'; allowed: " + allowed);
  }

  /** Returns the bytes of a number and a unit, which may be null; 1 KB is 1024 bytes. */
  private static long bytes(String number, String unit) {
    return Long.parseLong(number) << (unit == null ? 0 : 10 * (1 + "kmg".indexOf(unit.charAt(0))));
  }

  /** Parses a size of a file in bytes, as Logback does. The least is 1 MB. */
  static final class Size extends StdConverter<String, Long> implements ITypeConverter<Long> {

    private static final Pattern SIZE = Pattern.compile("([0-9]{1,9}) ?(kb|mb|gb)?");
    private static final long SMALLEST = 1 << 20;

    @Override
    public Long convert(String value) {
      Matcher matcher = SIZE.matcher(value.toLowerCase(Locale.ROOT));
      long bytes = matcher.matches() ? bytes(matcher.group(1), matcher.group(2)) : 0;
      if (bytes < SMALLEST) {
        throw wrong(value, "a number with KB, MB or GB, at least 1MB, such as 64MB");
      }
      return bytes;
    }
  }

  /** Parses a size for {@code -Xmx}, in the notation of the JVM or in that of other sizes. */
  static final class Heap extends StdConverter<String, String> implements ITypeConverter<String> {

    private static final Pattern HEAP = Pattern.compile("([1-9][0-9]{0,8}) ?([kmg])b?");
    private static final long SMALLEST = 16L << 20; // a smaller heap hardly lets a JVM start
    private static final long LARGEST = 4L << 40;

    @Override
    public String convert(String value) {
      Matcher matcher = HEAP.matcher(value.toLowerCase(Locale.ROOT));
      long bytes = matcher.matches() ? bytes(matcher.group(1), matcher.group(2)) : 0;
      if (bytes < SMALLEST || bytes > LARGEST) {
        throw wrong(value, "a size such as 512MB, 512m or 2g, from 16MB to 4096GB");
      }
      return matcher.group(1) + matcher.group(2);
    }
  }

  /** Parses a number of events a second. */
  static final class Rate extends StdConverter<String, Double> implements ITypeConverter<Double> {

    private static final Pattern RATE = Pattern.compile("([0-9]{1,9}(?:\\.[0-9]{1,3})?)(?:/s)?");

    @Override
    public Double convert(String value) {
      Matcher matcher = RATE.matcher(value);
      double rate = matcher.matches() ? Double.parseDouble(matcher.group(1)) : 0;
      if (rate < 1 || rate > 1_000_000) {
        throw wrong(value, "1 to 1000000 events a second, such as 5000/s");
      }
      return rate;
    }
  }

  /** Parses a time with its unit, as milliseconds. */
  static final class Millis extends StdConverter<String, Double> implements ITypeConverter<Double> {

    private static final Pattern TIME =
        Pattern.compile("([0-9]{1,9}(?:\\.[0-9]{1,6})?) ?(us|ms|s)");

    @Override
    public Double convert(String value) {
      Matcher matcher = TIME.matcher(value.toLowerCase(Locale.ROOT));
      if (!matcher.matches()) {
        throw wrong(value, "a time with us, ms or s, such as 50ms");
      }
      double number = Double.parseDouble(matcher.group(1));
      return switch (matcher.group(2)) {
        case "us" -> number / 1000;
        case "s" -> number * 1000;
        default -> number;
      };
    }
  }

  /** Parses a whole number; the message about a wrong one says that a whole number is allowed. */
  static <T> T whole(String value, Function<String, T> parser) {
    try {
      return parser.apply(value);
    } catch (NumberFormatException e) {
      throw wrong(value, "a whole number");
    }
  }
}
