package io.spillway.internal.flow;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.LongConsumer;

/**
 * The wait of log calls for room in the ring: bounded pauses between polls. No thread wakes a
 * publisher, so a missed wake-up cannot hang one.
 *
 * <p>The more log calls wait, the longer each pauses, so that all of them together poll about as
 * often as one would alone: with a pause that did not depend on the others, 300 threads on two
 * cores took more CPU for polling than was left to make room.
 */
public final class Backoff {
  private static final long TURN_NANOS = 50_000;
  private static final long ALONE_NANOS = 1_000_000;
  private static final long MAX_NANOS = 50_000_000;

  private final AtomicInteger waiting = new AtomicInteger();

  /** Creates a back-off without waiting callers. */
  public Backoff() {}

  /**
   * Polls until the attempt succeeds or {@code goOn} returns false. Keeps the caller's interrupt
   * flag.
   */
  public boolean await(BooleanSupplier attempt, BooleanSupplier goOn, LongConsumer waited) {
    boolean interrupted = false;
    boolean done = false;
    long pause = 0;
    long told = System.nanoTime();
    waiting.incrementAndGet();
    try {
      while (!done && goOn.getAsBoolean()) {
        interrupted |= Thread.interrupted(); // otherwise the pause would return at once
        pause = nextPause(pause, waiting.get());
        LockSupport.parkNanos(this, pause);
        long now = System.nanoTime();
        waited.accept(now - told);
        told = now;
        done = attempt.getAsBoolean();
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
  public int waiting() {
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
