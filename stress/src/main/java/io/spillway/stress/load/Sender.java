package io.spillway.stress.load;

import io.spillway.stress.record.LatencyRecorder;
import io.spillway.stress.verify.LogLine;
import java.util.concurrent.locks.LockSupport;
import org.slf4j.Logger;

/**
 * One application thread: logs an event whenever its own schedule says so, at once if it is late.
 * Its counts are for whoever has joined its thread.
 */
final class Sender implements Runnable {

  private final int number;
  private final long firstDueNanos;
  private final double intervalNanos;
  private final StopTime stop;
  private final LatencyRecorder latency;
  private final Logger logger;
  private long sent;
  private long threw;
  private Throwable firstThrown;

  Sender(
      int number,
      long firstDueNanos,
      double intervalNanos,
      StopTime stop,
      LatencyRecorder latency,
      Logger logger) {
    this.number = number;
    this.firstDueNanos = firstDueNanos;
    this.intervalNanos = intervalNanos;
    this.stop = stop;
    this.latency = latency;
    this.logger = logger;
  }

  @Override
  public void run() {
    while (true) {
      long due = firstDueNanos + (long) (sent * intervalNanos);
      awaitTime(due);
      if (stop.isBefore(due)) {
        return;
      }
      send(due);
    }
  }

  long sent() {
    return sent;
  }

  long threw() {
    return threw;
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
    String text = LogLine.text(number, sent);
    String checksum = LogLine.checksum(number, sent, text);
    long start = System.nanoTime();
    try {
      logger.info(LogLine.EVENT_FORMAT, number, sent, text, checksum);
    } catch (RuntimeException | Error e) {
      threw++;
      firstThrown = firstThrown == null ? e : firstThrown;
    }
    latency.record(due, start, System.nanoTime());
    sent++;
  }
}
