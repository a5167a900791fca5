package io.spillway.stress.report;

import java.util.ArrayList;
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
    if (!trial.measured()) {
      row.addAll(List.of("-", "-", "-", "-", "-", "-", "-", "-", "-", "-"));
    } else {
      RotationFigures rotation = trial.load().rotation();
      LatencyFigures latency = trial.load().latency();
      Conservation events = trial.readBack().conservation();
      row.add(rotation.complete() ? Format.seconds(rotation.seconds()) : "none");
      row.add(Format.number(trial.parks().threadsAtOnce()));
      row.add(Format.threadSeconds(trial.parks().threadSeconds()));
      row.add(Format.micros(latency.worstCallMicros()));
      row.add(Format.micros(latency.outsideService().p999Micros()));
      row.add(Format.micros(latency.rotationService().p999Micros()));
      row.add(Format.number(events.lost()));
      row.add(Format.number(events.duplicated()));
      row.add(Format.number(events.outOfOrder()));
      row.add(Format.number(events.torn()));
    }
    row.add(trial.verdict().toString());
    return row;
  }

  private static List<String> row(Median median) {
    return List.of(
        median.name() + ", median of " + median.repeats(),
        Format.seconds(median.rotationSeconds()),
        Format.number(median.threadsAtOnce()),
        Format.threadSeconds(median.parkedThreadSeconds()),
        Format.micros(median.worstCallMicros()),
        Format.micros(median.outsideP999Micros()),
        Format.micros(median.rotationP999Micros()),
        Format.number(median.lost()),
        Format.number(median.duplicated()),
        Format.number(median.outOfOrder()),
        Format.number(median.torn()),
        "");
  }
}
