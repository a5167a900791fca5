package io.spillway;

import ch.qos.logback.core.spi.ContextAware;

/**
 * Puts the starts and stops of one appender in sequence, whatever threads call them. Without it, a
 * start that another thread's stop overtook would leave a pipeline that no stop could reach. No
 * lock is held during a start or stop: both wait for foreign code, which may call either.
 *
 * @param <P> what a start makes, and a stop ends
 */
final class Lifecycle<P> {
  /** How long a stop waits for another thread's start, which may wait for a disk for longer. */
  private static final long PATIENCE_MILLIS = 10_000;

  private volatile State state = State.STOPPED;
  private Thread starter; // null unless STARTING
  private boolean stopAsked; // a stop was requested since the last start began
  private P running; // null unless started or stopping

  private enum State {
    STOPPED,
    STARTING,
    STARTED,
    STOPPING
  }

  /**
   * Lets the caller start; the caller then has to call {@link #started}.
   *
   * @param appender appender that gets a warning if a stop is under way; null if the caller is a
   *     stop that keeps starts away
   * @return false if the appender is started, or another thread starts or stops it
   */
  boolean mayStart(ContextAware appender) {
    State before;
    boolean ending;
    synchronized (this) {
      before = state;
      ending = before != State.STOPPED && stopAsked;
      if (before == State.STOPPED) {
        starter = Thread.currentThread();
        stopAsked = appender == null; // a stop of an appender that does not run
        state = State.STARTING;
      }
    }
    if (ending && appender != null) {
      appender.addWarn(
          "A stop of the appender is under way, it is not started again. To do: call start() after"
              + " stop() has returned.");
    }
    return before == State.STOPPED;
  }

  /**
   * Ends the caller's start.
   *
   * @param made what is started; null if the start failed
   * @return whether the caller has to stop it, because another thread requested that during the
   *     start
   */
  synchronized boolean started(P made) {
    starter = null;
    running = made;
    state = made == null ? State.STOPPED : State.STARTED;
    notifyAll();
    return made != null && stopAsked;
  }

  /**
   * Waits for a start that another thread is in, and returns what is to be stopped. The caller then
   * calls {@link #stopping}, and if {@link #ends} returns true, frees what belongs to the appender.
   *
   * @return null if nothing is started; a start that takes too long, or that called this method,
   *     will then be stopped at its end
   */
  synchronized P toStop() {
    boolean interrupted = false;
    long deadline = System.nanoTime() + PATIENCE_MILLIS * 1_000_000;
    while (state == State.STARTING && !stopAsked) {
      long millis = (deadline - System.nanoTime()) / 1_000_000;
      if (starter == Thread.currentThread() || millis <= 0) {
        stopAsked = true;
      } else {
        try {
          wait(millis);
        } catch (InterruptedException e) {
          interrupted = true;
        }
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
    stopAsked = true;
    return running;
  }

  /** Refuses starts from now on, until the stop has ended. */
  synchronized void stopping(P ending) {
    if (running == ending) {
      state = State.STOPPING;
    }
  }

  /**
   * Marks the pipeline as stopped; it may still end in the background.
   *
   * @return whether the caller is the first for this pipeline, and has to call {@link #ended}
   */
  synchronized boolean ends(P ending) {
    boolean first = running == ending;
    if (first) {
      running = null;
    }
    return first;
  }

  /** Allows a start again. */
  synchronized void ended() {
    state = State.STOPPED;
  }

  /** Returns whether the appender is started, or still stops. */
  boolean isRunning() {
    State now = state;
    return now == State.STARTED || now == State.STOPPING;
  }

  /** Returns whether a stop is under way. */
  boolean isStopping() {
    return state == State.STOPPING;
  }

  /** Returns whether the appender starts or is started, and no stop is under way. */
  boolean isWanted() {
    State now = state;
    return now == State.STARTING || now == State.STARTED;
  }
}
