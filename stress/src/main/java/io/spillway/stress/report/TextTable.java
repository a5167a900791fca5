package io.spillway.stress.report;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** The table on the terminal: one line a trial. */
public final class TextTable {

  private static final List<String> HEADER =
      List.of(
          "trial",
          "rotation",
          "threads parked",
          "parked",
          "worst call",
          "p99.9 outside",
          "p99.9 rotating",
          "lost",
          "dup",
          "order",
          "torn",
          "verdict");

  private TextTable() {}

  /** Every trial, and the medians if trials were repeated. */
  public static String of(RunResult run) {
    List<List<String>> rows = new ArrayList<>();
    rows.add(HEADER);
    run.trials().forEach(trial -> rows.add(row(trial)));
    boolean repeated = run.trials().stream().anyMatch(trial -> trial.repeat() > 1);
    if (repeated) {
      run.medians().forEach(median -> rows.add(row(median)));
    }
    return render(rows);
  }

  private static List<String> row(TrialResult trial) {
    List<String> row = new ArrayList<>();
    row.add(trial.repeat() > 1 ? trial.name() + " #" + trial.repeat() : trial.name());
    if (trial.load() == null || trial.parks() == null || trial.readBack() == null) {
      row.addAll(List.of("-", "-", "-", "-", "-", "-", "-", "-", "-", "-"));
    } else {
      RotationFigures rotation = trial.load().rotation();
      LatencyFigures latency = trial.load().latency();
      Conservation events = trial.readBack().conservation();
      row.add(rotation.complete() ? seconds(rotation.seconds()) : "none");
      row.add(number(trial.parks().threadsAtOnce()));
      row.add(threadSeconds(trial.parks().threadSeconds()));
      row.add(micros(latency.worstCallMicros()));
      row.add(micros(latency.outsideService().p999Micros()));
      row.add(micros(latency.rotationService().p999Micros()));
      row.add(number(events.lost()));
      row.add(number(events.duplicated()));
      row.add(number(events.outOfOrder()));
      row.add(number(events.torn()));
    }
    row.add(trial.verdict().toString());
    return row;
  }

  private static List<String> row(Median median) {
    return List.of(
        median.name() + ", median of " + median.repeats(),
        seconds(median.rotationSeconds()),
        number(median.threadsAtOnce()),
        threadSeconds(median.parkedThreadSeconds()),
        micros(median.worstCallMicros()),
        micros(median.outsideP999Micros()),
        micros(median.rotationP999Micros()),
        number(median.lost()),
        number(median.duplicated()),
        number(median.outOfOrder()),
        number(median.torn()),
        "");
  }

  private static String seconds(double seconds) {
    return String.format(Locale.ROOT, "%.1f s", seconds);
  }

  private static String threadSeconds(double seconds) {
    return seconds == 0 ? "0" : String.format(Locale.ROOT, "%,.3f thread-s", seconds);
  }

  private static String number(double number) {
    return String.format(Locale.ROOT, "%,.0f", number);
  }

  /** Three significant digits at most, in the unit that a reader expects. */
  static String micros(double micros) {
    if (micros >= 1_000_000) {
      return String.format(Locale.ROOT, "%.2f s", micros / 1_000_000);
    }
    if (micros >= 1_000) {
      return String.format(Locale.ROOT, "%.1f ms", micros / 1_000);
    }
    return String.format(Locale.ROOT, "%.0f us", micros);
  }

  private static String render(List<List<String>> rows) {
    int[] widths = new int[HEADER.size()];
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
