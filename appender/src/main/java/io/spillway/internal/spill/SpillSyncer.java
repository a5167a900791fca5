package io.spillway.internal.spill;

import io.spillway.internal.disk.Disk;
import io.spillway.internal.metrics.DetachedThread;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.LinkedList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;

/**
 * Makes the spill survive a power cut: forces files to the disk at an interval, on two threads, so
 * that a log whose disk hangs does not keep the spill from being forced.
 *
 * <ol>
 *   <li>The segment thread forces segments to the disk and counts their events only afterwards. A
 *       segment whose sync failed is sealed and rewritten under a new inode: the operating system
 *       may have dropped its pages, and a second sync would report success.
 *   <li>The delivery thread releases delivered records: it notes how far the reader is, has the
 *       destination forced, and only then saves that position as the cursor, forced as well. The
 *       reader unlinks what the cursor has passed. Files set aside, which are delivered out of
 *       order and are not covered by a cursor, wait for a force that began after their delivery.
 * </ol>
 *
 * <p>Concurrency: the writer adds segments before it links them. The thread that takes a segment
 * out of the queue closes its write handle, so that no sync meets a closed file: the segment
 * thread, once the segment is forced, or the reader, once it is unlinked. Seal is read before mark,
 * as in {@link LiveSegment}: a sealed segment is done after one more sync. The delivery thread
 * reads positions before it calls the destination: in the other order it could save a position
 * whose bytes reached the log after the log had been forced.
 */
final class SpillSyncer {

  private static final String SYNC = "sync";
  private static final String SYNC_LOG = "sync the cursor behind the log of";
  private static final int PATIENT_REWRITES = 8;
  private static final long REWRITE_NANOS = TimeUnit.SECONDS.toNanos(1);
  private static final long CLOSE_NANOS = TimeUnit.SECONDS.toNanos(5);
  private static final long POLL_NANOS = TimeUnit.MILLISECONDS.toNanos(1);

  private final Disk files;
  private final SpillListener listener;
  private final SpillCounters counters;
  private final SpillSlot slot;
  private volatile List<SpillSlot> slots; // replaced by the reader
  private final BooleanSupplier destination;
  private final long intervalNanos;
  private final LongSupplier nanoClock;

  // Numbers of forces of the destination. A force begins before positions are read.
  private volatile long begun; // by the delivery thread
  private volatile long done; // by the delivery thread: the last one that succeeded
  private volatile long ended; // by the delivery thread: the last one that ended, with cursors
  private volatile long wanted; // by the reader

  private final Queue<LiveSegment> segments = new ConcurrentLinkedQueue<>();
  private final Queue<Spill.AwaitsSync> awaiting = new ConcurrentLinkedQueue<>();
  private final Beat segmentBeat = new Beat("spillway-spill-sync", SYNC, this::forceSegments);
  private final Beat deliveryBeat = new Beat("spillway-log-sync", SYNC_LOG, this::forceDelivered);

  private volatile LiveSegment head; // by the segment thread: in work, and out of the queue

  // State of the head; segment thread only.
  private long syncedSequence = -1;
  private boolean rewrite;
  private int rewrites;
  private long rewriteNanos; // when the last rewrite began
  private boolean unreadable; // some events, since waiting callers were last notified
  private final Queue<Spill.AwaitsSync> awaited = new LinkedList<>();

  /**
   * Creates a syncer, whose threads {@link #start} starts.
   *
   * @param slots the slots whose cursors are saved here, this spill's own one first
   * @param destination returns true once everything it has accepted is on the disk; reports
   *     failures itself
   */
  SpillSyncer(SpillContext context, List<SpillSlot> slots, BooleanSupplier destination) {
    files = context.files();
    listener = context.listener();
    counters = context.counters();
    nanoClock = context.nanoClock();
    intervalNanos = context.config().syncIntervalNanos();
    slot = slots.get(0);
    this.slots = slots;
    this.destination = destination;
    slots.forEach(each -> each.cursor.leaveToSyncer());
  }

  /** A thread that does one task at an interval, and a last time when it is ended. */
  private final class Beat extends DetachedThread {
    private final String operation;
    private final Runnable work;
    private volatile boolean hurried;
    private volatile boolean stopping;

    Beat(String name, String operation, Runnable work) {
      super(null, name);
      this.operation = operation;
      this.work = work;
    }

    @Override
    public void run() {
      Throwable trouble = null;
      boolean last = false;
      while (!last) {
        try {
          last = await();
          if (trouble != null) {
            IOException told = new IOException(trouble.toString(), trouble);
            trouble = null;
            listener.failed(operation, slot.directory, told);
          }
          work.run();
        } catch (Throwable t) {
          trouble = t; // reported at the next turn: memory may be short now
        }
      }
    }

    /** Waits for the next turn; returns whether it is the last one. */
    private boolean await() {
      long deadline = System.nanoTime() + intervalNanos;
      for (long left = intervalNanos;
          left > 0 && !hurried && !stopping;
          left = deadline - System.nanoTime()) {
        Thread.interrupted(); // interrupts do not end this thread, and parking would return at once
        LockSupport.parkNanos(this, left);
      }
      hurried = false;
      return stopping;
    }

    void hurry() {
      hurried = true;
      LockSupport.unpark(this);
    }

    void end() {
      stopping = true;
      LockSupport.unpark(this);
    }
  }

  void start() {
    boolean both = false;
    segmentBeat.start();
    try {
      deliveryBeat.start();
      both = true;
    } finally {
      if (!both) { // no thread can be started: opening the spill is tried again
        segmentBeat.end();
      }
    }
  }

  /** Writer: adds a segment to be forced, without waiting for the interval if many are open. */
  void add(LiveSegment segment) {
    segments.add(segment);
    if (segments.size() > SegmentWriter.MAX_OPEN) {
      segmentBeat.hurry();
    }
  }

  /** Returns whether a segment is still to be forced. */
  boolean isForcing(LiveSegment segment) {
    return segments.contains(segment) || segment == head; // in the order of takeHead()
  }

  /** Reader: removes an unlinked segment, which occupies disk space as long as it is open. */
  void unlinked(LiveSegment segment) {
    if (segments.remove(segment)) { // otherwise it is forced, or in work
      counters.syncedEvents.addAndGet(segment.mark().sequence() - segment.firstSequence);
      listener.close(segment.writeFile, segment.path);
    }
  }

  /** Writer: starts a turn if delivered segments that wait to be forced fill the spill. */
  void makeRoom() {
    LiveSegment inHand = head;
    if (inHand != null && inHand.isRetired()) {
      segmentBeat.hurry();
    }
    if (isAwaited()) {
      deliveryBeat.hurry();
    }
  }

  private boolean isAwaited() {
    boolean awaited = wanted > done;
    for (SpillSlot each : slots) {
      awaited |= each.cursor.awaitingForce() != null;
    }
    return awaited;
  }

  /**
   * Has everything delivered forced, and waits for that. Tries it once: a log that has lost
   * something fails until a restart.
   *
   * @return false if that fails or takes longer, or the cursor is held
   */
  boolean awaitForced(long nanos) {
    long deadline = System.nanoTime() + nanos;
    long next = begun + 1;
    if (isAwaited()) {
      deliveryBeat.hurry();
      while (ended < next && deliveryBeat.isAlive() && deadline - System.nanoTime() > 0) {
        LockSupport.parkNanos(this, POLL_NANOS);
      }
    }
    return !isAwaited() && !slot.cursor.isBehind();
  }

  /** Reader: returns the number of the first force of the destination that begins from now on. */
  long nextForce() {
    long next = begun + 1;
    wanted = next;
    return next;
  }

  /** Returns whether that force, or a later one, has succeeded. */
  boolean isForced(long force) {
    return done >= force;
  }

  /** Reader: adds slots that are taken over later, before the reader reads anything in them. */
  void add(List<SpillSlot> more) {
    List<SpillSlot> all = new ArrayList<>(slots);
    for (SpillSlot each : more) {
      each.cursor.leaveToSyncer();
      if (!all.contains(each)) {
        all.add(each);
      }
    }
    slots = all;
  }

  @SuppressWarnings("NonAtomicOperationOnVolatileField")
  private void forceDelivered() {
    long force = ++begun;
    try {
      forceDelivered(force);
    } finally {
      ended = force;
    }
  }

  private void forceDelivered(long force) {
    Map<SpillSlot, Cursor.Position> reached = new LinkedHashMap<>();
    for (SpillSlot each : slots) {
      Cursor.Position position = each.cursor.awaitingForce();
      if (position != null) {
        reached.put(each, position);
      }
    }
    if ((!reached.isEmpty() || wanted > done) && destination.getAsBoolean()) {
      done = force;
      for (Map.Entry<SpillSlot, Cursor.Position> each : reached.entrySet()) {
        each.getKey().cursor.saveForced(each.getValue());
      }
    }
  }

  /**
   * Writer: adds a callback for everything appended so far. Removes callbacks that are over: while
   * a sync hangs, many callers may come and time out.
   */
  void whenSynced(Spill.AwaitsSync waiting) {
    awaiting.add(waiting);
    segmentBeat.hurry();
    Spill.AwaitsSync oldest = awaiting.peek();
    while (oldest != null && oldest.isOver()) {
      awaiting.remove(oldest); // no poll: the segment thread takes from there, too
      oldest = awaiting.peek();
    }
  }

  /**
   * Forces all segments. Callbacks that wait when a turn begins are called after the first turn
   * that forces everything.
   */
  private void forceSegments() {
    for (Spill.AwaitsSync each = awaiting.peek(); each != null; each = awaiting.peek()) {
      awaited.add(each); // first: memory may be short
      awaiting.remove(each);
    }
    forgetOver();
    if (forceAll()) {
      tell(awaited, !unreadable);
      unreadable = false;
    }
  }

  /** Removes callbacks that are over: syncs may fail until the disk is replaced. */
  private void forgetOver() {
    for (Iterator<Spill.AwaitsSync> each = awaited.iterator(); each.hasNext(); ) {
      if (each.next().isOver()) {
        each.remove();
      }
    }
  }

  private static void tell(Queue<Spill.AwaitsSync> waiting, boolean all) {
    for (Spill.AwaitsSync each = waiting.poll(); each != null; each = waiting.poll()) {
      each.synced(all);
    }
  }

  private boolean forceAll() {
    while (takeHead()) {
      LiveSegment segment = head;
      boolean sealed = segment.isSealed();
      if (!syncOne(segment, sealed)) {
        return false;
      }
      if (!sealed) {
        return true;
      }
      head = null;
      listener.close(segment.writeFile, segment.path);
    }
    return true;
  }

  /** Takes the next segment. It becomes the head first, so that others see it as not forced. */
  private boolean takeHead() {
    boolean taken = head != null;
    while (!taken && (head = segments.peek()) != null) {
      taken = segments.remove(head); // otherwise it was unlinked meanwhile
      syncedSequence = -1;
      rewrite = false;
      rewrites = 0;
    }
    return taken;
  }

  private boolean syncOne(LiveSegment segment, boolean sealed) {
    LiveSegment.Mark mark = segment.mark();
    boolean first = syncedSequence < 0;
    long from = first ? segment.firstSequence : syncedSequence;
    if (segment.isRetired()) { // delivered: it is not needed on the disk any more
      counters.syncedEvents.addAndGet(mark.sequence() - from);
      syncedSequence = mark.sequence();
      return true;
    }
    if (rewrite && !sealed) {
      return false; // an append in progress must not go into the old file after the copy
    }
    if (rewrite && isPausing()) {
      return false; // a rewrite costs the disk more than a sync
    }
    if (!first && mark.sequence() == from && !rewrite) {
      return true;
    }
    try {
      slot.forceOwnName();
    } catch (IOException e) {
      listener.failed(SYNC, slot.directory, e);
      return false; // nothing is wrong with the segment
    }
    long broken = 0;
    try {
      if (rewrite) {
        boolean lastResort = rewrites >= PATIENT_REWRITES;
        SegmentRewrite again =
            new SegmentRewrite(
                files, segment, segment.writeFile, SlotListing.SYNC_ENDING, lastResort);
        rewrites++;
        rewriteNanos = nanoClock.getAsLong();
        broken = again.run(mark, from, true);
      } else {
        segment.writeFile.sync();
      }
      if (first || rewrite) {
        slot.forceNames();
      }
    } catch (IOException e) {
      rewrite = true;
      segment.seal();
      listener.failed(SYNC, segment.path, e);
      return false;
    }
    counters.syncedEvents.addAndGet(mark.sequence() - from - broken);
    syncedSequence = mark.sequence();
    if (broken > 0) {
      reportBroken(segment.path, broken);
    } else {
      listener.succeeded(SYNC);
    }
    return true;
  }

  private boolean isPausing() {
    return rewrites > 0
        && nanoClock.getAsLong() - rewriteNanos < REWRITE_NANOS
        && !segmentBeat.stopping; // the last turn does not pause
  }

  private void reportBroken(Path path, long events) {
    unreadable = true;
    IOException cause =
        new IOException(events + " of its events cannot be read back, they are not synced");
    listener.onFailure("read back", path, cause);
  }

  /** Ends both threads after a last turn, with a time limit: a hung disk must not block a stop. */
  void close() {
    segmentBeat.end();
    deliveryBeat.end();
    long deadline = System.nanoTime() + CLOSE_NANOS;
    boolean interrupted = false;
    for (Beat beat : List.of(segmentBeat, deliveryBeat)) {
      while (beat.isAlive() && deadline - System.nanoTime() > 0) {
        try {
          TimeUnit.NANOSECONDS.timedJoin(beat, deadline - System.nanoTime());
        } catch (InterruptedException e) {
          interrupted = true;
        }
      }
      if (beat.isAlive()) {
        listener.onFailure(
            "end the syncs of", slot.directory, new IOException("the last one has not returned"));
      }
    }
    if (!segmentBeat.isAlive()) {
      while (takeHead()) {
        listener.close(head.writeFile, head.path);
        head = null;
      }
      tell(awaited, false);
    }
    tell(awaiting, false);
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }
}
