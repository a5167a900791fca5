package io.spillway.internal.flow;

import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.LongConsumer;

/**
 * The wait of log calls for room in the ring: they queue, and the first of them polls, with bounded
 * pauses. The thread that makes room wakes none, so a missed wake-up cannot hang one.
 *
 * <p>One at a time, because a thread that wakes takes a processor from the thread that makes room:
 * if all poll, 8 or 300 threads on two cores get a fifth less through the ring.
 */
public final class Backoff {
  static final long FIRST_NANOS = 250_000;
  static final long LAST_NANOS = 1_000_000;

  private final AtomicInteger waiting = new AtomicInteger();
  private final Semaphore turn = new Semaphore(1, true);

  /**
   * Polls until the attempt succeeds or {@code goOn} returns false. Keeps the caller's interrupt
   * flag.
   */
  public boolean await(BooleanSupplier attempt, BooleanSupplier goOn, LongConsumer waited) {
    boolean interrupted = false;
    boolean isFirst = false;
    boolean done = false;
    long pause = FIRST_NANOS;
    long told = System.nanoTime();
    waiting.incrementAndGet();
    try {
      while (!done && goOn.getAsBoolean()) {
        interrupted |= Thread.interrupted(); // otherwise the pause would return at once
        if (isFirst) {
          LockSupport.parkNanos(this, pause);
          pause = Math.min(2 * pause, LAST_NANOS);
          done = attempt.getAsBoolean();
        } else {
          isFirst = isTurn();
        }
        long now = System.nanoTime();
        waited.accept(now - told);
        told = now;
      }
    } finally {
      if (isFirst) {
        turn.release();
      }
      waiting.decrementAndGet();
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
    return done;
  }

  /** Waits for the turn, for a second: the caller tells the time, and asks whether to go on. */
  private boolean isTurn() {
    try {
      return turn.tryAcquire(1, TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    }
  }

  /** Returns how many log calls wait now. */
  public int waiting() {
    return waiting.get();
  }
}
