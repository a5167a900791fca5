package io.spillway.stress.report;

import java.util.List;
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
    List<String> header = row("trial", "verdict", COLUMNS.stream().map(Figure::toString));
    Stream<List<String>> trials =
        run.trials().stream()
            .map(trial -> row(trial.label(), trial.verdict() + "", cells(List.of(trial))));
    Stream<List<String>> medians =
        run.byName().entrySet().stream()
            .filter(named -> named.getValue().size() > 1)
            .map(named -> row(named.getKey() + ", median", "", cells(named.getValue())));
    return rows(header, Stream.concat(trials, medians));
  }

  /** Returns the header, followed by rows. */
  static List<List<String>> rows(List<String> header, Stream<List<String>> rows) {
    return Stream.concat(Stream.of(header), rows).toList();
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
    return render(scenario.rows());
  }

  /** Renders rows of equal length, the first of which is the header; columns are aligned left. */
  public static String render(List<List<String>> rows) {
    StringBuilder text = new StringBuilder();
    for (List<String> row : rows) {
      StringBuilder line = new StringBuilder();
      for (int i = 0; i < row.size(); i++) {
        int column = i;
        int width = rows.stream().mapToInt(cells -> cells.get(column).length()).max().orElse(0);
        line.append(row.get(i)).append(" ".repeat(width - row.get(i).length() + 2));
      }
      text.append(line.toString().stripTrailing()).append(System.lineSeparator());
    }
    return text.toString();
  }
}
