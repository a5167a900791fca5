package io.spillway.internal.metrics;

import java.util.ArrayDeque;
import java.util.Deque;

/**
 * Computes how long the oldest event that is neither delivered nor lost has been waiting, in ring,
 * memory or spill. One thread marks how many events had been accepted at which time; a query passes
 * how many of the first of them are settled, that is, delivered or lost.
 *
 * <p>The age is never too small, except by the drainer's pause and while events are set aside. It
 * is too large by at most {@value #MIN_INTERVAL_MILLIS} ms or, to stay within {@value #MAX_MARKS}
 * marks, by a hundredth of the event's wait, or of the wait of the event that was oldest when this
 * one came. Any thread but a publisher may query; the lock is held for microseconds.
 */
public final class PendingAge {
  private static final int MAX_MARKS = 512;
  private static final long MIN_INTERVAL_MILLIS = 10;
  private static final long MIN_INTERVAL_NANOS = MIN_INTERVAL_MILLIS * 1_000_000;

  private final Deque<Mark> marks = new ArrayDeque<>(MAX_MARKS);
  private long intervalNanos = MIN_INTERVAL_NANOS;

  /** A time, and how many events were accepted by the next mark; the new ones came no earlier. */
  private static final class Mark {
    private final long nanos;
    private long accepted;

    Mark(long nanos, long accepted) {
      this.nanos = nanos;
      this.accepted = accepted;
    }
  }

  /** Loads the classes that the first event needs. */
  static void rehearse() {
    new PendingAge().mark(1, 0, 0);
  }

  /** Creates an age with nothing pending. */
  public PendingAge() {}

  /**
   * Records how many events have been accepted.
   *
   * @param accepted how many events so far
   * @param settled how many of the first events are settled
   * @param nowNanos on a clock that never goes back
   */
  public synchronized void mark(long accepted, long settled, long nowNanos) {
    forget(settled);
    Mark newest = marks.peekLast();
    refine(newest == null ? 0 : nowNanos - marks.peekFirst().nanos);
    if (newest != null && nowNanos - newest.nanos < intervalNanos) {
      newest.accepted = accepted;
      return;
    }
    if (marks.size() == MAX_MARKS) {
      thinOut();
    }
    marks.addLast(new Mark(nowNanos, accepted));
  }

  /** Shortens the interval after a long wait is over, as far as the number of marks allows. */
  private void refine(long waitNanos) {
    while (intervalNanos > MIN_INTERVAL_NANOS && waitNanos < intervalNanos * MAX_MARKS / 4) {
      intervalNanos /= 2;
    }
  }

  private void forget(long settled) {
    while (!marks.isEmpty() && marks.peekFirst().accepted <= settled) {
      marks.removeFirst();
    }
  }

  /** Merges marks that are closer than twice, four times ... the interval so far. */
  private void thinOut() {
    while (marks.size() > MAX_MARKS / 2) {
      intervalNanos *= 2;
      Mark last = null;
      for (int i = marks.size(); i > 0; i--) {
        Mark mark = marks.removeFirst();
        if (last != null && mark.nanos - last.nanos < intervalNanos) {
          last.accepted = mark.accepted;
        } else {
          marks.addLast(mark);
          last = mark;
        }
      }
    }
  }

  /**
   * Returns the age of the oldest pending event.
   *
   * @param settled how many of the first events are settled
   * @param nowNanos on the clock of {@link #mark}
   * @return nanoseconds, zero if nothing is pending
   */
  public synchronized long nanos(long settled, long nowNanos) {
    for (Mark mark : marks) {
      if (mark.accepted > settled) {
        return Math.max(0, nowNanos - mark.nanos);
      }
    }
    return 0;
  }
}
