package io.spillway.stress.record;

import java.util.concurrent.TimeUnit;
import org.HdrHistogram.Histogram;
import org.HdrHistogram.Recorder;

/** One set of durations: written by any thread, read by one. */
final class LatencyChannel {

  private static final int DIGITS = 3;
  private static final long HIGHEST_NANOS = TimeUnit.HOURS.toNanos(1);

  private final String name;
  private final Recorder recorder = new Recorder(HIGHEST_NANOS, DIGITS);
  private final Histogram total = new Histogram(HIGHEST_NANOS, DIGITS);

  LatencyChannel(String name) {
    this.name = name;
  }

  String name() {
    return name;
  }

  void record(long nanos) {
    recorder.recordValue(Math.min(Math.max(nanos, 0), HIGHEST_NANOS));
  }

  /** What was recorded since the last call; added to the total. The caller owns it. */
  Histogram interval() {
    Histogram interval = recorder.getIntervalHistogram();
    total.add(interval);
    return interval;
  }

  /** Everything recorded up to the last {@link #interval()}. */
  Histogram total() {
    return total;
  }
}
