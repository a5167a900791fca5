package io.spillway.internal.flow;

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
 * one that holds {@code order}, then the thread that syncs the spill, which gets the chain through
 * a queue.
 */
public final class Receipt extends AtomicInteger implements Spill.Waiter {
  private static final long serialVersionUID = 1L;

  /** How often a caller yields before it parks: a write is often done by then. */
  private static final int TURNS = 10;

  private static final int WAITING = 0;
  private static final int PARKED = 1;
  private static final int ACKNOWLEDGED = 2;
  private static final int REFUSED = 3;

  private final transient Thread caller = Thread.currentThread(); // which creates it
  private transient Receipt next;

  /** Waits until the receipt is settled. Keeps the caller's interrupt flag. */
  public boolean await(long nanos) {
    long start = System.nanoTime();
    boolean interrupted = false;
    try {
      for (int turn = 0; turn < TURNS && !isSettled(); turn++) {
        Thread.yield();
      }
      while (!isSettled()) {
        long left = nanos - (System.nanoTime() - start);
        if (left <= 0) {
          settle(false); // unless it was settled meanwhile
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

  /** Returns whether the receipt is acknowledged or refused. */
  public boolean isSettled() {
    return get() > PARKED;
  }

  /** Puts this receipt behind the last of a chain. */
  public Receipt after(Receipt last) {
    if (last != null) {
      last.next = this;
    }
    next = null;
    return this;
  }

  /** Settles a chain. Receipts that are settled already stay as they are. */
  public static void settle(Receipt first, boolean acknowledged) {
    Receipt rest = first;
    while (rest != null) {
      Receipt now = rest;
      rest = now.next; // unlinked, so that one receipt does not retain the others
      now.next = null;
      now.settle(acknowledged);
    }
  }

  /** Settles this receipt alone, and leaves it in its chain. */
  public void settle(boolean acknowledged) {
    int value = acknowledged ? ACKNOWLEDGED : REFUSED;
    int now = get();
    while (now <= PARKED && !compareAndSet(now, value)) {
      now = get();
    }
    if (now == PARKED) {
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
