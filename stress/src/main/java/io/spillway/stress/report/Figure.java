package io.spillway.stress.report;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Optional;
import java.util.function.DoubleFunction;
import java.util.function.Function;

/** The figures of a trial by which it is compared with others; of each, less is better. */
public enum Figure {
  ROTATION("rotation", Format::seconds, trial -> trial.load().rotation().seconds()),
  THREADS_PARKED("threads parked", Format::number, trial -> (double) trial.parks().threadsAtOnce()),
  PARKED("parked", Format::threadSeconds, trial -> trial.parks().threadSeconds()),
  LONGEST_WAIT("longest wait", Format::micros, trial -> trial.parks().maxSeconds() * 1e6),
  WORST_CALL("worst call", Format::micros, trial -> trial.load().latency().worstCallMicros()),
  P50_OUTSIDE(
      "p50 outside",
      Figure::shortMicros,
      trial -> trial.load().latency().outsideService().p50Micros()),
  P999_OUTSIDE(
      "p99.9 outside",
      Format::micros,
      trial -> trial.load().latency().outsideService().p999Micros()),
  P999_ROTATING(
      "p99.9 rotating",
      Format::micros,
      trial -> trial.load().latency().rotationService().p999Micros()),
  P99_RESPONSE(
      "p99 response",
      Format::micros,
      trial -> trial.load().latency().rotationResponse().p99Micros()),
  PROCESSOR_TIME("processor time", Format::seconds, trial -> trial.load().cpuSeconds()),
  ALLOCATED(
      "allocated a call",
      Format::bytes,
      trial -> trial.load().allocation() == null ? null : trial.load().allocation().bytesPerCall()),
  HEAP(
      "heap after GC",
      Format::bytes,
      trial -> trial.heap() == null ? null : (double) trial.heap().afterCollectionBytes()),
  DISK("disk at most", Format::bytes, trial -> (double) trial.load().disk().peakBytes()),
  LOST("lost", Format::number, trial -> (double) trial.readBack().conservation().lost()),
  DUPLICATED("dup", Format::number, trial -> (double) trial.readBack().conservation().duplicated()),
  OUT_OF_ORDER(
      "order", Format::number, trial -> (double) trial.readBack().conservation().outOfOrder()),
  TORN("torn", Format::number, trial -> (double) trial.readBack().conservation().torn());

  private final String label;
  private final DoubleFunction<String> format;
  private final Function<TrialResult, Double> source;

  Figure(String label, DoubleFunction<String> format, Function<TrialResult, Double> source) {
    this.label = label;
    this.format = format;
    this.source = source;
  }

  /** The one of that name, if there is one. */
  public static Optional<Figure> named(String name) {
    return Arrays.stream(values()).filter(figure -> figure.label.equals(name)).findFirst();
  }

  /**
   * Of a trial that has figures; null if its JVM did not tell this one, or there was no such thing.
   */
  Double of(TrialResult trial) {
    return source.apply(trial);
  }

  /** The median over trials that have figures, of those that know this one; null if none does. */
  Double median(List<TrialResult> repeats) {
    List<Double> known = repeats.stream().map(this::of).filter(Objects::nonNull).toList();
    return known.isEmpty() ? null : Spread.of(known).median();
  }

  String format(double value) {
    return format.apply(value);
  }

  @Override
  public String toString() {
    return label;
  }

  /** Medians are a few microseconds, so that whole ones would hide most changes. */
  private static String shortMicros(double micros) {
    return micros < 100 ? String.format(Locale.ROOT, "%.2f us", micros) : Format.micros(micros);
  }
}
