package io.spillway.stress.report;

import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Function;

/** The figures of a trial that tables show and that published ones are set beside. */
public enum Figure {
  /** The most threads in long log calls at one moment. */
  HELD_AT_ONCE("held up", Format::number, trial -> (double) trial.load().heldAtOnce()),
  /** Thread-seconds in long log calls. */
  HELD("thread-s", Format::number, trial -> trial.load().heldSeconds()),
  /** The slowest log call. */
  WORST_CALL("worst call", Format::micros, trial -> trial.load().worstCallMicros()),
  /** Median of response time outside the rotation. */
  P50("p50", Format::micros, trial -> trial.latency().responseOutside().p50Micros()),
  /** 99th percentile of response time outside the rotation. */
  P99("p99", Format::micros, trial -> trial.latency().responseOutside().p99Micros()),
  /** 99th percentile of response time in the rotation. */
  P99_ROTATING("p99 rotating", Format::micros, trial -> rotating(trial).p99Micros()),
  /** 99.9th percentile of response time outside the rotation. */
  P999("p99.9", Format::micros, trial -> trial.latency().responseOutside().p999Micros()),
  /** 99.9th percentile of response time in the rotation. */
  P999_ROTATING("p99.9 rotating", Format::micros, trial -> rotating(trial).p999Micros()),
  /** The worst response time. */
  WORST("worst", Format::micros, trial -> trial.latency().responseWhole().maxMicros()),
  /** Seconds from the trigger of the rotation to the finished archive. */
  ROTATION("rotation", Format::seconds, trial -> trial.load().rotation().seconds()),
  /** Events lost. */
  LOST("lost", Format::number, trial -> (double) trial.readBack().conservation().lost()),
  /** Requests a second that a service answered. */
  REQUESTS(
      "requests/s",
      Format::number,
      trial -> trial.service() == null ? null : trial.service().requestsPerSecond()),
  /** Processor time of a service for each request. */
  CPU_PER_REQUEST(
      "CPU a request",
      Format::micros,
      trial -> trial.service() == null ? null : trial.service().cpuMicrosPerRequest()),
  /** The highest rate that a service kept within its limit. */
  HIGHEST_RATE(
      "highest rate",
      Format::number,
      trial -> trial.service() == null ? null : trial.service().highestRate());

  private final String label;
  private final Function<Double, String> format;
  private final Function<TrialResult, Double> source;

  Figure(String label, Function<Double, String> format, Function<TrialResult, Double> source) {
    this.label = label;
    this.format = format;
    this.source = source;
  }

  private static Latency.Times rotating(TrialResult trial) {
    return trial.latency().responseRotating();
  }

  /** Returns the figure whose label is the given name, if there is one. */
  public static Optional<Figure> named(String name) {
    return Arrays.stream(values()).filter(figure -> figure.label.equals(name)).findFirst();
  }

  /** Returns the median over the trials that have this figure, as text; "-" if none has it. */
  String text(List<TrialResult> repeats) {
    Double median = median(repeats);
    return median == null ? "-" : format.apply(median);
  }

  /** Returns the median over the trials that have this figure; null if none has it. */
  Double median(List<TrialResult> repeats) {
    List<Double> known =
        repeats.stream()
            .filter(TrialResult::measured)
            .map(source)
            .filter(Objects::nonNull)
            .sorted()
            .toList();
    int half = known.size() / 2;
    if (known.isEmpty()) {
      return null;
    }
    return known.size() % 2 == 1
        ? known.get(half)
        : Double.valueOf((known.get(half - 1) + known.get(half)) / 2);
  }

  @Override
  public String toString() {
    return label;
  }
}
