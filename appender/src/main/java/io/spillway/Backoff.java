package io.spillway;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.LongConsumer;
import java.util.function.Predicate;

/**
 * The wait of log calls for room in the ring or for the hand-over at an exit: bounded pauses
 * between polls. No thread wakes a publisher, so a missed wake-up cannot hang one.
 *
 * <p>The more log calls wait, the longer each pauses, so that all of them together poll about as
 * often as one would alone. With a pause that did not depend on the others, 300 threads on two
 * cores took more CPU for polling than the drainer had left to make room: {@code spillway-stress
 * bench throughput --producers 300}.
 */
final class Backoff {
  private static final long TURN_NANOS = 50_000;
  private static final long ALONE_NANOS = 1_000_000;
  private static final long MAX_NANOS = 50_000_000;

  private final AtomicInteger waiting = new AtomicInteger();

  /**
   * Polls until the attempt succeeds or {@code goOn} returns false. Keeps the caller's interrupt
   * flag.
   *
   * @param waited called after each pause with the nanoseconds since its last call, since a wait
   *     may have no end
   * @return whether the attempt succeeded
   */
  <T> boolean await(Predicate<T> attempt, T with, BooleanSupplier goOn, LongConsumer waited) {
    boolean interrupted = false;
    boolean done = false;
    long pause = 0;
    long told = System.nanoTime();
    waiting.incrementAndGet();
    try {
      while (!done && goOn.getAsBoolean()) {
        interrupted |= Thread.interrupted(); // otherwise the pause would return at once
        pause = nextPause(pause, waiting());
        LockSupport.parkNanos(this, pause);
        long now = System.nanoTime();
        waited.accept(now - told);
        told = now;
        done = attempt.test(with);
      }
    } finally {
      waiting.decrementAndGet();
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
    return done;
  }

  /** Returns how many log calls wait now. */
  int waiting() {
    return waiting.get();
  }

  /**
   * Returns the next pause in nanoseconds. A log call that waits alone doubles it up to a
   * millisecond; with several, each pauses for longer, up to 50 milliseconds.
   */
  static long nextPause(long last, int waiting) {
    long turns = Math.min(waiting * TURN_NANOS, MAX_NANOS);
    return Math.max(turns, Math.min(2 * last, ALONE_NANOS));
  }
}
