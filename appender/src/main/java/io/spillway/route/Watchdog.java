package io.spillway.route;

import io.spillway.metrics.Reports;
import java.util.ArrayList;
import java.util.List;

/**
 * One thread that looks after all workers of the JVM, several times a second, as long as there are
 * any, and starts the thread that tells status messages. It runs no foreign code and does no I/O,
 * and waits for nobody but those who start workers.
 */
final class Watchdog implements Runnable {
  private static final long TICK_MILLIS = 200;

  /** Beyond a pause of the garbage collector that one processor's turn may follow. */
  private static final int WAITING_TICKS = 5;

  /** One that could run may have to wait for its turn on a busy machine. */
  private static final int RUNNING_TICKS = 7;

  private static final Object LOCK = new Object();
  private static final List<Worker> WORKERS = new ArrayList<>(); // under the lock
  private static boolean running; // under the lock

  private Watchdog() {}

  static void watch(Worker worker) {
    synchronized (LOCK) {
      WORKERS.add(worker);
      if (!running) {
        Thread thread = new Thread(null, new Watchdog(), "spillway-watchdog", 0, false);
        thread.setDaemon(true);
        thread.setContextClassLoader(null); // it must not keep an application's classes alive
        thread.start();
        running = true;
      }
    }
  }

  @Override
  public void run() {
    boolean needed;
    do {
      needed = tick();
    } while (needed);
  }

  /** Returns false when nobody is left; then this thread ends. */
  private static boolean tick() {
    synchronized (LOCK) {
      for (int i = WORKERS.size() - 1; i >= 0; i--) {
        if (!isWatched(WORKERS.get(i))) {
          WORKERS.remove(i);
        }
      }
      tellWhatWaits();
      running = !WORKERS.isEmpty();
      if (running) {
        pause();
      }
      return running;
    }
  }

  private static boolean isWatched(Worker worker) {
    try {
      return worker.lookAfter(WAITING_TICKS, RUNNING_TICKS);
    } catch (Throwable noMemory) {
      return true; // the next tick tries again, and the worker reports what it finds
    }
  }

  private static void tellWhatWaits() {
    try {
      Reports.tellWhatWaits();
    } catch (Throwable noMemory) {
      Thread.onSpinWait(); // the next tick tries again
    }
  }

  private static void pause() {
    try {
      LOCK.wait(TICK_MILLIS);
    } catch (InterruptedException e) {
      Thread.interrupted(); // not ours: nobody has a reason to end this thread
    } catch (Throwable noMemory) {
      Thread.onSpinWait();
    }
  }
}
