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

  final int number; // of the thread, in the lines that it logs
  final SecondSums held = new SecondSums(); // inside long log calls
  long worstNanos; // after the warm-up
  long sent;
  long threw;
  long interrupted; // calls that interrupted their thread
  Throwable firstThrown;

  private final Load load;
  private Thread thread; // published by callStartNanos
  private volatile long callStartNanos = NONE;

  Caller(int number, Load load) {
    this.number = number;
    this.load = load;
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
      held.add(start - load.startNanos(), end - start);
    }
    if (load.isMeasured(end)) {
      worstNanos = Math.max(worstNanos, end - start);
    }
    sent++;
    returned(start, end);
  }

  /** Called after each call with the times at which it was made and returned. */
  void returned(long startNanos, long endNanos) {}

  /** Returns the thread if its current call is a long one by now, or null. */
  final Thread heldUp(long now) {
    long start = callStartNanos;
    return start != NONE && now - start >= LONG_NANOS ? thread : null;
  }
}
