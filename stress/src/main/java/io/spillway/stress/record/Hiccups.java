package io.spillway.stress.record;

import io.spillway.stress.report.TrialResult;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import org.HdrHistogram.Histogram;

/**
 * Measures what the machine itself stalls: a thread that sleeps over and over, and how much later
 * than asked it wakes up, after Gil Tene's jHiccup. Runs in a process that has nothing to do.
 */
public final class Hiccups implements AutoCloseable {
  private static final long INTERVAL_NANOS = 5_000_000; // oftener would be a load of its own
  private static final long SECOND_NANOS = 1_000_000_000;
  private static final long SLICE_MILLIS = 50; // seconds begin with the load, which begins later
  private static final long MILLI_NANOS = 1_000_000;
  private static final double MICRO = 1_000.0;

  private final List<Slice> slices = new ArrayList<>(); // guarded by this
  private final Histogram late = new Histogram(3); // guarded by this
  private final Thread thread = new Thread(this::sleepOn, "hiccups");
  private volatile boolean closed;

  private record Slice(long epochMillis, long maxNanos) {}

  Hiccups() {}

  /** Begins to measure. */
  public static Hiccups start() {
    Hiccups hiccups = new Hiccups();
    hiccups.thread.setDaemon(true);
    hiccups.thread.setPriority(Thread.MAX_PRIORITY);
    hiccups.thread.start();
    return hiccups;
  }

  private void sleepOn() {
    long before = System.nanoTime();
    while (!closed) {
      LockSupport.parkNanos(INTERVAL_NANOS);
      long now = System.nanoTime();
      woke(now - before, System.currentTimeMillis());
      before = now;
    }
  }

  /** A sleep is over, after so long. It may be shorter than asked. */
  synchronized void woke(long sleptNanos, long epochMillis) {
    long lateNanos = Math.max(0, sleptNanos - INTERVAL_NANOS);
    late.recordValueWithExpectedInterval(lateNanos, INTERVAL_NANOS);
    int last = slices.size() - 1;
    if (last >= 0 && epochMillis - slices.get(last).epochMillis() < SLICE_MILLIS) {
      Slice slice = slices.get(last);
      slices.set(last, new Slice(slice.epochMillis(), Math.max(slice.maxNanos(), lateNanos)));
    } else {
      slices.add(new Slice(epochMillis, lateNanos));
    }
  }

  /**
   * What was measured so far.
   *
   * @param startEpochNanos when the load began
   */
  public synchronized TrialResult.Control figures(long startEpochNanos) {
    List<Double> bySecond = new ArrayList<>();
    for (Slice slice : slices) {
      long sinceStart = slice.epochMillis() * MILLI_NANOS - startEpochNanos;
      int index = (int) Math.floorDiv(sinceStart, SECOND_NANOS);
      while (bySecond.size() <= index) {
        bySecond.add(0.0);
      }
      if (index >= 0) {
        bySecond.set(index, Math.max(bySecond.get(index), slice.maxNanos() / MICRO));
      }
    }
    return new TrialResult.Control(
        late.getValueAtPercentile(50) / MICRO,
        late.getValueAtPercentile(99.9) / MICRO,
        late.getMaxValue() / MICRO,
        List.copyOf(bySecond));
  }

  @Override
  public void close() {
    closed = true;
    LockSupport.unpark(thread);
  }
}
