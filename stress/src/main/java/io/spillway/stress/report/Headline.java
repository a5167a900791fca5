package io.spillway.stress.report;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** The table that every form of the report begins with, as text: one line a trial. */
final class Headline {

  static final List<String> HEADER =
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

  /** All but the first and the last. */
  private static final List<Figure> COLUMNS =
      List.of(
          Figure.ROTATION,
          Figure.THREADS_PARKED,
          Figure.PARKED,
          Figure.WORST_CALL,
          Figure.P999_OUTSIDE,
          Figure.P999_ROTATING,
          Figure.LOST,
          Figure.DUPLICATED,
          Figure.OUT_OF_ORDER,
          Figure.TORN);

  private Headline() {}

  /** Every trial, and the medians if trials were repeated. */
  static List<List<String>> rows(RunResult run) {
    List<List<String>> rows = new ArrayList<>();
    run.trials().forEach(trial -> rows.add(row(trial)));
    boolean repeated = run.trials().stream().anyMatch(trial -> trial.repeat() > 1);
    if (repeated) {
      run.medians().forEach(median -> rows.add(row(median)));
    }
    return rows;
  }

  private static List<String> row(TrialResult trial) {
    List<String> row = new ArrayList<>();
    row.add(trial.label());
    COLUMNS.forEach(figure -> row.add(trial.measured() ? text(figure, figure.of(trial)) : "-"));
    row.add(trial.verdict().toString());
    return row;
  }

  private static List<String> row(Median median) {
    List<Double> values =
        Arrays.asList(
            median.rotationSeconds(),
            median.threadsAtOnce(),
            median.parkedThreadSeconds(),
            median.worstCallMicros(),
            median.outsideP999Micros(),
            median.rotationP999Micros(),
            median.lost(),
            median.duplicated(),
            median.outOfOrder(),
            median.torn());
    List<String> row = new ArrayList<>();
    row.add(median.name() + ", median of " + median.repeats());
    for (int i = 0; i < values.size(); i++) {
      row.add(text(COLUMNS.get(i), values.get(i)));
    }
    row.add("");
    return row;
  }

  private static String text(Figure figure, Double value) {
    return value == null ? "none" : figure.format(value);
  }
}
