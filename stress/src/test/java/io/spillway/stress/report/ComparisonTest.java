package io.spillway.stress.report;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ComparisonTest {

  @ParameterizedTest
  @CsvSource({
    // Spreads of 2 and 2: medians must be more than 4 apart.
    "10 11 12, 14 15 16, NOISE",
    "10 11 12, 14 16 16, WORSE",
    "14 16 16, 10 11 12, BETTER",
    "10 11 12, 12 11 10, NOISE",
    "10 10 10, 10 10 10, NONE",
    "10 10 10, 11 11 11, WORSE",
    "10 12, 15 17, WORSE",
    "10 12, 14 16, NOISE",
    "10, 99 99 99, UNKNOWN",
    "10 10 10, 99, UNKNOWN",
    "10, 10, NONE",
    // Less than a percent, however steady.
    "1000 1000 1000, 1009 1009 1009, NOISE",
    "1000 1000 1000, 1011 1011 1011, WORSE",
  })
  void shouldTellChangesFromNoiseByTheSpreadOfTheRepeats(
      String before, String after, Comparison.Change.Kind expected) {
    Comparison comparison = Comparison.of(run(before), run(after));

    Comparison.Change worstCall = change(comparison, Figure.WORST_CALL);
    assertThat(worstCall.kind()).isEqualTo(expected);
    assertThat(comparison.exitCode()).isEqualTo(expected == Comparison.Change.Kind.WORSE ? 1 : 0);
    assertThat(comparison.trials().get(0).changes())
        .filteredOn(change -> change.figure() != Figure.WORST_CALL)
        .hasSizeGreaterThan(8)
        .allMatch(change -> change.kind() == Comparison.Change.Kind.NONE);
  }

  @Test
  void shouldShowBothSidesTheRatioAndTheNoise() {
    String text = Comparison.of(run("100 110 120"), run("200 220 250")).text();

    assertThat(text)
        .contains("t: passed (repeats: 3 and 3)")
        .containsPattern("worst call +110 us +220 us +2.00 +70 us +WORSE")
        .containsPattern("lost +0 +0 +1.00 +same");
  }

  @Test
  void shouldGiveNoMoreThanRatiosForASingleRepeat() {
    String text = Comparison.of(run("100"), run("250")).text();

    assertThat(text)
        .containsPattern("worst call +100 us +250 us +2.50 +noise unknown")
        .contains("With a single repeat")
        .doesNotContain("WORSE");
  }

  @Test
  void shouldCountABrokenPromiseWhateverTheNoise() {
    RunResult before = Results.run(Results.passed("t", 1, 10));
    RunResult after = Results.run(Results.trial("t", 1, TrialResult.Role.SUBJECT, 10, 5));

    Comparison comparison = Comparison.of(before, after);

    assertThat(comparison.exitCode()).isEqualTo(1);
    assertThat(comparison.text()).contains("t: passed, now violated");
    assertThat(Comparison.of(after, before).exitCode()).isZero();
    assertThat(change(comparison, Figure.LOST).ratio()).isEqualTo("-");
  }

  @Test
  void shouldNameTrialsThatAreInOneRunOnlyOrHaveNoFigures() {
    RunResult before = Results.run(Results.passed("both", 1, 10), Results.passed("old", 1, 10));
    RunResult after = Results.run(Results.passed("both", 1, 10), Results.passed("new", 1, 10));
    RunResult failed = Results.run(Results.failed("both", "it hung"), Results.passed("old", 1, 10));

    Comparison comparison = Comparison.of(before, after);
    assertThat(comparison.exitCode()).isEqualTo(3);
    assertThat(comparison.text())
        .contains("! old is only in the old file")
        .contains("! new is only in the new file");
    assertThat(Comparison.of(before, failed).exitCode()).isEqualTo(3);
    assertThat(Comparison.of(before, failed).text())
        .contains("both: passed, now inconclusive")
        .contains("! it has no figures in one of the files");
    assertThat(Comparison.of(before, before).exitCode()).isZero();
  }

  @Test
  void shouldCompareNoRotationThatWasNotFinished() {
    RunResult finished = Results.run(Results.passed("t", 1, 10), Results.passed("t", 2, 10));
    RunResult not = Results.run(Results.unfinished("t", 1), Results.unfinished("t", 2));

    for (Comparison comparison :
        List.of(Comparison.of(finished, not), Comparison.of(not, finished))) {
      assertThat(comparison.trials().get(0).changes())
          .isNotEmpty()
          .noneMatch(change -> change.figure() == Figure.ROTATION);
    }
  }

  @Test
  void shouldLeaveOutWhatOneOfTheJvmsDidNotTell() {
    TrialResult trial = Results.passed("t", 1, 10);
    TrialResult silent =
        new TrialResult(
            trial.name(),
            trial.sizeBytes(),
            trial.repeat(),
            trial.role(),
            trial.description(),
            trial.configuration(),
            trial.childCommand(),
            trial.load(),
            trial.parks(),
            trial.pauses(),
            null,
            trial.control(),
            trial.executed(),
            trial.readBack(),
            trial.evidence(),
            trial.verdict(),
            trial.felt(),
            trial.heldUpThreadSecondsPerMinute(),
            trial.finding(),
            trial.reasons());

    assertThat(figures(trial, trial)).containsExactly(Figure.values());
    assertThat(figures(trial, silent)).doesNotContain(Figure.HEAP).contains(Figure.DISK);
    assertThat(figures(silent, trial)).isEqualTo(figures(trial, silent));
  }

  private static List<Figure> figures(TrialResult before, TrialResult after) {
    return Comparison.of(Results.run(before), Results.run(after)).trials().get(0).changes().stream()
        .map(Comparison.Change::figure)
        .toList();
  }

  private static RunResult run(String worstCalls) {
    List<String> values = Arrays.asList(worstCalls.split(" "));
    return Results.run(
        IntStream.range(0, values.size())
            .mapToObj(i -> Results.passed("t", i + 1, Double.parseDouble(values.get(i))))
            .toArray(TrialResult[]::new));
  }

  private static Comparison.Change change(Comparison comparison, Figure figure) {
    return comparison.trials().get(0).changes().stream()
        .filter(change -> change.figure() == figure)
        .findFirst()
        .orElseThrow();
  }
}
