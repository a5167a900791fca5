package io.spillway.stress.load;

import com.sun.management.ThreadMXBean;
import io.spillway.stress.record.LatencyRecorder;
import io.spillway.stress.verify.LogLine;
import java.lang.management.ManagementFactory;
import java.util.concurrent.locks.LockSupport;
import org.slf4j.Logger;

/**
 * One application thread: logs an event whenever its own schedule says so, at once if it is late.
 * In a closed loop that is now, once it is warm. Its counts are for whoever has joined its thread.
 */
final class Sender implements Runnable {

  private static final ThreadMXBean THREADS =
      ManagementFactory.getPlatformMXBean(ThreadMXBean.class);
  private static final boolean COUNTED = THREADS.isThreadAllocatedMemorySupported();

  /** When one thread makes its calls. */
  interface Schedule {

    /** Whether the event of a sequence number is still wanted. */
    boolean wants(long sequence);

    /** When it is due, by {@link System#nanoTime()}. */
    long dueNanos(long sequence);

    /**
     * Whether the load ends before a moment. Calls that were due before its end are still made,
     * however late, because a stalled thread must not get away with sending less.
     */
    boolean endsBefore(long dueNanos);
  }

  private final int number;
  private final Schedule schedule;
  private final LatencyRecorder latency;
  private final Logger logger;
  private final boolean formatted;
  private final int messageBytes;
  private long sent;
  private long threw;
  private long allocatedBytes;
  private Throwable firstThrown;
  private boolean inCall; // read by the carrier that has just run this

  Sender(
      int number,
      Schedule schedule,
      LatencyRecorder latency,
      Logger logger,
      LoadSpec.Target target) {
    this.number = number;
    this.schedule = schedule;
    this.latency = latency;
    this.logger = logger;
    this.formatted = target.formatted();
    this.messageBytes = target.messageBytes();
  }

  @Override
  public void run() {
    ThreadContext.enter();
    while (schedule.wants(sent)) {
      long due = schedule.dueNanos(sent);
      awaitTime(due);
      if (schedule.endsBefore(due)) {
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

  /** Bytes that the current thread has allocated so far; a constant if its JVM does not tell. */
  static long allocatedByCurrentThread() {
    return COUNTED ? THREADS.getCurrentThreadAllocatedBytes() : 0;
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
    long allocated = allocatedByCurrentThread();
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
    allocatedBytes += allocatedByCurrentThread() - allocated;
    latency.record(due, start, end);
    sent++;
  }
}
