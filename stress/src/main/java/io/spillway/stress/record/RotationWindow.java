package io.spillway.stress.record;

/**
 * The time of the rotation, by {@link System#nanoTime()}: its start, and when the archive is
 * complete and a new active file exists. Written by the thread that watches the files, read by all
 * senders. Because of the polling interval, a sender may assign one short call to the wrong side,
 * but never a long one: a call belongs to the rotation as soon as it overlaps it.
 */
public final class RotationWindow {

  private static final long NOT_YET = Long.MAX_VALUE;

  private volatile long startNanos = NOT_YET;
  private volatile long endNanos = NOT_YET;

  public void begin(long nanos) {
    startNanos = nanos;
  }

  public void end(long nanos) {
    endNanos = nanos;
  }

  public boolean begun() {
    return startNanos != NOT_YET;
  }

  public boolean ended() {
    return endNanos != NOT_YET;
  }

  public long startNanos() {
    return startNanos;
  }

  public long endNanos() {
    return endNanos;
  }

  /** Returns whether an interval of time overlaps the rotation. */
  boolean overlaps(long fromNanos, long toNanos) {
    return toNanos >= startNanos && fromNanos <= endNanos;
  }
}
