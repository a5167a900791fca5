package io.spillway.stress.load;

import io.spillway.stress.record.LoggingFrames;
import io.spillway.stress.report.Waits.Frame;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadInfo;
import java.lang.management.ThreadMXBean;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Samples the stacks of application threads that are in a long log call. It shows what the flight
 * recorder does not record as a wait: loops that yield or spin, native code, waiting for a
 * processor.
 */
final class HoldUps {
  private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();
  private static final long PERIOD_NANOS = 50_000_000;
  private static final int MOST_STACKS = 16; // per period
  private static final int DEPTH = 64;
  private static final int FRAMES_SHOWN = 10;

  private final Map<String, double[]> byFrame = new TreeMap<>();
  private long lastNanos;
  private int next;

  /** Starts at a time, the end of the warm-up. */
  HoldUps(long startNanos) {
    lastNanos = startNanos;
  }

  /** Reads some stacks once in a period; they stand for all such threads and for the period. */
  void sample(List<Thread> inside, long now) {
    if (now - lastNanos < PERIOD_NANOS) {
      return;
    }
    double seconds = (now - lastNanos) / Load.SECOND;
    lastNanos = now;
    long[] ids = new long[Math.min(MOST_STACKS, inside.size())];
    for (int i = 0; i < ids.length; i++) {
      ids[i] = inside.get(next++ % inside.size()).getId();
    }
    for (ThreadInfo held : THREADS.getThreadInfo(ids, DEPTH)) { // one stop for all stacks
      if (held != null && held.getThreadState() == Thread.State.RUNNABLE) {
        StackTraceElement[] stack = held.getStackTrace();
        if (LoggingFrames.isInCall(stack)) { // the call may have returned meanwhile
          double[] sums = byFrame.computeIfAbsent(LoggingFrames.nearest(stack), f -> new double[2]);
          sums[0]++;
          sums[1] += seconds * inside.size() / ids.length;
        }
      }
    }
  }

  /** Returns the frames with the most thread-seconds first. */
  List<Frame> figures() {
    return byFrame.entrySet().stream()
        .map(e -> new Frame(e.getKey(), (long) e.getValue()[0], e.getValue()[1]))
        .sorted(Comparator.comparingDouble(Frame::threadSeconds).reversed())
        .limit(FRAMES_SHOWN)
        .toList();
  }
}
