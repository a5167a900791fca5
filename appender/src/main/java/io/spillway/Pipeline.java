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
 * end. {@link PublishGate} is the side that application threads see.
 */
final class Pipeline<E> {
  private static final long POLL_NANOS = 500_000L;
  private static final long LOOK_NANOS = 50_000_000L;
  private static final int LOOKS_WITHOUT_MEMORY = 200; // each costs the JVM a full collection
  private static final int WORKER_STEPS = 2;
  private static final int START_STEPS = 7;
  private static final String REPORTER = "io.spillway"; // logger of its own events

  /** Of large texts in the ring, so that the drainer has memory left to get them out of it. */
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
  private final Object lifecycle = new Object(); // never held while anything is waited for
  private boolean exitsAlready; // the JVM; of a start
  private volatile State state = State.NEW; // written under lifecycle
  private final Ending ending;
  private final LateEnding lateEnding;

  private enum State {
    NEW,
    RUNNING,
    /** A stop waits for the sink; log calls go on. */
    STOPPING,
    /** The ending works, or is over. */
    STOPPED,
    /** The JVM's exit delivers what is pending. */
    EXITING,
    /** Each log call delivers its own event, unless a stop has come after that. */
    EXITED
  }

  /**
   * What an appender brings to a pipeline.
   *
   * @param context of all its parts
   * @param settings as they were checked
   * @param events what they are and what becomes of them on the way
   * @param destination where they go
   */
  record Parts<E>(
      PipelineContext context,
      Settings.Checked settings,
      Events<E> events,
      Destination destination) {}

  /**
   * An appender's events.
   *
   * @param batchers make a maker of batches for each thread
   * @param preparer readies an event for other threads, in the log call
   * @param report makes an event of a text; null if no episodes are to be reported
   */
  record Events<E>(
      Supplier<Batcher<E>> batchers, Preparer<E> preparer, Function<String, E> report) {}

  /**
   * Where events go.
   *
   * @param sink in the end
   * @param codec for the spill
   * @param holding the file, if it is known, and the spill, if there is one
   * @param archives what the rolling policy's compressor has done
   */
  record Destination(
      Sink sink,
      BatchCodec codec,
      Predecessors.Holding holding,
      Supplier<ArchiveMetrics> archives) {}

  /**
   * Makes log events of Spillway's own of texts; null if they are not wanted, or cannot be had
   * because other things than log events pass.
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

  /** That no class has the reporter's name leaves it without caller. */
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

  /** What the parts call. One class instead of a lambda for each: they are spun at the start. */
  private final class Calls
      implements ToLongFunction<Object>,
          BooleanSupplier,
          Supplier<String>,
          Consumer<Throwable>,
          Runnable {
    /** Of an event, for the ring. */
    @Override
    public long applyAsLong(Object event) {
      return heapBytes(event);
    }

    /** Whether the spill must not grow, for the route. */
    @Override
    public boolean getAsBoolean() {
      return sink.needsRoomOfSpill();
    }

    /** Why the ring is full, for the gate. */
    @Override
    public String get() {
      return whyRingIsFull();
    }

    /** Thrown by a listener to starts and stops. */
    @Override
    public void accept(Throwable failure) {
      reports.warn("meters", "A listener to this appender's start and stop failed: ", failure, ".");
    }

    /** The ending is over. */
    @Override
    public void run() {
      over();
    }
  }

  /** Uses what an appender needs only while it spills and when it ends, on nothing that counts. */
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
      super(null, null, name, 0, false); // kept until the stop: nothing of the starter's locals
    }

    /** By the JVM, which runs no hook behind one that it cannot start. */
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

  /** The figures, with what the parts hold. */
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
              && counters.settled() < ring.accepted(), // else only the last record's end is missing
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
        gate.watch(); // a probe of the health may be all that still runs
      }
      return workers(drainer.stuckThreads(), drainer.hasNoRoom());
    }
  }

  /**
   * Step by step: once the workers run, a start cannot fail any more. A step for which there is no
   * memory is tried again; after ten seconds the appender does without, but for its workers.
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
      stopForExit(); // the JVM exits already: nobody else will deliver what is logged
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
   * For a JVM that exits without stopping Logback: {@code System.exit}, the end of {@code main},
   * SIGTERM.
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
   * Of the text that was formatted for publishing, in at most two bytes a character, and of stack
   * traces. Of Logback's own events alone, and without a look at an interface: foreign code might
   * do anything, and looks at different interfaces of one class slow down all threads
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

  /** Whether the calling thread is one of its workers, or ends them. */
  boolean isOwnThread() {
    return Worker.isCurrentOf(context) || Steps.isCurrentOf(context);
  }

  /** Whether it has the sink to itself: also one that delivers what it logs as the JVM exits. */
  boolean isDelivering() {
    return isOwnThread() || gate.late().isInCall();
  }

  /**
   * Waits until everything accepted so far, and every leftover, is delivered or lost, or it is
   * known that this run delivers no more.
   */
  boolean awaitDelivered(Duration timeout) {
    return awaitDelivered(deadline(nanos(timeout)));
  }

  /** For what is too long for a long, 146 years, which a sum of times can hold. */
  private static long nanos(Duration timeout) {
    try {
      return timeout.toNanos();
    } catch (ArithmeticException tooLong) {
      return timeout.isNegative() ? 0 : Long.MAX_VALUE / 2;
    }
  }

  private boolean awaitDelivered(long deadline) {
    long target = ring.accepted();
    boolean over = isDeliveryOver(); // before what was delivered is looked at
    boolean done;
    while (!(done = isSettled(target) && noLeftovers())
        && !over
        && deadline - System.nanoTime() > 0) {
      gate.watch(); // who waits for the workers sees to it that there are any
      DetachedThread.pause(this, POLL_NANOS);
      over = isDeliveryOver();
    }
    return done;
  }

  /** Whether the deliverer takes no more of what it has not taken, after a stop or an exit. */
  private boolean isDeliveryOver() {
    State now = state;
    return now == State.EXITED || (now == State.STOPPED && ending.isDeliveryOver());
  }

  /** How many events have been accepted. */
  long accepted() {
    return ring.accepted();
  }

  /** Whether the first so many of them are all delivered, lost, or set aside. */
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
   * Ends everything: {@link Ending} says what a stop waits for, and for how long. As long as the
   * sink may take what waits, log calls go on: what they log is delivered, or saved for the next
   * start, instead of dropped. The deliverer closes the sink as its last act, so that a stuck sink
   * holds up nobody. On a worker, as when the nested appender stops its parent, it returns at once:
   * the worker cannot wait for itself.
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
      boolean closes = exited && deliverer.closesSink(); // it may come back while this waits
      if (exited || state == State.STOPPED) {
        awaitEnding(false);
      }
      if (exited) {
        closeLate(!closes);
      }
    }
    forget();
  }

  /** Log calls wait for nothing of it, and one of them that stops the appender not for itself. */
  private void closeLate(boolean sinkLeft) {
    gate.close();
    lateEnding.begin(sinkLeft);
    try {
      if (!gate.late().isInCall()) {
        lateEnding.await(Math.max(settings.maxFlushNanos(), Ending.SINK_GRACE_NANOS));
      }
    } catch (OutOfMemoryError noMemory) {
      Thread.onSpinWait(); // to wait, or to report that it cannot begin
    }
  }

  private void end(boolean own, long deadline) {
    try {
      if (!own) {
        drainer.hurry();
        awaitDelivered(deadline);
      }
    } catch (OutOfMemoryError noMemory) {
      Thread.onSpinWait(); // to wait here: the ending gives the sink its time
    } finally {
      synchronized (lifecycle) {
        gate.close();
        state = State.STOPPED;
      }
      ending.begin(true, deadline);
    }
  }

  /** Until another thread has done what it does in a state. */
  private void awaitOther(State passing) {
    while (state == passing) {
      DetachedThread.pause(this, POLL_NANOS);
    }
  }

  /**
   * The JVM exits and nobody has stopped the appender: delivers everything while log calls go on
   * (other exit hooks log, too), then lets each later one deliver its own event, or put it behind
   * what could not be delivered in time. If somebody has, waits for what a stop has left to the
   * background.
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
      awaitDrained(deadline); // so that the hand-over, when log calls have to wait, is short
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
      gate.endHandOver(); // whatever was thrown, log calls wait for it
      state = State.EXITED;
    }
  }

  /** To look on may need memory, and what follows has to be done without it. */
  private boolean awaitEnding(boolean exit) {
    for (int tries = 0; tries < LOOKS_WITHOUT_MEMORY; tries++) {
      try {
        return ending.await(exit);
      } catch (OutOfMemoryError noMemory) {
        LockSupport.parkNanos(LOOK_NANOS);
      }
    }
    ending.tellShortage(exit); // await() has not: it began anew each time
    return false;
  }

  /** Until all of it is delivered, or the sink is late and the drainer not the one to wait for. */
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
      // It runs, and finds the appender stopped.
    }
  }

  private void forget() {
    try {
      jmx.unregister();
      LiveAppenders.remove(metrics);
    } catch (OutOfMemoryError noMemory) {
      Thread.onSpinWait(); // to tell listeners, whose meters stay
    }
    if (!isOwnThread()) {
      reports.flush();
    }
  }
}
