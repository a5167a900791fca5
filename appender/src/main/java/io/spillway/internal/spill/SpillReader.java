package io.spillway.internal.spill;

import io.spillway.internal.disk.Disk;
import io.spillway.internal.disk.DiskFile;
import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.LinkedList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * Reads records for the deliverer: leftovers first, then the chain of this run's segments. Keeps
 * the order of reading, settling (delivered or lost), saving the cursor, unlinking. Reader thread
 * only; what it shares is described at {@link LiveSegment} and {@link SpillCounters}. An {@link
 * Eviction} by the writer changes unread segments: it holds this object's monitor, as each
 * operation of the reader does.
 *
 * <p>Memory may be short at any allocation, here and in {@link Retirement}, {@link SetAside} and
 * {@link SegmentWriter}: what a step needs is allocated before the step changes anything, and a
 * step that throws is repeated. Therefore no {@code ArrayDeque} is used: one that cannot grow has
 * lost its contents.
 */
final class SpillReader {

  private static final String READ = "read";

  /** A drained segment of at least this size is sealed at once, a smaller one when idle. */
  private static final long DRAINED_BYTES = 1 << 20;

  private static final long DRAINED_NANOS = TimeUnit.SECONDS.toNanos(1);

  /** After this time and this number of attempts, reading continues without what cannot be read. */
  private static final long READ_PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(10);

  private static final int READ_PATIENCE_ATTEMPTS = 8;

  /** How long an unreadable leftover is tried; everything after it waits meanwhile. */
  private static final long LEFTOVER_PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(1);

  /** Attempts for a record that cannot be decoded or delivered, and their least duration. */
  private static final int TROUBLES = 8;

  private static final long TROUBLED_NANOS = TimeUnit.SECONDS.toNanos(1);

  private final Disk files;
  private final SpillListener listener;
  private final SpillCounters counters;
  private final SpillSlots slots;
  private final SpillSlot own;
  final Leftovers leftovers;
  final SetAside setAside;
  final Retirement retirement;
  private final LongSupplier nanoClock;
  private final SpillSyncer syncer; // null without an interval

  /** Segments read to the end that are not delivered up to there; oldest first. */
  private final Queue<SegmentReader> draining = new LinkedList<>();

  private SegmentReader current;
  private LiveSegment liveTail;
  private boolean leftoversWait;
  private boolean leftoversOnly;
  private long emptySinceNanos;
  private Cursor.Position prependedStart;
  private int failedReads;
  private int troubles;
  private SegmentReader troubled;
  private long troubledAt;
  private long troubledSinceNanos;
  private long failedSinceNanos;
  private long leftoverPatience = LEFTOVER_PATIENCE_NANOS;

  /** Creates a reader; the syncer is null without a sync interval. */
  SpillReader(SpillContext context, SpillSlots slots, SpillSyncer syncer, LiveSegment head) {
    files = context.files();
    listener = context.listener();
    counters = context.counters();
    nanoClock = context.nanoClock();
    this.slots = slots;
    own = slots.own();
    this.syncer = syncer;
    retirement = new Retirement(context, own, syncer);
    setAside = new SetAside(context, retirement, syncer);
    leftovers = new Leftovers(context, retirement, setAside);
    liveTail = head;
    emptySinceNanos = nanoClock.getAsLong();
    adopt(slots.all());
  }

  /**
   * Takes slots over, before anything is read; returns false if there are no leftovers. If this
   * throws, it is called again with the same slots.
   */
  synchronized boolean adopt(List<SpillSlot> more) {
    if (!more.isEmpty()) {
      long bytes = 0;
      long delivered = 0;
      long corrupt = 0;
      int segments = 0;
      for (SpillSlot slot : more) {
        bytes += slot.leftoverBytes();
        delivered += slot.deliveredBytes();
        segments += slot.leftovers().size();
        corrupt += slot.corruptBytes;
        unlinkSettled(slot);
      }
      setAside.adopt(more);
      leftovers.begin(slots.all());
      if (segments > 0) {
        listener.leftoversFound(segments, bytes - delivered);
      }
      leftoversWait = !leftovers.isExhausted();
      retirement.add(segments); // from here on no step needs memory, and none is repeated
      counters.corruptBytes.addAndGet(corrupt);
      counters.segmentBytes.addAndGet(bytes);
      counters.leftovers(counters.leftoverBytes() + bytes, leftoversWait);
    }
    return leftoversWait;
  }

  /**
   * Unlinks delivered segments that are still there. The cursor of the slot stays until they are
   * gone: without the cursor they would be delivered again.
   */
  private void unlinkSettled(SpillSlot slot) {
    List<SlotListing.Leftover> settled = slot.listing.settled();
    while (!settled.isEmpty()) {
      SlotListing.Leftover first = settled.get(0);
      retirement.unlink(slot, first.path(), first.counted());
      settled.remove(0);
      counters.segmentBytes.addAndGet(first.counted());
    }
  }

  synchronized boolean hasLeftovers() {
    return !leftovers.isExhausted() || (current != null && current.live == null);
  }

  synchronized SpillRecord readLeftover() {
    leftoversOnly = true;
    try {
      return hasLeftovers() ? read() : null;
    } finally {
      leftoversOnly = false;
    }
  }

  synchronized SpillRecord read() {
    SpillRecord record = null;
    try {
      if (isTroubled()) {
        passOver();
      }
      record = readNext();
      if (failedReads > 0) {
        failedReads = 0;
        leftoverPatience = LEFTOVER_PATIENCE_NANOS;
        listener.succeeded(READ);
      }
      return record;
    } catch (SegmentReader.GapException e) {
      setAside(e.position());
      return null;
    } catch (RuntimeException | Error e) {
      if (record == null) {
        troubled();
      } else {
        undelivered(record, record.skip());
      }
      throw e;
    } catch (IOException e) {
      Path path = current == null ? own.directory : current.path;
      listener.failed(READ, path, e);
      retryOrSkip(e);
      return null;
    }
  }

  /** Returns a record that was set aside; called only while nothing else waits. */
  synchronized SpillRecord readSetAside() {
    return setAside.read();
  }

  /** Notes that a read or a delivery threw: the same record is tried again, for a while. */
  private void troubled() {
    SegmentReader segment = current;
    if (segment != null && (segment != troubled || segment.position() != troubledAt)) {
      troubled = segment;
      troubledAt = segment.position();
      troubledSinceNanos = nanoClock.getAsLong();
      troubles = 0;
    }
    troubles++;
  }

  private boolean isTroubled() {
    return troubles >= TROUBLES
        && troubled == current
        && current != null
        && current.position() == troubledAt
        && !current.isFinished()
        && nanoClock.getAsLong() - troubledSinceNanos >= TROUBLED_NANOS;
  }

  /** Sets aside the record that cannot be delivered, and continues behind it. */
  private void passOver() throws IOException {
    try {
      setAside.record(current);
    } catch (IOException e) {
      if (current.live == null) {
        throw e;
      }
      listener.failed(SetAside.SET_ASIDE, current.path, e); // if the disk fails, reading reports it
      troubledSinceNanos = nanoClock.getAsLong();
      return;
    }
    if (current.outstanding == 0 && draining.isEmpty()) {
      settle(current);
    }
    troubled = null;
    troubles = 0;
  }

  synchronized void undelivered(SpillRecord record, int delivered) {
    SegmentReader segment = record.segment;
    if (setAside.isReading(segment)) {
      setAside.undelivered(record, delivered);
      return;
    }
    segment.outstanding--;
    segment.stepBack(record, delivered);
    troubled();
  }

  synchronized void malformed(SpillRecord record) {
    record.segment.damage();
  }

  private SpillRecord readNext() throws IOException {
    while (true) {
      if (current == null && !openNext()) {
        return null;
      }
      SpillRecord record = current.next();
      if (record != null) {
        current.outstanding++;
        return record;
      }
      if (current.outstanding == 0 && draining.isEmpty()) {
        settle(current);
      }
      if (!current.isFinished()) {
        return null;
      }
      finishCurrent();
    }
  }

  private boolean openNext() throws IOException {
    if (!leftovers.isExhausted()) {
      current = leftovers.next();
      if (current != null) {
        counters.leftoversSettled(current.settledOffset);
        return true;
      }
      noteLeftoversDone();
    }
    if (leftoversOnly) {
      return false;
    }
    LiveSegment next = liveTail.next();
    if (next == null) {
      return false;
    }
    try {
      open(next, next.beginReading(files));
    } catch (NoSuchFileException e) { // any other failure to open a file may pass
      if (isPatient()) {
        throw e;
      }
      open(next, null); // the next missing file does not wait again: it was missing as long
      current.abandon();
    }
    return true;
  }

  private boolean isPatient() {
    return failedReads < READ_PATIENCE_ATTEMPTS
        || nanoClock.getAsLong() - failedSinceNanos < READ_PATIENCE_NANOS;
  }

  private void open(LiveSegment segment, DiskFile file) {
    current = new SegmentReader(own, segment, file, listener);
    liveTail = segment;
  }

  private void retryOrSkip(IOException cause) {
    long now = nanoClock.getAsLong();
    if (failedReads++ == 0) {
      failedSinceNanos = now;
    }
    boolean leftover = current == null ? !leftovers.isExhausted() : current.live == null;
    if (leftover) {
      if (cause instanceof AccessDeniedException || now - failedSinceNanos >= leftoverPatience) {
        leftoverPatience = 0; // the next one does not wait, until something can be read again
        setAside(current == null ? 0 : current.position());
      }
      return;
    }
    if (current != null && !isPatient() && passUnreadable()) {
      failedReads = 0;
    }
  }

  /**
   * Continues without a record of this run that cannot be read. If the end of the record is
   * unknown, the rest of its segment is set aside.
   *
   * @return false if that has to wait
   */
  private boolean passUnreadable() {
    LiveSegment live = current.live;
    SegmentFormat.RecordHeader record = null;
    try {
      record = current.headerAt(current.position());
    } catch (IOException e) {
      // the caller has reported it
    }
    if (record != null) {
      current.stepOver(record, false);
      current.damage();
      return true;
    }
    live.seal();
    if (!live.isSealed()
        || current.outstanding > 0
        || !draining.isEmpty()
        || (syncer != null && syncer.isForcing(live))) {
      return false;
    }
    live.retire(); // so that it is not rewritten under its name
    setAside.live(current);
    return true;
  }

  private void setAside(long offset) {
    failedReads = 0;
    SegmentReader unreadable = current;
    if (unreadable == null) {
      leftovers.setAside();
      noteLeftoversDone();
      return;
    }
    Path waitsAs = leftovers.setAside(unreadable, offset);
    current = null;
    noteLeftoversDone();
    listener.close(unreadable.file, unreadable.path);
    resumeBehind(unreadable);
    setAside.reportUnreadable(unreadable.path, waitsAs);
  }

  private void finishCurrent() {
    SegmentReader finished = current;
    if (finished.live == null) {
      leftovers.finished(finished);
    }
    draining.add(finished);
    current = null;
    retireDrained();
  }

  private void retireDrained() {
    for (SegmentReader first = draining.peek();
        first != null && first.outstanding == 0;
        first = draining.peek()) {
      retire(first);
      draining.remove();
      retirement.flush();
      noteLeftoversDone();
    }
  }

  private void retire(SegmentReader segment) {
    settle(segment);
    if (segment.isSetAside()) {
      listener.close(segment.file, segment.path);
      return;
    }
    resumeBehind(segment);
    retirement.retire(segment);
  }

  /**
   * Advances the cursor to where reading resumes in a partly delivered segment, which only the
   * segment prepended to it states. The cursor has to be there before the file of {@code prepended}
   * is removed.
   */
  private void resumeBehind(SegmentReader prepended) {
    Cursor.Position behind = prepended.behind();
    if (behind != null) {
      prepended.slot.cursor.advance(behind, 0);
    }
  }

  private void noteLeftoversDone() {
    if (leftoversWait && leftovers.isExhausted() && retirement.leftoversSettled()) {
      leftoversWait = false;
      counters.leftovers(0, false);
    }
  }

  /** Returns the segment of this run that was opened last; those behind it are not read yet. */
  LiveSegment lastOpened() {
    return liveTail;
  }

  /** Returns whether the first unread leftover is known not to be read from its beginning. */
  boolean isResumed(SpillSlot slot) {
    return leftovers.isResumed(slot)
        || (current != null && current.slot == slot && current.behind() != null);
  }

  synchronized void beforeDelivery(SpillRecord record) {
    if (setAside.isReading(record.segment)) {
      return; // the name of its file states the place
    }
    retirement.follow(record.segment.slot);
    record.segment.slot.cursor.beforeDelivery(record.events());
  }

  synchronized void delivered(SpillRecord record) {
    SegmentReader segment = record.segment;
    if (setAside.isReading(segment)) {
      setAside.delivered(record, record.endOffset, record.endSequence());
      return;
    }
    settle(segment, record.endOffset, record.endSequence(), record.evictedBefore);
    if (!record.settled) {
      record.settled = true; // the next steps may throw, and this method is called again
      segment.outstanding--;
    }
    retireDrained();
    retirement.flush();
    if (segment == current && segment.outstanding == 0 && segment.isFinished()) {
      finishCurrent();
    }
    if (counters.isEmpty()) {
      emptySinceNanos = nanoClock.getAsLong();
      retirement.follow(own);
      segment.slot.cursor.save();
      sealDrained(DRAINED_BYTES);
    }
    segment.slot.cursor.saveIfDue();
  }

  void deliveredPart(SpillRecord record, int events) {
    SegmentReader segment = record.segment;
    if (setAside.isReading(segment)) {
      setAside.delivered(record, record.startOffset(), record.sequence() + events);
      return;
    }
    settle(segment, record.startOffset(), record.sequence() + events, record.evictedBefore);
  }

  synchronized boolean maintain() {
    retirement.follow(own);
    SegmentReader segment = current;
    (segment == null ? own : segment.slot).cursor.saveIfDue();
    if (segment != null && segment.outstanding == 0 && segment.isFinished()) {
      finishCurrent();
    }
    retireDrained();
    if (counters.isEmpty()
        && !own.cursor.isBehind() // else it stays, and another would begin each second
        && nanoClock.getAsLong() - emptySinceNanos >= DRAINED_NANOS) {
      sealDrained(SegmentFormat.SEGMENT_HEADER);
    }
    return retirement.flush()
        && current == null
        && draining.isEmpty()
        && counters.isEmpty()
        && !own.cursor.isBehind();
  }

  /** Seals a delivered segment to free its disk space; the writer then begins a new one. */
  private void sealDrained(long minBytes) {
    SegmentReader segment = current;
    if (segment == null || segment.live == null || segment.position() < minBytes) {
      return;
    }
    segment.live.seal();
    if (segment.outstanding == 0 && segment.isFinished()) {
      finishCurrent();
    }
  }

  private void settle(SegmentReader segment) {
    settle(segment, segment.position(), segment.expected(), segment.evictedEvents());
  }

  private void settle(SegmentReader segment, long offset, long sequence, long evicted) {
    long bytes = offset - segment.settledOffset;
    long events = Math.max(0, sequence - segment.settledSequence);
    if (bytes == 0 && events == 0) {
      return;
    }
    Cursor.Position position = new Cursor.Position(segment.number, offset, sequence);
    segment.settledOffset = offset;
    segment.settledSequence = sequence;
    segment.settledEvicted = evicted;
    segment.slot.cursor.advance(position, events);
    if (segment.live == null) {
      counters.leftoversSettled(bytes);
    } else {
      counters.settled(bytes, sequence);
    }
  }

  /** Returns where the waiting records of this run begin, or null when there are none. */
  Cursor.Position firstWaiting() {
    if (prependedStart != null) {
      return prependedStart;
    }
    if (counters.liveIsEmpty()) {
      return null;
    }
    SegmentReader begun = begun();
    if (begun != null) {
      return new Cursor.Position(begun.number, begun.settledOffset, begun.settledSequence);
    }
    LiveSegment next = liveTail.next();
    return next == null ? null : new Cursor.Position(next.number, 0, next.firstSequence);
  }

  /** Returns how many events of a segment of this run are not delivered, without evicted ones. */
  long waitingEvents(LiveSegment segment) {
    for (SegmentReader read : draining) {
      if (read.live == segment) {
        return read.waitingEvents();
      }
    }
    return current != null && current.live == segment
        ? current.waitingEvents()
        : segment.mark().sequence() - segment.firstSequence - segment.evictedEvents();
  }

  /** Returns the oldest segment of this run that is opened and not retired, or null. */
  private SegmentReader begun() {
    for (SegmentReader segment : draining) {
      if (segment.live != null) {
        return segment;
      }
    }
    return current != null && current.live != null ? current : null;
  }

  /**
   * Returns the place for prepended records if delivered records are not forced and may have to be
   * delivered again: as {@link #firstWaiting}, but where a waiting segment begins with such
   * records, the place is before all of them.
   */
  Cursor.Position firstUnforced() {
    Cursor.Position waiting = firstWaiting();
    if (waiting == null || waiting.offset() <= SegmentFormat.SEGMENT_HEADER) {
      return waiting;
    }
    SegmentReader begun = begun();
    LiveSegment next = begun.live.next();
    if (next != null && begun.settledOffset == begun.live.mark().offset()) {
      return new Cursor.Position(next.number, 0, next.firstSequence);
    }
    Cursor.Position saved = own.cursor.saved();
    return saved != null && saved.segment() == begun.number
        ? saved
        : new Cursor.Position(begun.number, 0, begun.firstSequence);
  }

  /**
   * Notes that older records are on disk. They come next, unless leftovers do, or delivered records
   * that are not forced.
   *
   * @return false if the next start would take them for delivered
   */
  boolean prepended(Cursor.Position start, boolean forced) {
    Cursor cursor = own.cursor;
    if (!cursor.holdBack(start)) {
      return false;
    }
    prependedStart = start;
    if (forced && own.leftoversOpen == 0) {
      cursor.advance(start, 0);
      if (cursor.isBehind()) {
        cursor.saveAtOnce();
      }
    }
    return true;
  }

  /** Saves the cursors; returns true when no delivered file is left. */
  boolean save() {
    setAside.rename();
    boolean flushed = retirement.flushNow(nanoClock.getAsLong());
    retirement.follow(own);
    own.cursor.save();
    if (current != null) {
      current.slot.cursor.save();
    }
    return flushed;
  }

  /** Saves the cursors, closes the files after the writer; returns true if nothing is left. */
  boolean close() {
    if (counters.liveIsEmpty() && !leftoversWait) {
      retireEmptyChain();
    }
    boolean flushed = save();
    if (current != null) {
      listener.close(current.file, current.path);
    }
    setAside.close();
    for (SegmentReader segment : draining) {
      listener.close(segment.file, segment.path);
    }
    for (LiveSegment s = liveTail.next(); s != null; s = s.next()) {
      listener.close(s.takeReadFile(), s.path);
    }
    return flushed
        && counters.isEmpty()
        && liveTail.next() == null
        && current == null
        && draining.isEmpty();
  }

  private void retireEmptyChain() {
    retireDrained(); // left by an attempt that ran out of memory
    if (current != null && current.live != null && current.outstanding == 0) {
      finishCurrent();
    }
    while (current == null && liveTail.next() != null) {
      LiveSegment next = liveTail.next();
      retire(new SegmentReader(own, next, next.takeReadFile(), listener));
      liveTail = next;
      retirement.flush();
    }
  }
}
