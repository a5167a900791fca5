package io.spillway.stress.cli;

import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Reads sizes as Logback does: 1 KB is 1024 bytes. */
final class SizeConverter implements ITypeConverter<Long> {

  private static final Pattern SIZE = Pattern.compile("([0-9]{1,9}) ?(kb|mb|gb)?");
  private static final long SMALLEST = 1 << 20;

  @Override
  public Long convert(String value) {
    Matcher matcher = SIZE.matcher(value.toLowerCase(Locale.ROOT));
    if (matcher.matches()) {
      long bytes = Long.parseLong(matcher.group(1)) << shift(matcher.group(2));
      if (bytes >= SMALLEST) {
        return bytes;
      }
    }
    throw new TypeConversionException(
        "'" + value + "'; allowed: a number with KB, MB or GB, at least 1MB, such as 64MB");
  }

  private static int shift(String unit) {
    return switch (unit == null ? "" : unit) {
      case "kb" -> 10;
      case "mb" -> 20;
      case "gb" -> 30;
      default -> 0;
    };
  }
}
