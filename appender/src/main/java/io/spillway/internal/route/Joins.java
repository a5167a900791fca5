package io.spillway.internal.route;

import io.spillway.internal.metrics.DetachedThread;

/** Waits for threads to end, whatever interrupts come; the caller's flag is kept. */
public final class Joins {
  private static final long SHORT_WAIT_NANOS = 10_000_000;

  private Joins() {}

  /**
   * Waits in many short waits, each of which counts for no more than its length: a machine that
   * stood still for longer must not be taken for a thread that did.
   *
   * @param thread started
   * @param nanos in which the caller gets to run
   * @return true if it has ended
   */
  public static boolean awake(Thread thread, long nanos) {
    boolean over = false;
    for (long waited = 0; !over && waited < nanos; waited += SHORT_WAIT_NANOS) {
      over = until(thread, System.nanoTime() + SHORT_WAIT_NANOS);
    }
    return over;
  }

  /**
   * The same for a worker, whichever threads it has.
   *
   * @param worker started
   * @param nanos in which the caller gets to run
   * @return true if it has ended
   */
  public static boolean awake(Worker worker, long nanos) {
    boolean over = false;
    for (long waited = 0; !over && waited < nanos; waited += SHORT_WAIT_NANOS) {
      over = until(worker, System.nanoTime() + SHORT_WAIT_NANOS);
    }
    return over;
  }

  /**
   * Waits until a deadline.
   *
   * @param worker started
   * @param deadlineNanos on the clock of {@link System#nanoTime}
   * @return true if it has ended
   */
  public static boolean until(Worker worker, long deadlineNanos) {
    while (worker.isAlive() && deadlineNanos - System.nanoTime() > 0) {
      long soon = System.nanoTime() + SHORT_WAIT_NANOS; // another thread may take over
      until(worker.thread(), deadlineNanos - soon > 0 ? soon : deadlineNanos);
      if (worker.isAlive() && !worker.thread().isAlive()) {
        DetachedThread.pause(worker, 1_000_000); // before the first thread, or between two
      }
    }
    return !worker.isAlive() && until(worker.thread(), System.nanoTime() + SHORT_WAIT_NANOS);
  }

  /**
   * Waits until a deadline.
   *
   * @param thread started
   * @param deadlineNanos on the clock of {@link System#nanoTime}
   * @return true if it has ended
   */
  public static boolean until(Thread thread, long deadlineNanos) {
    boolean interrupted = false;
    try {
      while (thread.isAlive()) {
        long millis = (deadlineNanos - System.nanoTime()) / 1_000_000;
        if (millis <= 0) {
          return false;
        }
        try {
          thread.join(millis);
        } catch (InterruptedException e) {
          interrupted = true;
        }
      }
      return true;
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }
}
