package io.spillway.internal.metrics;

import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;

/**
 * The one thread of the JVM that runs status listeners. One that hangs holds up this thread and the
 * status messages behind it, nothing else; one that throws, not even these. It ends after some
 * seconds without a message, and is started by whoever reports, but for log calls, and by whoever
 * looks after the appenders.
 */
final class StatusThread implements Runnable {
  private static final int CAPACITY = 256;
  private static final long POLL_NANOS = 10_000_000L;
  private static final int IDLE_POLLS = 300;
  private static final long FLUSH_NANOS = 1_000_000_000L;
  private static final long FLUSH_POLL_NANOS = 500_000L;

  private static final Queue<Runnable> QUEUE = new ConcurrentLinkedQueue<>();
  private static final AtomicInteger SIZE = new AtomicInteger(); // of the queue, and one in hand
  private static final AtomicLong OFFERED = new AtomicLong();
  private static final AtomicLong TOLD = new AtomicLong();
  private static final AtomicLong LEFT_OUT = new AtomicLong(); // without a topic to say so
  private static final AtomicReference<Thread> RUNNING = new AtomicReference<>();

  private StatusThread() {}

  /** Returns false if too many wait already. No lock, no wake-up. */
  static boolean offer(Runnable status) {
    if (SIZE.incrementAndGet() > CAPACITY) {
      SIZE.decrementAndGet();
      return false;
    }
    boolean queued = false;
    try {
      queued = QUEUE.offer(status);
      OFFERED.incrementAndGet();
    } finally {
      if (!queued) {
        SIZE.decrementAndGet();
      }
    }
    return true;
  }

  static void leftOut() {
    LEFT_OUT.incrementAndGet();
  }

  static long takeLeftOut() {
    return LEFT_OUT.getAndSet(0);
  }

  static void startIfNeeded() {
    if (SIZE.get() > 0 && RUNNING.get() == null) {
      Thread thread = new Thread(null, new StatusThread(), "spillway-status", 0, false);
      thread.setDaemon(true);
      thread.setContextClassLoader(null); // it must not keep an application's classes alive
      if (RUNNING.compareAndSet(null, thread)) {
        start(thread);
      }
    }
  }

  private static void start(Thread thread) {
    boolean started = false;
    try {
      thread.start();
      started = true;
    } finally {
      if (!started) {
        RUNNING.set(null);
      }
    }
  }

  private static void startIfThereIsMemory() {
    try {
      startIfNeeded();
    } catch (OutOfMemoryError noThread) {
      Thread.onSpinWait(); // who looks after the appenders tries again
    }
  }

  static void flush() {
    if (Thread.currentThread() == RUNNING.get()) {
      return; // a listener that stops an appender: it cannot wait for itself
    }
    long until = OFFERED.get();
    long deadline = System.nanoTime() + FLUSH_NANOS;
    boolean interrupted = false;
    while (TOLD.get() < until && deadline - System.nanoTime() > 0) {
      startIfThereIsMemory();
      interrupted |= Thread.interrupted(); // or the pause would return at once
      LockSupport.parkNanos(FLUSH_POLL_NANOS);
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  @Override
  public void run() {
    try {
      for (int idle = 0; idle < IDLE_POLLS; idle++) {
        for (Runnable status = QUEUE.poll(); status != null; status = QUEUE.poll()) {
          tell(status);
          idle = 0;
        }
        Thread.interrupted();
        LockSupport.parkNanos(POLL_NANOS);
      }
    } finally {
      RUNNING.set(null); // what was offered meanwhile starts the next one
    }
  }

  /** Logback lets through what a status listener throws; others have to be told all the same. */
  private static void tell(Runnable status) {
    try {
      status.run();
    } catch (Throwable t) {
      leftOut();
    } finally {
      SIZE.decrementAndGet();
      TOLD.incrementAndGet();
    }
  }
}
