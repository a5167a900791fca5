package io.spillway.stress.load;

import io.spillway.stress.record.RotationWindow;
import io.spillway.stress.record.SecondSums;
import io.spillway.stress.report.LoadFigures;
import io.spillway.stress.verify.LogLine;
import java.io.Closeable;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.locks.LockSupport;
import java.util.function.ToLongFunction;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The load of a trial across a rotation, from threads that only log, or from a service that gets
 * requests. The thread of {@link #run} watches the files and keeps the time line; others make the
 * calls.
 */
abstract class Load implements Closeable {

  static final double SECOND = 1e9;
  static final long WAIT_MILLIS = 5; // of one wait for the last call
  static final int WARM_UP_THREAD = 0; // its number in lines; those of callers follow

  private static final long POLL_NANOS = 5_000_000;
  private static final int WARM_UP_EVENTS = 500;
  private static final long WARM_UP_PAUSE_NANOS = 1_000_000;

  final LoadSpec spec;
  final RotationWindow window = new RotationWindow();
  final Logger logger;

  private final Caller warmUp;
  private final List<Double> cpuBySecond = new ArrayList<>();
  private final List<Integer> heldAtOnce = new ArrayList<>();
  private HoldUps holdUps;
  private long startEpochNanos;
  private volatile long startNanos = System.nanoTime(); // set anew when the load begins
  private volatile long endNanos; // 0 until then

  Load(LoadSpec spec) {
    this.spec = spec;
    logger = LoggerFactory.getLogger(spec.target().logger());
    warmUp = new Caller(WARM_UP_THREAD, this);
  }

  /** Begins to make calls. */
  abstract void start() throws IOException;

  /** Returns the threads that have made calls so far. */
  abstract List<? extends Caller> callers();

  /** Announces the end: only calls that were due before this time are still made. */
  abstract void stop(long nanos);

  /** Waits a little for the last call; returns whether it has been made. */
  abstract boolean awaitLastCall() throws InterruptedException;

  /** Returns the number of calls that were due and not made. */
  long unmade() {
    return 0;
  }

  /** Called at the end of each second. */
  void endOfSecond() {}

  /** Returns when the load began, by {@link System#nanoTime()}. */
  final long startNanos() {
    return startNanos;
  }

  /** Returns when the warm-up ends. */
  final long measureNanos() {
    return startNanos + nanos(spec.warmUpSeconds());
  }

  /** Returns whether a call that ends at a time counts as measured, not as warm-up. */
  final boolean isMeasured(long nanos) {
    return nanos >= measureNanos() && endNanos == 0;
  }

  /** Returns the threads that are in a long log call. */
  final List<Thread> heldUp(long now) {
    List<Thread> threads = new ArrayList<>();
    for (Caller caller : callers()) {
      Thread thread = caller.heldUp(now);
      if (thread != null) {
        threads.add(thread);
      }
    }
    return threads;
  }

  /**
   * Logs a few events from one thread before the load to load classes: locks of the class loader
   * would otherwise count as the appender's. Read-back treats them like any other event.
   */
  final void warmUp() {
    LoadSpec.Target target = spec.target();
    while (warmUp.sent < WARM_UP_EVENTS && logger.isInfoEnabled()) {
      warmUp.call(
          () ->
              LogLine.log(
                  logger, warmUp.number, warmUp.sent, target.messageBytes(), target.formatted()));
      LockSupport.parkNanos(WARM_UP_PAUSE_NANOS);
    }
  }

  /** Runs the load, which rolls over when due; returns when all due calls have been made. */
  final void run(Runnable rollover) throws IOException, InterruptedException {
    startNanos = System.nanoTime();
    startEpochNanos = System.currentTimeMillis() * 1_000_000;
    holdUps = new HoldUps(measureNanos());
    Ticker ticker = new Ticker();
    start();
    watchUntilDone(ticker, rollover);
    stop(System.nanoTime());
    while (!awaitLastCall()) {
      ticker.tick(System.nanoTime());
    }
    endNanos = System.nanoTime();
    ticker.end();
  }

  private void watchUntilDone(Ticker ticker, Runnable rollover) throws IOException {
    RotationWatch watch = new RotationWatch(spec.target(), window, spec.rotations());
    long due = measureNanos() + nanos(spec.aroundSeconds());
    long giveUp = due + nanos(spec.rotationLimitSeconds());
    boolean rolled = false;
    for (boolean done = false; !done; ) {
      LockSupport.parkNanos(POLL_NANOS);
      watch.look();
      long now = System.nanoTime();
      if (now >= due && !rolled) {
        rolled = true;
        rollover.run();
      }
      ticker.tick(now);
      done =
          now >= giveUp || window.ended() && now >= window.endNanos() + nanos(spec.aroundSeconds());
    }
  }

  /** Keeps the time line, also while late calls are made after the end of the load. */
  private final class Ticker {
    private long nextSecond = startNanos + nanos(1);
    private double cpuBefore = cpuSeconds();
    private int most;

    private void tick(long now) {
      List<Thread> held = heldUp(now);
      most = Math.max(most, held.size());
      holdUps.sample(held, now);
      while (now >= nextSecond) {
        end();
        nextSecond += nanos(1);
      }
    }

    private void end() {
      endOfSecond();
      double cpu = cpuSeconds();
      cpuBySecond.add(cpu - cpuBefore);
      cpuBefore = cpu;
      heldAtOnce.add(most);
      most = 0;
    }
  }

  private static double cpuSeconds() {
    return ManagementFactory.getPlatformMXBean(com.sun.management.OperatingSystemMXBean.class)
            .getProcessCpuTime()
        / SECOND;
  }

  /** Returns the figures of the load, with what is known of the logging library. */
  final LoadFigures figures(List<String> problems) {
    List<? extends Caller> callers = callers();
    List<Long> sent = new ArrayList<>(List.of(warmUp.sent));
    callers.forEach(caller -> sent.add(caller.sent));
    long calls = sum(caller -> caller.sent);
    SecondSums held = new SecondSums();
    callers.forEach(caller -> held.add(caller.held));
    return new LoadFigures(
        sent,
        warmUp.threw + sum(caller -> caller.threw),
        firstThrown(),
        warmUp.interrupted + sum(caller -> caller.interrupted),
        startEpochNanos,
        spec.warmUpSeconds(),
        sinceStart(endNanos),
        cpuBySecond,
        calls + unmade(),
        calls,
        callers.stream().mapToLong(caller -> caller.worstNanos).max().orElse(0) / 1e3,
        held.seconds(cpuBySecond.size()),
        heldAtOnce,
        held.waiters(cpuBySecond.size()),
        holdUps.figures(),
        new LoadFigures.Rotation(
            window.begun(),
            window.ended(),
            window.begun() ? sinceStart(window.startNanos()) : 0,
            window.ended() ? sinceStart(window.endNanos()) : 0),
        problems);
  }

  private String firstThrown() {
    return Stream.concat(Stream.of(warmUp), callers().stream())
        .map(caller -> caller.firstThrown)
        .filter(Objects::nonNull)
        .findFirst()
        .map(Throwable::toString)
        .orElse(null);
  }

  private long sum(ToLongFunction<Caller> figure) {
    return callers().stream().mapToLong(figure).sum();
  }

  private double sinceStart(long nanos) {
    return (nanos - startNanos) / SECOND;
  }

  static long nanos(double seconds) {
    return (long) (seconds * SECOND);
  }
}
