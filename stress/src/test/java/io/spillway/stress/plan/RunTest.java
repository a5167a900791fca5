package io.spillway.stress.plan;

import static org.assertj.core.api.Assertions.assertThat;

import io.spillway.stress.report.TrialResult;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class RunTest {

  @Test
  void shouldBeginEachRepeatWithAnotherTrial() {
    List<Trial> trials = List.of(trial("a"), trial("b"), trial("c"));

    assertThat(names(Run.inTurn(trials, 1))).containsExactly("a", "b", "c");
    assertThat(names(Run.inTurn(trials, 2))).containsExactly("b", "c", "a");
    assertThat(names(Run.inTurn(trials, 4))).containsExactly("a", "b", "c");
  }

  @ParameterizedTest
  @CsvSource({
    "250, --rate 2400/s or --duration 20",
    "999, --rate 601/s or --duration 5",
    "1000, ''",
    "0, ''",
  })
  void shouldSuggestTheLoadThatMakesEnoughCalls(long calls, String suggestion) {
    RunOptions options = new SmallRun(Path.of("out")).rate(500).around(4).options();
    assertThat(options.moreCalls(calls)).isEqualTo(suggestion);
  }

  private static Trial trial(String name) {
    return new Trial(name, TrialResult.Role.PEER, "", "", Map.of()).at(1 << 20);
  }

  private static List<String> names(List<Trial> trials) {
    return trials.stream().map(Trial::name).toList();
  }
}
