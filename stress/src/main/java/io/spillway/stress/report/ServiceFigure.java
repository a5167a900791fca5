package io.spillway.stress.report;

import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;
import java.util.function.Function;

/**
 * A figure of a service under load: a column of the tables, and the counterpart of a published
 * figure.
 */
public enum ServiceFigure {
  /** Requests answered per second. */
  REQUESTS("requests/s", "%,.0f", f -> f.requestsPerSecond()),
  /** Median of the response times. */
  P50("p50", "%.1f ms", f -> f.responses().p50()),
  /** 99th percentile of the response times. */
  P99("p99", "%,.1f ms", f -> f.responses().p99()),
  /** 99.9th percentile of the response times. */
  P999("p99.9", "%,.1f ms", f -> f.responses().p999()),
  /** The longest response time. */
  WORST("worst", "%,.0f ms", f -> f.responses().worst()),
  /** Time from the trigger to the finished archive. */
  ROTATION("rotation", "%.1f s", f -> f.rotationSeconds()),
  /** 99th percentile of the response times in the rotation. */
  P99_ROTATING("p99 rotating", "%,.1f ms", f -> f.rotating() == null ? null : f.rotating().p99()),
  /** Thread-seconds held up inside log calls per minute of load. */
  HELD_UP("held up a minute", "%.2f thread-s", f -> f.heldUpSecondsPerMinute()),
  /** Share of log calls in all time that threads were held up. */
  LOGGING_SHARE(
      "waits in log calls",
      "%.1f %%",
      f -> f.loggingShare() == null ? null : f.loggingShare() * 100),
  /** Processor time of the application per request. */
  CPU("CPU a request", "%.0f us", f -> f.cpuMicrosPerRequest()),
  /** Share of the time that garbage collections took. */
  GC("GC", "%.2f %%", f -> f.gcShare() * 100),
  /** The most memory that was resident. */
  RSS("RSS", "%.0f MB", f -> f.residentBytes() == null ? null : f.residentBytes() / 1048576.0),
  /** Lines lost. */
  LOST("lost", "%,.0f", f -> (double) f.lost()),
  /** The highest rate of requests that kept the limit of the search. */
  HIGHEST_RATE("highest rate", "%,.0f/s", f -> f.highestRate());

  private final String name;
  private final String format;
  private final Function<ServiceResult.Figures, Double> value;

  ServiceFigure(String name, String format, Function<ServiceResult.Figures, Double> value) {
    this.name = name;
    this.format = format;
    this.value = value;
  }

  /** Returns the figure of the given name, if there is one. */
  public static Optional<ServiceFigure> named(String name) {
    return Arrays.stream(values()).filter(figure -> figure.name.equals(name)).findFirst();
  }

  /** Returns this figure of a trial; null if it is not known. */
  public Double of(ServiceResult.Trial trial) {
    return trial.figures() == null ? null : value.apply(trial.figures());
  }

  /** Returns this figure of a trial with its unit; "-" if it is not known. */
  public String text(ServiceResult.Trial trial) {
    Double known = of(trial);
    return known == null ? "-" : String.format(Locale.ROOT, format, known);
  }

  @Override
  public String toString() {
    return name;
  }
}
