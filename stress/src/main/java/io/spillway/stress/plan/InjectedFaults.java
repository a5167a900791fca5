package io.spillway.stress.plan;

import java.util.Comparator;
import java.util.List;
import java.util.Map;

/**
 * What the calibration appender did on purpose, as it wrote it down. Its sums are the plain ones,
 * and share no code with those they are compared with.
 *
 * @param counts how often it did what
 * @param waits every wait of an application thread
 */
record InjectedFaults(Map<String, Long> counts, List<Wait> waits) {

  static final String PARK = "PARK";
  static final String MONITOR_ENTER = "MONITOR_ENTER";
  static final String MONITOR_WAIT = "MONITOR_WAIT";
  static final String SLEEP = "SLEEP";
  static final String DROP = "DROP";
  static final String DUPLICATE = "DUPLICATE";
  static final String SWAP = "SWAP";
  static final String TEAR = "TEAR";

  private static final double SECOND = 1e9;

  /**
   * One wait.
   *
   * @param kind how
   * @param startEpochNanos when it began, nanoseconds since 1970
   * @param nanos how long it took
   */
  record Wait(String kind, long startEpochNanos, long nanos) {
    private long endEpochNanos() {
      return startEpochNanos + nanos;
    }
  }

  /** How often it did what the kind says. */
  long count(String kind) {
    return counts.get(kind);
  }

  /** Thread-seconds waited in the way the kind says. */
  double threadSeconds(String kind) {
    return waits.stream().filter(w -> w.kind().equals(kind)).mapToLong(Wait::nanos).sum() / SECOND;
  }

  /** Thread-seconds waited in all. */
  double threadSeconds() {
    return waits.stream().mapToLong(Wait::nanos).sum() / SECOND;
  }

  /** The longest wait. */
  double longestSeconds() {
    return waits.stream().mapToLong(Wait::nanos).max().orElse(0) / SECOND;
  }

  /** Thread-seconds waited in one second, counted from the given moment. */
  double threadSecondsIn(int second, long startEpochNanos) {
    long from = startEpochNanos + second * (long) SECOND;
    long to = from + (long) SECOND;
    long sum = 0;
    for (Wait wait : waits) {
      long begin = Math.max(from, wait.startEpochNanos());
      sum += Math.max(0, Math.min(to, wait.endEpochNanos()) - begin);
    }
    return sum / SECOND;
  }

  /** The moment at which most threads wait: the beginning of one of the waits. */
  long busiestEpochNanos() {
    return waits.stream()
        .map(Wait::startEpochNanos)
        .max(Comparator.comparingLong(this::waitingAt))
        .orElse(0L);
  }

  /** How many threads wait at a moment. */
  long waitingAt(long epochNanos) {
    return waits.stream()
        .filter(w -> w.startEpochNanos() <= epochNanos && epochNanos < w.endEpochNanos())
        .count();
  }
}
