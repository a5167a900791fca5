package io.spillway;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.LongConsumer;
import java.util.function.Predicate;

/**
 * How log calls wait for room or for a hand-over: bounded pauses, so that a missed wake-up cannot
 * hang anybody: nobody wakes a publisher.
 *
 * <p>The more wait, the longer each pauses, so that all of them together look about as often as one
 * would. With a pause that does not depend on the others, 300 threads on two cores took more CPU
 * for looking than the drainer had left to make room: {@code spillway-stress bench throughput
 * --producers 300}.
 */
final class Backoff {
  private static final long TURN_NANOS = 50_000;
  private static final long ALONE_NANOS = 1_000_000;
  private static final long MAX_NANOS = 50_000_000;

  private final AtomicInteger waiting = new AtomicInteger();

  /**
   * Polls until there is success or no more reason to wait. Keeps the caller's interrupt flag.
   *
   * @param waited told after each pause how many nanoseconds have passed since it was told last: a
   *     wait may have no end
   * @return whether there was success
   */
  <T> boolean await(Predicate<T> attempt, T with, BooleanSupplier goOn, LongConsumer waited) {
    boolean interrupted = false;
    boolean done = false;
    long pause = 0;
    long told = System.nanoTime();
    waiting.incrementAndGet();
    try {
      while (!done && goOn.getAsBoolean()) {
        interrupted |= Thread.interrupted(); // or the pause would return at once
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

  /** How many wait now. */
  int waiting() {
    return waiting.get();
  }

  /** One that waits alone doubles its pause up to a millisecond; of many, each leaves a turn. */
  static long nextPause(long last, int waiting) {
    long turns = Math.min(waiting * TURN_NANOS, MAX_NANOS);
    return Math.max(turns, Math.min(2 * last, ALONE_NANOS));
  }
}
