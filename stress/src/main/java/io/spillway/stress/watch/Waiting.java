package io.spillway.stress.watch;

import io.spillway.stress.record.FlightRecording;
import io.spillway.stress.record.LoggingFrames;
import java.time.Instant;
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

  private static final double NANOS = 1e9;

  private final Map<Row.Place, Sum> sums = new HashMap<>(); // guarded by this
  private Map<Long, Current> current = Map.of();

  /** A number of waits and their lengths. */
  private static final class Sum {
    private long waits;
    private double seconds;
    private double longest;
  }

  /**
   * A wait that lasts.
   *
   * @param place where the thread waits, or null for a wait that does not count
   * @param looked whether its stack was read
   * @param since when it was first seen
   * @param waits number of the thread's waits so far, by which a later one is told apart
   */
  record Current(Row.Place place, boolean looked, Instant since, long waits) {}

  /**
   * The waits at one place.
   *
   * @param place where threads wait
   * @param threadsNow threads that waited there for a second or more at the last look
   * @param waits number of waits, those under way included
   * @param threadSeconds their sum over all threads
   * @param longestSeconds the longest of them
   */
  record Row(
      Place place, long threadsNow, long waits, double threadSeconds, double longestSeconds) {

    /**
     * A place where threads wait.
     *
     * @param frame class and method
     * @param logging whether that is inside a log call
     */
    record Place(String frame, boolean logging) {}
  }

  /** Adds a wait that has ended. */
  synchronized void ended(RecordedEvent event) {
    if (event.getStackTrace() == null) {
      return;
    }
    String frame = LoggingFrames.nearest(event.getStackTrace());
    boolean monitor = event.getEventType().getName().equals(FlightRecording.MONITOR_ENTER);
    String outside = frame == null && monitor ? LoggingFrames.culprit(event.getStackTrace()) : null;
    if (frame != null || outside != null) {
      Row.Place place = new Row.Place(frame == null ? outside : frame, frame != null);
      add(sums, place, event.getDuration().toNanos() / NANOS);
    }
  }

  private static void add(Map<Row.Place, Sum> sums, Row.Place place, double seconds) {
    Sum sum = sums.computeIfAbsent(place, p -> new Sum());
    sum.waits++;
    sum.seconds += seconds;
    sum.longest = Math.max(sum.longest, seconds);
  }

  /** Returns the waits that lasted at the last look, by thread. */
  synchronized Map<Long, Current> current() {
    return current;
  }

  /** Replaces the waits that last, by thread. */
  synchronized void current(Map<Long, Current> waits) {
    current = Map.copyOf(waits);
  }

  /** Returns all waits by place, log calls first, then the costliest first. */
  synchronized List<Row> rows(Instant now) {
    Map<Row.Place, Sum> all = new HashMap<>();
    sums.forEach(
        (place, sum) -> {
          Sum copy = new Sum();
          copy.waits = sum.waits;
          copy.seconds = sum.seconds;
          copy.longest = sum.longest;
          all.put(place, copy);
        });
    Map<Row.Place, Long> threads = new HashMap<>();
    for (Current wait : current.values()) {
      if (wait.place() != null) {
        add(all, wait.place(), (now.toEpochMilli() - wait.since().toEpochMilli()) / 1e3);
        threads.merge(wait.place(), 1L, Long::sum);
      }
    }
    return all.entrySet().stream()
        .map(
            e ->
                new Row(
                    e.getKey(),
                    threads.getOrDefault(e.getKey(), 0L),
                    e.getValue().waits,
                    e.getValue().seconds,
                    e.getValue().longest))
        .sorted(
            Comparator.comparing((Row row) -> !row.place().logging())
                .thenComparing(Comparator.comparingDouble(Row::threadSeconds).reversed()))
        .toList();
  }
}
