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
 * What makes the spill survive a power cut, at an interval and on two threads of its own, so that a
 * log whose disk hangs does not keep the spill from being forced.
 *
 * <ol>
 *   <li>One forces segments to the disk and counts their events only afterwards. A segment whose
 *       sync failed is closed and written again under a new inode: the system may have dropped its
 *       pages, and a second sync would claim success.
 *   <li>The other lets delivered records go: it notes how far the reader is, has the destination
 *       forced, and only then saves that position as the cursor, forced as well. What is beyond the
 *       cursor is unlinked by the reader. What no cursor tells of, since it is delivered out of its
 *       order, waits for a force that began after its delivery.
 * </ol>
 *
 * <p>Concurrency: the writer adds segments before it links them. Whoever takes one out of the queue
 * closes its write handle, so that no sync meets a closed file: the first thread, once it is
 * forced, or the reader, once it is unlinked. Seal is read before mark, as in {@link LiveSegment}:
 * a sealed segment is done after one more sync. The second thread reads positions before it asks
 * the destination: in the other order it could save one whose bytes came to the log after that had
 * been forced.
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

  // Forces of the destination, counted. A force is begun before positions are read.
  private volatile long begun; // by its thread
  private volatile long done; // by its thread: the last one that succeeded
  private volatile long ended; // by its thread: the last one, with what it let go
  private volatile long wanted; // by the reader

  private final Queue<LiveSegment> segments = new ConcurrentLinkedQueue<>();
  private final Queue<Spill.AwaitsSync> awaiting = new ConcurrentLinkedQueue<>();
  private final Beat segmentBeat = new Beat("spillway-spill-sync", SYNC, this::forceSegments);
  private final Beat deliveryBeat = new Beat("spillway-log-sync", SYNC_LOG, this::forceDelivered);

  private volatile LiveSegment head; // by its thread: in hand, and no longer in the queue

  // Of the head; its thread only.
  private long syncedSequence = -1;
  private boolean rewrite;
  private int rewrites;
  private long rewriteNanos; // when the last one began
  private boolean unreadable; // some of it, since who waits was told last
  private final Queue<Spill.AwaitsSync> awaited = new LinkedList<>();

  /**
   * Started by {@link #start}.
   *
   * @param slots whose cursors are saved here, the own one first
   * @param destination true once all it has taken is on the disk; tells failures itself
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

  /** A thread that does one thing at an interval, and once more when it is told to end. */
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
          trouble = t; // told at the next turn: memory may be short now
        }
      }
    }

    /** Returns whether this is the last turn. */
    private boolean await() {
      long deadline = System.nanoTime() + intervalNanos;
      for (long left = intervalNanos;
          left > 0 && !hurried && !stopping;
          left = deadline - System.nanoTime()) {
        Thread.interrupted(); // not ours to obey, and the pause would return at once
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
      if (!both) { // no thread to be had: all of it is tried again
        segmentBeat.end();
      }
    }
  }

  /** Writer. Many are not left open until the interval is over. */
  void add(LiveSegment segment) {
    segments.add(segment);
    if (segments.size() > SegmentWriter.MAX_OPEN) {
      segmentBeat.hurry();
    }
  }

  /** Whether a segment is still to be forced. */
  boolean isForcing(LiveSegment segment) {
    return segments.contains(segment) || segment == head; // in the order in which it is taken
  }

  /** Reader: it is unlinked, so that it takes room only as long as it is open. */
  void unlinked(LiveSegment segment) {
    if (segments.remove(segment)) { // else it was forced, or is in hand
      counters.syncedEvents.addAndGet(segment.mark().sequence() - segment.firstSequence);
      listener.close(segment.writeFile, segment.path);
    }
  }

  /** Writer: the spill is full, and what is delivered and waits to be forced may be in the way. */
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
   * Has what is delivered forced, and waits for that. Tries it once: a log that has lost something
   * fails until a restart.
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

  /** Reader: a force of the destination that begins from now on. */
  long nextForce() {
    long next = begun + 1;
    wanted = next;
    return next;
  }

  /** Whether that, or a later one, has succeeded. */
  boolean isForced(long force) {
    return done >= force;
  }

  /** Reader: what it takes over later, before it reads anything of that. */
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

  /** Writer: what waits was appended before. A sync may hang while others come and give up. */
  void whenSynced(Spill.AwaitsSync waiting) {
    awaiting.add(waiting);
    segmentBeat.hurry();
    Spill.AwaitsSync oldest = awaiting.peek();
    while (oldest != null && oldest.isOver()) {
      awaiting.remove(oldest); // no poll: the thread that syncs takes from there, too
      oldest = awaiting.peek();
    }
  }

  /** Who waits when a turn begins is told at the end of the first one that forces everything. */
  private void forceSegments() {
    for (Spill.AwaitsSync each = awaiting.peek(); each != null; each = awaiting.peek()) {
      awaited.add(each); // there may be no memory for that
      awaiting.remove(each);
    }
    forgetOver();
    if (forceAll()) {
      tell(awaited, !unreadable);
      unreadable = false;
    }
  }

  /** Syncs may fail for as long as the disk is not replaced. */
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

  /** In hand before it leaves the queue: others see that it is still to be forced. */
  private boolean takeHead() {
    boolean taken = head != null;
    while (!taken && (head = segments.peek()) != null) {
      taken = segments.remove(head); // else it was unlinked meanwhile
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
    if (segment.isRetired()) { // delivered: nobody needs it on the disk any more
      counters.syncedEvents.addAndGet(mark.sequence() - from);
      syncedSequence = mark.sequence();
      return true;
    }
    if (rewrite && !sealed) {
      return false; // an append is under way; it must not go into the old file after the copy
    }
    if (rewrite && isPausing()) {
      return false; // to copy it costs the disk more than a sync
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
      tellBroken(segment.path, broken);
    } else {
      listener.succeeded(SYNC);
    }
    return true;
  }

  private boolean isPausing() {
    return rewrites > 0
        && nanoClock.getAsLong() - rewriteNanos < REWRITE_NANOS
        && !segmentBeat.stopping; // this is its last turn then
  }

  private void tellBroken(Path path, long events) {
    unreadable = true;
    IOException cause =
        new IOException(events + " of its events cannot be read back, they are not synced");
    listener.onFailure("read back", path, cause);
  }

  /** A last turn of both, bounded: a disk that hangs must not hang the application's stop. */
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
