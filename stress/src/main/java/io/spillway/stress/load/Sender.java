package io.spillway.stress.load;

import io.spillway.stress.record.LatencyRecorder;
import io.spillway.stress.verify.LogLine;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongPredicate;
import java.util.function.LongUnaryOperator;
import org.slf4j.Logger;

/**
 * One application thread: logs an event whenever its own schedule says so, at once if it is late.
 * In a closed loop that is now, once it is warm. Its counts are for whoever has joined its thread.
 */
final class Sender implements Runnable {

  private final int number;
  private final LongUnaryOperator schedule;
  private final LongPredicate more;
  private final StopTime stop;
  private final LatencyRecorder latency;
  private final Logger logger;
  private final boolean formatted;
  private final int messageBytes;
  private long sent;
  private long threw;
  private long allocatedBytes;
  private Throwable firstThrown;
  private boolean inCall; // read by the carrier that has just run this

  /**
   * Makes one.
   *
   * @param schedule when the event of a sequence number is due, by {@link System#nanoTime()}
   * @param more whether the event of a sequence number is still wanted
   */
  Sender(
      int number,
      LongUnaryOperator schedule,
      LongPredicate more,
      StopTime stop,
      LatencyRecorder latency,
      Logger logger,
      LoadTarget target) {
    this.number = number;
    this.schedule = schedule;
    this.more = more;
    this.stop = stop;
    this.latency = latency;
    this.logger = logger;
    this.formatted = target.formatted();
    this.messageBytes = target.messageBytes();
  }

  @Override
  public void run() {
    while (more.test(sent)) {
      long due = schedule.applyAsLong(sent);
      awaitTime(due);
      if (stop.isBefore(due)) {
        return;
      }
      send(due);
    }
  }

  /** For whoever runs a virtual thread, when it has left its carrier. */
  boolean isInCall() {
    return inCall;
  }

  long sent() {
    return sent;
  }

  long threw() {
    return threw;
  }

  /** Inside log calls. */
  long allocatedBytes() {
    return allocatedBytes;
  }

  Throwable firstThrown() {
    return firstThrown;
  }

  /** Never with a logging frame below it, so that pacing is not taken for waiting. */
  private static void awaitTime(long dueNanos) {
    long left = dueNanos - System.nanoTime();
    while (left > 0) {
      LockSupport.parkNanos(left);
      left = dueNanos - System.nanoTime();
    }
  }

  /** An exception out of a log call is a finding, not the end of the trial. */
  private void send(long due) {
    String text = LogLine.text(number, sent, messageBytes);
    String checksum = LogLine.checksum(number, sent, text);
    String message = formatted ? LogLine.event(number, sent, text, checksum) : null;
    long allocated = Allocations.bytesOfCurrentThread();
    inCall = true;
    long start = System.nanoTime();
    try {
      if (formatted) {
        logger.info(message);
      } else {
        logger.info(LogLine.EVENT_FORMAT, number, sent, text, checksum);
      }
    } catch (RuntimeException | Error e) {
      threw++;
      firstThrown = firstThrown == null ? e : firstThrown;
    }
    long end = System.nanoTime();
    inCall = false;
    allocatedBytes += Allocations.bytesOfCurrentThread() - allocated;
    latency.record(due, start, end);
    sent++;
  }
}
