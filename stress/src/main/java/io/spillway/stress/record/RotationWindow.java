package io.spillway.stress.record;

/**
 * When the rotation happened. Written by the thread that watches the files, read by all senders; a
 * sender that misses the mark by the time of a poll may count one short call to the wrong side,
 * never a long one, because a call belongs to the rotation as soon as it overlaps it.
 */
public final class RotationWindow {

  private volatile long startNanos = Long.MAX_VALUE;
  private volatile long reopenedNanos = Long.MAX_VALUE;
  private volatile long endNanos = Long.MAX_VALUE;

  /** The rotation has begun. */
  public void begin(long nanos) {
    startNanos = nanos;
  }

  /** There is a new active file; its archive may still be compressed. */
  public void reopen(long nanos) {
    reopenedNanos = nanos;
  }

  /** Its archive is finished. */
  public void end(long nanos) {
    endNanos = nanos;
  }

  /** Whether the rotation has begun. */
  public boolean begun() {
    return startNanos != Long.MAX_VALUE;
  }

  /** Whether there is a new active file. */
  public boolean reopened() {
    return reopenedNanos != Long.MAX_VALUE;
  }

  /** Whether its archive is finished. */
  public boolean ended() {
    return endNanos != Long.MAX_VALUE;
  }

  /** When it began, by {@link System#nanoTime()}. */
  public long startNanos() {
    return startNanos;
  }

  /** When there was a new active file, by {@link System#nanoTime()}. */
  public long reopenedNanos() {
    return reopenedNanos;
  }

  /** When its archive was finished, by {@link System#nanoTime()}. */
  public long endNanos() {
    return endNanos;
  }

  /** Whether a stretch of time has any part in common with the rotation. */
  boolean overlaps(long fromNanos, long toNanos) {
    return toNanos >= startNanos && fromNanos <= endNanos;
  }
}
