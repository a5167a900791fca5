package io.spillway.stress.watch;

import io.spillway.stress.record.FlightRecording;
import io.spillway.stress.record.LoggingFrames;
import java.lang.management.ThreadInfo;
import java.lang.management.ThreadMXBean;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import jdk.jfr.consumer.RecordedEvent;

/**
 * Sums up waits by frame: those that the flight recorder reports when they have ended, and those
 * that last, which are sampled. Inside a log call every wait counts; elsewhere only one for a
 * monitor, because threads of a pool wait for work.
 */
final class Waiting {

  private static final int DEPTH = 64;
  private static final double MILLIS = 1e3;
  private static final double NANOS = 1e9;

  private final Map<Row.Place, Row> ended = new HashMap<>(); // guarded by this
  private Map<Long, Current> current = Map.of(); // by thread; of the last look

  /**
   * A wait that lasts.
   *
   * @param place null for a wait that does not count, and until the stack is looked at
   * @param waits number of the thread's waits so far, by which a later one is told apart
   */
  private record Current(Row.Place place, boolean looked, Instant since, long waits) {}

  /**
   * The waits at one place, those under way included.
   *
   * @param threadsNow threads that waited there for a second or more at the last look
   */
  record Row(
      Place place, long threadsNow, long waits, double threadSeconds, double longestSeconds) {

    /** A frame, inside a log call or not. */
    record Place(String frame, boolean logging) {}

    private Row plus(Row other) {
      return new Row(
          place,
          threadsNow + other.threadsNow,
          waits + other.waits,
          threadSeconds + other.threadSeconds,
          Math.max(longestSeconds, other.longestSeconds));
    }
  }

  /** Adds a wait that has ended. */
  synchronized void ended(RecordedEvent event) {
    if (event.getStackTrace() == null) {
      return;
    }
    String frame = LoggingFrames.nearest(event.getStackTrace());
    boolean logging = frame != null;
    if (!logging && event.getEventType().getName().equals(FlightRecording.MONITOR_ENTER)) {
      frame = LoggingFrames.culprit(event.getStackTrace());
    }
    if (frame != null) {
      add(ended, new Row.Place(frame, logging), 0, event.getDuration().toNanos() / NANOS);
    }
  }

  private static void add(
      Map<Row.Place, Row> rows, Row.Place place, int threadsNow, double seconds) {
    rows.merge(place, new Row(place, threadsNow, 1, seconds, seconds), Row::plus);
  }

  /**
   * Looks which waits last since the look before. Only threads that wait on and that were not seen
   * in this wait yet are asked for their stacks, which is what costs.
   */
  void look(ThreadMXBean threads) {
    Map<Long, Current> now = new HashMap<>();
    Instant time = Instant.now();
    List<Long> unknown = new ArrayList<>();
    for (ThreadInfo info : threads.getThreadInfo(threads.getAllThreadIds())) {
      if (info == null || info.getThreadState() == Thread.State.RUNNABLE) {
        continue;
      }
      long waits = info.getBlockedCount() + info.getWaitedCount();
      Current known = current.get(info.getThreadId());
      boolean same = known != null && known.waits == waits;
      now.put(info.getThreadId(), same ? known : new Current(null, false, time, waits));
      if (same && !known.looked) {
        unknown.add(info.getThreadId());
      }
    }
    long[] ids = unknown.stream().mapToLong(id -> id).toArray();
    for (ThreadInfo info : threads.getThreadInfo(ids, DEPTH)) {
      if (info != null) {
        now.computeIfPresent(
            info.getThreadId(),
            (id, wait) -> new Current(place(info), true, wait.since, wait.waits));
      }
    }
    current = now;
  }

  /** Returns where a thread waits that must be told of, or null. */
  private static Row.Place place(ThreadInfo info) {
    StackTraceElement[] stack = info.getStackTrace();
    boolean logging = LoggingFrames.isInCall(stack);
    return logging || info.getThreadState() == Thread.State.BLOCKED
        ? new Row.Place(LoggingFrames.nearest(stack), logging)
        : null;
  }

  /** Returns all waits by place, log calls first, then the costliest first. */
  synchronized List<Row> rows(Instant now) {
    Map<Row.Place, Row> all = new HashMap<>(ended);
    for (Current wait : current.values()) {
      if (wait.place != null) {
        add(all, wait.place, 1, Duration.between(wait.since, now).toMillis() / MILLIS);
      }
    }
    return all.values().stream()
        .sorted(
            Comparator.comparing((Row row) -> !row.place.logging())
                .thenComparing(Comparator.comparingDouble(Row::threadSeconds).reversed()))
        .toList();
  }
}
