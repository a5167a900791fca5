package io.spillway.internal.route;

import io.spillway.internal.metrics.AfterStart;
import io.spillway.internal.metrics.DetachedThread;
import io.spillway.internal.metrics.Reports;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;

/**
 * One thread that checks all workers of the JVM, ten times a second, as long as there are any. It
 * also starts the threads that report status messages and do work that starts leave for later. It
 * runs no foreign code, does no I/O, and waits only for threads that start workers.
 *
 * <p>If its thread cannot be started, or ends for any reason, the first caller of {@link #ensure}
 * that finds it missing starts it again: a worker, whenever it finds nothing to do, or a log call
 * that waits for room.
 */
public final class Watchdog implements Runnable {
  private static final long TICK_MILLIS = 100;
  private static final int TICKS_BETWEEN_LOOKS = 10;

  private static final long EARLY_NANOS = 50_000_000L;

  /** A later tick: the machine stood still or is busy, and workers may have had no turn either. */
  private static final long LATE_NANOS = 150_000_000L;

  private static final long RETRY_NANOS = 10_000_000L;
  private static final Object LOCK = new Object();
  private static final List<Worker> WORKERS = new ArrayList<>(); // guarded by LOCK
  private static volatile Thread thread; // written under LOCK
  private static volatile boolean wanted; // written under LOCK
  private static final AtomicLong FAILED_STARTS = new AtomicLong(); // no thread was available
  private static volatile long failedNanos; // time of the last one
  private static volatile boolean failed;

  private long lastTick = System.nanoTime();
  private int ticks;

  private Watchdog() {}

  /** Starts a worker, as soon as a thread is available, and watches it until its end. */
  static void watch(Worker worker) {
    synchronized (LOCK) {
      wanted = true;
      worker.begin();
      WORKERS.add(worker); // last: after an OutOfMemoryError the caller does all of this again
    }
    ensure();
  }

  /**
   * Makes sure that the watchdog runs; for threads that wait for a worker that may be stuck, or not
   * even started. Costs two volatile reads unless the thread is gone. If no thread is available,
   * the next call after {@code RETRY_NANOS} tries again.
   *
   * @return false if no watchdog runs now
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
   * Returns how often no thread was available for the watchdog.
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

  /** Checks all workers. Returns false when no worker is left; then this thread ends. */
  private boolean tick() {
    synchronized (LOCK) {
      long now = System.nanoTime();
      long elapsed = now - lastTick;
      if (elapsed >= EARLY_NANOS) { // otherwise a pause was cut short
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
    reportWhatWaits();
  }

  private void doWhatStartsLeave() {
    if (++ticks % TICKS_BETWEEN_LOOKS == 0) {
      try {
        AfterStart.look();
      } catch (Throwable noMemory) {
        Thread.onSpinWait(); // the next one tries again
      }
    }
  }

  private static boolean isWatched(Worker worker, boolean late) {
    try {
      return worker.lookAfter(late);
    } catch (Throwable noMemory) {
      return true; // the next tick tries again
    }
  }

  private static void reportWhatWaits() {
    try {
      Reports.reportWhatWaits();
    } catch (Throwable noMemory) {
      Thread.onSpinWait(); // the next tick tries again
    }
  }

  private static void pause() {
    try {
      LOCK.wait(TICK_MILLIS);
    } catch (InterruptedException e) {
      Thread.interrupted(); // ignored: no code of Spillway interrupts this thread
    } catch (Throwable noMemory) {
      Thread.onSpinWait();
    }
  }
}
