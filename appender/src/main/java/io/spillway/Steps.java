package io.spillway;

import io.spillway.internal.metrics.DetachedThread;
import io.spillway.internal.route.Joins;
import io.spillway.internal.route.PipelineContext;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Work that ends something, one step after the other, each of which may wait for what is not ours:
 * in a thread of its own, which stays as long as that takes, while whoever began it watches and may
 * go away. Made ahead, since to begin it needs no memory then.
 *
 * <p>A step for which there is no memory is tried again: each changes nothing before it has what it
 * needs, or goes on where it was. One that fails for good does not keep the others from being done.
 */
abstract class Steps extends DetachedThread {
  /** Without any progress, of a drainer, of a disk, or of the system that has no memory. */
  static final long PATIENCE_NANOS = 10_000_000_000L;

  private static final long RETRY_NANOS = 100_000_000L; // each costs the JVM a full collection
  private static final long LATE_RETRY_NANOS = 1_000_000_000L;

  // States.
  private static final int NEW = 0;
  private static final int IN_HAND = 1;
  private static final int LEFT = 2; // for want of a thread, or of memory

  private final PipelineContext context;
  private final int count;
  private final AtomicInteger state = new AtomicInteger(); // an AtomicBoolean links code when used
  private volatile int step; // of this thread, or of the one that has it in hand instead
  private volatile boolean shortOfMemory;

  Steps(PipelineContext context, int count) {
    super(null, "spillway-stop-" + context.name());
    this.context = context;
    this.count = count;
  }

  /** Whether the calling thread ends something of this pipeline: it must not wait for itself. */
  static boolean isCurrentOf(PipelineContext context) {
    return Thread.currentThread() instanceof Steps steps && steps.context == context;
  }

  /** Takes one, from 0. */
  abstract void take(int step);

  /**
   * Whether one can be taken by a thread that has the steps in hand and waits for nobody. Default:
   * yes. If not, it is asked again by whoever waits for the end.
   */
  boolean isReady(int step) {
    return true;
  }

  /** There is no other thread to be had. Default: it is asked for again, by whoever waits. */
  void withoutThread() {}

  /** What to tell of a step that failed. */
  abstract String failure();

  /**
   * Begins, once, and waits for nothing. Foreign code finds the class loader of whoever ends the
   * pipeline.
   */
  final void begin() {
    if (state.compareAndSet(NEW, IN_HAND)) {
      setContextClassLoader(Thread.currentThread().getContextClassLoader());
      goOn();
    }
  }

  private void goOn() {
    try {
      start();
    } catch (OutOfMemoryError noThread) {
      withoutThread();
      state.set(step < count ? LEFT : IN_HAND);
    }
  }

  /**
   * Whether the calling thread has the steps in hand instead of this one. Nobody looks after it: it
   * must not run code that may wait for a log call.
   */
  final boolean isBorrowed() {
    return Thread.currentThread() != this;
  }

  /** By this thread or, as far as there is memory, by one that has it in hand instead. */
  @Override
  public final void run() {
    long sinceNanos = System.nanoTime();
    while (step < count) {
      try {
        if (isBorrowed() && !isReady(step)) {
          return;
        }
        take(step);
        step = step + 1;
        shortOfMemory = false;
        sinceNanos = System.nanoTime();
      } catch (OutOfMemoryError noMemory) {
        shortOfMemory = true;
        if (isBorrowed()) {
          return;
        }
        awaitMemory(sinceNanos);
      } catch (Throwable t) {
        failed(t);
        step = step + 1;
      }
    }
  }

  /** Throws nothing, though a call that the JVM links at its first use needs memory as well. */
  private void awaitMemory(long sinceNanos) {
    try {
      boolean late = System.nanoTime() - sinceNanos >= PATIENCE_NANOS;
      pause(this, late ? LATE_RETRY_NANOS : RETRY_NANOS);
    } catch (Throwable none) {
      shortOfMemory = true; // the step is tried at once: to collect garbage takes its time, too
    }
  }

  /** Throws nothing: what is left to be done must be done. */
  private void failed(Throwable t) {
    try {
      context.counters().workerFailure();
      context.reports().error("stop", failure(), t);
    } catch (Throwable worse) {
      shortOfMemory = worse instanceof OutOfMemoryError;
    }
  }

  /** Waits a moment for the end, and goes on with what was left for want of a thread. */
  boolean awaitOver(long nanos) {
    if (isAlive()) {
      Joins.awake(this, nanos);
    } else if (!isOver()) {
      pause(this, nanos); // not begun yet, or in the thread that began it
      if (state.compareAndSet(LEFT, IN_HAND)) {
        goOn();
      }
    }
    return isOver();
  }

  /** How many have been taken. */
  final int taken() {
    return step;
  }

  /** Whether nothing is left to be taken. */
  final boolean isOver() {
    return step >= count && !isAlive();
  }

  /** Whether there was no memory for a step when it was tried last. */
  final boolean isShortOfMemory() {
    return shortOfMemory;
  }
}
