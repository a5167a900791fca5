package io.spillway.stress.load;

import io.spillway.stress.record.LoggingFrames;
import io.spillway.stress.report.LoadFigures;
import io.spillway.stress.report.Waits.Frame;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadInfo;
import java.lang.management.ThreadMXBean;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.locks.LockSupport;

/**
 * Samples the stacks of application threads that have been inside a log call for more than {@link
 * LoadFigures#LONG_CALL_MILLIS}. It shows what the flight recorder does not record as a wait: loops
 * that yield or spin, native code, waiting for a processor.
 */
final class HoldUps {
  private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();
  private static final long PERIOD_NANOS = 50_000_000;
  private static final int MOST_STACKS = 16; // per period
  private static final int DEPTH = 64;
  private static final double SECOND = 1e9;

  private final Load load;
  private final long fromNanos;
  private final Map<String, double[]> byFrame =
      new TreeMap<>(); // used by the thread alone until it is joined
  private final Thread thread = new Thread(this::run, "hold-ups");
  private volatile boolean closed;
  private int next;

  /**
   * Creates a sampler of the threads of a load. Sampling starts at {@code fromNanos}, by {@link
   * System#nanoTime()}.
   */
  HoldUps(Load load, long fromNanos) {
    this.load = load;
    this.fromNanos = fromNanos;
    thread.setDaemon(true);
  }

  void start() {
    thread.start();
  }

  private void run() {
    long before = System.nanoTime();
    while (!closed) {
      LockSupport.parkNanos(PERIOD_NANOS);
      long now = System.nanoTime();
      if (now >= fromNanos) {
        look(now, (now - before) / SECOND);
      }
      before = now;
    }
  }

  /** Reads some stacks; they stand for all threads in calls and the time since the last sample. */
  private void look(long now, double seconds) {
    List<Thread> inside = new ArrayList<>();
    for (Caller caller : load.callers()) {
      if (caller.isHeldUp(now)) {
        inside.add(caller.thread());
      }
    }
    int looks = Math.min(MOST_STACKS, inside.size());
    if (looks == 0) {
      return;
    }
    long[] ids = new long[looks];
    for (int i = 0; i < looks; i++) {
      ids[i] = inside.get(next++ % inside.size()).getId();
    }
    for (ThreadInfo held : THREADS.getThreadInfo(ids, DEPTH)) { // one stop for all stacks
      if (held != null && held.getThreadState() == Thread.State.RUNNABLE) {
        StackTraceElement[] stack = held.getStackTrace();
        if (LoggingFrames.isInCall(stack)) { // the call may have returned meanwhile
          double[] sums = byFrame.computeIfAbsent(LoggingFrames.nearest(stack), f -> new double[2]);
          sums[0]++;
          sums[1] += seconds * inside.size() / looks;
        }
      }
    }
  }

  /** Ends the sampling. */
  void end() throws InterruptedException {
    closed = true;
    thread.join();
  }

  /** Returns the frames with the most thread-seconds first; call after {@link #end()}. */
  List<Frame> figures() {
    return byFrame.entrySet().stream()
        .map(e -> new Frame(e.getKey(), (long) e.getValue()[0], e.getValue()[1]))
        .sorted(Comparator.comparingDouble(Frame::threadSeconds).reversed())
        .limit(10)
        .toList();
  }
}
