package io.spillway.stress.record;

import io.spillway.stress.report.TrialResult;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Sums up the waits of application threads inside logging. Waits that end in the warm-up are kept
 * apart, by the same rule as for latencies; the figures by second contain all waits.
 */
final class Waits {

  private static final double NANOS = 1e9;

  private final long loadStartEpochNanos;
  private final long measuredFromEpochNanos;
  private final Map<String, Long> eventsByKind = new TreeMap<>();
  private final Map<String, Long> nanosByKind = new TreeMap<>();
  private final Map<String, long[]> byFrame = new TreeMap<>();
  private final SecondSums bySecond = new SecondSums();
  private final Overlaps overlaps = new Overlaps(Integer.MAX_VALUE);
  private final Overlaps measured = new Overlaps(Integer.MAX_VALUE);
  private int count;
  private long totalNanos;
  private long maxNanos;
  private long warmUpNanos;

  /**
   * Creates empty sums.
   *
   * @param loadStartEpochNanos the time from which seconds are counted
   * @param measuredFromEpochNanos the end of the warm-up
   */
  Waits(long loadStartEpochNanos, long measuredFromEpochNanos) {
    this.loadStartEpochNanos = loadStartEpochNanos;
    this.measuredFromEpochNanos = measuredFromEpochNanos;
  }

  void add(String kind, String frame, long startEpochNanos, long nanos) {
    overlaps.add(startEpochNanos, startEpochNanos + nanos);
    bySecond.add(startEpochNanos - loadStartEpochNanos, nanos);
    if (startEpochNanos + nanos < measuredFromEpochNanos) {
      warmUpNanos += nanos;
      return;
    }
    measured.add(startEpochNanos, startEpochNanos + nanos);
    eventsByKind.merge(kind, 1L, Long::sum);
    nanosByKind.merge(kind, nanos, Long::sum);
    long[] sums = byFrame.computeIfAbsent(frame, f -> new long[2]);
    sums[0]++;
    sums[1] += nanos;
    totalNanos += nanos;
    maxNanos = Math.max(maxNanos, nanos);
    count++;
  }

  TrialResult.Parks figures(boolean complete) {
    List<TrialResult.Parks.Frame> frames = new ArrayList<>();
    byFrame.forEach(
        (f, sums) -> frames.add(new TrialResult.Parks.Frame(f, sums[0], sums[1] / NANOS)));
    frames.sort(Comparator.comparingDouble(TrialResult.Parks.Frame::threadSeconds).reversed());
    Map<String, Double> byKind = new TreeMap<>();
    nanosByKind.forEach((kind, nanos) -> byKind.put(kind, nanos / NANOS));
    List<Integer> atOnce =
        Arrays.stream(overlaps.mostBySecond(loadStartEpochNanos, bySecond.length()))
            .boxed()
            .toList();
    return new TrialResult.Parks(
        count,
        totalNanos / NANOS,
        warmUpNanos / NANOS,
        maxNanos / NANOS,
        measured.most(),
        eventsByKind,
        byKind,
        frames,
        bySecond.seconds(),
        atOnce,
        complete);
  }
}
