package io.spillway.stress.report;

import java.util.Arrays;
import java.util.Comparator;
import java.util.List;

/**
 * One trial in two runs.
 *
 * @param name the trial
 * @param before its worst verdict in the old run
 * @param after its worst verdict in the new run
 * @param changes every figure that both runs know; empty if one of them has none
 */
record TrialComparison(String name, Verdict before, Verdict after, List<Change> changes) {

  private static final List<Verdict> BEST_FIRST =
      List.of(Verdict.PASSED, Verdict.INCONCLUSIVE, Verdict.VIOLATED);

  /** Of all repeats of the trial in each run. */
  static TrialComparison of(String name, List<TrialResult> before, List<TrialResult> after) {
    List<TrialResult> old = before.stream().filter(TrialResult::measured).toList();
    List<TrialResult> now = after.stream().filter(TrialResult::measured).toList();
    List<Change> changes =
        old.isEmpty() || now.isEmpty()
            ? List.of()
            : Arrays.stream(Figure.values())
                .filter(figure -> isKnown(figure, old) && isKnown(figure, now))
                .map(figure -> new Change(figure, spread(figure, old), spread(figure, now)))
                .toList();
    return new TrialComparison(name, worst(before), worst(after), changes);
  }

  /** Whether a figure rose above the noise, or the trial no longer passes. */
  boolean worse() {
    boolean broken = before == Verdict.PASSED && after == Verdict.VIOLATED;
    return broken || changes.stream().anyMatch(change -> change.kind() == Change.Kind.WORSE);
  }

  /** Whether both runs show enough of the trial. */
  boolean conclusive() {
    return !changes.isEmpty() && before != Verdict.INCONCLUSIVE && after != Verdict.INCONCLUSIVE;
  }

  private static boolean isKnown(Figure figure, List<TrialResult> repeats) {
    return repeats.stream().allMatch(trial -> figure.of(trial) != null);
  }

  private static Spread spread(Figure figure, List<TrialResult> repeats) {
    return Spread.of(repeats.stream().map(figure::of).toList());
  }

  private static Verdict worst(List<TrialResult> repeats) {
    return repeats.stream()
        .map(TrialResult::verdict)
        .max(Comparator.comparingInt(BEST_FIRST::indexOf))
        .orElseThrow();
  }
}
