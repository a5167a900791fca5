package io.spillway.stress.report;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** The table on the terminal: one line a trial. */
public final class TextTable {

  private TextTable() {}

  /** Every trial, and the medians if trials were repeated. */
  public static String of(RunResult run) {
    List<List<String>> rows = new ArrayList<>();
    rows.add(Headline.HEADER);
    rows.addAll(Headline.rows(run));
    return render(rows);
  }

  /** Published figures beside measured ones. */
  public static String of(ScenarioFigures scenario) {
    List<List<String>> rows = new ArrayList<>();
    rows.add(PublishedFigure.HEADER);
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
}
