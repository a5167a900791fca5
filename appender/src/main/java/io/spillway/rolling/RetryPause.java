package io.spillway.rolling;

/**
 * The pause after a failed rollover: one attempt a second, else each event would make one. Written
 * under the lock of whoever rolls over, read by whoever asks; a stale read costs one attempt.
 */
final class RetryPause {
  private static final long PAUSE_NANOS = 1_000_000_000L;

  private volatile boolean pausing;
  private volatile long sinceNanos;

  RetryPause() {}

  /** The pause begins. */
  void failed() {
    sinceNanos = System.nanoTime();
    pausing = true;
  }

  /** No pause is needed. */
  void succeeded() {
    pausing = false;
  }

  /** Whether it is too early for the next attempt. */
  boolean isOn() {
    return pausing && System.nanoTime() - sinceNanos < PAUSE_NANOS;
  }
}
