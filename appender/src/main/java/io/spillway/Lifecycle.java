package io.spillway;

import ch.qos.logback.core.spi.ContextAware;

/**
 * Starts and stops of one appender, one after the other whatever threads they come from. A start
 * that another thread's stop overtook left a pipeline that nobody could stop any more. No lock is
 * held while either works: both wait for foreign code, which may call either.
 *
 * @param <P> what a start makes, and a stop ends
 */
final class Lifecycle<P> {
  /** A start may wait for a disk; nobody who stops has to wait as long as that. */
  private static final long PATIENCE_MILLIS = 10_000;

  private volatile State state = State.STOPPED;
  private Thread starter; // while it starts
  private boolean stopAsked; // since the last start has begun
  private P running; // null unless started or stopping

  private enum State {
    STOPPED,
    STARTING,
    STARTED,
    STOPPING
  }

  /**
   * Lets the caller start, which then has to say how it went ({@link #started}).
   *
   * @param appender warned of a stop under way; null if it is a stop that keeps starts away
   * @return false if it is started, or another thread starts or stops it
   */
  boolean mayStart(ContextAware appender) {
    State before;
    boolean ending;
    synchronized (this) {
      before = state;
      ending = before != State.STOPPED && stopAsked;
      if (before == State.STOPPED) {
        starter = Thread.currentThread();
        stopAsked = appender == null; // a stop of what does not run
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
   * The caller's start is over.
   *
   * @param made what is started; null if it failed
   * @return whether it is to be stopped, as somebody asked meanwhile and could not wait
   */
  synchronized boolean started(P made) {
    starter = null;
    running = made;
    state = made == null ? State.STOPPED : State.STARTED;
    notifyAll();
    return made != null && stopAsked;
  }

  /**
   * What is to be stopped, after a start that another thread is about to end. Whoever stops it says
   * so ({@link #stopping}), and lets go of what belongs to it if it is the one ({@link #ends}).
   *
   * @return null if nothing is started; a start that takes too long, or that called this, is then
   *     told to stop
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

  /** From here on a start is refused, until this has ended. */
  synchronized void stopping(P ending) {
    if (running == ending) {
      state = State.STOPPING;
    }
  }

  /**
   * It is stopped, or goes on in the background.
   *
   * @return whether the caller is the first to say so, and then has to say {@link #ended}
   */
  synchronized boolean ends(P ending) {
    boolean first = running == ending;
    if (first) {
      running = null;
    }
    return first;
  }

  /** A start is possible again. */
  synchronized void ended() {
    state = State.STOPPED;
  }

  /** Whether it is started, or still stops. */
  boolean isRunning() {
    State now = state;
    return now == State.STARTED || now == State.STOPPING;
  }

  /** Whether a stop is under way. */
  boolean isStopping() {
    return state == State.STOPPING;
  }

  /** Whether it starts or is started, and nobody stops it. */
  boolean isWanted() {
    State now = state;
    return now == State.STARTING || now == State.STARTED;
  }
}
