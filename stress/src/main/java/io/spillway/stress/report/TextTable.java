package io.spillway.stress.report;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;

/**
 * The tables that every form of the report begins with, one line a trial, and how they look on the
 * terminal.
 */
public final class TextTable {

  /** All but the first and the last two. */
  private static final List<Figure> COLUMNS =
      List.of(
          Figure.ROTATION,
          Figure.THREADS_PARKED,
          Figure.PARKED,
          Figure.HELD_UP,
          Figure.WORST_CALL,
          Figure.P999_OUTSIDE,
          Figure.P999_ROTATING,
          Figure.P999_RESPONSE_OUTSIDE,
          Figure.P999_RESPONSE_ROTATING,
          Figure.HEAP,
          Figure.LOST,
          Figure.DUPLICATED,
          Figure.OUT_OF_ORDER,
          Figure.TORN);

  static final List<String> HEADER =
      Stream.of(
              Stream.of("trial"),
              COLUMNS.stream().map(Figure::toString),
              Stream.of("felt", "verdict"))
          .flatMap(labels -> labels)
          .toList();

  private TextTable() {}

  /** Every trial, and the medians if trials were repeated. */
  public static String of(RunResult run) {
    List<List<String>> rows = new ArrayList<>();
    rows.add(HEADER);
    rows.addAll(rows(run));
    return render(rows);
  }

  /** Published figures beside measured ones. */
  public static String of(RunResult.Scenario scenario) {
    List<List<String>> rows = new ArrayList<>();
    rows.add(RunResult.Published.HEADER);
    scenario.published().forEach(figure -> rows.add(figure.row()));
    return render(rows);
  }

  /** Aligns rows of the same length: words on the left in the first and last column. */
  public static String render(List<List<String>> rows) {
    int[] widths = new int[rows.get(0).size()];
    for (List<String> row : rows) {
      for (int column = 0; column < widths.length; column++) {
        widths[column] = Math.max(widths[column], row.get(column).length());
      }
    }
    StringBuilder text = new StringBuilder();
    for (List<String> row : rows) {
      StringBuilder line = new StringBuilder();
      for (int column = 0; column < widths.length; column++) {
        boolean left = column == 0 || column == widths.length - 1;
        String format = "%" + (left ? "-" : "") + widths[column] + "s  ";
        line.append(String.format(Locale.ROOT, format, row.get(column)));
      }
      text.append(line.toString().stripTrailing()).append(System.lineSeparator());
    }
    return text.toString();
  }

  /** Every trial, and the medians if trials were repeated. */
  static List<List<String>> rows(RunResult run) {
    List<List<String>> rows = new ArrayList<>();
    run.trials().forEach(trial -> rows.add(row(trial)));
    boolean repeated = run.trials().stream().anyMatch(trial -> trial.repeat() > 1);
    if (repeated) {
      run.medians().forEach(median -> rows.add(row(median, run.trials())));
    }
    return rows;
  }

  private static List<String> row(TrialResult trial) {
    List<String> row = new ArrayList<>();
    row.add(trial.label());
    COLUMNS.forEach(figure -> row.add(trial.measured() ? text(figure, figure.of(trial)) : "-"));
    row.add(trial.shownFelt());
    row.add(trial.verdict().toString());
    return row;
  }

  private static List<String> row(RunResult.Median median, List<TrialResult> all) {
    List<TrialResult> repeats =
        all.stream()
            .filter(trial -> trial.measured() && trial.name().equals(median.name()))
            .toList();
    List<String> row = new ArrayList<>();
    row.add(median.name() + ", median of " + median.repeats());
    COLUMNS.forEach(figure -> row.add(text(figure, figure.median(repeats))));
    row.add("");
    row.add("");
    return row;
  }

  private static String text(Figure figure, Double value) {
    return value == null ? figure.absent() : figure.format(value);
  }
}
