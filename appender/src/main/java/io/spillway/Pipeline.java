package io.spillway;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.spi.IThrowableProxy;
import ch.qos.logback.classic.spi.LoggingEvent;
import ch.qos.logback.core.Context;
import ch.qos.logback.core.spi.ContextAware;
import io.spillway.internal.metrics.AfterStart;
import io.spillway.internal.metrics.Counters;
import io.spillway.internal.metrics.DetachedThread;
import io.spillway.internal.metrics.EpisodeReports;
import io.spillway.internal.metrics.JmxRegistration;
import io.spillway.internal.metrics.LiveReading;
import io.spillway.internal.metrics.Pulse;
import io.spillway.internal.metrics.Reports;
import io.spillway.internal.ring.Acknowledge;
import io.spillway.internal.ring.Batcher;
import io.spillway.internal.ring.Drainer;
import io.spillway.internal.ring.EventRing;
import io.spillway.internal.route.BatchCodec;
import io.spillway.internal.route.Deliverer;
import io.spillway.internal.route.HandOff;
import io.spillway.internal.route.PipelineContext;
import io.spillway.internal.route.Predecessors;
import io.spillway.internal.route.Route;
import io.spillway.internal.route.Worker;
import io.spillway.internal.sink.EventBatch;
import io.spillway.internal.sink.Sink;
import io.spillway.internal.spill.Spill;
import io.spillway.metrics.ArchiveMetrics;
import io.spillway.metrics.Health;
import io.spillway.metrics.LiveAppenders;
import io.spillway.metrics.Snapshot;
import io.spillway.metrics.SpillwayMetrics;
import java.lang.ref.WeakReference;
import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.function.ToLongFunction;

/**
 * One appender's ring, drainer, route, deliverer and sink, and the order in which they start and
 * end. Application threads use only its {@link PublishGate}.
 */
final class Pipeline<E> {
  private static final long POLL_NANOS = 500_000L;
  private static final long LOOK_NANOS = 50_000_000L;
  private static final int LOOKS_WITHOUT_MEMORY = 200; // each try costs the JVM a full collection
  private static final int WORKER_STEPS = 2;
  private static final int START_STEPS = 7;
  private static final String REPORTER = "io.spillway"; // logger of its own events

  /** Bound of large texts in the ring, so that the drainer has memory left to encode them. */
  private static final long MAX_RING_BYTES = Runtime.getRuntime().maxMemory() / 8;

  private final PipelineContext context;
  private final Settings.Checked settings;
  private final Counters counters;
  private final Reports reports;
  private final Spill spill;
  private final Predecessors.Holding holding;
  private final EventRing<E> ring;
  private final Route route;
  private final Deliverer deliverer;
  private final Drainer<E> drainer;
  private final PublishGate<E> gate;
  private final Pulse pulse;
  private final SpillwayMetrics metrics;
  private final JmxRegistration jmx;
  private final Sink sink;
  private final Calls calls = new Calls();
  private final Thread exitHook;
  private final Object lifecycle = new Object(); // never held during a wait
  private boolean exitsAlready; // the JVM exits already; set and read by a start
  private volatile State state = State.NEW; // written under lifecycle
  private final Ending ending;
  private final LateEnding lateEnding;

  private enum State {
    NEW,
    RUNNING,
    /** A stop waits for the sink; log calls are still accepted. */
    STOPPING,
    /** The ending runs or is over. */
    STOPPED,
    /** The JVM's exit delivers what is pending. */
    EXITING,
    /** Each log call delivers its own event, unless a stop has come after the exit. */
    EXITED
  }

  /**
   * What an appender brings to a pipeline.
   *
   * @param context context of all its parts
   * @param settings settings that were checked
   * @param events how its events are encoded and prepared
   * @param destination where its events go
   */
  record Parts<E>(
      PipelineContext context,
      Settings.Checked settings,
      Events<E> events,
      Destination destination) {}

  /**
   * How an appender's events are encoded and prepared.
   *
   * @param batchers make a batcher for each thread
   * @param preparer readies an event for other threads, in the log call
   * @param report makes an event of a text; null if no episodes are to be reported
   */
  record Events<E>(
      Supplier<Batcher<E>> batchers, Preparer<E> preparer, Function<String, E> report) {}

  /**
   * Where events go.
   *
   * @param sink takes them in the end
   * @param codec encodes them for the spill
   * @param holding the file, if it is known, and the spill, if there is one
   * @param archives what the rolling policy's compressor has done
   */
  record Destination(
      Sink sink,
      BatchCodec codec,
      Predecessors.Holding holding,
      Supplier<ArchiveMetrics> archives) {}

  /**
   * Returns a function that makes a log event of a text of Spillway; null if such events are not
   * wanted, or are impossible because the appender's events are no log events.
   */
  static Function<String, ILoggingEvent> reports(ContextAware appender, Settings.Checked settings) {
    if (!settings.reportEpisodes()) {
      return null;
    }
    if (appender.getContext() instanceof LoggerContext context) {
      Logger logger = context.getLogger(REPORTER);
      return text -> report(logger, text);
    }
    appender.addWarn(
        "Setting [reportEpisodes] has no effect: the events of this appender are not log events of"
            + " Logback classic.");
    return null;
  }

  /** Makes an event without caller data, since no class has the reporter's name. */
  private static ILoggingEvent report(Logger logger, String text) {
    LoggingEvent event = new LoggingEvent(REPORTER, logger, Level.WARN, text, null, null);
    event.prepareForDeferredProcessing();
    return event;
  }

  Pipeline(Parts<E> parts) {
    context = parts.context();
    settings = parts.settings();
    counters = context.counters();
    reports = context.reports();
    jmx = new JmxRegistration(reports);
    Destination destination = parts.destination();
    holding = destination.holding();
    sink = destination.sink();
    spill = holding.spill();
    ring = new EventRing<>(settings.queueSize(), calls, MAX_RING_BYTES);
    EpisodeReports episodes = episodeReports(parts.events().report());
    HandOff memory = new HandOff(settings.memoryBytes());
    route =
        new Route(
            context,
            memory,
            new Route.Overflow(
                spill,
                destination.codec(),
                settings.spillMode(),
                calls,
                settings.acknowledge() == Acknowledge.SYNCED,
                settings.policy()),
            episodes);
    deliverer = new Deliverer(context, route, sink, new Predecessors(holding));
    pulse = new Pulse(counters, episodes);
    drainer =
        new Drainer<>(
            context,
            new Drainer.Source<>(
                ring, parts.events().batchers(), parts.events().preparer(), settings.policy()),
            route,
            deliverer,
            pulse);
    gate = new PublishGate<>(parts, ring, drainer.formats(), drainer, calls);
    metrics = new SpillwayMetrics(new Held(memory, destination.archives()));
    ending =
        new Ending(context, new Ending.Subject(ring, drainer, route, deliverer, holding), calls);
    lateEnding = new LateEnding(context, ending, gate.late(), spill, sink);
    exitHook = new ExitHook("spillway-exit-" + context.name());
  }

  /** Callbacks of the parts. One class, because the JVM generates another for each lambda. */
  private final class Calls
      implements ToLongFunction<Object>,
          BooleanSupplier,
          Supplier<String>,
          Consumer<Throwable>,
          Runnable {
    /** Returns the weight of an event, for the ring. */
    @Override
    public long applyAsLong(Object event) {
      return heapBytes(event);
    }

    /** Returns whether the spill must not grow, for the route. */
    @Override
    public boolean getAsBoolean() {
      return sink.needsRoomOfSpill();
    }

    /** Returns why the ring is full, for the gate. */
    @Override
    public String get() {
      return whyRingIsFull();
    }

    /** Reports what a listener to starts and stops has thrown. */
    @Override
    public void accept(Throwable failure) {
      reports.warn("meters", "A listener to this appender's start and stop failed: ", failure, ".");
    }

    /** Called by the ending when it is over. */
    @Override
    public void run() {
      over();
    }
  }

  /**
   * Loads, without effect, classes that an appender needs only while it spills and when it ends.
   */
  private static final class Rehearsal extends WeakReference<Pipeline<?>> implements Runnable {
    Rehearsal(Pipeline<?> pipeline) {
      super(pipeline);
    }

    @Override
    public void run() {
      Pipeline<?> running = get();
      if (running != null) {
        running.whyRingIsFull();
      }
      Drainer.rehearse();
      Ending.rehearse();
    }
  }

  private final class ExitHook extends Thread {
    ExitHook(String name) {
      super(null, null, name, 0, false); // kept until the stop, so it inherits no thread locals
    }

    /** Called by the JVM, which runs no later hook if this method throws. */
    @Override
    public void start() {
      try {
        super.start();
      } catch (OutOfMemoryError noThread) {
        run();
      }
    }

    @Override
    public void run() {
      stopForExit();
    }
  }

  private EpisodeReports episodeReports(Function<String, E> report) {
    return new EpisodeReports(
        context.name(),
        counters,
        report == null ? null : text -> ring.tryPublish(report.apply(text)));
  }

  /** The metrics, read from the counters and the parts. */
  private final class Held extends LiveReading {
    private final HandOff memory;
    private final Supplier<ArchiveMetrics> archives;

    Held(HandOff memory, Supplier<ArchiveMetrics> archives) {
      super(counters, pulse);
      this.memory = memory;
      this.archives = archives;
    }

    @Override
    public boolean started() {
      return state != State.NEW && state != State.STOPPING && gate.takesEvents();
    }

    @Override
    protected long accepted() {
      return ring.accepted() + gate.late().accepted();
    }

    @Override
    protected long settled() {
      return route.settledButSetAside(drainer.placed());
    }

    @Override
    protected long synced() {
      return spill == null ? 0 : spill.syncedEvents();
    }

    @Override
    public Snapshot.Blocked blocked() {
      return blocked(gate.waiting(), ring.isHeavy());
    }

    @Override
    public Snapshot.Fill ring() {
      return new Snapshot.Fill(ring.used(), ring.capacity());
    }

    @Override
    public Snapshot.Fill memory() {
      return new Snapshot.Fill(memory.bytes(), settings.memoryBytes());
    }

    @Override
    public Snapshot.Fill spill() {
      return new Snapshot.Fill(spill == null ? 0 : spill.bytes(), settings.maxSpillBytes());
    }

    @Override
    public Snapshot.Spilling spilling() {
      return spilling(
          spill != null && spill.isOpen(),
          route.isSpilling()
              // Otherwise only the end of the last record is missing.
              && counters.settled() < ring.accepted(),
          spill == null ? 0 : spill.leftoverBytes());
    }

    @Override
    public Snapshot.Sink sink() {
      return sink(sink.hasLost());
    }

    @Override
    public ArchiveMetrics archives() {
      return archives.get();
    }

    @Override
    public Snapshot.Workers workers() {
      if (state == State.RUNNING) {
        gate.watch(); // a health probe may be the only code that still runs
      }
      return workers(drainer.stuckThreads(), drainer.hasNoRoom());
    }
  }

  /**
   * Starts the parts step by step; once the workers run, a start cannot fail any more. A step for
   * which there is no memory is tried again; after ten seconds the appender goes on without that
   * step, except for its workers.
   */
  void start(Context context, String appenderName) {
    long sinceNanos = System.nanoTime();
    for (int step = 0; step < START_STEPS; ) {
      boolean again = false;
      try {
        begin(step, context, appenderName);
      } catch (OutOfMemoryError noMemory) {
        again = step < WORKER_STEPS || System.nanoTime() - sinceNanos < Steps.PATIENCE_NANOS;
        counters.workerFailure();
        LockSupport.parkNanos(POLL_NANOS);
      }
      step += again ? 0 : 1;
    }
    if (exitsAlready) {
      stopForExit(); // the exit hook cannot run any more, so this start delivers what is logged
    }
    reports.flush();
  }

  private void begin(int step, Context context, String appenderName) {
    switch (step) {
      case 0 -> deliverer.start();
      case 1 -> drainer.start();
      case 2 -> {
        gate.watch();
        synchronized (lifecycle) {
          state = State.RUNNING;
        }
      }
      case 3 -> hookExit();
      case 4 -> jmx.register(context == null ? null : context.getName(), appenderName, metrics);
      case 5 -> LiveAppenders.add(context, appenderName, metrics, calls);
      default -> AfterStart.rehearse(new Rehearsal(this));
    }
  }

  /**
   * Registers the hook for a JVM that exits without stopping Logback: {@code System.exit}, the end
   * of {@code main}, SIGTERM.
   */
  private void hookExit() {
    try {
      Runtime.getRuntime().addShutdownHook(exitHook);
    } catch (IllegalStateException exiting) {
      exitsAlready = true;
    }
  }

  private String whyRingIsFull() {
    return Health.ringFull(metrics.snapshot());
  }

  /**
   * Estimates the heap of an event: of its formatted text, at two bytes a character, and of its
   * stack traces. It covers only Logback's own event class and tests no interface: foreign code
   * might do anything, and tests of different interfaces on one class slow down all threads
   * (JDK-8180450).
   */
  private static long heapBytes(Object event) {
    if (event.getClass() != LoggingEvent.class) {
      return 0;
    }
    LoggingEvent known = (LoggingEvent) event;
    String text = known.getFormattedMessage();
    IThrowableProxy throwable = known.getThrowableProxy();
    return (text == null ? 0 : 2L * text.length())
        + (throwable == null ? 0 : EventBatch.estimate(throwable));
  }

  PublishGate<E> gate() {
    return gate;
  }

  SpillwayMetrics metrics() {
    return metrics;
  }

  /** Returns whether the calling thread is a worker of this pipeline, or ends it. */
  boolean isOwnThread() {
    return Worker.isCurrentOf(context) || Steps.isCurrentOf(context);
  }

  /**
   * Returns whether the calling thread delivers: one of this pipeline, or a log call after the
   * exit.
   */
  boolean isDelivering() {
    return isOwnThread() || gate.late().isInCall();
  }

  /**
   * Waits until all events accepted so far, and all leftovers of earlier runs, are delivered or
   * lost, or this run delivers no more. Returns whether they are delivered or lost.
   */
  boolean awaitDelivered(Duration timeout) {
    return awaitDelivered(deadline(nanos(timeout)));
  }

  /**
   * Returns nanoseconds; 146 years for what overflows a long, so that a time can be added to it.
   */
  private static long nanos(Duration timeout) {
    try {
      return timeout.toNanos();
    } catch (ArithmeticException tooLong) {
      return timeout.isNegative() ? 0 : Long.MAX_VALUE / 2;
    }
  }

  private boolean awaitDelivered(long deadline) {
    long target = ring.accepted();
    boolean over = isDeliveryOver(); // read before isSettled()
    boolean done;
    while (!(done = isSettled(target) && noLeftovers())
        && !over
        && deadline - System.nanoTime() > 0) {
      gate.watch(); // the workers may have died
      DetachedThread.pause(this, POLL_NANOS);
      over = isDeliveryOver();
    }
    return done;
  }

  /** Returns whether the deliverer takes no further events, after a stop or an exit. */
  private boolean isDeliveryOver() {
    State now = state;
    return now == State.EXITED || (now == State.STOPPED && ending.isDeliveryOver());
  }

  /** Returns how many events have been accepted. */
  long accepted() {
    return ring.accepted();
  }

  /** Returns whether the first {@code target} accepted events are delivered, lost or set aside. */
  boolean isSettled(long target) {
    return route.settled(drainer.placed()) >= target;
  }

  private boolean noLeftovers() {
    return spill == null || spill.leftoverBytes() == 0;
  }

  private static long deadline(long nanos) {
    long now = System.nanoTime();
    return nanos > Long.MAX_VALUE / 2 ? now + Long.MAX_VALUE / 2 : now + nanos;
  }

  /**
   * Stops the pipeline; {@link Ending} defines what a stop waits for, and for how long. As long as
   * the sink may take what waits, log calls are accepted: their events are delivered, or saved for
   * the next start, instead of dropped. The deliverer closes the sink as its last act, so that a
   * stuck sink holds up no other thread. On a worker, as when the nested appender stops its parent,
   * this method returns at once, since the worker cannot wait for itself.
   */
  void stop() {
    boolean own = isOwnThread();
    long deadline = deadline(own ? 0 : settings.maxFlushNanos());
    boolean first = false;
    synchronized (lifecycle) {
      if (state == State.RUNNING) {
        first = true;
        state = State.STOPPING;
      }
    }
    if (first) {
      end(own, deadline);
    }
    if (!own) {
      awaitOther(State.EXITING);
      awaitOther(State.STOPPING);
      boolean exited = state == State.EXITED;
      // Read first: the deliverer may come back during the wait.
      boolean closes = exited && deliverer.requestSinkClose();
      if (exited || state == State.STOPPED) {
        awaitEnding(false);
      }
      if (exited) {
        closeLate(!closes);
      }
    }
    forget();
  }

  /**
   * Closes what the exit left open for log calls, which do not wait for that. A log call that stops
   * the appender does not wait either, since the close waits for that call.
   */
  private void closeLate(boolean sinkLeft) {
    gate.close();
    lateEnding.begin(sinkLeft);
    try {
      if (!gate.late().isInCall()) {
        lateEnding.await(Math.max(settings.maxFlushNanos(), Ending.SINK_GRACE_NANOS));
      }
    } catch (OutOfMemoryError noMemory) {
      Thread.onSpinWait(); // for the wait, or the report that it cannot begin
    }
  }

  private void end(boolean own, long deadline) {
    try {
      if (!own) {
        drainer.hurry();
        awaitDelivered(deadline);
      }
    } catch (OutOfMemoryError noMemory) {
      Thread.onSpinWait(); // for the wait: the ending gives the sink its time
    } finally {
      synchronized (lifecycle) {
        gate.close();
        state = State.STOPPED;
      }
      ending.begin(true, deadline);
    }
  }

  /** Waits until another thread has left a state. */
  private void awaitOther(State passing) {
    while (state == passing) {
      DetachedThread.pause(this, POLL_NANOS);
    }
  }

  /**
   * Handles the exit of a JVM that has not stopped the appender: delivers everything while log
   * calls are accepted (other exit hooks log, too), then lets each later one deliver its own event,
   * or put the event behind what could not be delivered in time. If the appender was stopped, waits
   * for what the stop has left to the background.
   */
  private void stopForExit() {
    boolean first = false;
    synchronized (lifecycle) {
      if (state == State.RUNNING) {
        first = true;
        state = State.EXITING;
      }
    }
    if (first) {
      deliverAndHandOver();
      return;
    }
    awaitOther(State.STOPPING);
    if (state == State.STOPPED) {
      awaitEnding(true);
      reports.flush();
    }
  }

  private void deliverAndHandOver() {
    long deadline = deadline(settings.maxFlushNanos());
    try {
      awaitDrained(deadline); // shortens the hand-over, for which log calls wait
      gate.handOver();
      ending.begin(false, deadline);
      boolean over = awaitEnding(true);
      if (over && (ending.isBacklogOpen() || ending.isSinkFree())) {
        gate.openLate(ending.isSinkFree(), ending.isBacklogOpen() ? route : null);
      } else {
        gate.close();
      }
      forget();
    } finally {
      gate.endHandOver(); // in any case, since log calls wait for it
      state = State.EXITED;
    }
  }

  /** Waits for the ending. A wait may need memory, but what follows it has to be done without. */
  private boolean awaitEnding(boolean exit) {
    for (int tries = 0; tries < LOOKS_WITHOUT_MEMORY; tries++) {
      try {
        return ending.await(exit);
      } catch (OutOfMemoryError noMemory) {
        LockSupport.parkNanos(LOOK_NANOS);
      }
    }
    ending.reportShortage(exit); // await() has not reported, since each call began again
    return false;
  }

  /**
   * Waits until all is delivered, or until the deadline has passed and the drainer has drained
   * these events, has no room, or makes no progress.
   */
  private void awaitDrained(long deadline) {
    drainer.hurry();
    long target = ring.accepted();
    long handled = -1;
    long movedNanos = System.nanoTime();
    while (!awaitDelivered(deadline(LOOK_NANOS))) {
      long now = System.nanoTime();
      if (drainer.handled() != handled) {
        handled = drainer.handled();
        movedNanos = now;
      }
      boolean drained = ring.accepted() - ring.used() >= target || drainer.hasNoRoom();
      if (deadline - now <= 0 && (drained || now - movedNanos >= Steps.PATIENCE_NANOS)) {
        return;
      }
    }
  }

  private void over() {
    pulse.end();
    try {
      Runtime.getRuntime().removeShutdownHook(exitHook);
    } catch (IllegalStateException exiting) {
      // The hook runs, and finds the appender stopped.
    }
  }

  private void forget() {
    try {
      jmx.unregister();
      LiveAppenders.remove(metrics);
    } catch (OutOfMemoryError noMemory) {
      Thread.onSpinWait(); // listeners are not called, and their meters stay
    }
    if (!isOwnThread()) {
      reports.flush();
    }
  }
}
