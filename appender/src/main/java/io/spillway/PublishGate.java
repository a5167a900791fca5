package io.spillway;

import io.spillway.internal.metrics.Counters;
import io.spillway.internal.metrics.Reports;
import io.spillway.internal.ring.EventRing;
import io.spillway.internal.ring.WhenFull;
import io.spillway.internal.route.PipelineContext;
import io.spillway.internal.route.Receipt;
import io.spillway.internal.route.Route;
import io.spillway.internal.route.Watchdog;
import io.spillway.internal.route.Worker;
import io.spillway.internal.sink.DropPolicy;
import io.spillway.internal.sink.Tally;
import io.spillway.metrics.LossCause;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;
import java.util.function.LongConsumer;
import java.util.function.Predicate;
import java.util.function.Supplier;

/**
 * The side of the pipeline that application threads call: it prepares the event, publishes it, and
 * returns. No lock, no monitor, no park, no I/O, unless the ring is full, the call waits to be
 * acknowledged, or the JVM exits.
 *
 * <p>{@code entry} is volatile, and read before an event is published, so that the ring runs empty
 * when the appender stops, however much is logged. A publisher that read {@code entry} before it
 * changed either gets its slot in time or finds the ring sealed, and then reads {@code entry}
 * again: it cannot miss the end.
 */
final class PublishGate<E> {
  /**
   * How deep log calls may nest in a toString() or a filter; deeper nesting is taken for a loop.
   */
  private static final int MAX_DEPTH = 8;

  // Indexes of the counts of calls.
  private static final int ALL = 0;
  private static final int LATE = 1;

  private final PipelineContext context;
  private final EventRing<E> ring;
  private final boolean formatsLater;
  private final Counters counters;
  private final Reports inLogCalls;
  private final Preparer<E> preparer;
  private final Acknowledgement acknowledgement; // null if log calls do not wait
  private final Worker drainer;
  private final int discardingThreshold;
  private final DropPolicy policy;
  private final int reserve; // slots reserved for kept events
  private final Full dropping;
  private final Full blocking;
  private final ThreadLocal<int[]> calls = new ThreadLocal<>(); // how many calls the thread is in
  private final Backoff forRoom = new Backoff();
  private final Backoff forHandOver = new Backoff();
  private final Room room = new Room();
  private final HandOver handOver = new HandOver();

  private final Object entryLock = new Object();
  private volatile Entry entry = Entry.OPEN; // written under entryLock
  private final AtomicLong failedStarts = new AtomicLong(); // attempts already counted

  private final LateCalls<E> late;

  /** What happens to the event of a log call. */
  private enum Entry {
    /** It goes to the ring. */
    OPEN,
    /**
     * It goes to the ring, but no watchdog thread could be started for the workers; each call tries
     * again.
     */
    UNWATCHED,
    /** The call waits until the workers have ended, and then acts by the next state. */
    HANDING_OVER,
    /** The thread that logs delivers it, or puts it behind a saved backlog. */
    LATE,
    /** It is dropped. */
    CLOSED
  }

  /**
   * Creates an open gate.
   *
   * @param parts parts of the pipeline
   * @param ring ring to publish to
   * @param formatsLater whether the ring's consumer takes messages that are not formatted
   * @param drainer worker to wake where a log call waits for it
   * @param whyFull returns what holds the ring up, for messages
   */
  PublishGate(
      Pipeline.Parts<E> parts,
      EventRing<E> ring,
      boolean formatsLater,
      Worker drainer,
      Supplier<String> whyFull) {
    context = parts.context();
    this.ring = ring;
    this.formatsLater = formatsLater && parts.settings().discardingThreshold() <= 0;
    counters = context.counters();
    inLogCalls = context.reports().inLogCalls();
    this.drainer = drainer;
    acknowledgement = Acknowledgement.of(parts.settings(), counters, inLogCalls);
    preparer = parts.events().preparer();
    discardingThreshold = parts.settings().discardingThreshold();
    policy = parts.settings().policy();
    reserve = policy.reserve(ring.capacity());
    late = new LateCalls<>(parts);
    WhenFull whenFull = parts.settings().whenFull();
    dropping = new Full("whenFull=" + whenFull + ": dropping events (QUEUE_FULL). ", whyFull);
    blocking =
        new Full(
            (policy.keeps() ? "whenFullKeepLevel: " : "whenFull=BLOCK: ")
                + "log calls wait until there is room. ",
            whyFull);
  }

  /** The message that says what happens to events while the ring is full. */
  private record Full(String what, Supplier<String> why) implements Supplier<String> {
    @Override
    public String get() {
      return what.concat(why.get());
    }
  }

  /** The wait of a log call for room; no lambdas, since the JVM generates a class for each. */
  private final class Room implements Predicate<E>, BooleanSupplier, LongConsumer {
    @Override
    public boolean test(E event) {
      return ring.tryPublish(event);
    }

    @Override
    public boolean getAsBoolean() {
      return mayWait();
    }

    @Override
    public void accept(long nanos) {
      counters.blockedFor(nanos);
    }
  }

  /** The wait of a log call for the end of the workers. */
  private final class HandOver implements Predicate<E>, BooleanSupplier, LongConsumer {
    @Override
    public boolean test(E event) {
      return false;
    }

    @Override
    public boolean getAsBoolean() {
      return entry == Entry.HANDING_OVER;
    }

    @Override
    public void accept(long nanos) {} // not counted, since it is no wait for room
  }

  /** Returns reports that need no watchdog once the gate is not open, since it may have ended. */
  private Reports reports() {
    return isOpen() ? inLogCalls : context.reports();
  }

  /** Reports a filter's exception, which the log call does not throw, as in Logback. */
  void filterFailed(Exception e) {
    reports().error("append", "A filter failed, its event is not logged.", e);
  }

  /**
   * Begins a log call and its filters, which may log as well.
   *
   * @return counts of the calls that this thread is in. The caller decrements the first when the
   *     call ends, without calling a method, for which there may be no stack left. Null if the
   *     event is dropped, and counted
   */
  int[] begin(E event) {
    int[] nested = nested();
    if (nested[ALL] >= MAX_DEPTH) {
      reentrant(event);
      return null;
    }
    nested[ALL]++;
    return nested;
  }

  private int[] nested() {
    int[] nested = calls.get();
    if (nested == null) {
      nested = new int[LATE + 1];
      calls.set(nested);
    }
    return nested;
  }

  /** Publishes an event, between {@link #begin} and the end of its call. */
  void append(E event) {
    if (isOwnThread()) {
      reentrant(event);
    } else if (acknowledgement != null && acknowledgement.covers(event)) {
      publishAndWait(event);
    } else if (reserve > 0 && isRoomForKeptOnly(event)) {
      dropFull(event);
    } else if (!publishUnformatted(event)
        && prepare(event)
        && (entry != Entry.OPEN || !ring.tryPublish(event))) {
      refused(event, room);
    }
  }

  /**
   * Publishes an event and waits until it is acknowledged. The drainer may sleep, and is woken. It
   * does not depend on this thread, whatever locks this thread holds: a drainer that is stuck in
   * code that waits for this thread is replaced, and the wait here has a timeout.
   */
  private void publishAndWait(E event) {
    Receipt receipt = new Receipt();
    boolean published = false;
    if (prepare(event)) {
      published =
          (entry == Entry.OPEN && ring.tryPublish(event, receipt))
              || refused(event, new Acknowledged(receipt));
    }
    if (published) {
      drainer.signal();
    }
    acknowledgement.await(receipt, published);
  }

  /** Publishes an event whose caller waits; no lambda, since it is made in a log call. */
  private final class Acknowledged implements Predicate<E> {
    private final Receipt receipt;

    Acknowledged(Receipt receipt) {
      this.receipt = receipt;
    }

    @Override
    public boolean test(E event) {
      return ring.tryPublish(event, receipt);
    }
  }

  /** Returns whether the thread is a worker, ends the pipeline, or is in a late delivery. */
  private boolean isOwnThread() {
    return Worker.isCurrentOf(context)
        || (entry != Entry.OPEN && (Steps.isCurrentOf(context) || nested()[LATE] > 0));
  }

  /**
   * Returns whether a droppable event finds only reserved slots. The state is read last, since a
   * sealed ring has no room either. In state UNWATCHED this returns false, so that each call goes
   * on to start the watchdog.
   */
  private boolean isRoomForKeptOnly(E event) {
    return (ring.remaining() < reserve || ring.isKeptOnly())
        && policy.isDroppable(event)
        && entry == Entry.OPEN;
  }

  private void dropFull(E event) {
    if (policy.oldest()) {
      ring.askForRoom();
    }
    counters.droppedFull(Tally.levelOf(event));
    reports().warn("full", dropping);
  }

  private boolean isDiscarded(E event) {
    return discardingThreshold > 0
        && ring.remaining() < discardingThreshold
        && preparer.isDiscardable(event)
        && (!policy.keeps() || policy.isDroppable(event));
  }

  /** Publishes an event for the drainer to format, unless the drainer is far behind. */
  private boolean publishUnformatted(E event) {
    if (!formatsLater || ring.isCrowded()) {
      return false;
    }
    Object[] arguments;
    try {
      arguments = preparer.prepareUnformatted(event, ring.lightWeight() / Character.BYTES);
    } catch (Throwable t) {
      return false; // prepare() meets the failure again, and reports it
    }
    return arguments != null && entry == Entry.OPEN && ring.tryPublish(event, arguments);
  }

  private boolean prepare(E event) {
    try {
      if (isDiscarded(event)) {
        counters.dropped(LossCause.DISCARDED);
        return false;
      }
      preparer.prepare(event);
      return true;
    } catch (Throwable t) {
      counters.dropped(LossCause.PREPARE_FAILED);
      reports()
          .error("prepare", "An event could not be prepared, it is counted (PREPARE_FAILED).", t);
      return false;
    }
  }

  private void reentrant(E event) {
    if (acknowledgement != null && acknowledgement.covers(event)) {
      acknowledgement.missedOne();
    }
    counters.dropped(LossCause.REENTRANT);
    reports()
        .warn(
            "reentrant",
            "An event logged by the nested appender or encoder, or by a toString() or filter nested too"
                + " deeply, was dropped to prevent an endless loop (REENTRANT). To do: send that logger to another"
                + " appender.");
  }

  /**
   * Handles an event for which the ring is full, or sealed because the appender stops. Returns
   * whether the ring took it after all.
   */
  private boolean refused(E event, Predicate<E> attempt) {
    if (entry == Entry.UNWATCHED) {
      watch();
      if (attempt.test(event)) {
        return true;
      }
    }
    if (!isOpen()) {
      deliverLate(event);
    } else if (policy.isDroppable(event)) {
      dropFull(event);
    } else {
      return publishBlocking(event, attempt);
    }
    return false;
  }

  private boolean publishBlocking(E event, Predicate<E> attempt) {
    reports().warn("full", blocking);
    counters.blocked();
    return forRoom.await(attempt, event, room, room) || refused(event, attempt);
  }

  private boolean mayWait() {
    watch(); // otherwise the wait for a stuck drainer would not end
    if (policy.evicts()) {
      ring.askForRoom();
    }
    return isOpen();
  }

  private boolean isOpen() {
    Entry now = entry;
    return now == Entry.OPEN || now == Entry.UNWATCHED;
  }

  /**
   * Makes sure that the watchdog runs. If no thread is available for it, each log call tries again
   * until one is: it may be the only code left that can.
   */
  void watch() {
    boolean watched = Watchdog.ensure();
    Entry from = watched ? Entry.UNWATCHED : Entry.OPEN;
    if (!watched) {
      countFailedStart();
    }
    if (entry == from) {
      synchronized (entryLock) {
        if (entry == from) {
          entry = watched ? Entry.OPEN : Entry.UNWATCHED;
        }
      }
    }
  }

  /** Counts failed starts of the watchdog, each once, however many log calls and probes find it. */
  private void countFailedStart() {
    long last = Watchdog.failedStarts();
    if (failedStarts.getAndSet(last) != last) {
      counters.workerFailure();
    }
  }

  private void enter(Entry next) {
    synchronized (entryLock) {
      entry = next;
    }
  }

  /** Drops events from now on. */
  void close() {
    late.close();
    enter(Entry.CLOSED);
  }

  /** Makes log calls wait for {@link #openLate} or {@link #close}, which must follow soon. */
  void handOver() {
    enter(Entry.HANDING_OVER);
  }

  /** Drops events from now on, if neither call that must follow {@link #handOver} was made. */
  void endHandOver() {
    synchronized (entryLock) {
      if (entry == Entry.HANDING_OVER) {
        entry = Entry.CLOSED;
      }
    }
  }

  /**
   * Lets log calls deliver their own events from now on, after the workers have ended.
   *
   * @param sinkFree whether the sink may be used for what the backlog does not take
   * @param backlog takes events that belong behind the backlog; null if there is none
   */
  void openLate(boolean sinkFree, Route backlog) {
    late.open(sinkFree, backlog);
    enter(Entry.LATE);
  }

  /** Returns the deliveries that log calls make after {@link #openLate}. */
  LateCalls<E> late() {
    return late;
  }

  private void deliverLate(E event) {
    forHandOver.await(handOver, event, handOver, handOver);
    int[] nested = nested();
    boolean delivered;
    nested[LATE]++;
    try {
      delivered = entry == Entry.LATE && late.deliver(event);
    } finally {
      nested[LATE]--;
    }
    if (!delivered) {
      counters.dropped(LossCause.STOPPED);
      reports()
          .warn(
              "stopped",
              "An event was logged when the appender had stopped, it is dropped (STOPPED). To do: stop"
                  + " the appender after everything that logs.");
    }
  }

  /** Returns whether an event that is logged now would be taken, at once or after the hand-over. */
  boolean takesEvents() {
    return entry != Entry.CLOSED;
  }

  /** Returns how many log calls wait for room now. */
  int waiting() {
    return forRoom.waiting();
  }
}
