package io.spillway.stress.load;

import io.spillway.stress.record.LatencyRecorder;
import io.spillway.stress.verify.LogLine;
import java.util.Set;
import java.util.concurrent.locks.LockSupport;
import org.slf4j.Logger;
import org.slf4j.MDC;
import org.slf4j.Marker;
import org.slf4j.MarkerFactory;

/** One application thread: logs an event whenever its schedule says so, at once if it is late. */
final class Sender extends Caller implements Runnable {

  private static final Marker MARKER = MarkerFactory.getMarker("AUDIT");
  private static final int THROWABLE_EVERY = 10; // events
  private static final int THROWN_DEPTH = 30;
  private static final long NONE = Long.MAX_VALUE;

  /** The times at which one thread makes its calls. */
  interface Schedule extends Clock {

    /** Returns when the event of a sequence number is due, by {@link System#nanoTime()}. */
    long dueNanos(long sequence);

    /**
     * Returns whether the load ends before a time. Calls that were due before its end are still
     * made, however late, because otherwise a stalled thread would send less.
     */
    boolean endsBefore(long dueNanos);

    /** Returns whether the load ended so long ago that calls which were due are not made. */
    boolean isGivenUp();
  }

  private final Schedule schedule;
  private final LatencyRecorder latency;
  private final Logger logger;
  private final boolean formatted;
  private final int messageBytes;
  private final Set<LoadSpec.Extra> extras;
  private volatile long pendingDueNanos = NONE;
  private long due;
  private long unmade;

  Sender(int number, Schedule schedule, LatencyRecorder latency, Logger logger, LoadSpec spec) {
    super(number, schedule);
    LoadSpec.Target target = spec.target();
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
      due = schedule.dueNanos(sent());
      pendingDueNanos = due;
      awaitTime(due);
      if (schedule.endsBefore(due)) {
        break;
      }
      if (schedule.isGivenUp()) {
        giveUp(System.nanoTime());
        break;
      }
      send();
    }
    pendingDueNanos = NONE;
  }

  /** Records the calls that the thread did not make because it was held up too long. */
  private void giveUp(long now) {
    while (!schedule.endsBefore(due)) {
      latency.response(due, now);
      unmade++;
      due = schedule.dueNanos(sent() + unmade);
    }
  }

  /**
   * Returns how late the pending call is, in nanoseconds: negative before it is due, 0 after the
   * last call.
   */
  long lateNanos(long now) {
    long pending = pendingDueNanos;
    return pending == NONE ? 0 : now - pending;
  }

  /** Returns the number of calls that were due and not made. */
  long unmade() {
    return unmade;
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

  private void send() {
    int number = number();
    long sequence = sent();
    Marker marker = extras.contains(LoadSpec.Extra.MARKER) ? MARKER : null;
    boolean throwing = extras.contains(LoadSpec.Extra.THROWABLE) && sequence % THROWABLE_EVERY == 0;
    Throwable thrown = throwing ? declined(THROWN_DEPTH) : null;
    if (extras.contains(LoadSpec.Extra.MDC)) {
      MDC.put("request", Long.toString(sequence));
      MDC.put("customer", Integer.toString(number));
    }
    String text = LogLine.text(number, sequence, messageBytes);
    String checksum = LogLine.checksum(number, sequence, text);
    if (formatted) {
      String message = LogLine.event(number, sequence, text, checksum);
      call(() -> logger.info(marker, message, thrown));
    } else if (thrown != null) {
      call(
          () ->
              logger.info(marker, LogLine.EVENT_FORMAT, number, sequence, text, checksum, thrown));
    } else {
      call(() -> logger.info(marker, LogLine.EVENT_FORMAT, number, sequence, text, checksum));
    }
  }

  @Override
  void returned(long startNanos, long endNanos) {
    latency.record(due, startNanos, endNanos);
  }

  /** Returns an exception with a cause and a stack of at least the given depth. */
  private static Throwable declined(int depth) {
    return depth == 0
        ? new IllegalStateException(LogLine.THROWN, new IllegalArgumentException(LogLine.THROWN))
        : declined(depth - 1);
  }
}
