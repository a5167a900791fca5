package io.spillway.compress;

import java.util.function.LongSupplier;

/**
 * Keeps a thread's use of the processor at a share of one core: after each piece of work it says
 * how long to rest. What a piece waits for the disk counts as rest. Used by one thread.
 */
final class Pacer {
  /** Rest beyond what was due is forgiven up to this, or a long idle time would earn a burst. */
  private static final long CREDIT_NANOS = 20_000_000L;

  private final LongSupplier cpuNanos;
  private final LongSupplier clockNanos;
  private long cpuAtBegin;
  private long clockAtBegin;
  private long freeAt;

  /** Clocks of the thread that works: its processor time, and the time of day in nanoseconds. */
  Pacer(LongSupplier cpuNanos, LongSupplier clockNanos) {
    this.cpuNanos = cpuNanos;
    this.clockNanos = clockNanos;
    this.freeAt = clockNanos.getAsLong();
  }

  /** A piece of work begins. */
  void begin() {
    cpuAtBegin = cpuNanos.getAsLong();
    clockAtBegin = clockNanos.getAsLong();
  }

  /** It has ended, and might take this share of a core. */
  void charge(double share) {
    long used = cpuNanos.getAsLong() - cpuAtBegin;
    long earliest = clockAtBegin - CREDIT_NANOS;
    long base = freeAt - earliest > 0 ? freeAt : earliest;
    freeAt = base + (long) (used / share);
  }

  /** How long to rest before the next piece; 0 or less if not at all. */
  long restNanos() {
    return freeAt - clockNanos.getAsLong();
  }
}
