package io.spillway;

import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * What a stop still has to do on a disk, in a thread of its own: a disk or a network file system
 * that hangs must not keep the JVM from ending. One that is only slow gets the time that it takes.
 */
final class DiskCall {
  private static final long PATIENCE_NANOS = 10_000_000_000L;
  private static final long SHORT_WAIT_NANOS = 20_000_000L;

  private DiskCall() {}

  /**
   * Does it, whatever interrupts come; the caller's flag is kept. Each short wait counts for no
   * more than its length, so that a machine that stood still is not taken for a disk that hangs.
   *
   * @return false if the disk has not answered; then it is still being done
   */
  static boolean done(String appender, Runnable action) {
    FutureTask<Void> task = new FutureTask<>(action, null);
    Thread thread = new Thread(task, "spillway-stop-" + appender);
    thread.setDaemon(true);
    thread.start();
    boolean interrupted = false;
    try {
      for (long waited = 0; waited < PATIENCE_NANOS; waited += SHORT_WAIT_NANOS) {
        try {
          task.get(SHORT_WAIT_NANOS, TimeUnit.NANOSECONDS);
          return true;
        } catch (TimeoutException e) {
          // once more
        } catch (InterruptedException e) {
          interrupted = true;
          waited -= SHORT_WAIT_NANOS; // it has not
        }
      }
      return task.isDone();
    } catch (ExecutionException e) {
      throw new IllegalStateException(e.getCause());
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }
}
