package io.spillway.stress.record;

/**
 * The time of the rotation, by {@link System#nanoTime()}: its start; when a new active file exists,
 * while the archive may still be incomplete; and when the archive is complete. Written by the
 * thread that watches the files, read by all senders. Because of the polling interval, a sender may
 * assign one short call to the wrong side, but never a long one: a call belongs to the rotation as
 * soon as it overlaps it.
 */
public final class RotationWindow {

  private static final long NOT_YET = Long.MAX_VALUE;

  private volatile long startNanos = NOT_YET;
  private volatile long reopenedNanos = NOT_YET;
  private volatile long endNanos = NOT_YET;

  public void begin(long nanos) {
    startNanos = nanos;
  }

  public void reopen(long nanos) {
    reopenedNanos = nanos;
  }

  public void end(long nanos) {
    endNanos = nanos;
  }

  public boolean begun() {
    return startNanos != NOT_YET;
  }

  public boolean reopened() {
    return reopenedNanos != NOT_YET;
  }

  public boolean ended() {
    return endNanos != NOT_YET;
  }

  public long startNanos() {
    return startNanos;
  }

  public long reopenedNanos() {
    return reopenedNanos;
  }

  public long endNanos() {
    return endNanos;
  }

  /** Returns whether an interval of time overlaps the rotation. */
  boolean overlaps(long fromNanos, long toNanos) {
    return toNanos >= startNanos && fromNanos <= endNanos;
  }
}
