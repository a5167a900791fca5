package io.spillway.stress.report;

import java.util.ArrayList;
import java.util.List;

/** Two runs side by side, as text. */
public final class ComparisonText {

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

  private ComparisonText() {}

  /** A table for each trial, and the rule by which changes were told from noise. */
  public static String of(Comparison comparison) {
    StringBuilder text = new StringBuilder();
    comparison.conditions().forEach(condition -> line(text, "! The runs differ in " + condition));
    for (TrialComparison trial : comparison.trials()) {
      append(text, trial);
    }
    comparison.onlyBefore().forEach(name -> line(text, "! " + name + " is only in the old file"));
    comparison.onlyAfter().forEach(name -> line(text, "! " + name + " is only in the new file"));
    text.append(LEGEND);
    return text.toString();
  }

  private static void append(StringBuilder text, TrialComparison trial) {
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

  private static String verdicts(TrialComparison trial) {
    return trial.before() == trial.after()
        ? trial.after().toString()
        : trial.before() + ", now " + trial.after();
  }

  private static String repeats(TrialComparison trial) {
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
}
