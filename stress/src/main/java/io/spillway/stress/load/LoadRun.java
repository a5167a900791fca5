package io.spillway.stress.load;

import io.spillway.stress.record.LatencyRecorder;
import io.spillway.stress.record.RotationWindow;
import io.spillway.stress.report.LoadFigures;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.locks.LockSupport;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Drives the senders across a rotation; this thread watches the files and keeps the time line. */
final class LoadRun {

  private static final long POLL_NANOS = 5_000_000;
  private static final double SECOND = 1e9;
  private static final double PACED_EVENTS_PER_SECOND = 5_000; // of a closed loop, before and after

  private final LoadSpec spec;
  private final RotationWindow window = new RotationWindow();
  private final List<Sender> senders = new ArrayList<>();
  private final List<Thread> threads = new ArrayList<>();
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
      Sender sender = new Sender(i, new Schedule(i), latency, logger, spec.target());
      String number = String.format(Locale.ROOT, "%03d", i);
      senders.add(sender);
      threads.add(
          virtual == null
              ? new Thread(sender, LoadSpec.APPLICATION_THREAD + number)
              : virtual.make(sender, number));
    }
  }

  /**
   * The calls of one thread. A closed loop may be done before the appender looks at the size of its
   * file, which it does when it is logged to: it goes on at a moderate pace until the rotation has
   * begun.
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
  }

  /** Returns when every thread has made all calls that were due. */
  void run() throws IOException, InterruptedException {
    threads.forEach(Thread::start);
    watchUntilDone();
    stopNanos = System.nanoTime();
    for (Thread thread : threads) {
      thread.join();
    }
    endNanos = System.nanoTime();
    latency.endOfSecond();
  }

  private void watchUntilDone() throws IOException {
    RotationWatch watch = new RotationWatch(spec.target(), window);
    double lead = spec.warmUpSeconds() + spec.aroundSeconds();
    long giveUp = startNanos + nanos(lead + spec.rotationLimitSeconds());
    long nextSecond = startNanos + nanos(1);
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
      if (now >= nextSecond) {
        latency.endOfSecond();
        buffers.sample(sinceStart(now));
        nextSecond += nanos(1);
      }
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

  List<Sender> senders() {
    return senders;
  }

  LatencyRecorder latency() {
    return latency;
  }

  BufferWatch buffers() {
    return buffers;
  }

  DiskWatch disk() {
    return disk;
  }

  long startEpochNanos() {
    return startEpochNanos;
  }

  double seconds() {
    return (endNanos - startNanos) / SECOND;
  }

  LoadFigures.Rotation rotation() {
    return new LoadFigures.Rotation(
        window.begun(),
        window.ended(),
        window.begun() ? sinceStart(window.startNanos()) : 0,
        window.reopened() ? sinceStart(window.reopenedNanos()) : 0,
        window.ended() ? sinceStart(window.endNanos()) : 0);
  }

  private double sinceStart(long nanos) {
    return (nanos - startNanos) / SECOND;
  }

  private static long nanos(double seconds) {
    return (long) (seconds * SECOND);
  }
}
