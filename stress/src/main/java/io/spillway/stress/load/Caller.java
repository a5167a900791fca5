package io.spillway.stress.load;

import io.spillway.stress.record.SecondSums;
import io.spillway.stress.report.LoadFigures;

/**
 * The log calls of one application thread, each measured. Its counts may be read only after its
 * thread has made its last call; whether it is held up may be asked at any time.
 */
class Caller {

  private static final long NONE = Long.MAX_VALUE;
  private static final long LONG_NANOS = LoadFigures.LONG_CALL_MILLIS * 1_000_000;

  /** The times of a load, by {@link System#nanoTime()}. */
  interface Clock {

    /** Returns whether a call that ends at a time counts as measured, not as warm-up. */
    boolean isMeasured(long endNanos);

    /** Returns when the load began. */
    long startNanos();
  }

  private final int number;
  private final Clock clock;
  private final SecondSums held = new SecondSums();
  private Thread thread; // published by callStartNanos
  private volatile long callStartNanos = NONE;
  private long worstNanos;
  private long sent;
  private long threw;
  private long interrupted;
  private Throwable firstThrown;

  Caller(int number, Clock clock) {
    this.number = number;
    this.clock = clock;
  }

  /** Makes one log call and measures it; an exception is counted and does not end the trial. */
  final void call(Runnable logCall) {
    thread = Thread.currentThread();
    long start = System.nanoTime();
    callStartNanos = start;
    try {
      logCall.run();
    } catch (Throwable e) { // also checked ones, which code in other languages may throw
      threw++;
      firstThrown = firstThrown == null ? e : firstThrown;
    }
    long end = System.nanoTime();
    callStartNanos = NONE;
    // no code outside the log call interrupts this thread
    interrupted += Thread.interrupted() ? 1 : 0;
    if (end - start >= LONG_NANOS) {
      held.add(start - clock.startNanos(), end - start);
    }
    if (clock.isMeasured(end)) {
      worstNanos = Math.max(worstNanos, end - start);
    }
    sent++;
    returned(start, end);
  }

  /** Called after each call with the times at which it was made and returned. */
  void returned(long startNanos, long endNanos) {}

  /** Returns whether the current call is a long one by now. */
  final boolean isHeldUp(long now) {
    long start = callStartNanos;
    return start != NONE && now - start >= LONG_NANOS;
  }

  /** Returns the thread that makes the calls; call it after {@link #isHeldUp}. */
  final Thread thread() {
    return thread;
  }

  /** Returns the number of the thread in the lines that it logs. */
  final int number() {
    return number;
  }

  /** Returns the time inside long log calls, by second of the load. */
  final SecondSums held() {
    return held;
  }

  /** Returns the length of the slowest call after the warm-up, in nanoseconds. */
  final long worstNanos() {
    return worstNanos;
  }

  final long sent() {
    return sent;
  }

  final long threw() {
    return threw;
  }

  /** Returns the number of log calls that interrupted their thread. */
  final long interrupted() {
    return interrupted;
  }

  final Throwable firstThrown() {
    return firstThrown;
  }
}
