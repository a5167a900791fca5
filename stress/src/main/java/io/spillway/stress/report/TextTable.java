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

  private static final List<Figure> COLUMNS =
      List.of(
          Figure.HELD_AT_ONCE, Figure.HELD, Figure.WORST_CALL, Figure.P999_ROTATING, Figure.LOST);

  private TextTable() {}

  /** Returns the header and a row for each trial, and for medians if trials were repeated. */
  static List<List<String>> rows(RunResult run) {
    List<List<String>> rows = new ArrayList<>();
    rows.add(row("trial", "verdict", COLUMNS.stream().map(Figure::toString)));
    run.trials()
        .forEach(
            trial ->
                rows.add(row(trial.label(), trial.verdict().toString(), cells(List.of(trial)))));
    run.byName()
        .forEach(
            (name, repeats) -> {
              if (repeats.size() > 1) {
                rows.add(row(name + ", median", "", cells(repeats)));
              }
            });
    return rows;
  }

  private static Stream<String> cells(List<TrialResult> trials) {
    return COLUMNS.stream().map(figure -> figure.text(trials));
  }

  private static List<String> row(String name, String verdict, Stream<String> cells) {
    return Stream.concat(Stream.of(name, verdict), cells).toList();
  }

  /** Renders the table of all trials. */
  public static String of(RunResult run) {
    return render(rows(run));
  }

  /** Renders published figures beside measured ones. */
  public static String of(RunResult.Scenario scenario) {
    return render(published(scenario));
  }

  static List<List<String>> published(RunResult.Scenario scenario) {
    return Stream.concat(
            Stream.of(RunResult.Published.HEADER),
            scenario.published().stream().map(RunResult.Published::row))
        .toList();
  }

  /** Renders rows of equal length, the first of which is the header; columns are aligned left. */
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
        line.append(String.format(Locale.ROOT, "%-" + widths[column] + "s  ", row.get(column)));
      }
      text.append(line.toString().stripTrailing()).append(System.lineSeparator());
    }
    return text.toString();
  }
}
