package io.spillway.stress.load;

import io.spillway.stress.record.LoggingFrames;
import io.spillway.stress.report.LoadFigures;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadInfo;
import java.lang.management.ThreadMXBean;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Measures the processor time of threads other than the application's, and samples the stacks of
 * busy ones. The flight recorder's execution samples do not show them if all processors are busy,
 * because its sampler thread then waits for a processor, too.
 */
final class OtherThreads {
  private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();
  private static final long PERIOD_NANOS = 1_000_000_000;
  private static final double BUSY = 0.25; // of a processor
  private static final int DEPTH = 64;
  private static final int SHOWN = 10;
  private static final double SECOND = 1e9;

  private final Map<Long, Long> cpuBefore = new HashMap<>(); // by thread id
  private final Map<String, Map<String, Long>> busyNanos = new TreeMap<>(); // by name and frame
  private Map<String, Double> seconds = Map.of();
  private long lookedNanos = System.nanoTime();

  /** Once a second, reads the stack of the busiest thread of each thread name that was busy. */
  void look(long now) {
    long passed = now - lookedNanos;
    if (passed < PERIOD_NANOS) {
      return;
    }
    lookedNanos = now;
    Map<String, Busy> byName = new HashMap<>();
    for (ThreadInfo thread : THREADS.getThreadInfo(THREADS.getAllThreadIds())) {
      if (isOther(thread)) {
        long cpu = THREADS.getThreadCpuTime(thread.getThreadId());
        Long before = cpuBefore.put(thread.getThreadId(), cpu);
        if (before != null && cpu > before) {
          byName.computeIfAbsent(name(thread), n -> new Busy()).add(thread, cpu - before);
        }
      }
    }
    byName.forEach(
        (name, busy) -> {
          if (busy.nanos > BUSY * passed) {
            ThreadInfo busiest = THREADS.getThreadInfo(busy.busiest, DEPTH);
            if (busiest != null) {
              LoggingFrames.culprit(busiest.getStackTrace())
                  .ifPresent(frame -> add(name, frame, busy.nanos));
            }
          }
        });
  }

  private void add(String name, String frame, long nanos) {
    busyNanos.computeIfAbsent(name, n -> new TreeMap<>()).merge(frame, nanos, Long::sum);
  }

  /** The processor time of the threads of one name in one second. */
  private static final class Busy {
    private long nanos;
    private long most;
    private long busiest;

    void add(ThreadInfo thread, long cpuNanos) {
      nanos += cpuNanos;
      if (cpuNanos > most) {
        most = cpuNanos;
        busiest = thread.getThreadId();
      }
    }
  }

  /** Sums up the processor time of the threads at the end of the load, while they still run. */
  void sumUp() {
    seconds = new TreeMap<>();
    for (ThreadInfo thread : THREADS.getThreadInfo(THREADS.getAllThreadIds())) {
      if (isOther(thread)) {
        double cpu = THREADS.getThreadCpuTime(thread.getThreadId()) / SECOND;
        seconds.merge(name(thread), Math.max(0, cpu), Double::sum);
      }
    }
  }

  private static boolean isOther(ThreadInfo thread) {
    return thread != null && !thread.getThreadName().startsWith(LoadSpec.APPLICATION_THREAD);
  }

  /** Returns the name without a number at its end, so that threads of a pool count together. */
  private static String name(ThreadInfo thread) {
    return thread.getThreadName().replaceAll("[-#]?[0-9]+$", "");
  }

  /** Returns the busiest threads first; call when {@link #look} is no longer called. */
  List<LoadFigures.ThreadCpu> figures() {
    return seconds.entrySet().stream()
        .map(e -> new LoadFigures.ThreadCpu(e.getKey(), e.getValue(), frame(e.getKey())))
        .sorted(Comparator.comparingDouble(LoadFigures.ThreadCpu::seconds).reversed())
        .limit(SHOWN)
        .toList();
  }

  private String frame(String name) {
    return busyNanos.getOrDefault(name, Map.of()).entrySet().stream()
        .max(Map.Entry.comparingByValue())
        .map(Map.Entry::getKey)
        .orElse(null);
  }
}
