package io.spillway.internal.spill;

import io.spillway.internal.disk.SpillFiles;
import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Iterator;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

/**
 * A bounded queue of byte records on disk. Records that are not delivered outlive the process; see
 * the package description for the files.
 *
 * <p>Concurrency: "order held" means that the caller holds the lock {@code order} of the pipeline,
 * which guards all bookkeeping here. Without it run {@link #read}, by the deliverer, {@link #sync},
 * by any thread, and the figures, which are volatile and written with order held.
 */
public final class Spill implements Closeable {
  private static final int MARK_EVENTS = 512; // a kill doubles these and a batch, or this time:
  private static final long MARK_NANOS = TimeUnit.MILLISECONDS.toNanos(200);
  private static final long LOOK_NANOS = TimeUnit.SECONDS.toNanos(1);

  /** What a read has found. */
  public enum Outcome {
    OK,
    DAMAGED, // to be passed
    FAILED // an I/O error, to be tried again for ten seconds
  }

  /** A record on its way to the sink; reused for each. */
  public static final class Payload {
    public byte[] bytes = {};
    public int length;
    public int events;
    public int done; // events of it that were delivered before, by an earlier run as well
    public boolean leftover; // an earlier run accepted it
  }

  /** Where a record is. Its length and events are known once it is appended or read. */
  public static final class Place {
    final Segment segment;
    final long offset;
    final long sequence;
    int length = -1;
    int events;
    int delivered;
    String damage; // what a read found
    boolean rest; // the rest of the segment is damaged as well
    boolean unreadable; // an I/O error that does not pass

    Place(Segment segment, long offset, long sequence) {
      this.segment = segment;
      this.offset = offset;
      this.sequence = sequence;
    }

    /** Returns the number of events in the record, once it was appended or read. */
    public int events() {
      return events;
    }
  }

  /** A caller that waits for the disk; it is told once, unless it says that it is over before. */
  public interface Waiter {
    void synced(boolean all);

    boolean isOver();
  }

  private final SpillFiles files;
  private final SpillListener listener;
  private final SpillDirectory directory;
  private final SpillReader.Tee tee = new SpillReader.Tee();
  private final SpillReader reader;
  private final SpillSyncer syncer; // null without a sync interval
  private final ByteBuffer markBuffer = ByteBuffer.allocateDirect(SegmentFormat.MARK_BYTES);

  /** The first has the next record; the last may be the writer's. */
  private final Deque<Segment> segments = new ArrayDeque<>();

  private SpillWriter writer; // null until it is open
  private Place first; // what first() has returned
  private int unmarked; // events delivered since the mark was written
  private long markedAt;
  private long lookedAt;
  private boolean exiting;

  private volatile boolean open;
  private volatile boolean closed;
  private volatile long bytes;
  private volatile long events;
  private volatile long leftoverBytes;
  private volatile long leftoverEvents;

  /** Creates a spill that is not open. The destination forces the log, for the syncer. */
  public Spill(
      SpillConfig config, SpillFiles files, SpillListener listener, BooleanSupplier destination) {
    this.files = files;
    this.listener = listener;
    directory = new SpillDirectory(config, files, listener);
    reader = new SpillReader(files, listener, tee);
    syncer = config.syncNanos() > 0 ? new SpillSyncer(directory, destination) : null;
  }

  /**
   * Order held: takes the directory and finds leftovers, by headers and seals alone. Returns false
   * if it is not usable now, which the listener knows: to be called again in a second.
   */
  public boolean open() {
    if (open || closed) {
      return open;
    }
    try {
      if (!directory.take()) {
        return false;
      }
      writer = new SpillWriter(directory);
      if (syncer != null) {
        syncer.start();
      }
      for (Segment each : directory.leftovers()) {
        segments.add(each);
        count(each, each.undeliveredBytes(), each.undeliveredEvents());
      }
      if (!segments.isEmpty()) {
        listener.leftoversFound(segments.size(), leftoverBytes);
      }
      open = true;
      listener.succeeded("open");
    } catch (IOException e) {
      listener.failed("open", directory.path, e);
    } finally {
      if (!open) {
        directory.release();
      }
    }
    return open;
  }

  public boolean isOpen() {
    return open;
  }

  private void count(Segment segment, long addedBytes, long addedEvents) {
    bytes += addedBytes;
    events += addedEvents;
    if (segment.leftover) {
      leftoverBytes += addedBytes;
      leftoverEvents += addedEvents;
    }
  }

  /** Order held: returns the next undelivered record, null if nothing waits. */
  public Place first() {
    Segment head = segments.peekFirst();
    if (head == null || head.isDelivered()) {
      return null;
    }
    if (!isFirst(first)) {
      first = new Place(head, head.offset, head.firstSequence + head.before);
    }
    first.delivered = head.delivered;
    return first;
  }

  private boolean isFirst(Place place) {
    Segment head = segments.peekFirst();
    return open && place != null && place.segment == head && place.offset == head.offset;
  }

  /** Order held: appends with one write; null: not open, full, failed, or paused after that. */
  public Place append(byte[] payload, int length, int count) {
    if (!open) {
      return null;
    }
    long waiting = bytes;
    lookForActive();
    Place place = writer.append(payload, length, count);
    if (place == null) {
      if (writer.isFull() && syncer != null) {
        syncer.makeRoom();
      }
      return null;
    }
    if (segments.peekLast() != place.segment) {
      segments.add(place.segment);
      if (syncer != null) {
        syncer.began(place.segment);
      }
      settle(0); // what is before it may have been kept as the last one
    }
    count(place.segment, (long) SegmentFormat.RECORD_BYTES + length, count);
    if (waiting <= SpillReader.Tee.BYTES) {
      tee.put(place, payload, length);
    }
    if (syncer != null) {
      syncer.wake();
    }
    return place;
  }

  /** Ends a segment whose file was removed, once a second: what follows outlives the process. */
  private void lookForActive() {
    Segment active = writer.active();
    if (active != null && files.nanoTime() - lookedAt >= LOOK_NANOS) {
      lookedAt = files.nanoTime();
      if (!files.exists(active.path)) {
        writer.seal();
        settle(0);
      }
    }
  }

  /** Returns whether the last append found {@code maxSpillSize} reached. */
  public boolean isFull() {
    return open && writer.isFull();
  }

  /** The deliverer, without order: reads a record that {@link #first} or an append has returned. */
  public Outcome read(Place place, Payload into) {
    return closed ? Outcome.FAILED : reader.read(place, into);
  }

  /** Order held: so many events of the first record are delivered. All: the next one is first. */
  public void mark(Place place, int done) {
    if (!isFirst(place) || place.length < 0) {
      return;
    }
    Segment head = place.segment;
    int more = Math.max(0, Math.min(done, place.events) - head.delivered);
    long size = done < place.events ? 0 : (long) SegmentFormat.RECORD_BYTES + place.length;
    if (size == 0) {
      head.delivered += more;
    } else {
      head.advance(size, place.events);
    }
    count(head, -size, -more);
    settle(more);
  }

  /** Order held: writes the mark when it is due, and lets segments go that are delivered. */
  private void settle(int more) {
    unmarked += more;
    Segment head = segments.peekFirst();
    while (head != null && head.isDelivered() && !isKept(head)) {
      if (head == writer.active()) {
        writer.discard();
      }
      finish(head);
      head = segments.peekFirst();
    }
    if (head == null) {
      if (exiting) {
        directory.removeIfEmpty();
      }
    } else if (syncer != null && unmarked > 0) {
      unmarked = 0;
      syncer.reached(head.mark());
    } else if (unmarked > 0
        && (exiting
            || head.isDelivered()
            || unmarked >= MARK_EVENTS
            || files.nanoTime() - markedAt >= MARK_NANOS)) {
      writeMark(head);
    }
  }

  private boolean isKept(Segment head) {
    boolean goes = closed || exiting && syncer == null; // each segment more is one more to force
    return head == writer.active()
        && !(goes || head.damaged || head.end > directory.config.keptBytes());
  }

  private void writeMark(Segment head) {
    try {
      head.write(head.mark(), markBuffer);
      unmarked = 0;
      markedAt = files.nanoTime();
      listener.succeeded("mark");
    } catch (IOException e) {
      listener.failed("mark", head.path, e);
    }
  }

  private void finish(Segment head) {
    segments.removeFirst();
    unmarked = 0;
    directory.countMissing(head);
    if (syncer != null) {
      syncer.retire(head);
    } else {
      directory.remove(head);
    }
  }

  /**
   * Order held: goes on behind the first record, which is damaged ({@code why} is null: as {@link
   * #read} has found) or which the codec refuses. The listener counts what is lost.
   */
  public void pass(Place place, String why) {
    if (!isFirst(place) || (place.length < 0 && place.damage == null)) {
      return;
    }
    Segment head = place.segment;
    if (place.unreadable) {
      passBy(head);
      return;
    }
    head.damaged = true;
    long size = (long) SegmentFormat.RECORD_BYTES + place.length;
    long lost = Math.max(0, place.events - head.delivered);
    int passed = place.events;
    if (place.rest) {
      size = head.undeliveredBytes();
      lost = Math.max(1, head.undeliveredEvents());
      passed = (int) (head.events - head.before);
      if (head == writer.active()) {
        writer.seal(); // the next start would read no further either
      }
    }
    long counted = Math.min(lost, head.undeliveredEvents());
    head.advance(size, passed);
    count(head, -size, -counted);
    listener.recordsLost(lost, head.path, why == null ? place.damage : why, head.leftover);
    settle(passed);
  }

  /** Leaves a segment to the next start: its disk answers with errors. Its events stay counted. */
  private void passBy(Segment head) {
    if (head == writer.active()) {
      writer.seal();
    }
    if (syncer == null) {
      writeMark(head);
    }
    segments.removeFirst();
    unmarked = 0;
    directory.passBy(head);
  }

  /** Order held: deletes the oldest whole segment that is not being read; returns its events. */
  public long dropOldest() {
    if (!open || segments.size() < 2) {
      return 0;
    }
    Iterator<Segment> each = segments.iterator();
    each.next();
    Segment oldest = each.next();
    if (oldest == writer.active() || !directory.delete(oldest)) {
      return 0;
    }
    each.remove();
    long dropped = oldest.undeliveredEvents();
    count(oldest, -oldest.undeliveredBytes(), -dropped);
    listener.evicted(dropped, oldest.leftover);
    return dropped;
  }

  /**
   * Any thread: asks for a force of what was appended or delivered. Without an interval the waiter
   * is told false. The place is that of the caller's event; null if that was delivered without the
   * spill.
   */
  public void sync(Waiter waiter, Place place) {
    if (syncer == null) {
      waiter.synced(false);
    } else {
      syncer.await(waiter, place == null ? null : place.segment);
    }
  }

  /** Order held: the JVM exits. Marks and an empty spill's files wait for nothing but a force. */
  public void exiting() {
    exiting = true;
    if (open) {
      unmarked++; // whatever the mark in the file is
      settle(0);
    }
  }

  public long capacity() {
    return directory.config.maxBytes();
  }

  public long bytes() {
    return bytes;
  }

  /** Returns the events that wait, those of segments that cannot be read now included. */
  public long events() {
    return events;
  }

  public long leftoverBytes() {
    return leftoverBytes;
  }

  public long leftoverEvents() {
    return leftoverEvents;
  }

  /** Returns the events of this run that a force of their segment has covered. */
  public long syncedEvents() {
    return syncer == null ? 0 : syncer.syncedEvents();
  }

  /** Order held: leaves what waits to the next start. The last force may take five seconds. */
  @Override
  public void close() {
    if (closed) {
      return;
    }
    closed = true;
    if (open) {
      exiting();
      writer.seal();
    }
    if (syncer != null) {
      syncer.close();
    }
    if (open) {
      for (Segment each : segments) {
        if (!directory.leave(each)) {
          count(each, -each.undeliveredBytes(), -each.undeliveredEvents());
        }
      }
      directory.removeIfEmpty();
    }
    open = false;
    directory.release();
  }
}
