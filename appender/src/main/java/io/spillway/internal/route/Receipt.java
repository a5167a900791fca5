package io.spillway.internal.route;

import io.spillway.internal.spill.Spill;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;

/**
 * What a log call waits for until its event is acknowledged. A receipt travels with its event
 * through the ring. The receipts of one batch then form a chain, which is settled as a whole once
 * that batch is written, or synced; so one write and one fsync serve all callers of the batch.
 *
 * <p>The value is the commit word. The caller changes it from WAITING to PARKED before it parks;
 * the thread that settles replaces it, and unparks a caller that it finds PARKED. Both are atomic,
 * and an unpark before the park makes the park return at once. So no wake-up is missed, and a
 * caller that does not park costs none. {@code next} belongs to the thread that has the chain: the
 * drainer, then the thread that syncs the spill, which gets the chain through a queue. The drainer
 * may still call {@link #isOver} of a chain in that queue; what it finds of a chain that is settled
 * meanwhile has no effect, since that chain has left the queue.
 */
public final class Receipt extends AtomicInteger implements Spill.AwaitsSync {
  private static final long serialVersionUID = 1L;

  private static final int WAITING = 0;
  private static final int PARKED = 1;
  private static final int ACKNOWLEDGED = 2;
  private static final int REFUSED = 3;

  private final transient Thread caller = Thread.currentThread();
  private transient Receipt next;

  /** Creates a receipt of the calling thread for one event. */
  public Receipt() {}

  /**
   * Waits until the receipt is settled. Keeps the caller's interrupt flag.
   *
   * @param turns how often to yield the processor before the caller parks: if it waits for a write
   *     alone, that is often enough, and cheaper than to park and be woken
   * @param nanos how long to wait at most
   * @return whether the event is acknowledged; false if it was refused, or the time has passed
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
        interrupted |= Thread.interrupted(); // otherwise the pause would return at once
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

  /** Settles the receipt as refused, unless it was settled meanwhile. */
  private void giveUp() {
    for (int now = get(); now <= PARKED && !compareAndSet(now, REFUSED); now = get()) {
      Thread.onSpinWait();
    }
  }

  /**
   * Returns whether the receipt is acknowledged or refused.
   *
   * @return true from then on
   */
  public boolean isSettled() {
    return get() > PARKED;
  }

  /**
   * Puts this receipt behind the last of a chain.
   *
   * @param last last receipt; null for an empty chain
   * @return this, the new last one
   */
  public Receipt after(Receipt last) {
    if (last != null) {
      last.next = this;
    }
    next = null;
    return this;
  }

  /**
   * Settles a chain. Receipts that are settled already stay as they are.
   *
   * @param first first of the chain; null for none
   * @param acknowledged whether the events are written, or synced, as required
   */
  public static void settle(Receipt first, boolean acknowledged) {
    Receipt rest = first;
    while (rest != null) {
      Receipt now = rest;
      rest = now.next; // unlinked, so that one receipt does not retain the others
      now.next = null;
      now.settle(acknowledged);
    }
  }

  /**
   * Settles this receipt alone, and leaves it in its chain.
   *
   * @param acknowledged whether its event is written, or synced, as required
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
