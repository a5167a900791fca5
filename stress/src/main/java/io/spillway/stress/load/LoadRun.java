package io.spillway.stress.load;

import io.spillway.stress.record.RotationWindow;
import io.spillway.stress.record.SecondSums;
import io.spillway.stress.report.LoadFigures;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.locks.LockSupport;
import java.util.function.ToLongFunction;
import java.util.stream.Stream;

/** Keeps a load going across a rotation. {@link #run()} watches the files and the time line. */
final class LoadRun {

  private static final long POLL_NANOS = 5_000_000;
  private static final double SECOND = 1e9;

  private final LoadSpec spec;
  private final RotationWindow window = new RotationWindow();
  private final Load load;
  private final List<Double> cpuBySecond = new ArrayList<>();
  private final List<Integer> heldAtOnce = new ArrayList<>();
  private final List<Double> latestMillis = new ArrayList<>();
  private final HoldUps holdUps;
  private final long startNanos;
  private final long startEpochNanos;
  private final Runnable rollover;
  private volatile long endNanos; // 0 until then

  LoadRun(LoadSpec spec, LoggingSystem logging) throws IOException {
    this.spec = spec;
    rollover = logging.rollover(spec.target());
    Clock clock = new Clock();
    Load service = spec.application() == null ? null : new ServiceLoad(spec, clock);
    startNanos = System.nanoTime(); // a service has taken seconds to start
    startEpochNanos = System.currentTimeMillis() * 1_000_000;
    load = service == null ? new Senders(spec, clock, window) : service;
    holdUps = new HoldUps(load, startNanos + nanos(spec.warmUpSeconds()));
  }

  /** The times of this load. */
  private final class Clock implements Caller.Clock {

    @Override
    public boolean isMeasured(long end) {
      return end >= startNanos + nanos(spec.warmUpSeconds()) && endNanos == 0;
    }

    @Override
    public long startNanos() {
      return startNanos;
    }
  }

  /** Runs the load; returns when all calls that were due have been made. */
  void run() throws IOException, InterruptedException {
    Ticker ticker = new Ticker();
    load.start();
    holdUps.start();
    watchUntilDone(ticker);
    load.end(System.nanoTime());
    while (!load.awaitLastCall()) {
      ticker.tick(System.nanoTime());
    }
    endNanos = System.nanoTime();
    holdUps.end();
    ticker.end();
  }

  /** Ends what makes the calls. */
  void close() throws IOException {
    load.close();
  }

  /** Keeps the time line, also while late calls are made after the end of the load. */
  private final class Ticker {
    private long nextSecond = startNanos + nanos(1);
    private double cpuBefore = Child.cpuSeconds();
    private int most;
    private long latest;

    private void tick(long now) {
      int held = 0;
      for (Caller caller : load.callers()) {
        held += caller.isHeldUp(now) ? 1 : 0;
      }
      latest = Math.max(latest, load.lateNanos(now));
      most = Math.max(most, held);
      while (now >= nextSecond) {
        end();
        nextSecond += nanos(1);
      }
    }

    private void end() {
      load.endOfSecond();
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
    boolean begun = false;
    boolean ended = false;
    while (true) {
      LockSupport.parkNanos(POLL_NANOS);
      watch.look();
      long now = System.nanoTime();
      if (now >= startNanos + nanos(lead)) {
        rollover.run();
      }
      ticker.tick(now);
      if (window.begun() && !begun) {
        begun = true;
        Child.say(Child.ROTATION_BEGAN);
      }
      if (window.ended() && !ended) {
        ended = true;
        Child.say(Child.ROTATION_ENDED);
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
    List<? extends Caller> callers = load.callers();
    List<Long> sent = new ArrayList<>(callers.stream().map(Caller::sent).toList());
    sent.addAll(Collections.nCopies(spec.threads() - sent.size(), 0L));
    sent.add(warmUp.sent);
    long calls = sum(Caller::sent);
    Throwable firstThrown =
        Stream.concat(
                Stream.ofNullable(warmUp.firstThrown),
                callers.stream().map(Caller::firstThrown).filter(Objects::nonNull))
            .findFirst()
            .orElse(null);
    SecondSums held = new SecondSums();
    callers.forEach(caller -> held.add(caller.held()));
    return new LoadFigures(
        sent,
        warmUp.threw + sum(Caller::threw),
        firstThrown == null ? null : told(firstThrown),
        warmUp.interrupted + sum(Caller::interrupted),
        startEpochNanos,
        spec.warmUpSeconds(),
        (endNanos - startNanos) / SECOND,
        stopSeconds,
        cpuBySecond,
        calls + load.unmade(),
        calls,
        callers.stream().mapToLong(Caller::worstNanos).max().orElse(0) / 1e3,
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

  private long sum(ToLongFunction<Caller> figure) {
    return load.callers().stream().mapToLong(figure).sum();
  }

  private double sinceStart(long nanos) {
    return (nanos - startNanos) / SECOND;
  }

  private static long nanos(double seconds) {
    return (long) (seconds * SECOND);
  }
}
