package io.spillway.stress.record;

import com.sun.management.OperatingSystemMXBean;
import io.spillway.stress.report.TrialResult;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import org.HdrHistogram.Histogram;

/**
 * Measures stalls of the machine: a thread sleeps repeatedly and records how much later than
 * requested it wakes up, after Gil Tene's jHiccup. Runs in a process that is otherwise idle.
 */
public final class Hiccups implements AutoCloseable {
  private static final long INTERVAL_NANOS = 5_000_000; // a shorter interval would load the machine
  private static final long SECOND_NANOS = 1_000_000_000;
  private static final double SATURATED = 0.75;
  private static final long MILLI_NANOS = 1_000_000;
  private static final double MICRO = 1_000.0;

  private final List<Sleep> sleeps = new ArrayList<>(); // guarded by this
  private final Thread thread = new Thread(this::sleepOn, "hiccups");
  private volatile boolean closed;

  private final List<Busy> busy = new ArrayList<>(); // guarded by this

  /** Share of all processors that was busy in the second up to a time, 0 to 1. */
  private record Busy(long endEpochMillis, double share) {}

  private record Sleep(long endEpochMillis, long lateNanos) {}

  Hiccups() {}

  /** Starts measuring. */
  public static Hiccups start() {
    Hiccups hiccups = new Hiccups();
    hiccups.thread.setDaemon(true);
    hiccups.thread.setPriority(Thread.MAX_PRIORITY);
    hiccups.thread.start();
    return hiccups;
  }

  private void sleepOn() {
    OperatingSystemMXBean system = ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class);
    long before = System.nanoTime();
    long nextSecond = before;
    while (!closed) {
      LockSupport.parkNanos(INTERVAL_NANOS);
      long now = System.nanoTime();
      woke(now - before, System.currentTimeMillis());
      before = now;
      if (now >= nextSecond) {
        wereBusy(system.getCpuLoad(), System.currentTimeMillis());
        nextSecond = now + SECOND_NANOS;
      }
    }
  }

  /** Records the share of all processors that was busy in the last second; negative if unknown. */
  synchronized void wereBusy(double share, long epochMillis) {
    if (share >= 0) {
      busy.add(new Busy(epochMillis, share));
    }
  }

  /** Records the length of a sleep, which may be shorter than requested. */
  synchronized void woke(long sleptNanos, long epochMillis) {
    sleeps.add(new Sleep(epochMillis, Math.max(0, sleptNanos - INTERVAL_NANOS)));
  }

  /**
   * Returns what was measured during the load. The warm-up, which is not judged, appears only in
   * the figures by second. The trial's JVM itself may keep the machine busy: seconds in which it
   * takes three quarters of all processors do not count as stalls of the machine.
   *
   * @param startEpochNanos when the load began
   * @param warmUpSeconds the length of the warm-up at the beginning of the load
   * @param seconds the length of the load
   * @param cpuBySecond processor time of the trial's JVM in each second of the load
   * @param processors the number of processors
   */
  public synchronized TrialResult.Control figures(
      long startEpochNanos,
      double warmUpSeconds,
      double seconds,
      List<Double> cpuBySecond,
      int processors) {
    Histogram all = new Histogram(3);
    Histogram machine = new Histogram(3);
    double[] bySecond = new double[(int) Math.ceil(seconds)];
    double[] machineBySecond = new double[bySecond.length];
    for (Sleep sleep : sleeps) {
      long sinceStart = sleep.endEpochMillis() * MILLI_NANOS - startEpochNanos;
      int second = (int) Math.floorDiv(sinceStart, SECOND_NANOS);
      if (sinceStart < 0 || sinceStart > seconds * SECOND_NANOS) {
        continue;
      }
      double late = sleep.lateNanos() / MICRO;
      long lateMillis = sleep.lateNanos() / MILLI_NANOS; // the times have millisecond precision
      int first = (int) Math.floorDiv(sinceStart - lateMillis * MILLI_NANOS, SECOND_NANOS);
      for (int each = Math.max(0, first); each <= second; each++) {
        bySecond[each] = Math.max(bySecond[each], late);
        machineBySecond[each] =
            isOwn(each, cpuBySecond, processors) ? 0 : Math.max(machineBySecond[each], late);
      }
      if (sinceStart < warmUpSeconds * SECOND_NANOS) {
        continue;
      }
      all.recordValueWithExpectedInterval(sleep.lateNanos(), INTERVAL_NANOS);
      if (!isOwn(second, cpuBySecond, processors)) {
        machine.recordValueWithExpectedInterval(sleep.lateNanos(), INTERVAL_NANOS);
      }
    }
    return new TrialResult.Control(
        all.getValueAtPercentile(50) / MICRO,
        all.getValueAtPercentile(99.9) / MICRO,
        all.getMaxValue() / MICRO,
        machine.getValueAtPercentile(99.9) / MICRO,
        others(startEpochNanos, warmUpSeconds, seconds, cpuBySecond, processors),
        Arrays.stream(bySecond).boxed().toList(),
        Arrays.stream(machineBySecond).boxed().toList());
  }

  /** Returns whether the trial's JVM takes most of the processors in a second. */
  private static boolean isOwn(int second, List<Double> cpuBySecond, int processors) {
    return second < cpuBySecond.size() && cpuBySecond.get(second) >= SATURATED * processors;
  }

  /** Returns the busy share of the processors without that of the trial's JVM. */
  private double others(
      long startEpochNanos,
      double warmUpSeconds,
      double seconds,
      List<Double> cpuBySecond,
      int processors) {
    double first = startEpochNanos + (warmUpSeconds + 1) * SECOND_NANOS;
    double all =
        busy.stream()
            .filter(b -> b.endEpochMillis() * MILLI_NANOS >= first)
            .filter(
                b -> b.endEpochMillis() * MILLI_NANOS <= startEpochNanos + seconds * SECOND_NANOS)
            .mapToDouble(Busy::share)
            .average()
            .orElse(0);
    double own =
        cpuBySecond.stream().skip((long) warmUpSeconds).mapToDouble(Double::doubleValue).sum();
    return Math.max(0, all - own / (seconds - (long) warmUpSeconds) / processors);
  }

  @Override
  public void close() {
    closed = true;
    LockSupport.unpark(thread);
  }
}
