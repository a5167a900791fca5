package io.spillway.internal.metrics;

import ch.qos.logback.core.Context;
import ch.qos.logback.core.spi.ContextAware;
import ch.qos.logback.core.status.Status;
import java.io.IOException;
import java.util.Map;
import java.util.WeakHashMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;

/**
 * Status messages that cannot flood: at most one per topic in ten seconds, and the next one says
 * how many were left out. Counting happens elsewhere and is never limited. Messages never contain
 * event text. Thread-safe.
 *
 * <p>Status listeners are foreign code, so they run on a thread of their own, one for each logger
 * context, which exists only while there is something to tell: one that hangs holds up this thread
 * alone. The caller waits for none of them and sees no exception from here. A message that is left
 * out costs it a count and a reading of the clock.
 */
public final class Reports {
  private static final long INTERVAL_NANOS = TimeUnit.SECONDS.toNanos(10);
  private static final String THREAD = "spillway-status";
  private static final int IDLE_SECONDS = 3;
  private static final int CAPACITY = 256; // messages that wait for a listener
  private static final Map<Context, ThreadPoolExecutor> THREADS = new WeakHashMap<>(); // under it

  private final ContextAware origin;
  private final LongSupplier clock;
  private final Map<String, Topic> topics = new ConcurrentHashMap<>();

  /** Creates reports that are added through a Logback component, the appender. */
  public Reports(ContextAware origin) {
    this(origin, System::nanoTime);
  }

  Reports(ContextAware origin, LongSupplier clock) {
    this.origin = origin;
    this.clock = clock;
  }

  /** Reports something normal, without limit; for rare events. */
  public void info(String message) {
    offer(() -> origin.addInfo(message));
  }

  /** Reports something normal that may repeat. */
  public void info(String topic, String message) {
    tell(topic, Status.INFO, message, null);
  }

  /** Reports what needs care: what happened, what it means for events, and what to do. */
  public void warn(String topic, String message) {
    tell(topic, Status.WARN, message, null);
  }

  /** Reports an error; the cause may be null. */
  public void error(String topic, String message, Throwable cause) {
    tell(topic, Status.ERROR, message, cause);
  }

  /**
   * Reports a failure: an {@link IOException} as a warning, since it may pass by itself, and an
   * ERROR status ends the start of a Spring Boot application.
   */
  public void failure(String topic, String message, Throwable cause) {
    int level = cause instanceof IOException ? Status.WARN : Status.ERROR;
    tell(topic, level, message, cause);
  }

  /** Reports that a failure is over, if it was told: else it would seem to last. */
  public void over(String topic, String message) {
    Topic failure = topic(topic);
    if (failure.told) {
      failure.told = false;
      info(message);
    }
  }

  /** Reports a status that Logback adds itself on a thread that must run no listener. */
  public void add(Status status) {
    offer(() -> add(status.getLevel(), status.getMessage(), status.getThrowable()));
  }

  /**
   * Waits until everything reported so far in this context is among Logback's status messages, a
   * second at most. For code that starts or stops something and whose caller checks these next.
   */
  public void flush() {
    flush(origin.getContext());
  }

  /** Waits as {@link #flush()} does; the context may be null. */
  public static void flush(Context context) {
    ThreadPoolExecutor thread = thread(context);
    if (thread.getPoolSize() == 0 || Thread.currentThread().getName().equals(THREAD)) {
      return; // a listener that stops an appender cannot wait for itself
    }
    boolean interrupted = Thread.interrupted();
    try {
      thread.submit(() -> {}).get(1, TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      interrupted = true;
    } catch (ExecutionException | RejectedExecutionException | TimeoutException late) {
      // a listener hangs
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  /** Returns the text of what foreign code threw, or its class if {@code toString()} throws. */
  public static String text(Throwable thrown) {
    try {
      return thrown.toString();
    } catch (Throwable ofText) {
      return thrown.getClass().getName();
    }
  }

  private Topic topic(String name) {
    Topic topic = topics.get(name); // computeIfAbsent may lock
    return topic != null ? topic : topics.computeIfAbsent(name, created -> new Topic());
  }

  private void tell(String name, int level, String message, Throwable cause) {
    Topic topic = topic(name);
    if (!topic.admits(clock.getAsLong())) {
      topic.leftOut.incrementAndGet();
      return;
    }
    long left = topic.leftOut.getAndSet(0);
    String similar = left == 0 ? "" : " (" + left + " similar messages left out)";
    if (offer(() -> add(level, message + similar, cause))) {
      topic.told = true;
    } else {
      topic.leftOut.addAndGet(left + 1);
    }
  }

  private void add(int level, String text, Throwable cause) {
    switch (level) {
      case Status.ERROR -> origin.addError(text, cause);
      case Status.WARN -> origin.addWarn(text, cause);
      default -> origin.addInfo(text, cause);
    }
  }

  private boolean offer(Runnable status) {
    return offer(origin.getContext(), status);
  }

  /** Runs foreign code on the status thread; returns false if too much of it waits already. */
  static boolean offer(Context context, Runnable code) {
    try {
      thread(context).submit(code); // which keeps what it throws
      return true;
    } catch (RejectedExecutionException full) {
      return false;
    }
  }

  private static ThreadPoolExecutor thread(Context context) {
    synchronized (THREADS) {
      return THREADS.computeIfAbsent(
          context,
          created -> {
            ThreadPoolExecutor thread =
                new ThreadPoolExecutor(
                    1,
                    1,
                    IDLE_SECONDS,
                    TimeUnit.SECONDS,
                    new LinkedBlockingQueue<>(CAPACITY),
                    work -> DetachedThread.of(work, THREAD));
            thread.allowCoreThreadTimeOut(true);
            return thread;
          });
    }
  }

  private static final class Topic {
    private static final long AT_ONCE = Long.MIN_VALUE;

    private final AtomicLong next = new AtomicLong(AT_ONCE);
    private final AtomicLong leftOut = new AtomicLong();
    private volatile boolean told; // since the last over()

    /** Admits one of the threads that call at the same time. */
    boolean admits(long now) {
      long due = next.get();
      return (due == AT_ONCE || now - due >= 0) && next.compareAndSet(due, now + INTERVAL_NANOS);
    }
  }
}
