package io.spillway;

import ch.qos.logback.core.spi.ContextAwareBase;
import io.spillway.internal.metrics.Counters;
import io.spillway.internal.metrics.EpisodeReports;
import io.spillway.internal.metrics.LiveReading;
import io.spillway.internal.metrics.Pulse;
import io.spillway.internal.metrics.Reports;
import io.spillway.internal.ring.EventRing;
import io.spillway.internal.ring.Rings;
import io.spillway.internal.route.PipelineContext;
import io.spillway.internal.route.Worker;
import io.spillway.metrics.ArchiveMetrics;
import io.spillway.metrics.Snapshot;
import io.spillway.metrics.SpillwayMetrics;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.LockSupport;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;
import org.openjdk.jmh.infra.Blackhole;

/**
 * Verifies the claim that metrics cost no more on the publish path than one striped counter.
 *
 * <ul>
 *   <li>{@link #ring}: an event enters the ring, the lower bound for any appender on a ring.
 *   <li>{@link #ringAndStripedCounter}: {@link #ring} and one {@link LongAdder}; the difference is
 *       what such a counter costs.
 *   <li>{@link #guardedRing}: {@link #ring} behind all other work of the gate for an accepted
 *       event, without any metrics: the guard against re-entrance, the checks of {@code
 *       discardingThreshold} and of the appender's state, the call that prepares the event.
 *   <li>{@link #gate}: the whole publish path of an accepted event with metrics, except for the
 *       event's preparation. By the claim it may exceed {@link #guardedRing} by the cost of one
 *       counter; as the ring's cursor counts accepted events, it should not exceed it at all.
 *   <li>{@link #gateWatched}: {@link #gate} while another thread reads the metrics of events a
 *       thousand times a second, far more often than monitoring does. It should take no longer than
 *       {@link #gate}.
 * </ul>
 *
 * <p>Average time over bursts into a ring with room, in one thread: below saturation no wait hides
 * the cost of a counter.
 */
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Fork(3)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
@OperationsPerInvocation(MetricsBenchmark.BURST)
public class MetricsBenchmark {
  static final int BURST = 8192; // half of the ring
  private static final Object EVENT = new Object();
  private static final int MAX_DEPTH = 8;
  private static final ContextAwareBase ORIGIN = new ContextAwareBase();

  /** Called by JMH. */
  public MetricsBenchmark() {}

  /**
   * The ring and the gate before it, without an appender around them. It has benchmark scope,
   * because JMH would give a state that depends on one of thread scope another instance.
   */
  @State(Scope.Benchmark)
  public static class PublishPath {
    private final EventRing<Object> ring = new EventRing<>(EventRing.MIN_CAPACITY, event -> 0, 0);
    private final LongAdder striped = new LongAdder();
    private final Counters counters = new Counters();
    private final PipelineContext context =
        new PipelineContext("jmh", counters, new Reports(ORIGIN));
    private final ThreadLocal<int[]> depth = new ThreadLocal<>();
    private int discardingThreshold = -1;
    private Preparer<Object> preparer = new Untouched();
    private volatile boolean open = true;
    private PublishGate<Object> gate;
    private SpillwayMetrics metrics;

    /** Called by JMH. */
    public PublishPath() {}

    private void publish() {
      if (!ring.tryPublish(EVENT)) {
        throw new IllegalStateException("No room.");
      }
    }

    /** Calls the gate as an appender does. */
    private void append() {
      int[] nestedCalls = gate.begin(EVENT);
      gate.append(EVENT);
      nestedCalls[0]--;
    }

    /** Publishes behind the same guards as the gate's. */
    private void publishGuarded() {
      int[] nested = depth.get();
      if (nested == null) {
        nested = new int[1];
        depth.set(nested);
      }
      if (nested[0] >= MAX_DEPTH || Worker.isCurrentOf(context)) {
        throw new IllegalStateException("Not nested.");
      }
      nested[0]++;
      try {
        if (discardingThreshold > 0 && ring.remaining() < discardingThreshold) {
          throw new IllegalStateException("Nothing is discarded here.");
        }
        if (!prepare() || !open || !ring.tryPublish(EVENT)) {
          throw new IllegalStateException("No room.");
        }
      } finally {
        nested[0]--;
      }
    }

    private boolean prepare() {
      try {
        preparer.prepare(EVENT);
        return true;
      } catch (Throwable t) {
        return false;
      }
    }

    /** Creates the gate; the stages behind the ring are never reached, so they are null. */
    @Setup(Level.Trial)
    public void make() {
      gate =
          new PublishGate<>(
              new Pipeline.Parts<>(
                  context,
                  new Settings().check(ORIGIN),
                  new Pipeline.Events<>(null, new Untouched(), null),
                  new Pipeline.Destination(null, null, null, () -> ArchiveMetrics.NONE)),
              ring,
              false,
              null, // no call waits for the drainer
              () -> "");
      metrics =
          new SpillwayMetrics(
              new RingOnly(
                  ring, counters, new Pulse(counters, new EpisodeReports("jmh", counters, null))));
    }

    /** Empties the ring; not timed. */
    @Setup(Level.Invocation)
    public void empty(Blackhole sink) {
      Rings.empty(ring, sink);
    }

    /** Fails if a call was refused, because refused calls are cheaper. */
    @TearDown(Level.Trial)
    public void check() {
      if (metrics.getDropped() + metrics.getBlockedCalls() > 0) {
        throw new IllegalStateException("Refused: " + metrics.getLossByCause());
      }
    }
  }

  /** Events that need no preparation. */
  private static final class Untouched implements Preparer<Object> {
    @Override
    public void prepare(Object event) {}

    @Override
    public boolean isDiscardable(Object event) {
      return false;
    }

    @Override
    public Object apply(Object event) {
      return event;
    }
  }

  /** Figures of a ring with nothing behind it. */
  private static final class RingOnly extends LiveReading {
    private static final Snapshot.Fill NONE = new Snapshot.Fill(0, 0);

    private final EventRing<Object> ring;

    RingOnly(EventRing<Object> ring, Counters counters, Pulse pulse) {
      super(counters, pulse);
      this.ring = ring;
    }

    @Override
    public boolean started() {
      return true;
    }

    @Override
    protected long accepted() {
      return ring.accepted();
    }

    @Override
    protected long settled() {
      return ring.accepted() - ring.used();
    }

    @Override
    protected long synced() {
      return 0;
    }

    @Override
    public Snapshot.Blocked blocked() {
      return blocked(0, false);
    }

    @Override
    public Snapshot.Fill ring() {
      return new Snapshot.Fill(ring.used(), ring.capacity());
    }

    @Override
    public Snapshot.Fill memory() {
      return NONE;
    }

    @Override
    public Snapshot.Fill spill() {
      return NONE;
    }

    @Override
    public Snapshot.Spilling spilling() {
      return spilling(false, false, 0);
    }

    @Override
    public Snapshot.Sink sink() {
      return sink(false);
    }

    @Override
    public ArchiveMetrics archives() {
      return ArchiveMetrics.NONE;
    }

    @Override
    public Snapshot.Workers workers() {
      return workers(0, false);
    }
  }

  /** A thread that reads metrics for as long as the trial lasts. */
  @State(Scope.Benchmark)
  public static class Watcher {
    private static final long PERIOD_NANOS = 1_000_000;

    private Thread thread;
    private volatile boolean stopped;
    private volatile long seen;

    /** Called by JMH. */
    public Watcher() {}

    /** Starts the thread. */
    @Setup(Level.Trial)
    public void start(PublishPath path) {
      thread = new Thread(() -> watch(path.metrics), "watcher");
      thread.start();
    }

    /** Ends the thread; fails if it saw no event. */
    @TearDown(Level.Trial)
    public void stop() throws InterruptedException {
      stopped = true;
      thread.join();
      if (seen == 0) {
        throw new IllegalStateException("The watcher saw no event.");
      }
    }

    private void watch(SpillwayMetrics metrics) {
      while (!stopped) {
        seen =
            metrics.getAccepted()
                + metrics.getDelivered()
                + metrics.getPending()
                + metrics.getLost()
                + metrics.getDropped()
                + metrics.getSpilled()
                + metrics.getRingUsed()
                + metrics.getBlockedCalls()
                + metrics.getBlockedNanos();
        LockSupport.parkNanos(PERIOD_NANOS);
      }
    }
  }

  /** The ring alone. */
  @Benchmark
  public void ring(PublishPath path) {
    for (int i = 0; i < BURST; i++) {
      path.publish();
    }
  }

  /** The ring and one striped counter. */
  @Benchmark
  public void ringAndStripedCounter(PublishPath path) {
    for (int i = 0; i < BURST; i++) {
      path.publish();
      path.striped.increment();
    }
  }

  /** The ring and the gate's guards. */
  @Benchmark
  public void guardedRing(PublishPath path) {
    for (int i = 0; i < BURST; i++) {
      path.publishGuarded();
    }
  }

  /** The publish path. */
  @Benchmark
  public void gate(PublishPath path) {
    for (int i = 0; i < BURST; i++) {
      path.append();
    }
  }

  /** The publish path, watched. */
  @Benchmark
  public void gateWatched(PublishPath path, Watcher watcher) {
    for (int i = 0; i < BURST; i++) {
      path.append();
    }
  }
}
