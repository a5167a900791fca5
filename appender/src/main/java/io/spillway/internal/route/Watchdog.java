package io.spillway.internal.route;

import io.spillway.internal.metrics.AfterStart;
import io.spillway.internal.metrics.DetachedThread;
import io.spillway.internal.metrics.Reports;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;

/**
 * One thread that looks after all workers of the JVM, several times a second, as long as there are
 * any, and starts the threads that tell status messages and that do what a start leaves for later.
 * It runs no foreign code and does no I/O, and waits for nobody but those who start workers.
 *
 * <p>If it cannot be started, or ends for whatever reason, it is started again by whoever notices
 * first ({@link #ensure}): the workers, as often as they find nothing to do, and log calls that
 * wait for room.
 */
public final class Watchdog implements Runnable {
  private static final long TICK_MILLIS = 100;
  private static final int TICKS_BETWEEN_LOOKS = 10;

  private static final long EARLY_NANOS = 50_000_000L;

  /** The machine stood still, or is busy: who is watched may have had no turn either. */
  private static final long LATE_NANOS = 150_000_000L;

  private static final long RETRY_NANOS = 10_000_000L;
  private static final Object LOCK = new Object();
  private static final List<Worker> WORKERS = new ArrayList<>(); // under the lock
  private static volatile Thread thread; // written under the lock
  private static volatile boolean wanted; // written under the lock
  private static final AtomicLong FAILED_STARTS = new AtomicLong(); // there was no thread
  private static volatile long failedNanos; // the last of them
  private static volatile boolean failed;

  private long lastTick = System.nanoTime();
  private int ticks;

  private Watchdog() {}

  /** Starts a worker, as soon as there is a thread for it, and looks after it until its end. */
  static void watch(Worker worker) {
    synchronized (LOCK) {
      wanted = true;
      worker.begin();
      WORKERS.add(worker); // last: without memory for it all of this is done once more
    }
    ensure();
  }

  /**
   * Makes sure that somebody looks after the workers: for those who wait for one that may be stuck,
   * or not even started. Two volatile reads, unless the thread is gone. Where there is none to be
   * had, whoever asks a moment later tries again.
   *
   * @return false if nobody looks after the workers now
   */
  public static boolean ensure() {
    if (!wanted || isAlive()) {
      return true;
    }
    if (failed && System.nanoTime() - failedNanos < RETRY_NANOS) {
      return false;
    }
    try {
      restart();
      failed = false;
      return true;
    } catch (Throwable noThread) {
      failedNanos = System.nanoTime();
      failed = true;
      FAILED_STARTS.incrementAndGet();
      return false;
    }
  }

  /**
   * How often there was no thread to be had for it.
   *
   * @return attempts so far, in this JVM
   */
  public static long failedStarts() {
    return FAILED_STARTS.get();
  }

  private static boolean isAlive() {
    Thread last = thread;
    return last != null && last.isAlive();
  }

  private static void restart() {
    synchronized (LOCK) {
      if (wanted && !isAlive()) {
        Thread next = DetachedThread.of(new Watchdog(), "spillway-watchdog");
        next.start();
        thread = next;
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
  private boolean tick() {
    synchronized (LOCK) {
      long now = System.nanoTime();
      long elapsed = now - lastTick;
      if (elapsed >= EARLY_NANOS) { // else a pause was cut short
        lastTick = now;
        lookAfterAll(elapsed > LATE_NANOS);
        doWhatStartsLeave();
      }
      wanted = !WORKERS.isEmpty();
      if (wanted) {
        pause();
      } else {
        thread = null;
      }
      return wanted;
    }
  }

  private static void lookAfterAll(boolean late) {
    for (int i = WORKERS.size() - 1; i >= 0; i--) {
      if (!isWatched(WORKERS.get(i), late)) {
        WORKERS.remove(i);
      }
    }
    tellWhatWaits();
  }

  private void doWhatStartsLeave() {
    if (++ticks % TICKS_BETWEEN_LOOKS == 0) {
      try {
        AfterStart.look();
      } catch (Throwable noMemory) {
        Thread.onSpinWait(); // the next look tries again
      }
    }
  }

  private static boolean isWatched(Worker worker, boolean late) {
    try {
      return worker.lookAfter(late);
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
