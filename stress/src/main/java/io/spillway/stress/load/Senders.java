package io.spillway.stress.load;

import io.spillway.stress.record.LatencyRecorder;
import io.spillway.stress.verify.LogLine;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.locks.LockSupport;
import org.slf4j.MDC;
import org.slf4j.Marker;
import org.slf4j.MarkerFactory;

/** Application threads that only log, each by its schedule. */
final class Senders extends Load {

  private static final Marker MARKER = MarkerFactory.getMarker("AUDIT");
  private static final int THROWABLE_EVERY = 10; // events
  private static final int THROWN_DEPTH = 30;
  private static final long NONE = Long.MAX_VALUE;
  private static final double CATCH_UP_SECONDS = 20; // after the end; later calls are not made

  private final double interval;
  private final List<Sender> senders = new ArrayList<>();
  private LatencyRecorder latency;
  private volatile long stopNanos = NONE;

  Senders(LoadSpec spec) {
    super(spec);
    interval = SECOND * spec.threads() / spec.eventsPerSecond();
    for (int i = 1; i <= spec.threads(); i++) {
      senders.add(new Sender(WARM_UP_THREAD + i));
    }
  }

  /** Creates a virtual thread, which the Java of this build's floor does not have. */
  private static Thread virtual(String name, Runnable body) {
    try {
      Object builder = Thread.class.getMethod("ofVirtual").invoke(null);
      Class<?> type = Class.forName("java.lang.Thread$Builder");
      type.getMethod("name", String.class).invoke(builder, name);
      return (Thread) type.getMethod("unstarted", Runnable.class).invoke(builder, body);
    } catch (ReflectiveOperationException e) {
      throw new UnsupportedOperationException("Virtual threads need Java 21 or newer", e);
    }
  }

  @Override
  void start() throws IOException {
    Path log = Path.of(spec.trialDirectory()).resolve(LoadSpec.LATENCY_FILE);
    latency = new LatencyRecorder(log, measureNanos(), window);
    senders.forEach(sender -> sender.own.start());
  }

  @Override
  List<? extends Caller> callers() {
    return senders;
  }

  /** Wakes only threads that wait for their next call: a wait inside a call keeps its length. */
  @Override
  void stop(long nanos) {
    stopNanos = nanos;
    for (Sender sender : senders) {
      if (sender.pendingDueNanos > nanos) {
        LockSupport.unpark(sender.own);
      }
    }
  }

  @Override
  boolean awaitLastCall() throws InterruptedException {
    for (Sender sender : senders) {
      if (sender.own.isAlive()) {
        sender.own.join(WAIT_MILLIS);
        return false;
      }
    }
    return true;
  }

  @Override
  long unmade() {
    return senders.stream().mapToLong(sender -> sender.unmade).sum();
  }

  @Override
  void endOfSecond() {
    latency.endOfSecond();
  }

  @Override
  public void close() throws IOException {
    latency.close();
  }

  /** One application thread: logs an event whenever its schedule says so, at once if it is late. */
  private final class Sender extends Caller implements Runnable {

    private final Thread own;
    private volatile long pendingDueNanos = NONE;
    private long due;
    private long unmade;

    Sender(int number) {
      super(number, Senders.this);
      String name = String.format(Locale.ROOT, "%s%03d", LoadSpec.APPLICATION_THREAD, number);
      own = spec.virtualThreads() ? virtual(name, this) : new Thread(this, name);
    }

    /**
     * Makes calls that are due before the end of the load, however late, because otherwise a
     * stalled thread would send less.
     */
    @Override
    public void run() {
      Child.enterMdc();
      for (due = dueNanos(0); awaitTime(); due = dueNanos(sent + unmade)) {
        long now = System.nanoTime();
        long stop = stopNanos;
        if (stop != NONE && now > stop + nanos(CATCH_UP_SECONDS)) {
          latency.response(due, now);
          unmade++;
        } else {
          send();
        }
      }
      pendingDueNanos = NONE;
    }

    private long dueNanos(long sequence) {
      long first = startNanos() + (long) (interval * number / spec.threads());
      return first + (long) (sequence * interval);
    }

    /**
     * Waits until the next call is due; returns false if the load ends before. No logging frame is
     * on the stack here, so that pacing is not taken for a wait inside logging.
     */
    private boolean awaitTime() {
      pendingDueNanos = due;
      long left = due - System.nanoTime();
      while (left > 0 && due < stopNanos) {
        LockSupport.parkNanos(left);
        left = due - System.nanoTime();
      }
      return due < stopNanos;
    }

    private void send() {
      long sequence = sent;
      boolean throwing =
          spec.extras().contains(LoadSpec.Extra.THROWABLE) && sequence % THROWABLE_EVERY == 0;
      Throwable thrown = throwing ? declined(THROWN_DEPTH) : null;
      Marker marker = spec.extras().contains(LoadSpec.Extra.MARKER) ? MARKER : null;
      if (spec.extras().contains(LoadSpec.Extra.MDC)) {
        MDC.put("request", Long.toString(sequence));
        MDC.put("customer", Integer.toString(number));
      }
      String text = LogLine.text(number, sequence, spec.target().messageBytes());
      String checksum = LogLine.checksum(number, sequence, text);
      String format = LogLine.EVENT_FORMAT;
      if (spec.target().formatted()) {
        String message = LogLine.event(number, sequence, text, checksum);
        call(() -> logger.info(marker, message, thrown));
      } else if (thrown != null) {
        call(() -> logger.info(marker, format, number, sequence, text, checksum, thrown));
      } else {
        call(() -> logger.info(marker, format, number, sequence, text, checksum));
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
}
