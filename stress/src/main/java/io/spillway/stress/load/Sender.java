package io.spillway.stress.load;

import com.sun.management.ThreadMXBean;
import io.spillway.stress.record.LatencyRecorder;
import io.spillway.stress.record.SecondSums;
import io.spillway.stress.verify.LogLine;
import java.lang.management.ManagementFactory;
import java.util.Set;
import java.util.concurrent.locks.LockSupport;
import org.slf4j.Logger;
import org.slf4j.MDC;
import org.slf4j.Marker;
import org.slf4j.MarkerFactory;

/**
 * One application thread: logs an event whenever its own schedule says so, at once if it is late.
 * In a closed loop that is now, once it is warm. Its counts are for whoever has joined its thread.
 */
final class Sender implements Runnable {

  private static final ThreadMXBean THREADS =
      ManagementFactory.getPlatformMXBean(ThreadMXBean.class);
  private static final boolean COUNTED = THREADS.isThreadAllocatedMemorySupported();
  private static final boolean TIMED = THREADS.isCurrentThreadCpuTimeSupported();
  private static final Marker MARKER = MarkerFactory.getMarker("AUDIT");
  private static final int THROWABLE_EVERY = 10; // events
  private static final int THROWN_DEPTH = 30;
  private static final long NONE = Long.MAX_VALUE;

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

    /** Whether the load ended so long ago that calls which are still due are not made any more. */
    boolean isGivenUp();

    /** Whether a call that ends at a moment is none of the warm-up. */
    boolean isMeasured(long endNanos);

    /** When the load began. */
    long startNanos();
  }

  private final int number;
  private final Schedule schedule;
  private final LatencyRecorder latency;
  private final Logger logger;
  private final boolean formatted;
  private final int messageBytes;
  private final Set<LoadSpec.Extra> extras;
  private final boolean timed;
  private final SecondSums inCalls = new SecondSums();
  private volatile long pendingDueNanos = NONE;
  private volatile long callStartNanos = NONE;
  private long inCallNanos;
  private long onCpuNanos;
  private long controlNanos;
  private long controlOnCpuNanos;
  private long unmade;
  private long sent;
  private long threw;
  private long interrupted;
  private long allocatedBytes;
  private Throwable firstThrown;
  private boolean inCall; // read by the carrier that has just run this

  Sender(int number, Schedule schedule, LatencyRecorder latency, Logger logger, LoadSpec spec) {
    LoadSpec.Target target = spec.target();
    this.number = number;
    this.schedule = schedule;
    this.latency = latency;
    this.logger = logger;
    this.formatted = target.formatted();
    this.messageBytes = target.messageBytes();
    this.extras = spec.extras();
    this.timed = TIMED && !spec.virtualThreads();
  }

  @Override
  public void run() {
    ThreadContext.enter();
    while (schedule.wants(sent)) {
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

  /** A thread that was held up too long must not get away with calls that it has not made. */
  private void giveUp(long now) {
    long due = schedule.dueNanos(sent);
    while (!schedule.endsBefore(due)) {
      latency.unmade(due, now);
      unmade++;
      due = schedule.dueNanos(sent + unmade);
    }
  }

  /** By how much the call that is due and has not returned is late; negative if none is. */
  long lateNanos(long now) {
    long due = pendingDueNanos;
    return due == NONE ? 0 : now - due;
  }

  /** How long the call has lasted that the thread is inside of; 0 if it is in none. */
  long inCallNanos(long now) {
    long start = callStartNanos;
    return start == NONE ? 0 : now - start;
  }

  /** Calls that were due and not made. */
  long unmade() {
    return unmade;
  }

  /** Time inside log calls, by second. */
  SecondSums inCalls() {
    return inCalls;
  }

  /** Sums over the calls after the warm-up. */
  long inCallNanos() {
    return inCallNanos;
  }

  long onCpuNanos() {
    return onCpuNanos;
  }

  /** While it put together what it was about to log. */
  long controlNanos() {
    return controlNanos;
  }

  long controlOnCpuNanos() {
    return controlOnCpuNanos;
  }

  /** Whether times on a processor are known. */
  boolean isTimed() {
    return timed;
  }

  private long cpuNanos() {
    return timed ? THREADS.getCurrentThreadCpuTime() : 0;
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

  /** Log calls that interrupted their thread. */
  long interrupted() {
    return interrupted;
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

  /**
   * Or for the end of the load, which comes with an unpark. Never with a logging frame below it, so
   * that pacing is not taken for waiting.
   */
  private void awaitTime(long dueNanos) {
    long left = dueNanos - System.nanoTime();
    while (left > 0 && !schedule.endsBefore(dueNanos)) {
      LockSupport.parkNanos(left);
      left = dueNanos - System.nanoTime();
    }
  }

  /** An exception out of a log call is a finding, not the end of the trial. */
  private void send(long due) {
    long controlStart = System.nanoTime();
    long controlCpu = cpuNanos();
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
    long allocated = allocatedByCurrentThread();
    long cpu = cpuNanos();
    inCall = true;
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
    } catch (Throwable e) { // checked ones, too: not everything is written in Java
      threw++;
      firstThrown = firstThrown == null ? e : firstThrown;
    }
    long end = System.nanoTime();
    callStartNanos = NONE;
    inCall = false;
    long cpuEnd = cpuNanos();
    interrupted += Thread.interrupted() ? 1 : 0; // nobody else interrupts it
    allocatedBytes += allocatedByCurrentThread() - allocated;
    latency.record(due, start, end);
    inCalls.add(start - schedule.startNanos(), end - start);
    if (schedule.isMeasured(end)) {
      inCallNanos += end - start;
      onCpuNanos += cpuEnd - cpu;
      controlNanos += start - controlStart;
      controlOnCpuNanos += cpu - controlCpu;
    }
    sent++;
  }

  /** With a stack that has some length. */
  private static Throwable declined(int depth) {
    return depth == 0
        ? new IllegalStateException(LogLine.THROWN, new IllegalArgumentException(LogLine.THROWN))
        : declined(depth - 1);
  }
}
