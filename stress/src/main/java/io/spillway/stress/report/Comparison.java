package io.spillway.stress.report;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * The comparison of two runs, trial by trial, as {@code compare} prints it.
 *
 * @param trials the trials that both runs contain, in the order of the old run
 * @param onlyBefore trials of the old run that the new one lacks
 * @param onlyAfter trials of the new run that the old one lacks
 * @param conditions differences in options or machine, each of which may be the cause of a
 *     difference in figures
 */
public record Comparison(
    List<TrialChanges> trials,
    List<String> onlyBefore,
    List<String> onlyAfter,
    List<String> conditions) {

  private static final Set<String> NO_CONDITION = Set.of("out", "keep", "repeats");

  private static final List<String> HEADER =
      List.of("", "old", "new", "new / old", "noise", "change");

  private static final String LEGEND =
      """
      Figures are medians over the repeats; of each, less is better. Noise: largest minus
      smallest repeat of the old file, plus the same of the new one, but at least 1 %. A change
      counts if the medians are further apart than that. With a single repeat in a file the
      noise is unknown: only the ratio is given. By chance alone about one figure in 80 changes
      by more with --repeat 3 in both files, one in 10,000 with --repeat 5.
      """;

  /** Compares two runs. */
  public static Comparison of(RunResult before, RunResult after) {
    Map<String, List<TrialResult>> old = byName(before);
    Map<String, List<TrialResult>> now = byName(after);
    List<TrialChanges> trials = new ArrayList<>();
    old.forEach(
        (name, repeats) -> {
          if (now.containsKey(name)) {
            trials.add(TrialChanges.of(name, repeats, now.get(name)));
          }
        });
    List<String> conditions = conditions(before, after);
    for (TrialChanges trial : trials) {
      String name = trial.name();
      add(conditions, "file size of " + name + " in bytes", size(old, name), size(now, name));
    }
    return new Comparison(trials, missing(old, now), missing(now, old), conditions);
  }

  /**
   * Returns the exit code: 1 if a figure is worse by more than the noise or a trial that passed is
   * now violated; otherwise 3 if a trial could not be compared or is inconclusive; otherwise 0,
   * which includes figures whose noise is unknown.
   */
  public int exitCode() {
    if (trials.stream().anyMatch(TrialChanges::worse)) {
      return 1;
    }
    boolean whole = onlyBefore.isEmpty() && onlyAfter.isEmpty();
    return whole && trials.stream().allMatch(TrialChanges::conclusive) ? 0 : 3;
  }

  private static Map<String, List<TrialResult>> byName(RunResult run) {
    return run.trials().stream()
        .collect(Collectors.groupingBy(TrialResult::name, LinkedHashMap::new, Collectors.toList()));
  }

  private static long size(Map<String, List<TrialResult>> run, String trial) {
    return run.get(trial).get(0).sizeBytes();
  }

  private static List<String> missing(Map<String, ?> from, Map<String, ?> in) {
    return from.keySet().stream().filter(name -> !in.containsKey(name)).toList();
  }

  private static List<String> conditions(RunResult before, RunResult after) {
    List<String> conditions = new ArrayList<>();
    Set<String> options = new LinkedHashSet<>(before.options().keySet());
    options.addAll(after.options().keySet());
    options.removeAll(NO_CONDITION);
    for (String option : options) {
      add(conditions, option, before.options().get(option), after.options().get(option));
    }
    RunResult.Machine old = before.machine();
    RunResult.Machine now = after.machine();
    add(conditions, "system", old.os(), now.os());
    add(conditions, "processors", old.processors(), now.processors());
    add(conditions, "memory in bytes", old.memoryBytes(), now.memoryBytes());
    add(conditions, "Java", old.java(), now.java());
    add(conditions, "JVM", old.jvm(), now.jvm());
    return conditions;
  }

  private static void add(List<String> conditions, String what, Object before, Object after) {
    if (!Objects.equals(before, after)) {
      conditions.add(what + ": " + before + ", now " + after);
    }
  }

  /**
   * Returns, for the terminal, a table for each trial and the rule that tells changes from noise.
   */
  public String text() {
    StringBuilder text = new StringBuilder();
    conditions.forEach(condition -> line(text, "! The runs differ in " + condition));
    for (TrialChanges trial : trials) {
      append(text, trial);
    }
    onlyBefore.forEach(name -> line(text, "! " + name + " is only in the old file"));
    onlyAfter.forEach(name -> line(text, "! " + name + " is only in the new file"));
    text.append(LEGEND);
    return text.toString();
  }

  private static void append(StringBuilder text, TrialChanges trial) {
    line(text, trial.name() + ": " + verdicts(trial) + repeats(trial));
    if (trial.changes().isEmpty()) {
      line(text, "! it has no figures in one of the files");
    } else {
      List<List<String>> rows = new ArrayList<>();
      rows.add(HEADER);
      trial.changes().forEach(change -> rows.add(row(change)));
      text.append(TextTable.render(rows));
    }
    line(text, "");
  }

  private static String verdicts(TrialChanges trial) {
    return trial.before() == trial.after()
        ? trial.after().toString()
        : trial.before() + ", now " + trial.after();
  }

  private static String repeats(TrialChanges trial) {
    if (trial.changes().isEmpty()) {
      return "";
    }
    Change any = trial.changes().get(0);
    return " (repeats: " + any.before().repeats() + " and " + any.after().repeats() + ")";
  }

  private static List<String> row(Change change) {
    Figure figure = change.figure();
    boolean known = change.kind() != Change.Kind.UNKNOWN && change.kind() != Change.Kind.NONE;
    return List.of(
        figure.toString(),
        figure.format(change.before().median()),
        figure.format(change.after().median()),
        change.ratio(),
        known ? figure.format(change.noise()) : "",
        change.kind().toString());
  }

  private static void line(StringBuilder text, String line) {
    text.append(line).append(System.lineSeparator());
  }

  /**
   * One figure of one trial in two runs.
   *
   * @param figure the figure
   * @param before its values over the repeats of the old run
   * @param after its values over the repeats of the new run
   */
  record Change(Figure figure, Figure.Spread before, Figure.Spread after) {

    private static final double IRRELEVANT = 0.01;

    /** How a change compares with the noise. */
    enum Kind {
      NONE("same"),
      UNKNOWN("noise unknown"),
      NOISE("within the noise"),
      BETTER("BETTER"),
      WORSE("WORSE");

      private final String text;

      Kind(String text) {
        this.text = text;
      }

      @Override
      public String toString() {
        return text;
      }
    }

    /**
     * Classifies the change. It counts as better or worse if the medians lie further apart than the
     * sum of both spreads: then each repeat of one run lies on the same side of all repeats of the
     * other. A figure without spread, such as the bytes of a call, must change by a percent.
     */
    Kind kind() {
      double difference = after.median() - before.median();
      if (difference == 0 && before.width() == 0 && after.width() == 0) {
        return Kind.NONE;
      }
      if (before.repeats() < 2 || after.repeats() < 2) {
        return Kind.UNKNOWN;
      }
      if (Math.abs(difference) <= noise()) {
        return Kind.NOISE;
      }
      return difference < 0 ? Kind.BETTER : Kind.WORSE;
    }

    /** Returns the sum of both spreads, but at least a percent of the old median. */
    double noise() {
      return Math.max(before.width() + after.width(), IRRELEVANT * Math.abs(before.median()));
    }

    /** Returns the new median divided by the old one, as text; "-" if only the old one is zero. */
    String ratio() {
      if (before.median() == 0) {
        return after.median() == 0 ? "1.00" : "-";
      }
      return String.format(Locale.ROOT, "%.2f", after.median() / before.median());
    }
  }

  /**
   * One trial in two runs.
   *
   * @param name the trial's name
   * @param before its worst verdict in the old run
   * @param after its worst verdict in the new run
   * @param changes the changes of every figure known in both runs; empty if a run has no figures of
   *     the trial
   */
  record TrialChanges(
      String name, Judge.Verdict before, Judge.Verdict after, List<Change> changes) {

    private static final List<Judge.Verdict> BEST_FIRST =
        List.of(Judge.Verdict.PASSED, Judge.Verdict.INCONCLUSIVE, Judge.Verdict.VIOLATED);

    /** Compares all repeats of the trial in one run with those in the other. */
    static TrialChanges of(String name, List<TrialResult> before, List<TrialResult> after) {
      List<TrialResult> old = before.stream().filter(TrialResult::measured).toList();
      List<TrialResult> now = after.stream().filter(TrialResult::measured).toList();
      List<Change> changes =
          old.isEmpty() || now.isEmpty()
              ? List.of()
              : Arrays.stream(Figure.values())
                  .filter(figure -> isKnown(figure, old) && isKnown(figure, now))
                  .map(figure -> new Change(figure, spread(figure, old), spread(figure, now)))
                  .toList();
      return new TrialChanges(name, worst(before), worst(after), changes);
    }

    /**
     * Returns whether a figure rose by more than the noise, or the trial passed and is now
     * violated.
     */
    boolean worse() {
      boolean broken = before == Judge.Verdict.PASSED && after == Judge.Verdict.VIOLATED;
      return broken || changes.stream().anyMatch(change -> change.kind() == Change.Kind.WORSE);
    }

    /** Returns whether both runs have figures of the trial and neither verdict is inconclusive. */
    boolean conclusive() {
      return !changes.isEmpty()
          && before != Judge.Verdict.INCONCLUSIVE
          && after != Judge.Verdict.INCONCLUSIVE;
    }

    private static boolean isKnown(Figure figure, List<TrialResult> repeats) {
      return repeats.stream().allMatch(trial -> figure.of(trial) != null);
    }

    private static Figure.Spread spread(Figure figure, List<TrialResult> repeats) {
      return Figure.Spread.of(repeats.stream().map(figure::of).toList());
    }

    private static Judge.Verdict worst(List<TrialResult> repeats) {
      return repeats.stream()
          .map(TrialResult::verdict)
          .max(Comparator.comparingInt(BEST_FIRST::indexOf))
          .orElseThrow();
    }
  }
}
