package io.spillway.stress.report;

import io.spillway.stress.report.TrialResult.ServiceFigures;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Function;

/**
 * The figures of a trial that tables show and that published ones are set beside. Percentiles are
 * of response time, outside the rotation or in it.
 */
public enum Figure {
  /** The most threads in long log calls at one moment. */
  HELD_AT_ONCE("held up", Format::number, trial -> (double) trial.load().heldAtOnce()),
  /** Thread-seconds in long log calls. */
  HELD("thread-s", Format::number, trial -> trial.load().heldSeconds()),
  WORST_CALL("worst call", Format::micros, trial -> trial.load().worstCallMicros()),
  P50("p50", Format::micros, trial -> outside(trial).p50Micros()),
  P99("p99", Format::micros, trial -> outside(trial).p99Micros()),
  P99_ROTATING("p99 rotating", Format::micros, trial -> rotating(trial).p99Micros()),
  P999("p99.9", Format::micros, trial -> outside(trial).p999Micros()),
  P999_ROTATING("p99.9 rotating", Format::micros, trial -> rotating(trial).p999Micros()),
  /** The worst response time. */
  WORST("worst", Format::micros, trial -> trial.latency().responseWhole().maxMicros()),
  /** Seconds from the trigger of the rotation to the finished archive. */
  ROTATION("rotation", Format::seconds, trial -> trial.load().rotation().seconds()),
  LOST("lost", Format::number, trial -> (double) trial.readBack().conservation().lost()),
  REQUESTS("requests/s", Format::number, ofService(ServiceFigures::requestsPerSecond)),
  CPU_PER_REQUEST("CPU a request", Format::micros, ofService(ServiceFigures::cpuMicrosPerRequest)),
  /** The highest rate that a service kept within its limit. */
  HIGHEST_RATE("highest rate", Format::number, ofService(ServiceFigures::highestRate));

  private final String label;
  private final Function<Double, String> format;
  private final Function<TrialResult, Double> source;

  Figure(String label, Function<Double, String> format, Function<TrialResult, Double> source) {
    this.label = label;
    this.format = format;
    this.source = source;
  }

  private static Latency.Times outside(TrialResult trial) {
    return trial.latency().responseOutside();
  }

  private static Latency.Times rotating(TrialResult trial) {
    return trial.latency().responseRotating();
  }

  private static Function<TrialResult, Double> ofService(Function<ServiceFigures, Double> figure) {
    return trial -> trial.service() == null ? null : figure.apply(trial.service());
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
    int size = known.size();
    return size == 0 ? null : Double.valueOf((known.get((size - 1) / 2) + known.get(size / 2)) / 2);
  }

  @Override
  public String toString() {
    return label;
  }
}
