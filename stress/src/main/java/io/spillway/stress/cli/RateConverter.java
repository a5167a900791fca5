package io.spillway.stress.cli;

import io.spillway.stress.plan.RunOptions;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Reads a number of events a second; {@code max} is infinity. */
final class RateConverter implements ITypeConverter<Double> {

  private static final Pattern RATE = Pattern.compile("([0-9]{1,9}(?:\\.[0-9]{1,3})?)(?:/s)?");

  private static final String MAX = "max";

  @Override
  public Double convert(String value) {
    if (value.equalsIgnoreCase(MAX)) {
      return RunOptions.CLOSED_LOOP;
    }
    Matcher matcher = RATE.matcher(value);
    if (matcher.matches()) {
      double rate = Double.parseDouble(matcher.group(1));
      if (rate >= 1 && rate <= 1_000_000) {
        return rate;
      }
    }
    throw new TypeConversionException(
        "'" + value + "'; allowed: 1 to 1000000 events a second, such as 5000/s, or max");
  }
}
