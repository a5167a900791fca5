package io.spillway.stress.load;

import io.spillway.stress.record.LatencyRecorder;
import io.spillway.stress.record.SecondSums;
import io.spillway.stress.report.LoadFigures;
import io.spillway.stress.verify.LogLine;
import java.util.Set;
import java.util.concurrent.locks.LockSupport;
import org.slf4j.Logger;
import org.slf4j.MDC;
import org.slf4j.Marker;
import org.slf4j.MarkerFactory;

/**
 * One application thread: logs an event whenever its schedule says so, at once if it is late. Its
 * counts may be read only after its thread has been joined.
 */
final class Sender implements Runnable {

  private static final Marker MARKER = MarkerFactory.getMarker("AUDIT");
  private static final int THROWABLE_EVERY = 10; // events
  private static final int THROWN_DEPTH = 30;
  private static final long NONE = Long.MAX_VALUE;
  private static final long LONG_NANOS = LoadFigures.LONG_CALL_MILLIS * 1_000_000;

  /** The times at which one thread makes its calls. */
  interface Schedule {

    /** Returns when the event of a sequence number is due, by {@link System#nanoTime()}. */
    long dueNanos(long sequence);

    /**
     * Returns whether the load ends before a time. Calls that were due before its end are still
     * made, however late, because otherwise a stalled thread would send less.
     */
    boolean endsBefore(long dueNanos);

    /** Returns whether the load ended so long ago that calls which were due are not made. */
    boolean isGivenUp();

    /** Returns whether a call that ends at a time counts as measured, not as warm-up. */
    boolean isMeasured(long endNanos);

    /** Returns when the load began, by {@link System#nanoTime()}. */
    long startNanos();
  }

  private final int number;
  private final Schedule schedule;
  private final LatencyRecorder latency;
  private final Logger logger;
  private final boolean formatted;
  private final int messageBytes;
  private final Set<LoadSpec.Extra> extras;
  private final SecondSums held = new SecondSums();
  private volatile long pendingDueNanos = NONE;
  private volatile long callStartNanos = NONE;
  private long worstNanos;
  private long unmade;
  private long sent;
  private long threw;
  private long interrupted;
  private Throwable firstThrown;

  Sender(int number, Schedule schedule, LatencyRecorder latency, Logger logger, LoadSpec spec) {
    LoadSpec.Target target = spec.target();
    this.number = number;
    this.schedule = schedule;
    this.latency = latency;
    this.logger = logger;
    this.formatted = target.formatted();
    this.messageBytes = target.messageBytes();
    this.extras = spec.extras();
  }

  @Override
  public void run() {
    ThreadContext.enter();
    while (true) {
      long due = schedule.dueNanos(sent);
      pendingDueNanos = due;
      awaitTime(due);
      if (schedule.endsBefore(due)) {
        break;
      }
      if (schedule.isGivenUp()) {
        giveUp(System.nanoTime());
        break;
      }
      send(due);
    }
    pendingDueNanos = NONE;
  }

  /** Records the calls that the thread did not make because it was held up too long. */
  private void giveUp(long now) {
    long due = schedule.dueNanos(sent);
    while (!schedule.endsBefore(due)) {
      latency.response(due, now);
      unmade++;
      due = schedule.dueNanos(sent + unmade);
    }
  }

  /**
   * Returns how late the pending call is, in nanoseconds: negative before it is due, 0 after the
   * last call.
   */
  long lateNanos(long now) {
    long due = pendingDueNanos;
    return due == NONE ? 0 : now - due;
  }

  /** Returns whether the current call is a long one by now. */
  boolean isHeldUp(long now) {
    long start = callStartNanos;
    return start != NONE && now - start >= LONG_NANOS;
  }

  /** Returns the number of calls that were due and not made. */
  long unmade() {
    return unmade;
  }

  /** Returns the time inside long log calls, by second of the load. */
  SecondSums held() {
    return held;
  }

  /** Returns the length of the slowest call after the warm-up, in nanoseconds. */
  long worstNanos() {
    return worstNanos;
  }

  long sent() {
    return sent;
  }

  long threw() {
    return threw;
  }

  /** Returns the number of log calls that interrupted their thread. */
  long interrupted() {
    return interrupted;
  }

  Throwable firstThrown() {
    return firstThrown;
  }

  /**
   * Waits until a time, or until an unpark at the end of the load. No logging frame is on the stack
   * here, so that pacing is not taken for a wait inside logging.
   */
  private void awaitTime(long dueNanos) {
    long left = dueNanos - System.nanoTime();
    while (left > 0 && !schedule.endsBefore(dueNanos)) {
      LockSupport.parkNanos(left);
      left = dueNanos - System.nanoTime();
    }
  }

  /** Makes one log call and records it; an exception is counted and does not end the trial. */
  private void send(long due) {
    Marker marker = extras.contains(LoadSpec.Extra.MARKER) ? MARKER : null;
    Throwable thrown = null;
    if (extras.contains(LoadSpec.Extra.THROWABLE) && sent % THROWABLE_EVERY == 0) {
      thrown = declined(THROWN_DEPTH);
    }
    if (extras.contains(LoadSpec.Extra.MDC)) {
      MDC.put("request", Long.toString(sent));
      MDC.put("customer", Integer.toString(number));
    }
    String text = LogLine.text(number, sent, messageBytes);
    String checksum = LogLine.checksum(number, sent, text);
    String message = formatted ? LogLine.event(number, sent, text, checksum) : null;
    long start = System.nanoTime();
    callStartNanos = start;
    try {
      if (formatted) {
        logger.info(marker, message, thrown);
      } else if (thrown != null) {
        logger.info(marker, LogLine.EVENT_FORMAT, number, sent, text, checksum, thrown);
      } else {
        logger.info(marker, LogLine.EVENT_FORMAT, number, sent, text, checksum);
      }
    } catch (Throwable e) { // also checked ones, which code in other languages may throw
      threw++;
      firstThrown = firstThrown == null ? e : firstThrown;
    }
    long end = System.nanoTime();
    callStartNanos = NONE;
    // no code outside the log call interrupts this thread
    interrupted += Thread.interrupted() ? 1 : 0;
    latency.record(due, start, end);
    if (end - start >= LONG_NANOS) {
      held.add(start - schedule.startNanos(), end - start);
    }
    if (schedule.isMeasured(end)) {
      worstNanos = Math.max(worstNanos, end - start);
    }
    sent++;
  }

  /** Returns an exception with a cause and a stack of at least the given depth. */
  private static Throwable declined(int depth) {
    return depth == 0
        ? new IllegalStateException(LogLine.THROWN, new IllegalArgumentException(LogLine.THROWN))
        : declined(depth - 1);
  }
}
