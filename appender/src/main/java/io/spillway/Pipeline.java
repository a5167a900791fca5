package io.spillway;

import ch.qos.logback.core.Context;
import io.spillway.metrics.ArchiveMetrics;
import io.spillway.metrics.Counters;
import io.spillway.metrics.EpisodeReports;
import io.spillway.metrics.Gauges;
import io.spillway.metrics.JmxRegistration;
import io.spillway.metrics.LiveAppenders;
import io.spillway.metrics.LossCause;
import io.spillway.metrics.Pulse;
import io.spillway.metrics.Reports;
import io.spillway.metrics.SpillwayMetrics;
import io.spillway.ring.Batcher;
import io.spillway.ring.Drainer;
import io.spillway.ring.EventRing;
import io.spillway.route.BatchCodec;
import io.spillway.route.Deliverer;
import io.spillway.route.HandOff;
import io.spillway.route.Joins;
import io.spillway.route.Predecessors;
import io.spillway.route.Route;
import io.spillway.route.SpillMode;
import io.spillway.route.Worker;
import io.spillway.sink.Sink;
import io.spillway.spill.Spill;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;

/**
 * One appender's ring, drainer, route, deliverer and sink, and the order in which they start and
 * end. {@link PublishGate} is the side that application threads see.
 */
final class Pipeline<E> {
  // Beyond maxFlushTime: for the sink to return, and for the ring to go to the spill's disk.
  private static final long SINK_GRACE_NANOS = 200_000_000L;
  private static final long SPILL_GRACE_NANOS = 1_000_000_000L;
  private static final long POLL_NANOS = 500_000L;

  private final String name;
  private final Settings.Checked settings;
  private final Counters counters;
  private final Reports reports;
  private final Spill spill;
  private final Path file;
  private final EventRing<E> ring;
  private final Route route;
  private final Deliverer deliverer;
  private final Drainer<E> drainer;
  private final PublishGate<E> gate;
  private final Pulse pulse;
  private final SpillwayMetrics metrics;
  private final JmxRegistration jmx = new JmxRegistration();
  private final Object lifecycle = new Object();
  private volatile State state = State.NEW; // written under lifecycle
  private boolean diskHangs; // under lifecycle

  private enum State {
    NEW,
    RUNNING,
    EXITED,
    STOPPED
  }

  /**
   * What an appender brings to a pipeline. The spill is null if there is none, the file, to which
   * the sink writes, if that is not known, the report, which makes an event of a text, if none is
   * wanted.
   */
  record Parts<E>(
      String name,
      Settings.Checked settings,
      Counters counters,
      Reports reports,
      Supplier<Batcher<E>> batchers,
      UnaryOperator<E> withoutForeign,
      BatchCodec codec,
      Sink sink,
      Spill spill,
      Path file,
      Consumer<E> preparer,
      Predicate<E> discardable,
      Function<String, E> report,
      Supplier<ArchiveMetrics> archives) {}

  Pipeline(Parts<E> parts) {
    name = parts.name();
    settings = parts.settings();
    counters = parts.counters();
    reports = parts.reports();
    spill = parts.spill();
    ring = new EventRing<>(settings.queueSize());
    EpisodeReports episodes = episodeReports(parts);
    HandOff memory = new HandOff(settings.memoryBytes());
    route =
        new Route(
            memory,
            spill,
            parts.codec(),
            settings.spillMode(),
            parts.sink()::needsRoomOfSpill,
            counters,
            reports,
            episodes);
    deliverer =
        new Deliverer(
            this,
            parts.name(),
            route,
            parts.sink(),
            Predecessors.of(parts.file()),
            counters,
            reports);
    file = parts.file();
    pulse = new Pulse(counters, episodes);
    drainer =
        new Drainer<>(
            this,
            parts.name(),
            ring,
            parts.batchers(),
            parts.withoutForeign(),
            route,
            deliverer,
            pulse,
            counters,
            reports);
    gate = new PublishGate<>(this, parts, ring);
    metrics = new SpillwayMetrics(counters, gauges(memory, parts.archives()), pulse);
  }

  private EpisodeReports episodeReports(Parts<E> parts) {
    return parts.report() == null
        ? null
        : new EpisodeReports(
            parts.name(), counters, text -> ring.tryPublish(parts.report().apply(text)));
  }

  private Gauges gauges(HandOff memory, Supplier<ArchiveMetrics> archives) {
    return new Gauges(
        () -> state != State.NEW && gate.takesEvents(),
        () -> ring.accepted() + gate.acceptedLate(),
        ring.capacity(),
        ring::used,
        memory::bytes,
        settings.memoryBytes(),
        spill != null,
        this::isSpilling,
        () -> spill == null ? 0 : spill.bytes(),
        settings.maxSpillBytes(),
        () -> spill == null ? 0 : spill.leftoverBytes(),
        () -> spill == null ? 0 : spill.syncedEvents(),
        drainer::stuckThreads,
        archives);
  }

  private boolean isSpilling() {
    return spill != null && settings.spillMode() == SpillMode.OVERFLOW && !spill.isEmpty();
  }

  void start(Context context, String appenderName) {
    deliverer.start();
    drainer.start();
    synchronized (lifecycle) {
      state = State.RUNNING;
    }
    jmx.register(context == null ? null : context.getName(), appenderName, metrics, reports);
    LiveAppenders.add(context, appenderName, metrics, reports);
  }

  /** Instead of {@link #start}: the appender cannot start after all. */
  void discard() {
    gate.close();
    if (spill != null) {
      DiskCall.done(name, spill::close);
    }
  }

  PublishGate<E> gate() {
    return gate;
  }

  SpillwayMetrics metrics() {
    return metrics;
  }

  /** Waits until everything accepted so far, and every leftover, is delivered or lost. */
  boolean awaitDelivered(Duration timeout) {
    return awaitDelivered(deadline(timeout.toNanos()));
  }

  private boolean awaitDelivered(long deadline) {
    long target = ring.accepted();
    boolean interrupted = false;
    boolean done;
    while (!(done = counters.settled() >= target && noLeftovers())
        && deadline - System.nanoTime() > 0) {
      interrupted |= Thread.interrupted();
      LockSupport.parkNanos(this, POLL_NANOS);
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
    return done;
  }

  private boolean noLeftovers() {
    return spill == null || spill.leftoverBytes() == 0;
  }

  private static long deadline(long nanos) {
    long now = System.nanoTime();
    return nanos > Long.MAX_VALUE / 2 ? now + Long.MAX_VALUE / 2 : now + nanos;
  }

  /**
   * Ends everything within {@code maxFlushTime}: what the sink has not taken by then is saved to
   * the spill. The deliverer closes the sink as its last act, so that a stuck sink holds up nobody.
   */
  void stop() {
    synchronized (lifecycle) {
      if (state == State.RUNNING) {
        gate.close();
        stopWorkers(true, deadline(settings.maxFlushNanos()));
      } else if (state == State.EXITED) {
        gate.closeLate();
      }
      state = State.STOPPED;
    }
  }

  /**
   * The JVM exits and nobody stops the appender: delivers everything while log calls go on (other
   * exit hooks log, too), then lets each later one deliver its own event.
   */
  void stopForExit() {
    synchronized (lifecycle) {
      if (state == State.RUNNING) {
        state = State.EXITED;
        long deadline = deadline(settings.maxFlushNanos());
        awaitDelivered(deadline); // so that the hand-over, when log calls have to wait, is short
        gate.handOver();
        if (stopWorkers(false, deadline)) {
          gate.openLate();
        } else {
          gate.close();
        }
      }
    }
  }

  /** Returns whether the deliverer has ended, so that the sink is free. */
  private boolean stopWorkers(boolean closeSink, long deadline) {
    drainer.finish();
    boolean ended = false;
    // Stopped by the nested appender itself, this thread cannot wait for itself.
    if (!Worker.isCurrentOf(this) && Joins.until(drainer, deadline)) {
      deliverer.finish(closeSink);
      ended = Joins.until(deliverer, deadline);
    }
    if (!ended) {
      ended = giveUp(closeSink);
    }
    if (!ended) {
      Predecessors.leave(file, deliverer.thread());
    }
    if (spill != null && !drainer.isAlive() && !diskHangs && !DiskCall.done(name, spill::close)) {
      diskHangs();
    }
    pulse.end();
    jmx.unregister(reports);
    LiveAppenders.remove(metrics, reports);
    return ended;
  }

  private boolean giveUp(boolean closeSink) {
    deliverer.finish(closeSink);
    deliverer.fence();
    drainer.giveUp();
    boolean drained = Joins.awake(drainer, SPILL_GRACE_NANOS);
    boolean ended = !Worker.isCurrentOf(this) && Joins.until(deliverer, deadline(SINK_GRACE_NANOS));
    long lost = drained ? ring.used() + drainer.unplacedEvents() : pendingInMemory();
    counters.lost(LossCause.NOT_SAVED, lost, false);
    if (drained) {
      lost += saveRest();
    }
    if (lost > 0) {
      reports.error(
          "stop",
          "Stopped with a sink that did not take everything within maxFlushTime, and neither memory"
              + " nor spill had room for "
              + lost
              + " events: they are lost (NOT_SAVED).",
          null);
    } else if (pending() > 0) {
      reports.info(
          "Stopped with a sink that did not take everything within maxFlushTime: "
              + pending()
              + " events wait in the spill for the next start.");
    }
    return ended;
  }

  /** Returns how many events are lost because they could not be saved. */
  private long saveRest() {
    AtomicLong unsaved = new AtomicLong();
    if (DiskCall.done(name, () -> unsaved.set(route.saveRest(deliverer.delivery())))) {
      return unsaved.get();
    }
    diskHangs();
    long inMemory = pendingInMemory();
    counters.lost(LossCause.NOT_SAVED, inMemory, false);
    return inMemory;
  }

  private void diskHangs() {
    diskHangs = true;
    reports.error(
        "stop",
        "The disk of the spill directory has not answered for 10 seconds, and the stop goes on without"
            + " it. To do: look at that disk or network file system.",
        null);
  }

  private long pending() {
    return metrics.snapshot().events().pending();
  }

  private long pendingInMemory() {
    return Math.max(0, pending() - (spill == null ? 0 : spill.pendingEvents()));
  }
}
