package io.spillway.stress.record;

import io.spillway.stress.report.LoadFigures;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.HdrHistogram.Histogram;
import org.HdrHistogram.HistogramIterationValue;

/**
 * Takes the duration of every log call from all application threads, wait-free. One other thread
 * turns the seconds over by {@link #endOfSecond()} and reads the totals at the end.
 */
public final class LatencyRecorder {

  private static final double MICRO = 1_000.0;
  private static final double HGRM_UNIT = 1_000.0;
  private static final int CURVE_STEPS = 4;

  private final long warmUpEndNanos;
  private final RotationWindow rotation;
  private final boolean openLoop;
  private final LatencyChannel warmUp = new LatencyChannel("service-warm-up");
  private final LatencyChannel outside = new LatencyChannel("service-outside");
  private final LatencyChannel rotating = new LatencyChannel("service-rotation");
  private final LatencyChannel outsideResponse = new LatencyChannel("response-outside");
  private final LatencyChannel rotatingResponse = new LatencyChannel("response-rotation");
  private final List<LoadFigures.Second> seconds = new ArrayList<>();

  /**
   * Begins.
   *
   * @param warmUpEndNanos calls that end before this moment are warm-up
   * @param rotation that tells which calls are in it
   * @param openLoop whether calls have a time at which they are due; else only service times count
   */
  public LatencyRecorder(long warmUpEndNanos, RotationWindow rotation, boolean openLoop) {
    this.openLoop = openLoop;
    this.warmUpEndNanos = warmUpEndNanos;
    this.rotation = rotation;
  }

  /** Records one log call: when it was due, when it was made, when it returned. */
  public void record(long dueNanos, long startNanos, long endNanos) {
    long service = endNanos - startNanos;
    if (endNanos < warmUpEndNanos) {
      warmUp.record(service);
      return;
    }
    (rotation.overlaps(startNanos, endNanos) ? rotating : outside).record(service);
    if (openLoop) {
      (rotation.overlaps(dueNanos, endNanos) ? rotatingResponse : outsideResponse)
          .record(endNanos - dueNanos);
    }
  }

  /** Closes the current second of the time line. */
  public void endOfSecond() {
    Histogram service = warmUp.interval();
    service.add(outside.interval());
    service.add(rotating.interval());
    Histogram response = outsideResponse.interval();
    response.add(rotatingResponse.interval());
    seconds.add(
        new LoadFigures.Second(
            seconds.size(),
            service.getTotalCount(),
            service.getMaxValue() / MICRO,
            service.getValueAtPercentile(99.9) / MICRO,
            response.getMaxValue() / MICRO));
  }

  /** The time line so far. */
  public List<LoadFigures.Second> seconds() {
    return List.copyOf(seconds);
  }

  /** Totals over the whole load. */
  public LoadFigures.Latency figures() {
    return new LoadFigures.Latency(
        latency(warmUp),
        latency(outside),
        latency(rotating),
        latency(outsideResponse),
        latency(rotatingResponse));
  }

  /** Writes each total as an {@code .hgrm} file, in microseconds. */
  public void writeHistograms(Path directory) throws IOException {
    for (LatencyChannel channel :
        List.of(warmUp, outside, rotating, outsideResponse, rotatingResponse)) {
      Path file = directory.resolve(channel.name() + ".hgrm");
      try (OutputStream out = Files.newOutputStream(file);
          PrintStream text = new PrintStream(out, false, StandardCharsets.UTF_8)) {
        channel.total().outputPercentileDistribution(text, HGRM_UNIT);
      }
    }
  }

  private static LoadFigures.Calls latency(LatencyChannel channel) {
    Histogram total = channel.total();
    return new LoadFigures.Calls(
        total.getTotalCount(),
        total.getValueAtPercentile(50) / MICRO,
        total.getValueAtPercentile(99) / MICRO,
        total.getValueAtPercentile(99.9) / MICRO,
        total.getMaxValue() / MICRO,
        curve(total));
  }

  /** Four points each time what is left of the calls halves; from the median on. */
  private static List<LoadFigures.Calls.Point> curve(Histogram total) {
    List<LoadFigures.Calls.Point> curve = new ArrayList<>();
    if (total.getTotalCount() > 0) {
      curve.add(new LoadFigures.Calls.Point(50, total.getValueAtPercentile(50) / MICRO));
      for (HistogramIterationValue step : total.percentiles(CURVE_STEPS)) {
        double percentile = step.getPercentileLevelIteratedTo();
        if (percentile > 50) {
          curve.add(new LoadFigures.Calls.Point(percentile, step.getValueIteratedTo() / MICRO));
        }
      }
    }
    return curve;
  }
}
