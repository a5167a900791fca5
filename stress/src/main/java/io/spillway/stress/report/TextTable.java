package io.spillway.stress.report;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;

/**
 * Builds the table at the top of every form of the report, one line for each trial, and renders
 * tables for the terminal.
 */
public final class TextTable {

  /** The columns of figures; the trial's name comes before them, and two columns follow. */
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

  /** Renders the table of all trials, with the medians if trials were repeated. */
  public static String of(RunResult run) {
    List<List<String>> rows = new ArrayList<>();
    rows.add(HEADER);
    rows.addAll(rows(run));
    return render(rows);
  }

  /** Renders published figures beside measured ones. */
  public static String of(RunResult.Scenario scenario) {
    List<List<String>> rows = new ArrayList<>();
    rows.add(RunResult.Published.HEADER);
    scenario.published().forEach(figure -> rows.add(figure.row()));
    return render(rows);
  }

  /**
   * Renders rows of equal length as a table; the first and last column are aligned left, the others
   * right.
   */
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

  /** Returns the rows of all trials, and of the medians if trials were repeated; no header. */
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
