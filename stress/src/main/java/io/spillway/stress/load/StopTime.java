package io.spillway.stress.load;

/**
 * The moment at which the load ends. Calls that were due before it are still made, however late,
 * because a stalled thread must not get away with sending less.
 */
final class StopTime {

  private volatile long nanos = Long.MAX_VALUE;

  void set(long nanos) {
    this.nanos = nanos;
  }

  boolean isBefore(long dueNanos) {
    return dueNanos >= nanos;
  }
}
