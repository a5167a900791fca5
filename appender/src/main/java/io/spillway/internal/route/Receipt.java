package io.spillway.internal.route;

import io.spillway.internal.spill.Spill;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;

/**
 * What a log call that wants to be acknowledged waits for. It travels with its event through the
 * ring; then the receipts of one batch are a chain, which is settled as a whole once that batch is
 * written, or synced. So one write and one fsync serve all callers that came meanwhile.
 *
 * <p>Its value is the commit word. The caller changes it from WAITING to PARKED before it parks;
 * whoever settles replaces it and unparks a caller that it finds PARKED. Both are atomic, and an
 * unpark that comes before the park makes that return at once: so no wake-up is missed, and a
 * caller that does not park costs none. {@code next} belongs to whoever has the chain: the drainer,
 * then the thread that syncs the spill, which gets it through a queue. The drainer may still ask
 * whether a chain in there is over; what it finds of one that is told meanwhile does not matter, as
 * that has left the queue.
 */
public final class Receipt extends AtomicInteger implements Spill.AwaitsSync {
  private static final long serialVersionUID = 1L;

  private static final int WAITING = 0;
  private static final int PARKED = 1;
  private static final int ACKNOWLEDGED = 2;
  private static final int REFUSED = 3;

  private final transient Thread caller = Thread.currentThread();
  private transient Receipt next;

  /** Of the calling thread, for one event. */
  public Receipt() {}

  /**
   * Waits until it is settled. Keeps the caller's interrupt flag.
   *
   * @param turns how often to leave the processor to others before it parks: where a write is all
   *     that it waits for, that is often enough, and cheaper than to park and be woken
   * @param nanos at most so long
   * @return whether the event is acknowledged; false if it was refused, or the time was too short
   */
  public boolean await(int turns, long nanos) {
    long start = System.nanoTime();
    boolean interrupted = false;
    try {
      for (int turn = 0; turn < turns && !isSettled(); turn++) {
        Thread.yield();
      }
      while (!isSettled()) {
        long left = nanos - (System.nanoTime() - start);
        if (left <= 0) {
          giveUp();
          break;
        }
        interrupted |= Thread.interrupted(); // or the pause would return at once
        if (compareAndSet(WAITING, PARKED) || get() == PARKED) {
          LockSupport.parkNanos(this, left);
        }
      }
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
    return get() == ACKNOWLEDGED;
  }

  /** Nobody waits any more, and nobody is held up. */
  private void giveUp() {
    for (int now = get(); now <= PARKED && !compareAndSet(now, REFUSED); now = get()) {
      Thread.onSpinWait();
    }
  }

  /**
   * Whether it has been decided what the caller is told.
   *
   * @return true for good
   */
  public boolean isSettled() {
    return get() > PARKED;
  }

  /**
   * Puts a receipt behind the last of a chain.
   *
   * @param last null for an empty chain
   * @return the new last one, this
   */
  public Receipt after(Receipt last) {
    if (last != null) {
      last.next = this;
    }
    next = null;
    return this;
  }

  /**
   * Settles a chain. Those that are settled already stay as they are.
   *
   * @param first null for none
   * @param acknowledged whether their events are where the callers want them
   */
  public static void settle(Receipt first, boolean acknowledged) {
    Receipt rest = first;
    while (rest != null) {
      Receipt now = rest;
      rest = now.next; // a caller that is gone must not keep the others
      now.next = null;
      now.settle(acknowledged);
    }
  }

  /**
   * Settles this one alone, and leaves it in its chain.
   *
   * @param acknowledged whether its event is where the caller wants it
   */
  public void settle(boolean acknowledged) {
    if (!isSettled() && getAndSet(acknowledged ? ACKNOWLEDGED : REFUSED) == PARKED) {
      LockSupport.unpark(caller);
    }
  }

  @Override
  public void synced(boolean all) {
    settle(this, all);
  }

  @Override
  public boolean isOver() {
    Receipt waits = this;
    while (waits != null && waits.isSettled()) {
      waits = waits.next;
    }
    return waits == null;
  }
}
