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
import java.util.concurrent.locks.LockSupport;
import java.util.function.ToLongFunction;
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
  // of a closed loop, during the warm-up and after its events
  private static final double PACED_EVENTS_PER_SECOND = 5_000;

  private final LoadSpec spec;
  private final RotationWindow window = new RotationWindow();
  private final List<Sender> senders = new ArrayList<>();
  private final List<Thread> threads = new ArrayList<>();
  private final List<Double> cpuBySecond = new ArrayList<>();
  private final OtherThreads others = new OtherThreads();
  private final HoldUps holdUps;
  private final long startNanos = System.nanoTime();
  private final long startEpochNanos = System.currentTimeMillis() * 1_000_000;
  private final LatencyRecorder latency;
  private final BufferWatch buffers;
  private final DiskWatch disk;
  private final Runnable rollover;
  private volatile long stopNanos = Long.MAX_VALUE;
  private long endNanos;

  LoadRun(LoadSpec spec, LoggingSystem logging) throws IOException {
    this.spec = spec;
    rollover = logging.rollover(spec.target());
    buffers = logging.buffers();
    disk =
        new DiskWatch(List.of(Path.of(spec.target().directory()), Path.of(spec.trialDirectory())));
    latency =
        new LatencyRecorder(startNanos + nanos(spec.warmUpSeconds()), window, !spec.closedLoop());
    Logger logger = LoggerFactory.getLogger(spec.target().logger());
    VirtualThreads virtual = spec.virtualThreads() ? new VirtualThreads() : null;
    for (int i = 0; i < spec.threads(); i++) {
      Sender sender = new Sender(i, new Schedule(i), latency, logger, spec);
      String number = String.format(Locale.ROOT, "%03d", i);
      senders.add(sender);
      threads.add(
          virtual == null
              ? new Thread(sender, LoadSpec.APPLICATION_THREAD + number)
              : virtual.make(sender, number));
    }
    holdUps = new HoldUps(senders, threads, others, startNanos + nanos(spec.warmUpSeconds()));
  }

  /**
   * Times of the calls of one thread. A closed loop may send all its events before the appender
   * checks the size of its file, which it does only within log calls. Therefore the loop continues
   * at a moderate pace until the rotation has begun.
   */
  private final class Schedule implements Sender.Schedule {

    private final long most = spec.mostEvents() / spec.threads();
    private final double interval;
    private final long firstDue;
    private final long warmUpEnd = startNanos + nanos(spec.warmUpSeconds());

    Schedule(int thread) {
      double rate = spec.closedLoop() ? PACED_EVENTS_PER_SECOND : spec.eventsPerSecond();
      interval = SECOND * spec.threads() / rate;
      firstDue = startNanos + (long) (interval * (thread + 1) / spec.threads());
    }

    @Override
    public boolean wants(long sequence) {
      return sequence < most || !window.begun();
    }

    @Override
    public long dueNanos(long sequence) {
      long due = firstDue + (long) (sequence * interval);
      if (!spec.closedLoop() || due < warmUpEnd) {
        return due;
      }
      long now = sequence < most ? System.nanoTime() : System.nanoTime() + (long) interval;
      return Math.max(warmUpEnd, now);
    }

    @Override
    public boolean endsBefore(long dueNanos) {
      return dueNanos >= stopNanos;
    }

    @Override
    public boolean isGivenUp() {
      long stop = stopNanos;
      return !spec.closedLoop()
          && stop != Long.MAX_VALUE
          && System.nanoTime() > stop + nanos(CATCH_UP_SECONDS);
    }

    @Override
    public boolean isMeasured(long endNanos) {
      return endNanos >= warmUpEnd;
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
    if (!spec.virtualThreads()) { // reading the stack of a virtual thread would schedule it
      holdUps.start();
    }
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
    others.sumUp();
    holdUps.end();
    ticker.end();
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

    private void tick(long now) {
      long latest = 0;
      for (Sender sender : senders) {
        latest = Math.max(latest, sender.lateNanos(now));
      }
      latency.underWay(latest);
      while (now >= nextSecond) {
        end();
        buffers.sample(sinceStart(now));
        nextSecond += nanos(1);
      }
    }

    private void end() {
      latency.endOfSecond();
      double cpu = Child.cpuSeconds();
      cpuBySecond.add(cpu - cpuBefore);
      cpuBefore = cpu;
    }
  }

  private void watchUntilDone(Ticker ticker) throws IOException {
    RotationWatch watch = new RotationWatch(spec.target(), window, spec.rotations());
    double lead = spec.warmUpSeconds() + spec.aroundSeconds();
    long giveUp = startNanos + nanos(lead + spec.rotationLimitSeconds());
    boolean told = false;
    buffers.sample(0);
    while (true) {
      LockSupport.parkNanos(POLL_NANOS);
      watch.look();
      long now = System.nanoTime();
      if (now >= startNanos + nanos(lead)) {
        rollover.run();
      }
      disk.look(now);
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

  /** Returns the threads of the load if they are virtual, else none. */
  List<Thread> virtualThreads() {
    return spec.virtualThreads() ? threads : List.of();
  }

  List<Sender> senders() {
    return senders;
  }

  LatencyRecorder latency() {
    return latency;
  }

  double seconds() {
    return (endNanos - startNanos) / SECOND;
  }

  /**
   * Returns the figures of the load.
   *
   * @param problems warnings and errors of the logging system
   */
  LoadFigures figures(Child.WarmUp warmUp, double stopSeconds, List<String> problems)
      throws IOException {
    List<Long> sent = new ArrayList<>();
    long threw = warmUp.threw;
    long interrupted = warmUp.interrupted;
    long calls = 0;
    long allocated = 0;
    Throwable firstThrown = warmUp.firstThrown;
    for (Sender sender : senders) {
      sent.add(sender.sent());
      threw += sender.threw();
      interrupted += sender.interrupted();
      calls += sender.sent();
      allocated += sender.allocatedBytes();
      firstThrown = firstThrown == null ? sender.firstThrown() : firstThrown;
    }
    sent.add(Child.WarmUp.EVENTS);
    long unmade = senders.stream().mapToLong(Sender::unmade).sum();
    return new LoadFigures(
        sent,
        threw,
        firstThrown == null ? null : told(firstThrown),
        interrupted,
        startEpochNanos,
        spec.warmUpSeconds(),
        seconds(),
        stopSeconds,
        Child.cpuSeconds(),
        cpuBySecond,
        others.figures(),
        calls + unmade,
        calls,
        inCalls(),
        allocated == 0 ? null : new LoadFigures.Allocation(allocated, (double) allocated / calls),
        disk.figures(),
        rotation(),
        latency.figures(),
        latency.seconds(),
        buffers.figures(),
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

  private LoadFigures.InCalls inCalls() {
    SecondSums bySecond = new SecondSums();
    senders.forEach(sender -> bySecond.add(sender.inCalls()));
    boolean timed = senders.get(0).isTimed();
    double inside = sum(Sender::inCallNanos);
    double onCpu = sum(Sender::onCpuNanos);
    double controlOnCpu = sum(Sender::controlOnCpuNanos);
    double control = sum(Sender::controlNanos);
    return new LoadFigures.InCalls(
        inside,
        timed ? onCpu : null,
        timed ? Math.max(0, inside - onCpu) : null,
        timed ? controlOnCpu : null,
        timed ? Math.max(0, control - controlOnCpu) : null,
        bySecond.seconds(),
        holdUps.figures());
  }

  private double sum(ToLongFunction<Sender> nanos) {
    return senders.stream().mapToLong(nanos).sum() / SECOND;
  }

  private double sinceStart(long nanos) {
    return (nanos - startNanos) / SECOND;
  }

  private static long nanos(double seconds) {
    return (long) (seconds * SECOND);
  }
}
