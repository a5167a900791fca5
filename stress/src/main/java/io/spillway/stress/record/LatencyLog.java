package io.spillway.stress.record;

import io.spillway.stress.report.Control;
import io.spillway.stress.report.Latency;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;
import org.HdrHistogram.AbstractHistogram;
import org.HdrHistogram.Histogram;
import org.HdrHistogram.HistogramLogReader;

/**
 * Reads the interval log of a {@link LatencyRecorder}: the durations of the whole load, and those
 * of the seconds in which the machine was not late.
 */
public final class LatencyLog {

  static final String CALL_OUTSIDE = "call-outside";
  static final String CALL_ROTATING = "call-rotating";
  static final String RESPONSE_OUTSIDE = "response-outside";
  static final String RESPONSE_ROTATING = "response-rotating";

  private static final String RESPONSE = "response";
  private static final double MICRO = 1_000;

  private final Map<String, Histogram> all = new TreeMap<>();
  private final Map<String, Histogram> onTime = new TreeMap<>();

  private LatencyLog() {}

  /**
   * Reads the latency of a trial.
   *
   * @param file the log
   * @param control tells in which seconds the machine was late
   * @throws IOException if the file cannot be read
   */
  public static Latency read(Path file, Control control) throws IOException {
    LatencyLog log = new LatencyLog();
    try (HistogramLogReader reader = new HistogramLogReader(file.toFile())) {
      while (reader.nextIntervalHistogram() instanceof AbstractHistogram interval) {
        String tag = interval.getTag();
        boolean late = control.isLate((int) (interval.getStartTimeStamp() / 1_000));
        add(log.all, tag, interval);
        if (!late) {
          add(log.onTime, tag, interval);
        }
        if (tag.startsWith(RESPONSE)) {
          add(log.all, RESPONSE, interval);
          if (!late) {
            add(log.onTime, RESPONSE, interval);
          }
        }
      }
    }
    return new Latency(
        log.times(RESPONSE_OUTSIDE),
        log.times(RESPONSE_ROTATING),
        log.times(RESPONSE),
        log.times(CALL_OUTSIDE),
        log.times(CALL_ROTATING));
  }

  private static void add(Map<String, Histogram> sums, String tag, AbstractHistogram interval) {
    sums.computeIfAbsent(tag, t -> new Histogram(3)).add(interval);
  }

  private Latency.Times times(String tag) {
    Histogram times = all.getOrDefault(tag, new Histogram(3));
    Histogram clean = onTime.getOrDefault(tag, new Histogram(3));
    return new Latency.Times(
        times.getTotalCount(),
        micros(times, 50),
        micros(times, 99),
        micros(times, 99.9),
        micros(clean, 99.9),
        times.getMaxValue() / MICRO);
  }

  /** Returns a percentile, or null if the times are too few for it. */
  private static Double micros(Histogram times, double percentile) {
    boolean few = times.getTotalCount() * (100 - percentile) < 100 - 1e-6;
    return few ? null : times.getValueAtPercentile(percentile) / MICRO;
  }
}
