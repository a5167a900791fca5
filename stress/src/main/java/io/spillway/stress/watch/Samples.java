package io.spillway.stress.watch;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Waits that thread dumps have shown and no flight recorder event covers. Each sample counts for
 * the time from its dump to the next dump, or to the thread's next event. The caller synchronizes.
 */
final class Samples {

  /** The largest difference between the clocks of the two processes' time stamps. */
  private static final long TOLERANCE_NANOS = 20_000_000;

  private final List<Long> fromNanos = new ArrayList<>();
  private final List<Long> toNanos = new ArrayList<>();
  private final Map<Long, List<Sample>> byThread = new HashMap<>();

  private final Map<Long, Wait> last = new HashMap<>();

  /** A sample; it counts up to the next dump, or to the thread's next event if that is earlier. */
  private record Sample(int dump, Place.Key key, long untilNanos) {

    Sample until(long nanos) {
      return new Sample(dump, key, Math.min(untilNanos, nanos));
    }
  }

  private record Wait(long start, long end) {}

  /** Begins a new dump, requested and received at the given moments. */
  void dump(long from, long to) {
    last.values().removeIf(wait -> wait.end() < from - TOLERANCE_NANOS); // no dump shows these
    fromNanos.add(from);
    toNanos.add(to);
  }

  /** Adds a thread that waits in the newest dump, unless an earlier event covers the wait. */
  void add(long thread, Place.Key key) {
    int dump = fromNanos.size() - 1;
    Wait wait = last.get(thread);
    if (wait == null || !covers(wait.start(), wait.end(), dump)) {
      byThread
          .computeIfAbsent(thread, t -> new ArrayList<>())
          .add(new Sample(dump, key, Long.MAX_VALUE));
    }
  }

  /** Removes the samples that a wait of the flight recorder covers; the event counts instead. */
  void cover(long thread, long start, long end) {
    last.put(thread, new Wait(start, end));
    List<Sample> samples = byThread.get(thread);
    if (samples != null) {
      samples.removeIf(sample -> covers(start, end, sample.dump()));
      samples.replaceAll(
          sample -> fromNanos.get(sample.dump()) < start ? sample.until(start) : sample);
      if (samples.isEmpty()) {
        byThread.remove(thread);
      }
    }
  }

  /** Returns the number of entries for threads; for tests. */
  int remembered() {
    return byThread.size() + last.size();
  }

  private boolean covers(long start, long end, int dump) {
    return fromNanos.get(dump) - TOLERANCE_NANOS <= end
        && toNanos.get(dump) + TOLERANCE_NANOS >= start;
  }

  /** Returns samples that no event covers, by place; the last dump's end at the given moment. */
  Map<Place.Key, Left> left(long endNanos) {
    Map<Place.Key, List<Stretch>> stretches = new HashMap<>();
    for (List<Sample> samples : byThread.values()) {
      for (int first = 0; first < samples.size(); ) {
        int after = endOfRow(samples, first);
        long from = fromNanos.get(samples.get(first).dump());
        long nanos = 0;
        for (Sample sample : samples.subList(first, after)) {
          nanos += Math.max(0, endOf(sample, endNanos) - fromNanos.get(sample.dump()));
        }
        stretches
            .computeIfAbsent(samples.get(first).key(), k -> new ArrayList<>())
            .add(new Stretch(from, nanos));
        first = after;
      }
    }
    Map<Place.Key, Left> left = new HashMap<>();
    stretches.forEach((key, of) -> left.put(key, sampled(of)));
    return left;
  }

  private static int endOfRow(List<Sample> samples, int first) {
    int after = first + 1;
    while (after < samples.size()
        && samples.get(after).dump() == samples.get(after - 1).dump() + 1
        && samples.get(after).key().equals(samples.get(first).key())) {
      after++;
    }
    return after;
  }

  private long endOf(Sample sample, long endNanos) {
    int next = sample.dump() + 1;
    return Math.min(sample.untilNanos(), next < fromNanos.size() ? fromNanos.get(next) : endNanos);
  }

  private static Left sampled(List<Stretch> stretches) {
    long sum = stretches.stream().mapToLong(Stretch::nanos).sum();
    long longest = stretches.stream().mapToLong(Stretch::nanos).max().orElse(0);
    return new Left(sum, longest, stretches);
  }

  /** The time that dumps add to a place. */
  record Left(long nanos, long longestNanos, List<Stretch> stretches) {

    static final Left NONE = new Left(0, 0, List.of());
  }

  /** An unbroken row of dumps that show one thread at one place. */
  record Stretch(long fromNanos, long nanos) {}
}
