package io.spillway.internal.metrics;

import java.util.ArrayDeque;
import java.util.Deque;

/**
 * How long the oldest event that is neither delivered nor lost has been waiting, wherever it is:
 * ring, memory or spill. Knows when how many had been accepted, and is told how many of the first
 * of them are settled, delivered or lost.
 *
 * <p>Never too young but by the drainer's pause, and while events are set aside; too old by {@value
 * #MIN_INTERVAL_MILLIS} ms at most, or, to stay within {@value #MAX_MARKS} marks, by a hundredth of
 * the wait: its own, or that of the oldest when it came. One thread marks, any thread but a
 * publisher asks; the lock is held for microseconds.
 */
public final class PendingAge {
  private static final int MAX_MARKS = 512;
  private static final long MIN_INTERVAL_MILLIS = 10;
  private static final long MIN_INTERVAL_NANOS = MIN_INTERVAL_MILLIS * 1_000_000;

  private final Deque<Mark> marks = new ArrayDeque<>(MAX_MARKS);
  private long intervalNanos = MIN_INTERVAL_NANOS;

  /** At that time so many had been accepted, the oldest of them not before. */
  private static final class Mark {
    private final long nanos;
    private long accepted;

    Mark(long nanos, long accepted) {
      this.nanos = nanos;
      this.accepted = accepted;
    }
  }

  /** Loads what the first event needs. */
  static void rehearse() {
    new PendingAge().mark(1, 0, 0);
  }

  /** Nothing is pending. */
  public PendingAge() {}

  /**
   * Tells that more has been accepted.
   *
   * @param accepted events so far
   * @param settled how many of the first are
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

  /** A long wait is over: what comes now is marked as closely as the marks last for. */
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

  /** Puts marks together that are closer than twice, four times ... the interval so far. */
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
   * The age of the oldest pending event.
   *
   * @param settled how many of the first are
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
