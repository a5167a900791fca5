package io.spillway.stress.plan;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class RunOptionsTest {
  @ParameterizedTest
  @CsvSource({
    "500, 250, false, --rate 2400/s or --duration 20",
    "500, 250, true, --rate 2400/s",
    "500, 999, true, --rate 601/s",
    "500, 1000, false, ''",
    "500, 0, false, ''",
    "Infinity, 10, false, ''",
  })
  void shouldSuggestTheLoadThatMakesEnoughCalls(
      double rate, long calls, boolean rotation, String suggestion) {
    RunOptions options = new SmallRun(Path.of("out")).rate(rate).around(4).options();
    assertThat(options.moreCalls(calls, 1_000, rotation)).isEqualTo(suggestion);
  }
}
