package io.spillway.testkit;

import java.util.concurrent.locks.LockSupport;

/** Where a sink stands still on demand. Deaf to interrupts, as a disk is. */
public final class Gate {
  private static final long POLL_NANOS = 200_000;

  private volatile long permits = Long.MAX_VALUE;
  private volatile boolean holding;
  private volatile Runnable onPass = () -> {};

  /** Nothing passes from now on. */
  public void shut() {
    permits = 0;
  }

  /** Everything passes. */
  public void open() {
    permits = Long.MAX_VALUE;
  }

  /** Lets so many pass, then is shut. Only while it is shut. */
  public void letThrough(long passes) {
    permits = passes;
  }

  /** Whether somebody stands at the shut gate. */
  public boolean isHolding() {
    return holding;
  }

  /** Runs whenever somebody has passed. */
  public void onPass(Runnable action) {
    onPass = action;
  }

  /** Goes through, or stands still until it may. One thread at a time. */
  public void pass() {
    boolean interrupted = false;
    while (permits == 0) {
      holding = true;
      interrupted |= Thread.interrupted(); // or the pause would return at once
      LockSupport.parkNanos(this, POLL_NANOS);
    }
    holding = false;
    long left = permits;
    if (left != Long.MAX_VALUE) {
      permits = left - 1;
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
    onPass.run();
  }
}
