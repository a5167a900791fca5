package io.spillway;

import io.spillway.internal.disk.SpillOwners;
import io.spillway.internal.metrics.Counters;
import io.spillway.internal.metrics.Reports;
import io.spillway.internal.ring.Drainer;
import io.spillway.internal.ring.EventRing;
import io.spillway.internal.route.Deliverer;
import io.spillway.internal.route.Joins;
import io.spillway.internal.route.PipelineContext;
import io.spillway.internal.route.Predecessors;
import io.spillway.internal.route.Route;
import io.spillway.internal.route.Watchdog;
import io.spillway.internal.route.Worker;
import io.spillway.internal.spill.Spill;
import io.spillway.metrics.LossCause;
import java.util.concurrent.locks.LockSupport;

/**
 * The end of a pipeline, in a separate thread, because each step may wait for code or a device
 * outside Spillway:
 *
 * <ol>
 *   <li>the drainer empties the ring, which may take an encoder long;
 *   <li>the sink takes what it can until the deadline, and is fenced off then;
 *   <li>what memory holds is saved to the spill, and the spill is closed: its disk may hang.
 * </ol>
 *
 * <p>The thread that stops the appender watches this one ({@link #await}), and returns when there
 * is no progress or the end takes too long. This thread goes on, so that nothing is lost and
 * nothing stays open as long as the JVM lives. It alone closes the spill, after the last thread
 * that used it, unless the JVM exits and goes on logging. It is a daemon; the JVM's exit hook
 * watches it once more.
 *
 * <p>Each pipeline makes its ending at its start, because at a stop or at the JVM's exit there may
 * be no memory left; beginning it needs none.
 */
class Ending extends Steps {
  static final long LOOK_NANOS = 50_000_000L;

  /** Extra time for a sink that has just returned, or got its last events after the deadline. */
  static final long SINK_GRACE_NANOS = 200_000_000L;

  /**
   * How long a late drainer may find no room. This is longer than a log file on a full disk keeps
   * the spill from growing.
   */
  static final long ROOM_PATIENCE_NANOS = 1_500_000_000L;

  private static final int STEPS = 10;

  // Constants, because there may be no memory to build them.
  private static final String LOST_FOR_MEMORY =
      "There has been too little memory for 10 seconds to save the events that wait. They are lost"
          + " (NOT_SAVED) as the JVM ends. To do: raise its heap (-Xmx), or see what fills it.";
  private static final String WAITS_FOR_MEMORY =
      "There has been too little memory for 10 seconds to save the events that wait, and the stop goes"
          + " on without it. They are saved if there is some while the JVM lives. To do: raise its"
          + " heap (-Xmx), or see what fills it.";

  private static final String NOT_TAKEN =
      "Stopped with a sink that did not take everything within maxFlushTime";

  /**
   * How long after maxFlushTime a stop still waits while there is progress; then the end goes on in
   * the background.
   */
  static final long LIMIT_NANOS = 30_000_000_000L;

  private final EventRing<?> ring;
  private final Drainer<?> drainer;
  private final Deliverer deliverer;
  private final Route route;
  private final Spill spill;
  private final Predecessors.Holding holding;
  private final SpillOwners.Owned saving; // held from the beginning to the end
  private final Counters counters;
  private final Reports reports;
  private final Runnable whenOver;
  private boolean closeSink; // set when it begins
  private volatile long deadline; // set when it begins
  private long lost; // written only by the thread that takes the steps
  private long removed; // how many of these were in spill files that were removed
  private volatile Stage stage = Stage.RING;
  private volatile boolean sinkFree;
  private volatile boolean backlogOpen;

  /** What the ending waits for. */
  private enum Stage {
    RING,
    SINK,
    DISK
  }

  /** The parts that end. */
  record Subject(
      EventRing<?> ring,
      Drainer<?> drainer,
      Route route,
      Deliverer deliverer,
      Predecessors.Holding holding) {}

  /** Creates an ending that has not begun. */
  Ending(PipelineContext context, Subject subject, Runnable whenOver) {
    super(context, STEPS);
    counters = context.counters();
    reports = context.reports();
    ring = subject.ring();
    drainer = subject.drainer();
    route = subject.route();
    deliverer = subject.deliverer();
    holding = subject.holding();
    spill = holding.spill();
    this.whenOver = whenOver;
    saving = Predecessors.saving(holding, deliverer, this);
  }

  /** Loads classes that an end needs and a start does not. */
  static void rehearse() {
    Joins.until(Thread.currentThread(), System.nanoTime());
  }

  /**
   * Begins, once. If no other thread is available, the calling thread takes the steps as far as
   * memory suffices.
   *
   * @param close whether to close the sink as well
   * @param sinkDeadline time of {@link System#nanoTime} until which the sink may take what waits
   */
  void begin(boolean close, long sinkDeadline) {
    closeSink = close;
    if (close) {
      deliverer.requestSinkClose(); // before a fence, which may end the deliverer
    }
    deadline = sinkDeadline;
    SpillOwners.take(saving);
    begin();
  }

  /** Takes the steps in the calling thread; otherwise an exit would lose waiting events. */
  @Override
  void withoutThread() {
    run();
  }

  /** Returns false while the worker of a step has no thread, and so cannot do its work. */
  @Override
  boolean isReady(int step) {
    return (step != 0 || hasThread(drainer)) && (step != 1 || hasThread(deliverer));
  }

  private static boolean hasThread(Worker worker) {
    Watchdog.ensure();
    return worker.hasThread();
  }

  @Override
  void take(int step) {
    switch (step) {
      case 0 -> drain();
      case 1 -> endDelivery();
      case 2 -> abandon();
      case 3 -> lost += route.saveRest(deliverer.delivery(), isBorrowed());
      case 4 -> lost += drainer.saveUnplaced(isBorrowed());
      case 5 -> loseRemoved();
      case 6 -> closeSpill();
      case 7 -> tell();
      case 8 -> whenOver.run();
      default -> SpillOwners.release(saving);
    }
  }

  @Override
  String failure() {
    return "A stop failed, " + pending() + " events are still pending.";
  }

  /** Waits for the drainer. The sink is fenced only if it is late and the drainer finds no room. */
  private void drain() {
    drainer.finish();
    long noRoomNanos = 0;
    while (!Joins.awake(drainer, LOOK_NANOS)) {
      Watchdog.ensure();
      if (drainer.hasNoRoom() && isLate()) {
        deliverer.fence();
        noRoomNanos += LOOK_NANOS;
        if (noRoomNanos >= ROOM_PATIENCE_NANOS) {
          drainer.giveUp();
        }
      } else {
        noRoomNanos = 0;
      }
    }
  }

  private void endDelivery() {
    stage = Stage.SINK;
    deliverer.finish();
    long now = System.nanoTime();
    boolean stuck = counters.currentStallNanos(now) > SINK_GRACE_NANOS; // the sink has had its time
    boolean ended = Joins.until(deliverer, later(deadline, stuck ? now : now + SINK_GRACE_NANOS));
    if (!ended) {
      deliverer.fence();
      ended = Joins.until(deliverer, System.nanoTime() + SINK_GRACE_NANOS);
    }
    if (!ended) {
      Predecessors.leave(holding, deliverer);
    }
    sinkFree = ended;
    stage = Stage.DISK;
    while (!deliverer.hasLeftRoute()) {
      Watchdog.ensure();
      LockSupport.parkNanos(this, 1_000_000L);
    }
  }

  private void abandon() {
    long rest = ring.abandon(); // zero, unless the drainer gave up
    counters.lost(LossCause.NOT_SAVED, rest, false);
    lost += rest;
  }

  private void loseRemoved() {
    route.endSaving();
    removed = spill == null ? 0 : spill.loseRemoved();
    counters.lost(LossCause.NOT_SAVED, removed, false);
    lost += removed;
  }

  private void closeSpill() {
    backlogOpen = !closeSink && (route.hasBacklog() || (!sinkFree && isSpillOpen()));
    if (backlogOpen) {
      spill.endReading();
    } else if (spill != null) {
      spill.close();
    }
    releaseBuffers();
  }

  /** Reports what becomes of the events that are left. */
  void tell() {
    if (lost > 0) {
      reports.loss(
          NOT_TAKEN
              + ", and "
              + (removed > 0
                  ? "the files of the spill are gone and cannot be written again"
                  : isSpillOpen() ? "neither memory nor spill took the rest" : "there is no spill")
              + ": "
              + lost
              + " events are lost (NOT_SAVED). To do: "
              + (removed > 0
                  ? "see who removes or moves files of a running appender, and what the messages before"
                      + " this one say of the spill directory."
                  : LossCause.NOT_SAVED.remedy()
                      + ", or see why the disk of the spill takes no more."));
      return;
    }
    long aside = spill == null ? 0 : spill.setAsideEvents(); // the sink was not given these
    long waiting = pending() - aside;
    if (waiting > 0) {
      reports.info(NOT_TAKEN + ": " + waiting + " events wait in the spill for the next start.");
    }
    if (aside > 0) {
      reports.info(
          "Stopped while "
              + aside
              + " events wait in files that cannot be read or delivered now; the next start tries them"
              + " again. To do: see the messages of when they were set aside.");
    }
  }

  private boolean isSpillOpen() {
    return spill != null && spill.isOpen();
  }

  /** Frees ring and buffers, to which the thread of a sink that is stuck for ever refers. */
  private void releaseBuffers() {
    if (!backlogOpen) { // otherwise events that are logged while the JVM exits need it
      route.releaseBuffers();
    }
    deliverer.releaseBuffers();
    drainer.releaseBuffers();
    ring.releaseBuffers();
  }

  /**
   * Waits until the ending is over, or nothing has moved for ten seconds. A stop also returns if
   * the ring is not empty half a minute after the sink's deadline, or after ten seconds of saving
   * what memory holds; an exit does not, since events would then be lost.
   *
   * @param exit whether the JVM exits
   * @return whether the ending is over
   */
  boolean await(boolean exit) {
    long seen = -1;
    long stillNanos = 0;
    long lateNanos = 0;
    while (!awaitOver(LOOK_NANOS)) { // counts polls, not time: the machine may stand still
      long now = drainer.handled() + (exit ? route.handledOfRest() : 0);
      stillNanos = now == seen && isHeldUp() ? stillNanos + LOOK_NANOS : 0;
      lateNanos = isLate() ? lateNanos + LOOK_NANOS : 0;
      seen = now;
      if (stillNanos >= PATIENCE_NANOS) {
        heldUp(exit);
        return false;
      }
      if (!exit && lateNanos >= LIMIT_NANOS && stage == Stage.RING) {
        tooSlow();
        return false;
      }
    }
    return true;
  }

  /**
   * Returns whether the drainer, a disk or memory holds up the end; a sink has its own deadline.
   */
  private boolean isHeldUp() {
    return isShortOfMemory()
        || stage == Stage.DISK
        || (stage == Stage.RING && (!drainer.hasNoRoom() || route.isWriting()));
  }

  private void heldUp(boolean exit) {
    if (isShortOfMemory()) {
      reportShortage(exit);
      return;
    }
    try {
      stands(exit);
    } catch (OutOfMemoryError noMemory) {
      Thread.onSpinWait(); // the counters show how many are pending
    }
  }

  /** Reports that a wait ended because memory was short, for a step or for the wait itself. */
  void reportShortage(boolean exit) {
    try {
      if (exit) {
        reports.loss(LOST_FOR_MEMORY);
      } else {
        reports.error("stop", WAITS_FOR_MEMORY, null);
      }
    } catch (OutOfMemoryError noMemory) {
      Thread.onSpinWait(); // the counters show how many are pending
    }
  }

  private void stands(boolean exit) {
    String message =
        route.isEncodingRest()
            ? "The events in memory have not been encoded within 10 seconds, and the stop goes on"
                + " without it. To do: see what toString() of their arguments waits for. "
            : stage == Stage.DISK || route.isWriting()
                ? "The disk of the spill directory has not answered for 10 seconds, and the stop goes on"
                    + " without it. To do: look at that disk or network file system. "
                : !drainer.hasThread() || !deliverer.hasThread()
                    ? "For 10 seconds there has been no thread to encode and deliver the events, and the"
                        + " stop goes on without it. To do: raise the limit of threads of the process or"
                        + " its container. "
                    : "The drainer has not handled an event for 10 seconds, with "
                        + ring.used()
                        + " events in the ring, and the stop goes on without it. To do: take a thread dump and"
                        + " see what encoder, converter or toString() it waits for. ";
    String events = pending() + " events are pending: ";
    if (exit) {
      reports.loss(message + events + "they are lost (NOT_SAVED) if the JVM ends before that.");
    } else {
      reports.error(
          "stop", message + events + "they are saved if it answers while the JVM lives.", null);
    }
  }

  private void tooSlow() {
    try {
      reports.warn(
          "stop",
          "A stop takes 30 seconds longer than maxFlushTime, because the drainer has "
              + ring.used()
              + " events left to encode. It goes on in the background, and the JVM's exit waits for it."
              + " To do: make the encoder faster, or queueSize smaller.");
    } catch (OutOfMemoryError noMemory) {
      Thread.onSpinWait(); // not thrown: the caller's wait would begin again
    }
  }

  /**
   * Returns whether the JVM exits with a backlog in the spill, which is still open, or with a sink
   * that does not return; events that are logged from then on belong behind the backlog.
   */
  boolean isBacklogOpen() {
    return backlogOpen;
  }

  /** Returns whether the sink gets no more: it took all, or as much as the deadline allowed. */
  boolean isDeliveryOver() {
    return stage == Stage.DISK || isOver(); // a step may have failed before that stage
  }

  /** Returns whether other threads than the deliverer may use the sink. */
  boolean isSinkFree() {
    return sinkFree;
  }

  private boolean isLate() {
    return deadline - System.nanoTime() <= 0;
  }

  private static long later(long one, long other) {
    return one - other > 0 ? one : other;
  }

  private long pending() {
    return Math.max(0, ring.accepted() - counters.settled());
  }
}
