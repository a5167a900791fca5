package io.spillway.stress.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.spillway.stress.plan.RunOptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine.TypeConversionException;

class RateTest {
  private final Units.Rate converter = new Units.Rate();

  @ParameterizedTest
  @CsvSource({"5000, 5000", "5000/s, 5000", "2.5/s, 2.5", "1, 1", "1000000/s, 1000000"})
  void shouldReadEventsASecond(String text, double rate) {
    assertThat(converter.convert(text)).isEqualTo(rate);
  }

  @Test
  void shouldTakeMaxForAClosedLoop() {
    assertThat(converter.convert("max")).isEqualTo(RunOptions.CLOSED_LOOP);
    assertThat(converter.convert("MAX")).isEqualTo(RunOptions.CLOSED_LOOP);
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "0", "-1", "0.5", "1000001", "5000/m", "max/s", "Infinity"})
  void shouldRefuseTheRestAndSayWhatIsAllowed(String text) {
    assertThatExceptionOfType(TypeConversionException.class)
        .isThrownBy(() -> converter.convert(text))
        .withMessageContaining("'" + text + "'")
        .withMessageContaining("1 to 1000000 events a second, such as 5000/s, or max");
  }
}
