package io.spillway.stress.plan;

import static org.assertj.core.api.Assertions.assertThat;

import io.spillway.stress.report.Judge;
import io.spillway.stress.report.TrialResult;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class RunTest {

  @Test
  void shouldBeginEachRepeatWithAnotherTrial() {
    List<PlannedTrial> trials = List.of(trial("a"), trial("b"), trial("c"));

    assertThat(names(Run.inTurn(trials, 1))).containsExactly("a", "b", "c");
    assertThat(names(Run.inTurn(trials, 2))).containsExactly("b", "c", "a");
    assertThat(names(Run.inTurn(trials, 4))).containsExactly("a", "b", "c");
  }

  /** Not a peer, not one that showed too little, not one that passed. */
  @Test
  void shouldTryASubjectAgainThatOnlyNoiseStandsAgainst() {
    Judge.Check noisy =
        new Judge.Check("x", "1", "2", Judge.Verdict.INCONCLUSIVE, null, true, "2 x");
    Judge.Check doubtful =
        new Judge.Check("y", "1", "0", Judge.Verdict.INCONCLUSIVE, null, false, "no y");
    Judge.Check kept = new Judge.Check("z", "1", "1", Judge.Verdict.PASSED, null, false, null);
    TrialResult again = result(TrialResult.Role.SUBJECT, kept, noisy);

    assertThat(
            Run.noisySubjects(
                List.of(
                    again,
                    result(TrialResult.Role.PEER, noisy),
                    result(TrialResult.Role.SUBJECT, noisy, doubtful),
                    result(TrialResult.Role.SUBJECT, kept))))
        .containsExactly(again);
  }

  private static TrialResult result(TrialResult.Role role, Judge.Check... checks) {
    List<Judge.Check> evidence = List.of(checks);
    return new TrialResult(
        "t",
        0,
        1,
        role,
        "",
        "",
        List.of(),
        null,
        null,
        null,
        null,
        null,
        List.of(),
        null,
        evidence,
        Judge.verdict(role, evidence),
        null,
        null,
        "",
        List.of());
  }

  private static PlannedTrial trial(String name) {
    return new Trial(name, TrialResult.Role.PEER, "", "", Map.of()).at(1 << 20);
  }

  private static List<String> names(List<PlannedTrial> trials) {
    return trials.stream().map(PlannedTrial::name).toList();
  }
}
