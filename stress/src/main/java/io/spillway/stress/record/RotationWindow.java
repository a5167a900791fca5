package io.spillway.stress.record;

/**
 * The time of the rotation. Written by the thread that watches the files, read by all senders.
 * Because of the polling interval, a sender may assign one short call to the wrong side, but never
 * a long one: a call belongs to the rotation as soon as it overlaps it.
 */
public final class RotationWindow {

  private volatile long startNanos = Long.MAX_VALUE;
  private volatile long reopenedNanos = Long.MAX_VALUE;
  private volatile long endNanos = Long.MAX_VALUE;

  /** Sets the start of the rotation. */
  public void begin(long nanos) {
    startNanos = nanos;
  }

  /** Sets the time at which a new active file exists; the archive may still be incomplete. */
  public void reopen(long nanos) {
    reopenedNanos = nanos;
  }

  /** Sets the end of the rotation, at which the archive is complete. */
  public void end(long nanos) {
    endNanos = nanos;
  }

  /** Returns whether the rotation has begun. */
  public boolean begun() {
    return startNanos != Long.MAX_VALUE;
  }

  /** Returns whether a new active file exists. */
  public boolean reopened() {
    return reopenedNanos != Long.MAX_VALUE;
  }

  /** Returns whether the archive is complete. */
  public boolean ended() {
    return endNanos != Long.MAX_VALUE;
  }

  /** Returns when the rotation began, by {@link System#nanoTime()}. */
  public long startNanos() {
    return startNanos;
  }

  /** Returns when a new active file existed, by {@link System#nanoTime()}. */
  public long reopenedNanos() {
    return reopenedNanos;
  }

  /** Returns when the archive was complete, by {@link System#nanoTime()}. */
  public long endNanos() {
    return endNanos;
  }

  /** Returns whether an interval of time overlaps the rotation. */
  boolean overlaps(long fromNanos, long toNanos) {
    return toNanos >= startNanos && fromNanos <= endNanos;
  }
}
