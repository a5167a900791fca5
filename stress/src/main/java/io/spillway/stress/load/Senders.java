package io.spillway.stress.load;

import io.spillway.stress.record.LatencyRecorder;
import io.spillway.stress.record.RotationWindow;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.locks.LockSupport;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Application threads that only log, each by its schedule. */
final class Senders implements Load {

  private static final long JOIN_MILLIS = 5;
  private static final double SECOND = 1e9;
  private static final double CATCH_UP_SECONDS = 20;

  private final LoadSpec spec;
  private final Caller.Clock clock;
  private final List<Sender> senders = new ArrayList<>();
  private final List<Thread> threads = new ArrayList<>();
  private final LatencyRecorder latency;
  private volatile long stopNanos = Long.MAX_VALUE;

  Senders(LoadSpec spec, Caller.Clock clock, RotationWindow window) throws IOException {
    this.spec = spec;
    this.clock = clock;
    latency =
        new LatencyRecorder(
            Path.of(spec.trialDirectory()).resolve(LoadSpec.LATENCY_FILE),
            clock.startNanos() + (long) (spec.warmUpSeconds() * SECOND),
            window);
    Logger logger = LoggerFactory.getLogger(spec.target().logger());
    for (int i = 0; i < spec.threads(); i++) {
      Sender sender = new Sender(i, new Schedule(i), latency, logger, spec);
      senders.add(sender);
      String name = String.format(Locale.ROOT, "%s%03d", LoadSpec.APPLICATION_THREAD, i);
      threads.add(spec.virtualThreads() ? virtual(name, sender) : new Thread(sender, name));
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
  public void start() {
    threads.forEach(Thread::start);
  }

  @Override
  public List<Sender> callers() {
    return senders;
  }

  /** Wakes only threads that wait for their next call: a wait inside a call keeps its length. */
  @Override
  public void end(long stop) {
    stopNanos = stop;
    for (int i = 0; i < threads.size(); i++) {
      if (senders.get(i).lateNanos(stop) < 0) {
        LockSupport.unpark(threads.get(i));
      }
    }
  }

  @Override
  public boolean awaitLastCall() throws InterruptedException {
    for (Thread thread : threads) {
      if (thread.isAlive()) {
        thread.join(JOIN_MILLIS);
        return false;
      }
    }
    return true;
  }

  @Override
  public long lateNanos(long now) {
    return senders.stream().mapToLong(sender -> sender.lateNanos(now)).max().orElse(0);
  }

  @Override
  public long unmade() {
    return senders.stream().mapToLong(Sender::unmade).sum();
  }

  @Override
  public void endOfSecond() {
    latency.endOfSecond();
  }

  @Override
  public void close() throws IOException {
    latency.close();
  }

  /** Times of the calls of one thread. */
  private final class Schedule implements Sender.Schedule {

    private final double interval = SECOND * spec.threads() / spec.eventsPerSecond();
    private final long firstDue;

    Schedule(int thread) {
      firstDue = clock.startNanos() + (long) (interval * (thread + 1) / spec.threads());
    }

    @Override
    public long dueNanos(long sequence) {
      return firstDue + (long) (sequence * interval);
    }

    @Override
    public boolean endsBefore(long dueNanos) {
      return dueNanos >= stopNanos;
    }

    @Override
    public boolean isGivenUp() {
      long stop = stopNanos;
      return stop != Long.MAX_VALUE
          && System.nanoTime() > stop + (long) (CATCH_UP_SECONDS * SECOND);
    }

    @Override
    public boolean isMeasured(long endNanos) {
      return clock.isMeasured(endNanos);
    }

    @Override
    public long startNanos() {
      return clock.startNanos();
    }
  }
}
