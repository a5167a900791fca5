package io.spillway.stress.load;

import io.spillway.stress.record.LatencyRecorder;
import io.spillway.stress.record.RotationWindow;
import io.spillway.stress.report.RotationFigures;
import io.spillway.stress.verify.LogLine;
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

  private final LoadSpec spec;
  private final StopTime stop = new StopTime();
  private final RotationWindow window = new RotationWindow();
  private final List<Sender> senders = new ArrayList<>();
  private final List<Thread> threads = new ArrayList<>();
  private final long startNanos = System.nanoTime();
  private final long startEpochNanos = System.currentTimeMillis() * 1_000_000;
  private final LatencyRecorder latency;
  private long endNanos;

  LoadRun(LoadSpec spec) {
    this.spec = spec;
    latency = new LatencyRecorder(startNanos + nanos(spec.warmUpSeconds()), window);
    Logger logger = LoggerFactory.getLogger(LogLine.LOGGER);
    double interval = SECOND * spec.threads() / spec.eventsPerSecond();
    for (int i = 0; i < spec.threads(); i++) {
      long firstDue = startNanos + (long) (interval * (i + 1) / spec.threads());
      Sender sender = new Sender(i, firstDue, interval, stop, latency, logger);
      String name = LoadSpec.APPLICATION_THREAD + String.format(Locale.ROOT, "%03d", i);
      senders.add(sender);
      threads.add(new Thread(sender, name));
    }
  }

  /** Returns when every thread has made all calls that were due. */
  void run() throws IOException, InterruptedException {
    threads.forEach(Thread::start);
    watchUntilDone();
    stop.set(System.nanoTime());
    for (Thread thread : threads) {
      thread.join();
    }
    endNanos = System.nanoTime();
    latency.endOfSecond();
  }

  private void watchUntilDone() throws IOException {
    RotationWatch watch =
        new RotationWatch(Path.of(spec.activeFile()), spec.prefillBytes(), window);
    double lead = spec.warmUpSeconds() + spec.aroundSeconds();
    long giveUp = startNanos + nanos(lead + spec.rotationLimitSeconds());
    long nextSecond = startNanos + nanos(1);
    boolean told = false;
    while (true) {
      LockSupport.parkNanos(POLL_NANOS);
      watch.look();
      long now = System.nanoTime();
      if (now >= nextSecond) {
        latency.endOfSecond();
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

  long startEpochNanos() {
    return startEpochNanos;
  }

  double seconds() {
    return (endNanos - startNanos) / SECOND;
  }

  RotationFigures rotation() {
    return new RotationFigures(
        window.begun(),
        window.ended(),
        window.begun() ? (window.startNanos() - startNanos) / SECOND : 0,
        window.ended() ? (window.endNanos() - startNanos) / SECOND : 0);
  }

  private static long nanos(double seconds) {
    return (long) (seconds * SECOND);
  }
}
