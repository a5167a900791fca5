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
 * The thread that runs the status listeners of one logger context. A listener that hangs holds up
 * only this thread and the status messages of its context; a listener that throws holds up nothing.
 * The thread ends after three seconds without a message. A thread that reports starts it, except in
 * log calls; so does the watchdog.
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
  private final AtomicInteger size = new AtomicInteger(); // of the queue, with the one in hand
  private final AtomicLong offered = new AtomicLong();
  private final AtomicLong told = new AtomicLong();
  private final AtomicLong leftOut = new AtomicLong(); // not counted in a topic
  private final AtomicReference<Thread> running = new AtomicReference<>();
  private volatile long failedNanos; // when no thread could be started
  private volatile boolean failed;

  StatusThread() {
    this(new ConcurrentLinkedQueue<>());
  }

  /** Creates a status thread with another queue; for tests. */
  StatusThread(Queue<Runnable> queue) {
    this.queue = queue;
  }

  /**
   * Uses classes of the JDK that link parts of their code at its first use. Without memory for
   * that, a method might throw although it has done its work. So the start of the first appender
   * links that code here, for all that use it.
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
   * Returns the status thread of a context, which may be null. The lock is never held during a
   * wait.
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

  /** Starts each status thread for which messages wait. */
  static void startAllNeeded() {
    WITHOUT_CONTEXT.startIfNeeded();
    synchronized (ALL) {
      for (StatusThread each : ALL.values()) {
        each.startIfNeeded();
      }
    }
  }

  /** Returns false if too many messages wait already. Takes no lock and wakes no thread. */
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

  /** Starts the thread if messages wait. If no thread can be created, a later call tries again. */
  void startIfNeeded() {
    if (queue.isEmpty() // not the size, which may be one too small after an offer threw
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

  /** Creates a thread that is not started; overridden in tests. */
  Thread newThread() {
    return DetachedThread.of(this, "spillway-status");
  }

  /** Returns the time of the clock; overridden in tests. */
  long nanoTime() {
    return System.nanoTime();
  }

  void flush() {
    if (Thread.currentThread() == running.get()) {
      return; // a listener stops an appender: this thread cannot wait for itself
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
      running.set(null); // the next call of startIfNeeded starts one for what was offered meanwhile
    }
  }

  /** Adds a status. Logback passes on what a status listener throws; other messages must come. */
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
