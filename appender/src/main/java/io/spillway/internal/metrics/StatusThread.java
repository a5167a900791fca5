package io.spillway.internal.metrics;

import ch.qos.logback.core.Context;
import java.util.Map;
import java.util.Queue;
import java.util.WeakHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;

/**
 * The thread that runs the status listeners of one logger context. One that hangs holds up this
 * thread and the status messages of its context, nothing else; one that throws, not even these. It
 * ends after some seconds without a message, and is started by whoever reports, but for log calls,
 * and by whoever looks after the appenders.
 */
class StatusThread implements Runnable {
  static {
    useOnce();
  }

  private static final int CAPACITY = 256;
  private static final long POLL_NANOS = 10_000_000L;
  private static final int IDLE_POLLS = 300;
  private static final long FLUSH_NANOS = 1_000_000_000L;
  private static final long FLUSH_POLL_NANOS = 500_000L;
  private static final long RETRY_NANOS = 100_000_000L; // the JVM prints a warning each time

  private static final StatusThread WITHOUT_CONTEXT = new StatusThread();
  private static final Map<Context, StatusThread> ALL = new WeakHashMap<>(); // under itself

  private final Queue<Runnable> queue;
  private final AtomicInteger size = new AtomicInteger(); // of the queue, and one in hand
  private final AtomicLong offered = new AtomicLong();
  private final AtomicLong told = new AtomicLong();
  private final AtomicLong leftOut = new AtomicLong(); // without a topic to say so
  private final AtomicReference<Thread> running = new AtomicReference<>();
  private volatile long failedNanos; // when there was no thread to be had
  private volatile boolean failed;

  StatusThread() {
    this(new ConcurrentLinkedQueue<>());
  }

  /** Tests have another queue. */
  StatusThread(Queue<Runnable> queue) {
    this.queue = queue;
  }

  /**
   * These classes of the JDK link parts of their code at its first use. If there were no memory for
   * that, a method might throw and have done all the same what it is for. So it is done here, by
   * the start of the first appender, for all that use them.
   */
  private static void useOnce() {
    Queue<Object> queue = new ConcurrentLinkedQueue<>();
    for (int i = 0; i < 3; i++) {
      queue.offer(queue);
    }
    while (!queue.isEmpty()) {
      queue.poll();
    }
    AtomicReference<Object> reference = new AtomicReference<>();
    reference.compareAndSet(null, queue);
    reference.getAndSet(null);
  }

  /**
   * The one of a context, which may be null. The lock is never held while anything is waited for.
   */
  static StatusThread of(Context context) {
    if (context == null) {
      return WITHOUT_CONTEXT;
    }
    synchronized (ALL) {
      StatusThread its = ALL.get(context);
      if (its == null) {
        its = new StatusThread();
        ALL.put(context, its);
      }
      return its;
    }
  }

  /** Starts each one for which messages wait. */
  static void startAllNeeded() {
    WITHOUT_CONTEXT.startIfNeeded();
    synchronized (ALL) {
      for (StatusThread each : ALL.values()) {
        each.startIfNeeded();
      }
    }
  }

  /** Returns false if too many wait already. No lock, no wake-up. */
  boolean offer(Runnable status) {
    if (size.incrementAndGet() > CAPACITY) {
      size.decrementAndGet();
      return false;
    }
    boolean queued = false;
    try {
      queued = queue.offer(status);
      offered.incrementAndGet();
    } finally {
      if (!queued) {
        size.decrementAndGet();
      }
    }
    return true;
  }

  void leftOut() {
    leftOut.incrementAndGet();
  }

  long takeLeftOut() {
    return leftOut.getAndSet(0);
  }

  /** Where there is no thread to be had, whoever asks a moment later tries again. */
  void startIfNeeded() {
    if (queue.isEmpty() // not the size: where an offer throws, that may be one too small
        || running.get() != null
        || (failed && nanoTime() - failedNanos < RETRY_NANOS)) {
      return;
    }
    try {
      Thread thread = newThread();
      if (running.compareAndSet(null, thread)) {
        start(thread);
      }
      failed = false;
    } catch (OutOfMemoryError noThread) {
      failedNanos = nanoTime();
      failed = true;
    }
  }

  private void start(Thread thread) {
    boolean started = false;
    try {
      thread.start();
      started = true;
    } finally {
      if (!started) {
        running.set(null);
      }
    }
  }

  /** Not started; tests have others. */
  Thread newThread() {
    return DetachedThread.of(this, "spillway-status");
  }

  /** Tests have another clock. */
  long nanoTime() {
    return System.nanoTime();
  }

  void flush() {
    if (Thread.currentThread() == running.get()) {
      return; // a listener that stops an appender: it cannot wait for itself
    }
    long until = offered.get();
    long deadline = System.nanoTime() + FLUSH_NANOS;
    while (told.get() < until && deadline - System.nanoTime() > 0) {
      startIfNeeded();
      DetachedThread.pause(this, FLUSH_POLL_NANOS);
    }
  }

  @Override
  public void run() {
    try {
      for (int idle = 0; idle < IDLE_POLLS; idle++) {
        for (Runnable status = queue.poll(); status != null; status = queue.poll()) {
          tell(status);
          idle = 0;
        }
        Thread.interrupted();
        LockSupport.parkNanos(POLL_NANOS);
      }
    } finally {
      running.set(null); // what was offered meanwhile starts the next one
    }
  }

  /** Logback lets through what a status listener throws; others have to be told all the same. */
  private void tell(Runnable status) {
    try {
      status.run();
    } catch (Throwable t) {
      leftOut();
    } finally {
      size.decrementAndGet();
      told.incrementAndGet();
    }
  }
}
