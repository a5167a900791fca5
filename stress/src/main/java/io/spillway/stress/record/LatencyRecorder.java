package io.spillway.stress.record;

import io.spillway.stress.report.Control;
import io.spillway.stress.report.Latency;
import java.io.Closeable;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.HdrHistogram.AbstractHistogram;
import org.HdrHistogram.Histogram;
import org.HdrHistogram.HistogramLogReader;
import org.HdrHistogram.HistogramLogWriter;
import org.HdrHistogram.Recorder;

/**
 * Records the duration of every log call from all application threads, wait-free. One other thread
 * ends each second, which writes a line for each kind of duration to an interval log of
 * HdrHistogram; {@link #read} reads it.
 */
public final class LatencyRecorder implements Closeable {

  private static final String CALL = "call";
  private static final String RESPONSE = "response";
  private static final String OUTSIDE = "-outside";
  private static final String ROTATING = "-rotating";
  private static final String ON_TIME = " on time";
  private static final int DIGITS = 3;
  private static final long HIGHEST_NANOS = TimeUnit.HOURS.toNanos(1);
  private static final double MICRO = 1_000;

  private final long warmUpEndNanos;
  private final RotationWindow rotation;
  private final HistogramLogWriter log;
  private final PrintStream file;
  private final Map<String, Recorder> recorders = new LinkedHashMap<>();
  private final Recorder callOutside = recorder(CALL + OUTSIDE);
  private final Recorder callRotating = recorder(CALL + ROTATING);
  private final Recorder responseOutside = recorder(RESPONSE + OUTSIDE);
  private final Recorder responseRotating = recorder(RESPONSE + ROTATING);
  private int second;

  /**
   * Creates a recorder with an interval log. Calls that end before the end of the warm-up are not
   * recorded; the window decides which of them are in the rotation.
   */
  public LatencyRecorder(Path path, long warmUpEndNanos, RotationWindow rotation)
      throws IOException {
    this.warmUpEndNanos = warmUpEndNanos;
    this.rotation = rotation;
    file = new PrintStream(Files.newOutputStream(path), false, StandardCharsets.UTF_8);
    log = new HistogramLogWriter(file);
    log.outputLogFormatVersion();
    log.outputLegend();
  }

  private Recorder recorder(String tag) {
    Recorder recorder = new Recorder(HIGHEST_NANOS, DIGITS);
    recorders.put(tag, recorder);
    return recorder;
  }

  /** Records one log call: when it was due, when it was made, when it returned. */
  public void record(long dueNanos, long startNanos, long endNanos) {
    record(callOutside, callRotating, startNanos, endNanos);
    response(dueNanos, endNanos);
  }

  /** Records the response time of what was due, and then answered or given up. */
  public void response(long dueNanos, long endNanos) {
    record(responseOutside, responseRotating, dueNanos, endNanos);
  }

  private void record(Recorder outside, Recorder rotating, long fromNanos, long toNanos) {
    if (toNanos >= warmUpEndNanos) {
      long nanos = Math.min(Math.max(toNanos - fromNanos, 0), HIGHEST_NANOS);
      (rotation.overlaps(fromNanos, toNanos) ? rotating : outside).recordValue(nanos);
    }
  }

  /** Closes the current second. */
  public void endOfSecond() {
    recorders.forEach(
        (tag, recorder) -> {
          Histogram interval = recorder.getIntervalHistogram();
          interval.setTag(tag);
          log.outputIntervalHistogram(second, second + 1.0, interval, 1.0);
        });
    second++;
  }

  @Override
  public void close() throws IOException {
    file.close();
    if (file.checkError()) {
      throw new IOException("The latency log cannot be written");
    }
  }

  /** Reads an interval log; the control tells in which seconds the machine was late. */
  public static Latency read(Path file, Control control) throws IOException {
    Map<String, Histogram> sums = new HashMap<>();
    try (HistogramLogReader reader = new HistogramLogReader(file.toFile())) {
      while (reader.nextIntervalHistogram() instanceof AbstractHistogram interval) {
        boolean late = control.isLate((int) (interval.getStartTimeStamp() / 1_000));
        String tag = interval.getTag();
        for (String kind : List.of(tag, tag.substring(0, tag.indexOf('-')))) {
          sum(sums, kind).add(interval);
          if (!late) {
            sum(sums, kind + ON_TIME).add(interval);
          }
        }
      }
    }
    return new Latency(
        times(sums, RESPONSE + OUTSIDE),
        times(sums, RESPONSE + ROTATING),
        times(sums, RESPONSE),
        times(sums, CALL + OUTSIDE),
        times(sums, CALL + ROTATING));
  }

  private static Histogram sum(Map<String, Histogram> sums, String kind) {
    return sums.computeIfAbsent(kind, k -> new Histogram(DIGITS));
  }

  private static Latency.Times times(Map<String, Histogram> sums, String kind) {
    Histogram times = sum(sums, kind);
    return new Latency.Times(
        times.getTotalCount(),
        micros(times, 50),
        micros(times, 99),
        micros(times, 99.9),
        micros(sum(sums, kind + ON_TIME), 99.9),
        times.getMaxValue() / MICRO);
  }

  /** Returns a percentile, or null if the times are too few for it. */
  private static Double micros(Histogram times, double percentile) {
    boolean few = times.getTotalCount() * (100 - percentile) < 100 - 1e-6;
    return few ? null : times.getValueAtPercentile(percentile) / MICRO;
  }
}
