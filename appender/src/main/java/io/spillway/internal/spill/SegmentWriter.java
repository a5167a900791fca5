package io.spillway.internal.spill;

import io.spillway.internal.disk.Disk;
import io.spillway.internal.disk.DiskFile;
import io.spillway.internal.disk.StorageFailures;
import io.spillway.internal.spill.SegmentFormat.RecordHeader;
import io.spillway.internal.spill.SegmentFormat.SegmentHeader;
import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * Appends records and begins new segments, for the drainer. Writer thread only; what it shares is
 * described at {@link LiveSegment} and {@link SpillCounters}.
 *
 * <p>After a failed write the file ends at the last good record again, or the segment is closed
 * there and the next one states where it ends, so that bytes behind that offset are never read.
 */
final class SegmentWriter {

  private static final String APPEND = "append";
  private static final String REMOVED = "keep";
  private static final long WATCH_NANOS = TimeUnit.SECONDS.toNanos(1);
  private static final String CREATE = "create a segment";
  private static final long MIN_SEGMENT_BYTES = 64L << 10;
  private static final long MAX_SEGMENT_BYTES = 32L << 20;
  private static final int MAX_TAKEN_NAMES = 64;

  /**
   * The number of waiting segments that stay open, so that their contents outlive a removal of the
   * files: as many as a spill of the default size has. The others are opened when they are read.
   */
  static final int MAX_OPEN = 32;

  /** Up to this payload size, header and payload are written in one operation. */
  private static final int MAX_BUFFERED = 1 << 20;

  private final Disk files;
  private final SpillListener listener;
  private final SpillCounters counters;
  private Path halfway; // file of prepended records, until all of them are written
  private final SpillSlot slot;
  private final SpillKind kind;
  private final boolean tagged;
  private final SpillSyncer syncer;
  private final long maxBytes;
  private final long maxCorruptBytes;
  private final long segmentBytes;
  private final long runSequence;
  private long salts; // SplitMix64, as java.util.SplittableRandom, which is slow to start
  private byte[] buffer = new byte[1 << 16];
  private LiveSegment last;
  private LiveSegment ended; // an empty segment behind it marks its end, if that could be made
  private boolean endTold;
  private boolean lastClosed = true;
  private final List<LiveSegment> own = new ArrayList<>(); // not yet retired, oldest first
  private final LongSupplier nanoClock;
  private long watchedNanos;
  private boolean removed;
  private Spill.Append failure = Spill.Append.FAILED; // why the last segment could not be made
  private long lastNumber;
  private long nextSequence;

  /**
   * Creates a writer.
   *
   * @param slot the slot to write to
   * @param syncer null without a sync interval
   * @param head what the first segment is linked to
   * @param runSequence sequence of the first event
   */
  SegmentWriter(
      SpillContext context,
      SpillSlot slot,
      SpillSyncer syncer,
      LiveSegment head,
      long runSequence) {
    files = context.files();
    listener = context.listener();
    counters = context.counters();
    nanoClock = context.nanoClock();
    kind = context.config().kind();
    tagged = context.config().tagged();
    maxBytes = context.config().maxBytes();
    maxCorruptBytes = context.config().maxCorruptBytes();
    segmentBytes = Math.max(MIN_SEGMENT_BYTES, Math.min(MAX_SEGMENT_BYTES, maxBytes / 16));
    salts = Disk.randomLong();
    watchedNanos = nanoClock.getAsLong();
    this.slot = slot;
    this.syncer = syncer;
    this.runSequence = runSequence;
    nextSequence = runSequence;
    last = head;
    long highest = slot.listing.highestNumber();
    Cursor.Position position = slot.cursor.position();
    lastNumber = position == null ? highest : Math.max(highest, position.segment());
  }

  Spill.Append append(Spill.Payload payload) {
    watch();
    long need = bytes(payload);
    LiveSegment segment = last;
    boolean fits = fits(segment, need);
    if (exceedsCap(fits ? need : need + SegmentFormat.SEGMENT_HEADER)) {
      if (counters.isEmpty()) {
        segment.seal(); // all of it is delivered: let the reader unlink it
      }
      if (syncer != null) {
        syncer.makeRoom();
      }
      return Spill.Append.FULL;
    }
    if (!fits || !segment.claim()) {
      segment = roll();
      if (segment == null || !segment.claim()) {
        return failure;
      }
    }
    try {
      return write(segment, payload);
    } finally {
      segment.release();
    }
  }

  /**
   * Checks once a second whether the names still belong to the files: what is written into a
   * removed file is lost at the end of the process.
   */
  private void watch() {
    long now = nanoClock.getAsLong();
    if (!last.isHead() && now - watchedNanos >= WATCH_NANOS) {
      watchedNanos = now;
      look();
    }
  }

  /** Lets the record appended next begin another segment. */
  void endSegment() {
    last.seal();
  }

  /** Watches the files of waiting records while there is nothing to append. */
  void keep() {
    if (!counters.liveIsEmpty()) {
      watch();
    }
  }

  private void forgetRetired() {
    for (int i = own.size() - 1; i >= 0; i--) {
      if (own.get(i).isRetired()) {
        own.remove(i);
      }
    }
  }

  private void look() {
    forgetRetired();
    try {
      boolean alive = slot.isAlive();
      if (!removed && (!alive || isAnyRemoved())) {
        removed = true;
        last.seal();
        Path gone = alive ? last.path : slot.lockPath();
        listener.failed(REMOVED, gone, new IOException("it was removed while in use"));
      }
      if (removed) {
        slot.ensureAlive();
        writeRemovedAgain();
      }
    } catch (IOException e) {
      listener.failed(REMOVED, slot.directory, e);
    }
  }

  /** Rewrites removed segments. One that fails does not stop the others, and is tried again. */
  private void writeRemovedAgain() throws IOException {
    int gone = 0;
    boolean all = true;
    for (LiveSegment segment : own) {
      try {
        if (isRemoved(segment) && !writeAgain(segment)) {
          gone++;
        }
      } catch (IOException e) {
        listener.failed(REMOVED, segment.path, e);
        all = false;
        if (StorageFailures.isDiskFull(e)) {
          break; // the others would not fit either
        }
      }
    }
    if (syncer != null) {
      slot.forceNames(); // if that fails, all of them are checked again
    }
    if (all) {
      listener.succeeded(REMOVED);
      if (gone > 0) {
        reportGone(gone);
      }
      removed = false;
    }
  }

  /** Checks all segments: the last one may be in a directory that was created again. */
  private boolean isAnyRemoved() throws IOException {
    for (LiveSegment segment : own) {
      if (segment.readFile() != null && isRemoved(segment)) {
        return true;
      }
    }
    return false;
  }

  /** Returns whether the file was removed; delivered segments, never rewritten, do not count. */
  private boolean isRemoved(LiveSegment segment) throws IOException {
    return !segment.isNamed(files) && !segment.isDrained() && !segment.isRetired();
  }

  private void reportGone(int segments) {
    listener.warning(
        "removed",
        segments
            + " spill files in ["
            + slot.directory
            + "] were removed while their events waited: those are lost, and counted when it is"
            + " their turn. To do: leave the files of a running appender alone.");
  }

  /** Rewrites a removed segment; returns false if the removed file is not open. */
  private boolean writeAgain(LiveSegment segment) throws IOException {
    segment.seal(); // later records would go into the removed file
    DiskFile from = segment.readFile();
    if (from == null) {
      return false;
    }
    new SegmentRewrite(files, segment, from, SlotListing.PART_ENDING, false)
        .run(segment.mark(), segment.firstSequence, syncer != null);
    return true;
  }

  private boolean fits(LiveSegment segment, long need) {
    LiveSegment.Mark mark = segment.mark();
    return !segment.isSealed()
        && (mark.offset() == SegmentFormat.SEGMENT_HEADER
            || mark.offset() + need <= segmentBytes
                && mark.sequence() - segment.firstSequence < SegmentFormat.MAX_SEGMENT_EVENTS);
  }

  private boolean exceedsCap(long need) {
    long all = need + SegmentFormat.SEGMENT_HEADER; // with room for the segment that marks the end
    long segments = counters.segmentBytes.get();
    long copies = Math.min(counters.corruptBytes.get(), maxCorruptBytes); // never evicted
    return segments > 0 && segments + copies + all > maxBytes;
  }

  private Spill.Append write(LiveSegment segment, Spill.Payload payload) {
    long position = segment.mark().offset();
    long end = position + bytes(payload);
    LiveSegment.Mark mark = new LiveSegment.Mark(end, nextSequence + payload.events());
    try {
      writeRecord(segment.writeFile, segment.salt, position, nextSequence, payload);
    } catch (IOException e) {
      listener.failed(APPEND, segment.path, e);
      cutBack(segment, position, end);
      Spill.Append done = failed(e);
      if (position > SegmentFormat.SEGMENT_HEADER && done == Spill.Append.FAILED) {
        segment.seal(); // the limit may be one of file size: a new segment starts below it
      }
      return done;
    }
    listener.succeeded(APPEND);
    nextSequence += payload.events();
    counters.segmentBytes.addAndGet(end - position);
    counters.appended(end - position);
    segment.commit(mark);
    return Spill.Append.APPENDED;
  }

  void writeRecord(DiskFile file, long salt, long position, long sequence, Spill.Payload payload)
      throws IOException {
    int header = SegmentFormat.RECORD_HEADER;
    int length = payload.length();
    boolean buffered = length <= MAX_BUFFERED;
    if (buffered && buffer.length < header + length) {
      buffer = new byte[Math.max(header + length, Math.min(2 * buffer.length, MAX_BUFFERED))];
    }
    int crc = SegmentFormat.payloadCrc(salt, payload.bytes(), payload.offset(), length);
    new RecordHeader(length, payload.events(), sequence, crc, payload.tag())
        .encode(buffer, 0, salt, position);
    if (buffered) {
      System.arraycopy(payload.bytes(), payload.offset(), buffer, header, length);
      file.write(position, buffer, 0, header + length);
    } else {
      file.write(position, buffer, 0, header);
      file.write(position + header, payload.bytes(), payload.offset(), length);
    }
    counters.written();
  }

  long segmentBytes() {
    return segmentBytes;
  }

  /** Returns whether no thread writes or forces a segment any more; closes the last segment. */
  boolean isClosed(LiveSegment segment) {
    if (segment == last && segment.mark().offset() > SegmentFormat.SEGMENT_HEADER) {
      closeLast(); // all segments before it were examined
    }
    return segment.isSealed()
        && (segment != last || lastClosed)
        && (syncer == null || !syncer.isForcing(segment));
  }

  /** Returns the header of a copy in this run, behind the segment {@code link}. */
  SegmentHeader headerBehind(LiveSegment link, long number, long firstSequence) {
    return header(number, firstSequence, runSequence, link.isHead() ? 0 : link.mark().offset(), 0);
  }

  /**
   * Returns the segment that stands for a copy once the copy has the name of {@code segment}. The
   * copy is held open if that segment is, so that it can be rewritten if it is removed.
   *
   * @param evicted how many of its events were evicted, now and before
   */
  LiveSegment copyOf(
      LiveSegment segment, Path copy, SegmentHeader header, long length, long evicted)
      throws IOException {
    Object key = files.key(copy);
    DiskFile file = segment.readFile() == null ? null : files.openForReading(copy);
    LiveSegment by = null;
    try {
      by = new LiveSegment(segment.path, key, header, segment.writeFile, file);
    } finally {
      if (by == null) {
        listener.close(file, copy);
      }
    }
    by.commit(new LiveSegment.Mark(length, segment.mark().sequence()));
    by.seal();
    by.copied(evicted);
    by.linkNext(segment.next());
    return by;
  }

  /**
   * Puts a copy in the place of a segment, and of the one before if the copy holds its rest as
   * well. No thread reads these segments yet.
   *
   * @param link the segment before them
   * @param before the merged segment, or null if there is none
   */
  void replace(LiveSegment link, LiveSegment before, LiveSegment segment, LiveSegment by) {
    own.set(own.indexOf(segment), by);
    last = last == segment ? by : last;
    ended = ended == segment ? by : ended;
    retire(segment);
    if (before != null) {
      retire(before);
    }
    link.linkNext(by);
    counters.segmentBytes.addAndGet(by.diskBytes() - segment.diskBytes());
  }

  private void retire(LiveSegment segment) {
    segment.retire();
    close(segment);
  }

  /** Closes the read handle of a segment, unless the reader has it. */
  void close(LiveSegment segment) {
    listener.close(segment.takeReadFile(), segment.path);
  }

  private void cutBack(LiveSegment segment, long good, long end) {
    try {
      segment.writeFile.truncate(good);
    } catch (IOException e) {
      listener.onFailure("cut back", segment.path, e);
      segment.garbage(end - good);
      counters.segmentBytes.addAndGet(end - good);
      segment.seal();
    }
  }

  private static Spill.Append failed(IOException e) {
    return StorageFailures.isDiskFull(e) ? Spill.Append.DISK_FULL : Spill.Append.FAILED;
  }

  /** Begins the next segment; returns null, and reports the failure, if impossible now. */
  private LiveSegment roll() {
    closeLast();
    LiveSegment segment;
    try {
      slot.ensureAlive();
      segment = create(lastNumber + SegmentFormat.NUMBER_STEP);
    } catch (IOException e) {
      listener.failed(CREATE, slot.directory, e);
      failure = failed(e);
      return null;
    }
    listener.succeeded(CREATE);
    forgetRetired();
    if (own.size() > MAX_OPEN) {
      close(last);
    }
    own.add(segment);
    if (syncer != null) {
      syncer.add(segment);
    }
    counters.segmentBytes.addAndGet(SegmentFormat.SEGMENT_HEADER);
    lastNumber = segment.number;
    last.linkNext(segment);
    last = segment;
    lastClosed = false;
    return segment;
  }

  private void closeLast() {
    last.seal();
    if (!lastClosed && syncer == null) {
      listener.close(last.writeFile, last.path);
    }
    lastClosed = true;
  }

  /** Creates the next segment of this run, under the first free number from {@code wanted} on. */
  private LiveSegment create(long wanted) throws IOException {
    long number = wanted;
    long previousEnd = last.isHead() ? 0 : last.mark().offset();
    for (int taken = 0; ; taken++, number += SegmentFormat.NUMBER_STEP) {
      try {
        return create(header(number, nextSequence, runSequence, previousEnd, 0));
      } catch (FileAlreadyExistsException e) {
        if (taken == MAX_TAKEN_NAMES) {
          throw e;
        }
      }
    }
  }

  private SegmentHeader header(
      long number, long sequence, long run, long previousEnd, long resume) {
    return new SegmentHeader(
        kind,
        nextSalt(),
        number,
        sequence,
        run,
        previousEnd,
        resume,
        System.currentTimeMillis(),
        0,
        tagged);
  }

  /** Source: Steele, Lea, Flood: Fast splittable pseudorandom number generators, OOPSLA 2014. */
  long nextSalt() {
    salts += 0x9e3779b97f4a7c15L;
    long mixed = (salts ^ (salts >>> 30)) * 0xbf58476d1ce4e5b9L;
    mixed = (mixed ^ (mixed >>> 27)) * 0x94d049bb133111ebL;
    return mixed ^ (mixed >>> 31);
  }

  private LiveSegment create(SegmentHeader header) throws IOException {
    Path path = SlotListing.segmentPath(slot.directory, header.number());
    DiskFile file = files.create(path);
    LiveSegment segment = null;
    try {
      byte[] bytes = header.encode();
      file.write(0, bytes, 0, bytes.length);
      Object key = files.key(path);
      segment = new LiveSegment(path, key, header, file, files.openForReading(path));
      return segment;
    } finally {
      if (segment == null) {
        listener.close(file, path);
        files.delete(path);
      }
    }
  }

  /**
   * The result of {@link #prepend}.
   *
   * @param records how many of the oldest records were written
   * @param start where reading begins then, null if there are none
   */
  record Prepended(int records, Cursor.Position start) {}

  /** Writes older records into a separate segment that sorts before {@code waiting}. */
  Prepended prepend(List<Spill.Payload> older, Cursor.Position waiting) {
    int records = fitting(older);
    int failures = 0;
    while (records > 0) {
      List<Spill.Payload> part = older.subList(0, records);
      long events = events(part);
      long sequence = (waiting == null ? nextSequence : waiting.sequence()) - events;
      long number = waiting == null ? lastNumber + 1 : waiting.segment() - 1;
      long resume = waiting == null ? 0 : waiting.offset();
      long bytes = bytes(part);
      Prepended all = // first: memory may be short after the write
          new Prepended(
              records, new Cursor.Position(number, SegmentFormat.SEGMENT_HEADER, sequence));
      if (sequence < 0) {
        break;
      }
      int written = writePrepended(number, sequence, resume, part);
      if (written == records) {
        halfway = null;
        lastNumber = Math.max(lastNumber, number);
        counters.segmentBytes.addAndGet(bytes);
        counters.appended(bytes - SegmentFormat.SEGMENT_HEADER);
        if (waiting == null) {
          last.seal(); // its number is lower, and records appended now are newer
        }
        return all;
      }
      failures++;
      if (failure == Spill.Append.DISK_FULL || !Spill.triesAgain(failures)) {
        records = written; // only as many as the disk took; sequences depend on the number
      }
    }
    return new Prepended(0, null);
  }

  /** Undoes {@link #prepend}, whose records no thread will read. */
  void takeBack(List<Spill.Payload> older, Cursor.Position start) {
    long bytes = bytes(older);
    listener.delete(files, SlotListing.segmentPath(slot.directory, start.segment()));
    counters.segmentBytes.addAndGet(-bytes);
    counters.appended(SegmentFormat.SEGMENT_HEADER - bytes);
  }

  private static long events(List<Spill.Payload> records) {
    long events = 0;
    for (Spill.Payload payload : records) {
      events += payload.events();
    }
    return events;
  }

  boolean hasRoomFor(List<Spill.Payload> older) {
    return fitting(older) == older.size();
  }

  /** Returns how many records, from the oldest, stay within the size limit. */
  private int fitting(List<Spill.Payload> older) {
    int records = older.size();
    while (records > 0 && exceedsCap(bytes(older.subList(0, records)))) {
      records--;
    }
    return records;
  }

  private static long bytes(List<Spill.Payload> records) {
    long bytes = SegmentFormat.SEGMENT_HEADER;
    for (Spill.Payload payload : records) {
      bytes += bytes(payload);
    }
    return bytes;
  }

  private static long bytes(Spill.Payload payload) {
    return SegmentFormat.RECORD_HEADER + (long) payload.length();
  }

  /** Returns how many records the disk took; unless it took all of them, none is kept. */
  private int writePrepended(
      long number, long firstSequence, long resume, List<Spill.Payload> older) {
    Path path = SlotListing.segmentPath(slot.directory, number);
    int written = 0;
    LiveSegment segment = null;
    boolean whole = false;
    try {
      if (halfway != null) {
        listener.delete(files, halfway); // an earlier call threw while it wrote the file
      }
      slot.ensureAlive();
      halfway = path;
      segment =
          create(
              header(number, firstSequence, firstSequence, 0, resume)
                  .withEvents((int) events(older)));
      long position = SegmentFormat.SEGMENT_HEADER;
      long sequence = firstSequence;
      for (Spill.Payload p : older) {
        writeRecord(segment.writeFile, segment.salt, position, sequence, p);
        position += bytes(p);
        sequence += p.events();
        written++;
      }
      if (syncer != null) {
        segment.writeFile.sync();
        slot.forceNames();
      }
      whole = true;
      return written;
    } catch (IOException e) {
      listener.onFailure("hand over at stop", path, e);
      failure = failed(e);
      return written == older.size() ? 0 : written; // after a failed sync none may be there
    } finally {
      if (segment != null) {
        listener.close(segment.writeFile, path);
        listener.close(segment.takeReadFile(), path);
        if (!whole) {
          listener.delete(files, path);
        }
      }
    }
  }

  /**
   * Marks the end of the segments. An empty segment behind the last one states where that ends, so
   * that a truncated one is not taken for the last segment before a crash. A record appended later
   * begins another segment.
   */
  void end() {
    if (last.isHead()
        || last.isRetired()
        || last == ended
        || counters.liveIsEmpty()
        || exceedsCap(0)) {
      return;
    }
    last.seal();
    ended = last;
    SegmentHeader header =
        header(
            last.number + SegmentFormat.NUMBER_STEP,
            nextSequence,
            runSequence,
            last.mark().offset(),
            0);
    Path path = SlotListing.segmentPath(slot.directory, header.number());
    try {
      LiveSegment mark = create(header);
      endTold = true;
      counters.segmentBytes.addAndGet(SegmentFormat.SEGMENT_HEADER);
      lastNumber = Math.max(lastNumber, mark.number);
      listener.close(mark.takeReadFile(), path);
      try (DiskFile file = mark.writeFile) {
        if (syncer != null) {
          file.sync();
          slot.forceNames();
        }
      }
    } catch (IOException e) {
      listener.onFailure("mark the end of", last.path, e); // a truncation goes unnoticed then
    }
  }

  /**
   * Checks a last time whether the names still belong to the files.
   *
   * @return the first of the segments, to the last, whose files are gone and cannot be rewritten;
   *     null if there are none, or if the next start will notice the loss, as it does when another
   *     segment is behind them
   */
  LiveSegment firstGone() {
    if (last.isHead() || counters.liveIsEmpty()) {
      return null;
    }
    look();
    end();
    LiveSegment first = null;
    for (int i = own.size() - 1; !endTold && i >= 0 && isGone(own.get(i)); i--) {
      first = own.get(i);
    }
    return first;
  }

  private boolean isGone(LiveSegment segment) {
    try {
      return isRemoved(segment);
    } catch (IOException e) {
      return false; // unknown
    }
  }

  void close() {
    if (!counters.liveIsEmpty() && !last.isHead()) {
      look();
    }
    end();
    closeLast();
    buffer = new byte[0]; // a sink that never returns keeps this object, too
  }
}
