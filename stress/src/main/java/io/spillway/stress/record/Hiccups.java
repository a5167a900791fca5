package io.spillway.stress.record;

import io.spillway.stress.report.ControlFigures;
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
  private static final double MICRO = 1_000.0;

  private final List<Second> seconds = new ArrayList<>(); // guarded by this
  private final Histogram late = new Histogram(3); // guarded by this
  private final Thread thread = new Thread(this::sleepOn, "hiccups");
  private volatile boolean closed;

  private record Second(long epochSecond, long maxNanos) {}

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
    long second = epochMillis / 1_000;
    int last = seconds.size() - 1;
    if (last >= 0 && seconds.get(last).epochSecond() == second) {
      long max = Math.max(seconds.get(last).maxNanos(), lateNanos);
      seconds.set(last, new Second(second, max));
    } else {
      seconds.add(new Second(second, lateNanos));
    }
  }

  /**
   * What was measured so far.
   *
   * @param startEpochNanos when the load began
   */
  public synchronized ControlFigures figures(long startEpochNanos) {
    long first = startEpochNanos / SECOND_NANOS;
    List<Double> bySecond = new ArrayList<>();
    for (Second second : seconds) {
      long index = second.epochSecond() - first;
      while (bySecond.size() < index) {
        bySecond.add(0.0);
      }
      if (index >= 0 && bySecond.size() == index) {
        bySecond.add(second.maxNanos() / MICRO);
      }
    }
    return new ControlFigures(
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
