package io.spillway.stress.load;

import io.spillway.stress.record.LatencyRecorder;
import io.spillway.stress.record.RotationWindow;
import io.spillway.stress.record.SecondSums;
import io.spillway.stress.report.LoadFigures;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.concurrent.locks.LockSupport;
import java.util.function.ToLongFunction;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Drives the senders across a rotation. The caller of {@link #run()} watches the files and keeps
 * the time line.
 */
final class LoadRun {

  private static final long POLL_NANOS = 5_000_000;
  private static final long JOIN_MILLIS = 5;
  private static final double SECOND = 1e9;
  private static final double CATCH_UP_SECONDS = 20;

  private final LoadSpec spec;
  private final RotationWindow window = new RotationWindow();
  private final List<Sender> senders = new ArrayList<>();
  private final List<Thread> threads = new ArrayList<>();
  private final List<Double> cpuBySecond = new ArrayList<>();
  private final List<Integer> heldAtOnce = new ArrayList<>();
  private final List<Double> latestMillis = new ArrayList<>();
  private final HoldUps holdUps;
  private final long startNanos = System.nanoTime();
  private final long startEpochNanos = System.currentTimeMillis() * 1_000_000;
  private final LatencyRecorder latency;
  private final Runnable rollover;
  private volatile long stopNanos = Long.MAX_VALUE;
  private long endNanos;

  LoadRun(LoadSpec spec, LoggingSystem logging) throws IOException {
    this.spec = spec;
    rollover = logging.rollover(spec.target());
    latency =
        new LatencyRecorder(
            Path.of(spec.trialDirectory()).resolve(LoadSpec.LATENCY_FILE),
            startNanos + nanos(spec.warmUpSeconds()),
            window);
    Logger logger = LoggerFactory.getLogger(spec.target().logger());
    for (int i = 0; i < spec.threads(); i++) {
      Sender sender = new Sender(i, new Schedule(i), latency, logger, spec);
      senders.add(sender);
      String name = String.format(Locale.ROOT, "%s%03d", LoadSpec.APPLICATION_THREAD, i);
      threads.add(spec.virtualThreads() ? virtual(name, sender) : new Thread(sender, name));
    }
    holdUps = new HoldUps(senders, threads, startNanos + nanos(spec.warmUpSeconds()));
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

  /** Times of the calls of one thread. */
  private final class Schedule implements Sender.Schedule {

    private final double interval = SECOND * spec.threads() / spec.eventsPerSecond();
    private final long firstDue;

    Schedule(int thread) {
      firstDue = startNanos + (long) (interval * (thread + 1) / spec.threads());
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
      return stop != Long.MAX_VALUE && System.nanoTime() > stop + nanos(CATCH_UP_SECONDS);
    }

    @Override
    public boolean isMeasured(long endNanos) {
      return endNanos >= startNanos + nanos(spec.warmUpSeconds());
    }

    @Override
    public long startNanos() {
      return startNanos;
    }
  }

  /** Runs the load; returns when every thread has made all calls that were due. */
  void run() throws IOException, InterruptedException {
    Ticker ticker = new Ticker();
    threads.forEach(Thread::start);
    holdUps.start();
    watchUntilDone(ticker);
    stopNanos = System.nanoTime();
    wakeSleepers();
    for (Thread thread : threads) {
      while (thread.isAlive()) {
        thread.join(JOIN_MILLIS);
        ticker.tick(System.nanoTime());
      }
    }
    endNanos = System.nanoTime();
    holdUps.end();
    ticker.end();
    latency.close();
  }

  /** Wakes only threads that wait for their next call: a wait inside a call keeps its length. */
  private void wakeSleepers() {
    for (int i = 0; i < threads.size(); i++) {
      if (senders.get(i).lateNanos(stopNanos) < 0) {
        LockSupport.unpark(threads.get(i));
      }
    }
  }

  /** Keeps the time line, also while late calls are made after the end of the load. */
  private final class Ticker {
    private long nextSecond = startNanos + nanos(1);
    private double cpuBefore = Child.cpuSeconds();
    private int most;
    private long latest;

    private void tick(long now) {
      int held = 0;
      for (Sender sender : senders) {
        latest = Math.max(latest, sender.lateNanos(now));
        held += sender.isHeldUp(now) ? 1 : 0;
      }
      most = Math.max(most, held);
      while (now >= nextSecond) {
        end();
        nextSecond += nanos(1);
      }
    }

    private void end() {
      latency.endOfSecond();
      double cpu = Child.cpuSeconds();
      cpuBySecond.add(cpu - cpuBefore);
      cpuBefore = cpu;
      heldAtOnce.add(most);
      latestMillis.add(latest / 1e6);
      most = 0;
      latest = 0;
    }
  }

  private void watchUntilDone(Ticker ticker) throws IOException {
    RotationWatch watch = new RotationWatch(spec.target(), window, spec.rotations());
    double lead = spec.warmUpSeconds() + spec.aroundSeconds();
    long giveUp = startNanos + nanos(lead + spec.rotationLimitSeconds());
    boolean told = false;
    while (true) {
      LockSupport.parkNanos(POLL_NANOS);
      watch.look();
      long now = System.nanoTime();
      if (now >= startNanos + nanos(lead)) {
        rollover.run();
      }
      ticker.tick(now);
      if (window.begun() && !told) {
        told = true;
        Child.say("rotation began");
      }
      boolean after = window.ended() && now >= window.endNanos() + nanos(spec.aroundSeconds());
      if (after || now >= giveUp) {
        return;
      }
    }
  }

  /**
   * Returns the figures of the load.
   *
   * @param problems warnings and errors of the logging system
   */
  LoadFigures figures(Child.WarmUp warmUp, double stopSeconds, List<String> problems) {
    List<Long> sent = new ArrayList<>(senders.stream().map(Sender::sent).toList());
    long calls = sum(Sender::sent);
    sent.add(Child.WarmUp.EVENTS);
    Throwable firstThrown =
        Stream.concat(
                Stream.ofNullable(warmUp.firstThrown),
                senders.stream().map(Sender::firstThrown).filter(Objects::nonNull))
            .findFirst()
            .orElse(null);
    SecondSums held = new SecondSums();
    senders.forEach(sender -> held.add(sender.held()));
    return new LoadFigures(
        sent,
        warmUp.threw + sum(Sender::threw),
        firstThrown == null ? null : told(firstThrown),
        warmUp.interrupted + sum(Sender::interrupted),
        startEpochNanos,
        spec.warmUpSeconds(),
        (endNanos - startNanos) / SECOND,
        stopSeconds,
        cpuBySecond,
        calls + sum(Sender::unmade),
        calls,
        senders.stream().mapToLong(Sender::worstNanos).max().orElse(0) / 1e3,
        held.seconds(cpuBySecond.size()),
        heldAtOnce,
        latestMillis,
        holdUps.figures(),
        rotation(),
        problems);
  }

  /** Describes a throwable of the appender, whose {@code toString()} may throw, too. */
  private static String told(Throwable thrown) {
    try {
      return thrown.toString();
    } catch (Throwable silent) {
      return thrown.getClass().getName();
    }
  }

  private LoadFigures.Rotation rotation() {
    return new LoadFigures.Rotation(
        window.begun(),
        window.ended(),
        window.begun() ? sinceStart(window.startNanos()) : 0,
        window.reopened() ? sinceStart(window.reopenedNanos()) : 0,
        window.ended() ? sinceStart(window.endNanos()) : 0);
  }

  private long sum(ToLongFunction<Sender> figure) {
    return senders.stream().mapToLong(figure).sum();
  }

  private double sinceStart(long nanos) {
    return (nanos - startNanos) / SECOND;
  }

  private static long nanos(double seconds) {
    return (long) (seconds * SECOND);
  }
}
