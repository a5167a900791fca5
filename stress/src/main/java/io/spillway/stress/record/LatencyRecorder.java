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
import java.util.concurrent.TimeUnit;
import org.HdrHistogram.Histogram;
import org.HdrHistogram.HistogramIterationValue;
import org.HdrHistogram.Recorder;

/**
 * Records the duration of every log call from all application threads, wait-free. One other thread
 * ends each second by {@link #endOfSecond()} and reads the totals at the end.
 */
public final class LatencyRecorder {

  private static final double MICRO = 1_000.0;
  private static final double HGRM_UNIT = 1_000.0;
  private static final int CURVE_STEPS = 4;

  private final long warmUpEndNanos;
  private final RotationWindow rotation;
  private final boolean openLoop;
  private final Channel warmUp = new Channel("service-warm-up");
  private final Channel outside = new Channel("service-outside");
  private final Channel rotating = new Channel("service-rotation");
  private final Channel outsideResponse = new Channel("response-outside");
  private final Channel rotatingResponse = new Channel("response-rotation");
  private final List<LoadFigures.Second> seconds = new ArrayList<>();
  private long latestUnderWayNanos;

  /**
   * Creates a recorder.
   *
   * @param warmUpEndNanos calls that end before this time are warm-up
   * @param rotation the window that decides which calls are in the rotation
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

  /** Records a call that was due and will not be made, with the time that it has waited. */
  public void unmade(long dueNanos, long nowNanos) {
    (rotation.overlaps(dueNanos, nowNanos) ? rotatingResponse : outsideResponse)
        .record(nowNanos - dueNanos);
  }

  /**
   * Records by how much the latest pending call is late; may be called any number of times a
   * second, by the thread that ends seconds.
   */
  public void underWay(long lateNanos) {
    latestUnderWayNanos = Math.max(latestUnderWayNanos, lateNanos);
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
            micros(service, 99.9),
            response.getMaxValue() / MICRO,
            latestUnderWayNanos / MICRO));
    latestUnderWayNanos = 0;
  }

  /** Returns a percentile, or null if the calls are too few for it. */
  private static Double micros(Histogram calls, double percentile) {
    boolean few = calls.getTotalCount() * (100 - percentile) < 100 - 1e-6;
    return few ? null : calls.getValueAtPercentile(percentile) / MICRO;
  }

  /** Returns the time line so far. */
  public List<LoadFigures.Second> seconds() {
    return List.copyOf(seconds);
  }

  /** Returns the totals of the whole load. */
  public LoadFigures.Latency figures() {
    return new LoadFigures.Latency(
        latency(warmUp.total()),
        latency(outside.total()),
        latency(rotating.total()),
        latency(outsideResponse.total()),
        latency(rotatingResponse.total()),
        latency(sum(outside, rotating)),
        latency(sum(outsideResponse, rotatingResponse)));
  }

  private static Histogram sum(Channel one, Channel other) {
    Histogram sum = one.total().copy();
    sum.add(other.total());
    return sum;
  }

  /** Writes each total as an {@code .hgrm} file, in microseconds. */
  public void writeHistograms(Path directory) throws IOException {
    for (Channel channel : List.of(warmUp, outside, rotating, outsideResponse, rotatingResponse)) {
      Path file = directory.resolve(channel.name() + ".hgrm");
      try (OutputStream out = Files.newOutputStream(file);
          PrintStream text = new PrintStream(out, false, StandardCharsets.UTF_8)) {
        channel.total().outputPercentileDistribution(text, HGRM_UNIT);
      }
    }
  }

  private static LoadFigures.Calls latency(Histogram total) {
    return new LoadFigures.Calls(
        total.getTotalCount(),
        micros(total, 50),
        micros(total, 99),
        micros(total, 99.9),
        total.getMaxValue() / MICRO,
        curve(total));
  }

  /** Returns four points for each halving of the distance to 100 %, from the median on. */
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

  /** A set of durations, written by any thread and read by one. */
  static final class Channel {

    private static final int DIGITS = 3;
    private static final long HIGHEST_NANOS = TimeUnit.HOURS.toNanos(1);

    private final String name;
    private final Recorder recorder = new Recorder(HIGHEST_NANOS, DIGITS);
    private final Histogram total = new Histogram(HIGHEST_NANOS, DIGITS);

    Channel(String name) {
      this.name = name;
    }

    String name() {
      return name;
    }

    void record(long nanos) {
      recorder.recordValue(Math.min(Math.max(nanos, 0), HIGHEST_NANOS));
    }

    /** Returns the durations since the last call, for the caller to own; adds them to the total. */
    Histogram interval() {
      Histogram interval = recorder.getIntervalHistogram();
      total.add(interval);
      return interval;
    }

    /** Returns all durations up to the last {@link #interval()}. */
    Histogram total() {
      return total;
    }
  }
}
