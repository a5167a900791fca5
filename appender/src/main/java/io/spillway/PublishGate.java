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
 * What application threads run: prepare the event, publish it, return. No lock, no monitor, no
 * park, no I/O, unless the ring is full or the JVM exits.
 *
 * <p>{@code entry} is volatile, and read before an event is published, so that the ring runs empty
 * when the appender stops however hard it is logged to. A publisher that read it before it changed
 * either gets its slot in time or finds the ring sealed, and reads it again: it cannot miss the
 * end.
 */
final class PublishGate<E> {
  /** A toString() or a filter may log, and what it logs may; deeper than this it is a loop. */
  private static final int MAX_DEPTH = 8;

  // Which calls.
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
  private final int reserve; // slots for events that are kept
  private final Full dropping;
  private final Full blocking;
  private final ThreadLocal<int[]> calls = new ThreadLocal<>(); // how many a thread is in
  private final Backoff forRoom = new Backoff();
  private final Backoff forHandOver = new Backoff();
  private final Room room = new Room();
  private final HandOver handOver = new HandOver();

  private final Object entryLock = new Object();
  private volatile Entry entry = Entry.OPEN; // written under entryLock
  private final AtomicLong failedStarts = new AtomicLong(); // as many as are counted

  private final LateCalls<E> late;

  /** What becomes of an event. */
  private enum Entry {
    /** To the ring. */
    OPEN,
    /**
     * The same, but there was no thread to be had that would start the workers: asked for again.
     */
    UNWATCHED,
    /** Waits until the workers have ended, for what comes next. */
    HANDING_OVER,
    /** Delivered, or put behind a saved backlog, by the thread that logs it. */
    LATE,
    /** Dropped. */
    CLOSED
  }

  /**
   * An open gate.
   *
   * @param parts of the pipeline
   * @param ring where events go
   * @param formatsLater whether the ring's consumer takes messages that are not formatted
   * @param drainer woken at once where a log call waits for it
   * @param whyFull what holds the ring up, for messages
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

  /** Tells what becomes of events while the ring is full. */
  private record Full(String what, Supplier<String> why) implements Supplier<String> {
    @Override
    public String get() {
      return what.concat(why.get());
    }
  }

  /** How a log call waits for room. No lambdas here: each is spun when the appender starts. */
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

  /** How a log call waits for the end of the workers. */
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
    public void accept(long nanos) {} // not for want of room
  }

  /** Once it is not open, there may be no watchdog to start the thread that tells. */
  private Reports reports() {
    return isOpen() ? inLogCalls : context.reports();
  }

  /** As in Logback, the application does not see it. */
  void filterFailed(Exception e) {
    reports().error("append", "A filter failed, its event is not logged.", e);
  }

  /**
   * A log call begins, with its filters: these may log as well.
   *
   * @return how many this thread is in, of which the caller takes this one off when it ends;
   *     without a call, for which there may be no stack left. Null if the event is dropped, and
   *     counted
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

  /** Within what {@link #begin} has begun. */
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
   * The drainer may sleep, and is woken. It does not depend on this thread, whatever that holds:
   * stuck in code that waits for this thread it is replaced, and the wait here has an end.
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

  /** Publishes an event whose caller waits. No lambda: it is made in a log call. */
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

  /** Whether what is logged comes from within a delivery, or the way to it. */
  private boolean isOwnThread() {
    return Worker.isCurrentOf(context)
        || (entry != Entry.OPEN && (Steps.isCurrentOf(context) || nested()[LATE] > 0));
  }

  /**
   * The gate is looked at last: a ring that is sealed has no room either. While nobody looks after
   * the workers, each call tries the whole way, and does so itself.
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

  /** Saves the caller the formatting, unless the drainer has enough to do already. */
  private boolean publishUnformatted(E event) {
    if (!formatsLater || ring.isCrowded()) {
      return false;
    }
    Object[] arguments;
    try {
      arguments = preparer.prepareUnformatted(event, ring.lightWeight() / Character.BYTES);
    } catch (Throwable t) {
      return false; // to be formatted: what is wrong is met there once more, and told
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
   * The ring is full, or sealed because the appender stops. Returns whether it took it after all.
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
    watch(); // a drainer that is stuck for good would be waited for as long
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
   * Sees to it that somebody looks after the workers. If there is no thread to be had, each log
   * call does so, until there is one: it may be the only one that is left to try.
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

  /** Once each, however many log calls and probes ask. */
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

  /** Events are dropped from now on. */
  void close() {
    late.close();
    enter(Entry.CLOSED);
  }

  /** Log calls wait for {@link #openLate} or {@link #close}, which must follow soon. */
  void handOver() {
    enter(Entry.HANDING_OVER);
  }

  /** Events are dropped from now on if nothing has followed {@link #handOver}. */
  void endHandOver() {
    synchronized (entryLock) {
      if (entry == Entry.HANDING_OVER) {
        entry = Entry.CLOSED;
      }
    }
  }

  /**
   * The workers have ended: log calls deliver their own events from now on.
   *
   * @param sinkFree whether the sink may be used for what the backlog does not take
   * @param backlog takes what belongs behind one; null if there is none
   */
  void openLate(boolean sinkFree, Route backlog) {
    late.open(sinkFree, backlog);
    enter(Entry.LATE);
  }

  /** What log calls do then. */
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

  /** Whether a log call now would be taken, at once or after the hand-over. */
  boolean takesEvents() {
    return entry != Entry.CLOSED;
  }

  /** How many log calls wait for room now. */
  int waiting() {
    return forRoom.waiting();
  }
}
