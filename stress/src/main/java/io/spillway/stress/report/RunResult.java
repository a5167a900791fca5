package io.spillway.stress.report;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * One run of the harness: what is written to {@code result.json}.
 *
 * @param schema name and version of this layout
 * @param startedAt ISO-8601 instant
 * @param seconds how long the run took
 * @param estimatedSeconds how long it was said to take before it began
 * @param commandLine what was asked
 * @param options every option with the value it had
 * @param notes what a reader must know to read the figures right
 * @param machine where it ran
 * @param prefills the lines written before trials of the harness's own configurations, one entry
 *     for each length
 * @param trials every trial of every repeat
 * @param medians each trial over its repeats
 * @param scenario that the trials are part of, or null
 * @param verdict of the run
 * @param reasons why the verdict is not {@code passed}
 */
public record RunResult(
    String schema,
    String startedAt,
    double seconds,
    double estimatedSeconds,
    List<String> commandLine,
    Map<String, Object> options,
    List<String> notes,
    Machine machine,
    List<PrefillFigures> prefills,
    List<TrialResult> trials,
    List<Median> medians,
    ScenarioFigures scenario,
    Verdict verdict,
    List<String> reasons) {

  /** The layout that this version writes. */
  public static final String SCHEMA = "spillway-stress/3";

  /** Exit code for each verdict; 2 is left to wrong options. */
  public int exitCode() {
    return switch (verdict) {
      case PASSED -> 0;
      case VIOLATED -> 1;
      case INCONCLUSIVE -> 3;
    };
  }

  /** A run is as good as its subjects, and needs every trial to have shown something. */
  public static Verdict verdictOf(List<TrialResult> trials) {
    if (trials.stream().anyMatch(RunResult::failsTheRun)) {
      return Verdict.VIOLATED;
    }
    boolean doubtful =
        trials.isEmpty() || trials.stream().anyMatch(t -> t.verdict() == Verdict.INCONCLUSIVE);
    return doubtful ? Verdict.INCONCLUSIVE : Verdict.PASSED;
  }

  /** The reasons of those trials that decide the run's verdict. */
  public static List<String> reasonsOf(List<TrialResult> trials) {
    List<String> reasons = new ArrayList<>();
    for (TrialResult trial : trials) {
      if (failsTheRun(trial) || trial.verdict() == Verdict.INCONCLUSIVE) {
        trial.reasons().forEach(reason -> reasons.add(trial.name() + ": " + reason));
      }
    }
    return reasons;
  }

  private static boolean failsTheRun(TrialResult trial) {
    return trial.role() == Role.SUBJECT && trial.verdict() == Verdict.VIOLATED;
  }
}
