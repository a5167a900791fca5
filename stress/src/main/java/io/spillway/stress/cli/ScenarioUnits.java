package io.spillway.stress.cli;

import com.fasterxml.jackson.databind.util.StdConverter;

/** Values with units in scenarios: written as in options. */
final class ScenarioUnits {

  private ScenarioUnits() {}

  /** File sizes. */
  static final class Size extends StdConverter<String, Long> {
    @Override
    public Long convert(String value) {
      return new SizeConverter().convert(value);
    }
  }

  /** Events a second. */
  static final class Rate extends StdConverter<String, Double> {
    @Override
    public Double convert(String value) {
      return new RateConverter().convert(value);
    }
  }

  /** Times. */
  static final class Millis extends StdConverter<String, Double> {
    @Override
    public Double convert(String value) {
      return new MillisConverter().convert(value);
    }
  }
}
