package io.spillway;

import io.spillway.internal.metrics.DetachedThread;
import io.spillway.internal.route.Joins;
import io.spillway.internal.route.PipelineContext;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Work that ends a pipeline, one step after the other. Each step may wait for code or a device
 * outside Spillway, so the steps run in this thread for as long as that takes, while the thread
 * that began them may watch for a while. Made at the start, so that beginning the work needs no
 * memory.
 *
 * <p>A step for which there is no memory is tried again: each changes nothing before it has what it
 * needs, or goes on where it was. A step that fails otherwise is skipped, and the next is taken.
 */
abstract class Steps extends DetachedThread {
  /** How long to wait without progress of a drainer, of a disk, or of a system without memory. */
  static final long PATIENCE_NANOS = 10_000_000_000L;

  private static final long RETRY_NANOS = 100_000_000L; // each try costs the JVM a full collection
  private static final long LATE_RETRY_NANOS = 1_000_000_000L;

  // Values of state.
  private static final int NEW = 0;
  private static final int IN_HAND = 1;
  private static final int LEFT = 2; // there was no thread, or no memory

  private final PipelineContext context;
  private final int count;
  private final AtomicInteger state = new AtomicInteger(); // an AtomicBoolean links code when used
  private volatile int step; // written by the thread that takes the steps
  private volatile boolean shortOfMemory;

  Steps(PipelineContext context, int count) {
    super(null, "spillway-stop-" + context.name());
    this.context = context;
    this.count = count;
  }

  /** Returns whether the calling thread ends this pipeline, and so must not wait for its end. */
  static boolean isCurrentOf(PipelineContext context) {
    return Thread.currentThread() instanceof Steps steps && steps.context == context;
  }

  /** Takes a step, numbered from 0. */
  abstract void take(int step);

  /**
   * Returns whether a thread that takes the steps instead of this one can take a step without
   * waiting. Default: yes. If not, the thread that waits for the end tries again.
   */
  boolean isReady(int step) {
    return true;
  }

  /** Called if no thread is available. By default the thread that waits for the end tries again. */
  void withoutThread() {}

  /** Returns the message for a step that failed. */
  abstract String failure();

  /**
   * Begins, once, and waits for nothing. Foreign code gets the class loader of the thread that ends
   * the pipeline.
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
   * Returns whether the calling thread takes the steps instead of this one. No other thread watches
   * it then, so it must not run code that may wait for a log call.
   */
  final boolean isBorrowed() {
    return Thread.currentThread() != this;
  }

  /** Takes the steps, in this thread or, as far as memory suffices, in one that takes its place. */
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

  /** Pauses. Throws nothing, although a call that the JVM links at its first use needs memory. */
  private void awaitMemory(long sinceNanos) {
    try {
      boolean late = System.nanoTime() - sinceNanos >= PATIENCE_NANOS;
      pause(this, late ? LATE_RETRY_NANOS : RETRY_NANOS);
    } catch (Throwable none) {
      shortOfMemory = true; // tried again at once: the collection was a pause
    }
  }

  /** Reports a failed step. Throws nothing, since the remaining steps must be taken. */
  private void failed(Throwable t) {
    try {
      context.counters().workerFailure();
      context.reports().error("stop", failure(), t);
    } catch (Throwable worse) {
      shortOfMemory = worse instanceof OutOfMemoryError;
    }
  }

  /** Waits a short time for the end, and continues steps for which there was no thread. */
  boolean awaitOver(long nanos) {
    if (isAlive()) {
      Joins.awake(this, nanos);
    } else if (!isOver()) {
      pause(this, nanos); // not begun yet, or run by the thread that began it
      if (state.compareAndSet(LEFT, IN_HAND)) {
        goOn();
      }
    }
    return isOver();
  }

  /** Returns how many steps have been taken. */
  final int taken() {
    return step;
  }

  /** Returns whether all steps have been taken. */
  final boolean isOver() {
    return step >= count && !isAlive();
  }

  /** Returns whether there was no memory for the step that was tried last. */
  final boolean isShortOfMemory() {
    return shortOfMemory;
  }
}
