package io.spillway.stress.cli;

import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Reads a time with its unit, as milliseconds. */
final class MillisConverter implements ITypeConverter<Double> {

  private static final Pattern TIME = Pattern.compile("([0-9]{1,9}(?:\\.[0-9]{1,6})?) ?(us|ms|s)");

  @Override
  public Double convert(String value) {
    Matcher matcher = TIME.matcher(value.toLowerCase(Locale.ROOT));
    if (!matcher.matches()) {
      throw new TypeConversionException(
          "'" + value + "'; allowed: a time with us, ms or s, such as 50ms");
    }
    double number = Double.parseDouble(matcher.group(1));
    return switch (matcher.group(2)) {
      case "us" -> number / 1000;
      case "s" -> number * 1000;
      default -> number;
    };
  }
}
