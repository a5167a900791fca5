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
  ROTATION("rotation", Figure::seconds, trial -> trial.load().rotation().seconds()),
  THREADS_PARKED("threads parked", Figure::number, trial -> (double) trial.parks().threadsAtOnce()),
  PARKED("parked", Figure::threadSeconds, trial -> trial.parks().threadSeconds()),
  HELD_UP("held up a minute", Figure::threadSeconds, TrialResult::heldUpThreadSecondsPerMinute),
  LONGEST_WAIT("longest wait", Figure::micros, trial -> trial.parks().maxSeconds() * 1e6),
  WORST_CALL("worst call", Figure::micros, trial -> trial.load().latency().worstCallMicros()),
  P50_OUTSIDE(
      "p50 outside",
      Figure::shortMicros,
      trial -> trial.load().latency().outsideService().p50Micros()),
  P999_OUTSIDE(
      "p99.9 outside",
      Figure::micros,
      trial -> trial.load().latency().outsideService().p999Micros()),
  P999_ROTATING(
      "p99.9 rotating",
      Figure::micros,
      trial -> trial.load().latency().rotationService().p999Micros()),
  P999_RESPONSE_OUTSIDE(
      "response outside",
      Figure::micros,
      trial -> trial.load().latency().outsideResponse().p999Micros()),
  P999_RESPONSE_ROTATING(
      "response rotating",
      Figure::micros,
      trial -> trial.load().latency().rotationResponse().p999Micros()),
  P99_RESPONSE(
      "p99 response",
      Figure::micros,
      trial -> trial.load().latency().rotationResponse().p99Micros()),
  PROCESSOR_TIME("processor time", Figure::seconds, trial -> trial.load().cpuSeconds()),
  ALLOCATED(
      "allocated a call",
      Figure::bytes,
      trial -> trial.load().allocation() == null ? null : trial.load().allocation().bytesPerCall()),
  HEAP(
      "heap after GC",
      Figure::bytes,
      trial -> trial.heap() == null ? null : (double) trial.heap().afterCollectionBytes()),
  DISK("disk at most", Figure::bytes, trial -> (double) trial.load().disk().peakBytes()),
  LOST("lost", Figure::number, trial -> (double) trial.readBack().conservation().lost()),
  DUPLICATED("dup", Figure::number, trial -> (double) trial.readBack().conservation().duplicated()),
  OUT_OF_ORDER(
      "order", Figure::number, trial -> (double) trial.readBack().conservation().outOfOrder()),
  TORN("torn", Figure::number, trial -> (double) trial.readBack().conservation().torn());

  private final String label;
  private final DoubleFunction<String> format;
  private final Function<TrialResult, Double> source;

  Figure(String label, DoubleFunction<String> format, Function<TrialResult, Double> source) {
    this.label = label;
    this.format = format;
    this.source = source;
  }

  /** Returns the figure whose label is the given name, if there is one. */
  public static Optional<Figure> named(String name) {
    return Arrays.stream(values()).filter(figure -> figure.label.equals(name)).findFirst();
  }

  /**
   * Returns this figure of a trial that has figures; null if the JVM of the trial did not report it
   * or it does not apply, such as the length of a rotation that did not happen.
   */
  Double of(TrialResult trial) {
    return source.apply(trial);
  }

  /**
   * Returns the median of this figure over trials that have figures; trials in which it is null are
   * left out. Null if it is null in all of them.
   */
  Double median(List<TrialResult> repeats) {
    List<Double> known = repeats.stream().map(this::of).filter(Objects::nonNull).toList();
    return known.isEmpty() ? null : Spread.of(known).median();
  }

  /** Returns the text that tables show where this figure is null. */
  String absent() {
    return switch (this) {
      case ROTATION -> "none";
      case HEAP, ALLOCATED -> "not known";
      default -> "too few"; // percentiles of too few calls
    };
  }

  String format(double value) {
    return format.apply(value);
  }

  @Override
  public String toString() {
    return label;
  }

  /**
   * Formats microseconds with two decimals below 100: medians are a few microseconds, so whole ones
   * would hide most changes.
   */
  private static String shortMicros(double micros) {
    return micros < 100 ? String.format(Locale.ROOT, "%.2f us", micros) : micros(micros);
  }

  static String seconds(double seconds) {
    return String.format(Locale.ROOT, "%.1f s", seconds);
  }

  static String threadSeconds(double seconds) {
    return seconds == 0 ? "0" : String.format(Locale.ROOT, "%,.3f thread-s", seconds);
  }

  static String number(double number) {
    return String.format(Locale.ROOT, "%,.0f", number);
  }

  /** Formats a number of bytes in Logback's units: 1 KB is 1024 bytes. */
  static String bytes(double bytes) {
    String[] units = {"bytes", "KB", "MB", "GB"};
    double value = bytes;
    int unit = 0;
    while (value >= 1024 && unit < units.length - 1) {
      value /= 1024;
      unit++;
    }
    return String.format(Locale.ROOT, unit == 0 ? "%.0f %s" : "%.1f %s", value, units[unit]);
  }

  /** Formats microseconds in microseconds, milliseconds or seconds, by their magnitude. */
  static String micros(double micros) {
    if (micros >= 1_000_000) {
      return String.format(Locale.ROOT, "%.2f s", micros / 1_000_000);
    }
    if (micros >= 1_000) {
      return String.format(Locale.ROOT, "%.1f ms", micros / 1_000);
    }
    return String.format(Locale.ROOT, "%.0f us", micros);
  }

  /**
   * One figure over the repeats of a trial.
   *
   * @param repeats the number of repeats
   * @param smallest the smallest value
   * @param median the median; the mean of the two values in the middle if their number is even
   * @param largest the largest value
   */
  record Spread(int repeats, double smallest, double median, double largest) {

    /** Returns the spread of at least one value; an empty list is an error. */
    static Spread of(List<Double> values) {
      List<Double> sorted = values.stream().sorted().toList();
      int half = sorted.size() / 2;
      double median =
          sorted.size() % 2 == 1 ? sorted.get(half) : (sorted.get(half - 1) + sorted.get(half)) / 2;
      return new Spread(sorted.size(), sorted.get(0), median, sorted.get(sorted.size() - 1));
    }

    /** Returns the difference between the largest and the smallest value. */
    double width() {
      return largest - smallest;
    }
  }
}
