package io.spillway.stress.record;

import io.spillway.stress.report.Control;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.locks.LockSupport;

/**
 * Measures stalls of the machine: threads sleep repeatedly and record how much later than requested
 * they wake up, after Gil Tene's jHiccup. Runs in the tester, which does nothing else meanwhile but
 * send the requests to a service, if there is one. Two for each processor, because a single one
 * wakes on time wherever a processor happens to be free.
 */
public final class Hiccups implements AutoCloseable {
  private static final long MILLI = 1_000_000;
  private static final long INTERVAL_NANOS = 5 * MILLI; // a shorter interval would load the machine
  private static final long SECOND_NANOS = 1_000_000_000;
  private static final long LEAST_NANOS = MILLI;
  private static final double SATURATED = 0.75;

  private final List<Sleep> late = new ArrayList<>(); // guarded by this
  private volatile boolean closed;

  /** A sleep that ended late: when, and by how much. */
  private record Sleep(long endEpochNanos, long lateNanos) {}

  Hiccups() {}

  /** Starts measuring. */
  public static Hiccups start() {
    Hiccups hiccups = new Hiccups();
    for (int i = 0; i < 2 * Runtime.getRuntime().availableProcessors(); i++) {
      Thread thread = new Thread(hiccups::sleepOn, "hiccups-" + i);
      thread.setDaemon(true);
      thread.start();
    }
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

  /** Records the length of a sleep, which may be shorter than requested. */
  synchronized void woke(long sleptNanos, long epochMillis) {
    long lateNanos = sleptNanos - INTERVAL_NANOS;
    if (lateNanos >= LEAST_NANOS) {
      late.add(new Sleep(epochMillis * MILLI, lateNanos));
    }
  }

  /**
   * Returns what was measured during the load. The trial's JVM itself may keep the machine busy:
   * seconds of which it takes three quarters of all processors do not count.
   */
  public synchronized Control figures(
      long startEpochNanos, List<Double> cpuBySecond, int processors) {
    double max = 0;
    double[] bySecond = new double[cpuBySecond.size()];
    for (Sleep sleep : late) {
      long end = sleep.endEpochNanos() - startEpochNanos;
      int last = (int) Math.min(Math.floorDiv(end, SECOND_NANOS), bySecond.length - 1);
      int first = (int) Math.floorDiv(end - sleep.lateNanos(), SECOND_NANOS);
      double millis = (double) sleep.lateNanos() / MILLI;
      for (int second = Math.max(0, first); second <= last; second++) {
        max = Math.max(max, millis);
        if (cpuBySecond.get(second) < SATURATED * processors) {
          bySecond[second] = Math.max(bySecond[second], millis);
        }
      }
    }
    return new Control(max, Arrays.stream(bySecond).boxed().toList());
  }

  @Override
  public void close() {
    closed = true;
  }
}
