package io.spillway.route;

import io.spillway.metrics.Counters;
import io.spillway.metrics.Reports;
import java.util.concurrent.locks.LockSupport;

/**
 * A thread that works until told to end and survives everything else: a Throwable is counted and
 * reported, an interrupt is forgotten.
 *
 * <p>Waiting is a poll with a timeout. {@code parked} is written by this thread and read by {@link
 * #signal}: this thread sets it, then looks for work once more, then parks; the other side
 * publishes work, then reads it. Both are volatile, so one of them sees the other; were either
 * weaker, a signal could be missed and the work would wait for the timeout.
 */
public abstract class Worker extends Thread {
  private static final int GROWTH = 64;
  private static final int MAX_FUTILE = 8;

  private final Object owner;
  private final long minIdleNanos;
  private final long maxIdleNanos;

  /** Told of failures. */
  protected final Counters counters;

  /** Told of failures. */
  protected final Reports reports;

  private volatile boolean parked;
  private long idleNanos;
  private int futile;

  /**
   * A thread, not started; subclasses make it a daemon.
   *
   * @param owner whose log calls on this thread are re-entrant
   * @param name of the thread
   * @param minIdleNanos first pause without work
   * @param maxIdleNanos longest pause; each pause is a {@value #GROWTH}th longer than the one
   *     before, so that a short lull changes little and a long one costs little
   * @param counters told of failures
   * @param reports told of failures
   */
  protected Worker(
      Object owner,
      String name,
      long minIdleNanos,
      long maxIdleNanos,
      Counters counters,
      Reports reports) {
    super(name);
    this.owner = owner;
    this.minIdleNanos = minIdleNanos;
    this.maxIdleNanos = maxIdleNanos;
    this.counters = counters;
    this.reports = reports;
  }

  /**
   * Whether the calling thread is a worker of this owner.
   *
   * @param owner a pipeline
   * @return true on its own threads
   */
  public static boolean isCurrentOf(Object owner) {
    return Thread.currentThread() instanceof Worker worker && worker.owner == owner;
  }

  /**
   * Does one piece of work.
   *
   * @return false if there was none
   */
  protected abstract boolean step();

  /**
   * Looks for work without doing it.
   *
   * @return false if this thread may park
   */
  protected abstract boolean hasWork();

  /**
   * Whether to stop working; asked before each step.
   *
   * @return true at the end
   */
  protected abstract boolean ended();

  /** Called once on this thread when it ends. */
  protected void onEnd() {}

  @Override
  public final void run() {
    while (!ended()) {
      guarded();
    }
    try {
      onEnd();
    } catch (Throwable t) {
      failed(t);
    }
  }

  private void guarded() {
    try {
      if (step()) {
        idleNanos = 0;
        futile = 0;
      } else {
        idle();
      }
    } catch (Throwable t) {
      failed(t);
      LockSupport.parkNanos(this, maxIdleNanos); // a failure that repeats must not burn a core
    }
  }

  private void failed(Throwable t) {
    counters.workerFailure();
    reports.error("worker", "Unexpected failure in [" + getName() + "], it goes on.", t);
  }

  private void idle() {
    idleNanos = Math.min(maxIdleNanos, Math.max(minIdleNanos, idleNanos + idleNanos / GROWTH));
    Thread.interrupted(); // park would return at once, for ever
    parked = true;
    // Looked at after the flag is up, so that no signal is missed; but not for ever, since work
    // that cannot be done must not burn a core.
    if (!hasWork() || ++futile > MAX_FUTILE) {
      pause(idleNanos);
    }
    parked = false;
  }

  /**
   * Parks, until the time is over or {@link #signal}.
   *
   * @param nanos at most, unless what this thread waits for wakes it by itself
   */
  protected void pause(long nanos) {
    LockSupport.parkNanos(this, nanos);
  }

  /** Wakes this thread if it is parked. Never called by application threads while they log. */
  public final void signal() {
    if (parked) {
      LockSupport.unpark(this);
    }
  }
}
