package io.spillway.stress.report;

import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;
import java.util.function.Function;

/**
 * A figure of a service under load: a column of its tables, and what published ones stand beside.
 */
public enum ServiceFigure {
  /** Answered a second. */
  REQUESTS("requests/s", "%,.0f", f -> f.requestsPerSecond()),
  /** Response times. */
  P50("p50", "%.1f ms", f -> f.responses().p50()),
  /** Response times. */
  P99("p99", "%,.1f ms", f -> f.responses().p99()),
  /** Response times. */
  P999("p99.9", "%,.1f ms", f -> f.responses().p999()),
  /** Response times. */
  WORST("worst", "%,.0f ms", f -> f.responses().worst()),
  /** From the trigger to the finished archive. */
  ROTATION("rotation", "%.1f s", f -> f.rotationSeconds()),
  /** Response times in the rotation. */
  P99_ROTATING("p99 rotating", "%,.1f ms", f -> f.rotating() == null ? null : f.rotating().p99()),
  /** Inside log calls. */
  HELD_UP("held up a minute", "%.2f thread-s", f -> f.heldUpSecondsPerMinute()),
  /** Of all waits. */
  LOGGING_SHARE(
      "waits in log calls",
      "%.1f %%",
      f -> f.loggingShare() == null ? null : f.loggingShare() * 100),
  /** Processor time. */
  CPU("CPU a request", "%.0f us", f -> f.cpuMicrosPerRequest()),
  /** Of the time. */
  GC("GC", "%.2f %%", f -> f.gcShare() * 100),
  /** Resident. */
  RSS("RSS", "%.0f MB", f -> f.residentBytes() == null ? null : f.residentBytes() / 1048576.0),
  /** Lines. */
  LOST("lost", "%,.0f", f -> (double) f.lost()),
  /** Within the limit. */
  HIGHEST_RATE("highest rate", "%,.0f/s", f -> f.highestRate());

  private final String name;
  private final String format;
  private final Function<ServiceResult.Figures, Double> value;

  ServiceFigure(String name, String format, Function<ServiceResult.Figures, Double> value) {
    this.name = name;
    this.format = format;
    this.value = value;
  }

  /** The one of that name. */
  public static Optional<ServiceFigure> named(String name) {
    return Arrays.stream(values()).filter(figure -> figure.name.equals(name)).findFirst();
  }

  /** Of a trial; null if it is not known. */
  public Double of(ServiceResult.Trial trial) {
    return trial.figures() == null ? null : value.apply(trial.figures());
  }

  /** The same with its unit. */
  public String text(ServiceResult.Trial trial) {
    Double known = of(trial);
    return known == null ? "-" : String.format(Locale.ROOT, format, known);
  }

  @Override
  public String toString() {
    return name;
  }
}
