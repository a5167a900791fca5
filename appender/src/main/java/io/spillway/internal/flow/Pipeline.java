package io.spillway.internal.flow;

import io.spillway.internal.metrics.Counters;
import io.spillway.internal.metrics.DetachedThread;
import io.spillway.internal.metrics.Gauges;
import io.spillway.internal.sink.Sink;
import io.spillway.internal.spill.Spill;
import io.spillway.metrics.ArchiveMetrics;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

/**
 * One start of an appender: ring, order, deliverer, spiller and sink, and how they start, stop and
 * end with the JVM.
 *
 * <p>{@code NEW, RUNNING, STOPPING, CLOSED}. A stop waits until all is delivered, or {@code
 * maxFlushTime} is over; log calls are accepted meanwhile. Then they are refused, and the deliverer
 * is fenced; the spiller appends what is left, the batch in flight first, seals the ring, and
 * closes the spill. A deliverer that hangs in the sink closes the sink when it comes back.
 *
 * <p>At the JVM's exit the pipeline waits in the same way, but nothing is closed: its threads live
 * on until the JVM halts, everything that the sink does not take at once goes to the spill, and a
 * log call made from then on waits until its event is delivered or spilled.
 *
 * <p>Concurrency: {@code start} and {@code stop} by one thread at a time.
 */
public final class Pipeline implements Gauges {
  /** How long a log call waits during the JVM's exit until its event is delivered or spilled. */
  private static final long EXIT_NANOS = 1_000_000_000L;

  private static final long POLL_NANOS = 1_000_000L;
  private static final long FORCE_NANOS = 5_000_000_000L; // as at a stop
  private static final long NO_PROGRESS_NANOS = 10_000_000_000L;
  private static final long SLOW_WRITE_NANOS = 500_000_000L;
  private static final long POLICIES_NANOS = 30_000_000_000L;
  private static final long HEALTH_STALL_NANOS = 5_000_000_000L;

  private final Parts parts;
  private final FlowConfig config;
  private final Counters counters;
  private final Sleeper delivererSleeper = new Sleeper();
  private final Sleeper spillerSleeper = new Sleeper();
  private final EventRing ring;
  private final Order order;
  private final Deliverer deliverer;
  private final Spiller spiller;
  private final Backoff backoff = new Backoff();
  private final Thread deliveryThread;
  private final Thread spillThread;
  private final Thread exitHook;
  private volatile State state = State.NEW;
  private volatile boolean refusing;

  private enum State {
    NEW,
    RUNNING,
    STOPPING,
    CLOSED
  }

  /** What an appender brings to a pipeline. */
  public record Parts(
      String name,
      Sink sink,
      RecordCodec codec,
      Spill spill,
      SpillReports spillReports,
      SinkState sinkState) {}

  /** What only the appender knows of its sink. Any thread may ask. */
  public interface SinkState {
    /** Returns whether no started appender is nested. */
    default boolean isMissing() {
      return false;
    }

    /** Returns whether a rolling or triggering policy is at work, which may take half a minute. */
    default boolean isInPolicy() {
      return false;
    }

    /** Returns the figures of the compressor. */
    default ArchiveMetrics archives() {
      return ArchiveMetrics.NONE;
    }
  }

  /** Creates a pipeline that is not started. */
  public Pipeline(FlowConfig config, Parts parts, Tell tell) {
    this.config = config;
    this.parts = parts;
    counters = tell.counters();
    ring =
        new EventRing(
            config.queueSize(),
            config.always() ? spillerSleeper : delivererSleeper,
            spillerSleeper);
    order = new Order(ring, parts, config, tell);
    deliverer = new Deliverer(order, delivererSleeper, parts.sink, tell);
    deliveryThread = DetachedThread.of(deliverer, "spillway-deliverer-" + parts.name);
    spiller = new Spiller(order, spillerSleeper, deliveryThread, tell);
    spillThread = DetachedThread.of(spiller, "spillway-spiller-" + parts.name);
    exitHook = new Thread(null, this::exit, "spillway-exit-" + parts.name, 0, false);
  }

  /** Opens the spill, if it can be opened now, and starts the threads. */
  public void start() {
    order.open();
    state = State.RUNNING;
    try {
      Runtime.getRuntime().addShutdownHook(exitHook);
    } catch (IllegalStateException exiting) {
      order.exit();
    }
    deliveryThread.start();
    spillThread.start();
  }

  public EventRing ring() {
    return ring;
  }

  /** Returns the waits of log calls for room. */
  public Backoff backoff() {
    return backoff;
  }

  /** Returns whether events are refused, since the appender stops. */
  public boolean isRefusing() {
    return refusing;
  }

  /** Returns whether the JVM exits: log calls wait until their event is delivered or spilled. */
  public boolean isExiting() {
    return order.exitNanos() > 0;
  }

  /**
   * Returns whether a log call may wait for room: not for long while the JVM exits, and with {@code
   * DROP_OLDEST} only while the spill takes events, or makes room.
   */
  public boolean mayWait() {
    return !refusing
        && order.exitNanos() < EXIT_NANOS
        && !(config.whenFull() == FlowConfig.WhenFull.DROP_OLDEST
            && (!parts.spill.isOpen() || order.isStuck() && parts.spill.bytes() > 0));
  }

  /** Returns whether the calling thread is one of this pipeline's. */
  public boolean isOwnThread() {
    Thread current = Thread.currentThread();
    return current == deliveryThread || current == spillThread;
  }

  /** Returns whether all of the first events are delivered or lost, and all leftovers with them. */
  public boolean isSettled(long accepted) {
    return order.isDrained() // also without what the spill could not read, and passed by
        || counters.settled() >= accepted && parts.spill.leftoverEvents() == 0;
  }

  /** Waits until every event accepted so far is delivered, or lost and counted. */
  public boolean awaitDelivered(Duration timeout) {
    long accepted = accepted();
    long nanos = TimeUnit.NANOSECONDS.convert(timeout); // the largest long, if it is longer
    return await(() -> isSettled(accepted) || state == State.CLOSED, nanos) && isSettled(accepted);
  }

  /** Waits without being woken: it is the end of an appender, or a test. Keeps interrupts. */
  private boolean await(BooleanSupplier condition, long nanos) {
    long began = System.nanoTime();
    while (!condition.getAsBoolean()) {
      if (System.nanoTime() - began >= nanos) {
        return false;
      }
      DetachedThread.pause(this, POLL_NANOS);
    }
    return true;
  }

  /** Waits while there is progress; ends after ten to twenty seconds without. */
  private void awaitProgress(BooleanSupplier condition) {
    long last = -1;
    long progress = progress();
    while (progress != last && !await(condition, NO_PROGRESS_NANOS)) {
      last = progress;
      progress = progress();
    }
  }

  private long progress() {
    return counters.settled() + parts.spill.events() + parts.spill.bytes();
  }

  /**
   * Stops: what the sink has not taken within {@code maxFlushTime} is saved in the spill. Does
   * nothing if the pipeline does not run.
   */
  public void stop() {
    if (state != State.RUNNING) {
      return;
    }
    state = State.STOPPING;
    long began = System.nanoTime();
    long patience = isOwnThread() ? 0 : config.maxFlushNanos();
    await(order::isDrained, patience);
    refusing = true;
    await(order::isDrained, patience - (System.nanoTime() - began)); // what came meanwhile
    order.flight().fence();
    delivererSleeper.wake();
    spiller.close();
    if (!isOwnThread()) {
      awaitProgress(() -> !spillThread.isAlive());
      awaitSink();
    }
    if (order.exitNanos() == 0) {
      removeHook();
    }
    state = State.CLOSED;
  }

  /** Waits for a sink that can be closed at once; but on a daemon, for slow policies as well. */
  private void awaitSink() {
    if (!await(() -> !deliveryThread.isAlive(), SLOW_WRITE_NANOS)
        && !Thread.currentThread().isDaemon()) {
      await(
          () ->
              !deliveryThread.isAlive() || !deliverer.isClosing() && !parts.sinkState.isInPolicy(),
          POLICIES_NANOS);
    }
  }

  private void removeHook() {
    try {
      Runtime.getRuntime().removeShutdownHook(exitHook);
    } catch (IllegalStateException exiting) {
      Thread.onSpinWait(); // the JVM exits, and the hook finds nothing to do
    }
  }

  private void exit() {
    if (state == State.STOPPING) {
      await(() -> state == State.CLOSED, Math.max(config.maxFlushNanos(), POLICIES_NANOS));
    }
    if (state != State.RUNNING) {
      return;
    }
    await(order::isDrained, config.maxFlushNanos());
    order.exit();
    delivererSleeper.wake();
    spillerSleeper.wake();
    awaitProgress(() -> ring.isEmpty() && (order.isSaved() || !parts.spill.isOpen()));
    await(deliverer::isFlushed, SLOW_WRITE_NANOS);
    Receipt forced = new Receipt();
    parts.spill.sync(forced, null); // what is delivered and not forced would come twice
    forced.await(FORCE_NANOS);
  }

  /** Waits until all that was accepted is delivered or spilled, a second at most. */
  public void awaitSaved() {
    spillerSleeper.wake();
    await(() -> ring.isEmpty() && order.isSaved(), EXIT_NANOS);
  }

  @Override
  public boolean isStarted() {
    return state == State.RUNNING || state == State.STOPPING && !refusing;
  }

  @Override
  public long accepted() {
    return ring.accepted();
  }

  @Override
  public long ringUsed() {
    return ring.used();
  }

  @Override
  public long ringCapacity() {
    return ring.capacity();
  }

  @Override
  public boolean isHeavy() {
    return ring.isHeavy();
  }

  @Override
  public long waitingCalls() {
    return backoff.waiting();
  }

  @Override
  public long spillBytes() {
    return parts.spill.bytes();
  }

  @Override
  public long spillCapacity() {
    return parts.spill.capacity();
  }

  @Override
  public long leftoverBytes() {
    return parts.spill.leftoverBytes();
  }

  @Override
  public long syncedEvents() {
    return parts.spill.syncedEvents();
  }

  @Override
  public boolean spillUsable() {
    return parts.spill.isOpen();
  }

  @Override
  public boolean isSpilling() {
    return !config.always() && parts.spill.events() > parts.spill.leftoverEvents();
  }

  @Override
  public long stallNanos() {
    return order.stallNanos();
  }

  @Override
  public long oldestPendingNanos() {
    return order.behindNanos();
  }

  @Override
  public boolean isSinkMissing() {
    return parts.sinkState.isMissing();
  }

  @Override
  public boolean hasLostLog() {
    return parts.sink.hasLost();
  }

  @Override
  public boolean isWorkerGone() {
    return state == State.RUNNING && !(deliveryThread.isAlive() && spillThread.isAlive());
  }

  @Override
  public String stuckIn() {
    if (stallNanos() < HEALTH_STALL_NANOS) {
      return null;
    }
    StackTraceElement[] stack = deliveryThread.getStackTrace();
    return stack.length == 0 ? null : stack[0].toString();
  }

  @Override
  public ArchiveMetrics archives() {
    return parts.sinkState.archives();
  }
}
