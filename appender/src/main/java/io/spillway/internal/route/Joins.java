package io.spillway.internal.route;

import io.spillway.internal.metrics.DetachedThread;

/** Waits for threads to end, also through interrupts; the caller's interrupt flag is kept. */
public final class Joins {
  private static final long SHORT_WAIT_NANOS = 10_000_000;

  private Joins() {}

  /**
   * Waits in many short waits, each of which counts for no more than its length: if the machine
   * stood still for longer, that must not count as time of the thread.
   *
   * @param thread a started thread
   * @param nanos how long to wait, while the caller gets to run
   * @return true if the thread has ended
   */
  public static boolean awake(Thread thread, long nanos) {
    boolean over = false;
    for (long waited = 0; !over && waited < nanos; waited += SHORT_WAIT_NANOS) {
      over = until(thread, System.nanoTime() + SHORT_WAIT_NANOS);
    }
    return over;
  }

  /**
   * Waits for a worker, whichever threads it has, in short waits as {@link #awake(Thread, long)}.
   *
   * @param worker a started worker
   * @param nanos how long to wait, while the caller gets to run
   * @return true if the worker has ended
   */
  public static boolean awake(Worker worker, long nanos) {
    boolean over = false;
    for (long waited = 0; !over && waited < nanos; waited += SHORT_WAIT_NANOS) {
      over = until(worker, System.nanoTime() + SHORT_WAIT_NANOS);
    }
    return over;
  }

  /**
   * Waits for a worker until a deadline.
   *
   * @param worker a started worker
   * @param deadlineNanos on the clock of {@link System#nanoTime}
   * @return true if the worker has ended
   */
  public static boolean until(Worker worker, long deadlineNanos) {
    while (worker.isAlive() && deadlineNanos - System.nanoTime() > 0) {
      long soon = System.nanoTime() + SHORT_WAIT_NANOS; // the worker may get another thread
      until(worker.thread(), deadlineNanos - soon > 0 ? soon : deadlineNanos);
      if (worker.isAlive() && !worker.thread().isAlive()) {
        DetachedThread.pause(worker, 1_000_000); // the worker has no thread yet, or is between two
      }
    }
    return !worker.isAlive() && until(worker.thread(), System.nanoTime() + SHORT_WAIT_NANOS);
  }

  /**
   * Waits for a thread until a deadline.
   *
   * @param thread a started thread
   * @param deadlineNanos on the clock of {@link System#nanoTime}
   * @return true if the thread has ended
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
