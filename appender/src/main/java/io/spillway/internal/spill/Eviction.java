package io.spillway.internal.spill;

import io.spillway.internal.disk.Disk;
import io.spillway.internal.disk.DiskFile;
import io.spillway.internal.disk.StorageFailures;
import io.spillway.internal.spill.SegmentFormat.RecordHeader;
import io.spillway.internal.spill.SegmentFormat.SegmentHeader;
import io.spillway.internal.spill.SlotListing.Leftover;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * Makes room: rewrites the oldest segment that no thread reads yet, without the records that may be
 * dropped. Called by the writer thread, which then holds the monitor of the reader.
 *
 * <ol>
 *   <li>Sequence numbers stay: a marker record without payload, written twice, stands for dropped
 *       events, so that the gap is not taken for damage.
 *   <li>The rest of the segment before goes into the same copy, so that the number of files does
 *       not grow with the number of dropped records.
 *   <li>The copy gets the segment's name in one step; only then is the segment before it unlinked.
 *       A crash in between leaves a segment whose events are at the start of the next one, and
 *       which the next start skips ({@link SegmentHeader#isWithin}).
 *   <li>A segment with damage is left to the reader, which counts the damage.
 * </ol>
 */
final class Eviction {
  private static final String EVICT = "make room in";

  /** The most events of a copy, so that their number fits into its header. */
  private static final long MAX_EVENTS = 1 << 30;

  private static final long PAUSE_NANOS = TimeUnit.SECONDS.toNanos(1); // after a failure

  private final Disk files;
  private final SpillListener listener;
  private final SpillCounters counters;
  private final SpillKind kind;
  private final SpillReader reader;
  private final SegmentWriter writer;
  private final SpillSlot own;
  private final boolean forced;
  private final LongSupplier nanoClock;
  private final Set<Path> done = new HashSet<>(); // leftovers that were examined
  private final Set<Path> copies = new HashSet<>(); // leftovers that evictions wrote
  private boolean failing;
  private boolean diskFull; // whether the last copy failed on a full disk
  private long failedNanos;

  Eviction(SpillContext context, SpillSlot own, SpillReader reader, SegmentWriter writer) {
    files = context.files();
    listener = context.listener();
    counters = context.counters();
    kind = context.config().kind();
    nanoClock = context.nanoClock();
    forced = context.config().syncIntervalNanos() > 0;
    this.own = own;
    this.reader = reader;
    this.writer = writer;
  }

  /** Returns false if no record that is not read yet may be dropped, or if the disk prevents it. */
  boolean evict(Spill.Evictor evictor) {
    long now = nanoClock.getAsLong();
    if (failing && now - failedNanos < PAUSE_NANOS) {
      return false;
    }
    failing = false;
    diskFull = false;
    boolean made;
    synchronized (reader) {
      made = evictLeftover(evictor) || evictLive(evictor);
    }
    if (made) {
      listener.succeeded(EVICT);
      failing = false; // a segment that failed is tried again when room is needed
    }
    return made;
  }

  /**
   * Notes a failure, after which the segment stays as it is. The copy of the next segment may
   * succeed; on a full disk that is one that is small enough.
   */
  private boolean failed(Path path, IOException e) {
    failing = true;
    diskFull = StorageFailures.isDiskFull(e);
    failedNanos = nanoClock.getAsLong();
    listener.failed(EVICT, path, e);
    return false;
  }

  /** Notes whether damage was reported. */
  private static final class Loss extends SpillListener {
    private boolean any;

    @Override
    public void recordsLost(long events, Path segment, String why, boolean leftover) {
      any = true;
    }
  }

  /**
   * A copy that is complete but does not have the segment's name yet.
   *
   * @param dropped the number of events dropped
   */
  private record Copy(Path path, SegmentHeader header, long length, long dropped) {}

  private boolean evictLive(Spill.Evictor evictor) {
    LiveSegment link = reader.lastOpened();
    LiveSegment before = null; // the one behind link, may be merged into the copy
    for (LiveSegment segment = link.next(); segment != null; segment = segment.next()) {
      if (before != null && !isMergeable(before, segment)) {
        link = before;
        before = null;
      }
      if (!segment.isEvicted()
          && writer.isClosed(segment)
          && (tryToEvict(evictor, link, before, segment)
              || (before != null && diskFull && tryToEvict(evictor, before, null, segment)))) {
        return true;
      }
      link = before == null ? link : before;
      before = segment;
    }
    return false;
  }

  private boolean isMergeable(LiveSegment before, LiveSegment segment) {
    return before.isCopy()
        && before.mark().offset() < writer.segmentBytes() / 2
        && segment.mark().sequence() - before.firstSequence < MAX_EVENTS;
  }

  private boolean tryToEvict(
      Spill.Evictor evictor, LiveSegment link, LiveSegment before, LiveSegment segment) {
    try {
      return evict(evictor, link, before, segment);
    } catch (IOException e) {
      return failed(segment.path, e);
    }
  }

  private boolean evict(
      Spill.Evictor evictor, LiveSegment link, LiveSegment before, LiveSegment segment)
      throws IOException {
    LiveSegment first = before == null ? segment : before;
    SegmentHeader header = writer.headerBehind(link, segment.number, first.firstSequence);
    Copy copy;
    try (DiskFile file = files.openForReading(segment.path);
        DiskFile earlier = before == null ? null : files.openForReading(before.path)) {
      Loss loss = new Loss();
      List<SegmentReader> sources = new ArrayList<>();
      if (before != null) {
        sources.add(new SegmentReader(own, before, earlier, loss));
      }
      sources.add(new SegmentReader(own, segment, file, loss));
      copy = copy(evictor, sources, header, segment.path, loss);
    }
    if (copy == null) {
      segment.evicted(); // nothing in it can be dropped
      return false;
    }
    long evicted = copy.dropped + segment.evictedEvents();
    evicted += before == null ? 0 : before.evictedEvents();
    LiveSegment by = writer.copyOf(segment, copy.path, copy.header, copy.length, evicted);
    boolean published = false;
    try {
      publish(copy, segment.path);
      published = true;
    } finally {
      if (!published) {
        writer.close(by);
      }
    }
    writer.replace(link, before, segment, by);
    long waiting = segment.mark().offset() - copy.length;
    if (before != null) {
      waiting += before.mark().offset() - SegmentFormat.SEGMENT_HEADER;
    }
    counters.appended(-waiting); // never all waiting bytes: those of the copy stay
    evictor.end(false);
    if (before != null) {
      // its rest is in the copy; if the file stays, the next start skips it
      reader.retirement.unlink(own, before.path, before.diskBytes());
    }
    return true;
  }

  private boolean evictLeftover(Spill.Evictor evictor) {
    for (SpillSlot slot : reader.leftovers.slots()) {
      List<Leftover> all = slot.leftovers();
      SegmentHeader previous = null;
      boolean resumed = reader.isResumed(slot);
      for (int i = reader.leftovers.firstUnread(slot); i < all.size(); i++) {
        Leftover leftover = all.get(i);
        SegmentHeader header = SegmentFormat.header(files, leftover);
        if (header != null
            && leftover.size() != Leftover.UNKNOWN
            && header.kind() == kind
            && header.resumeOffset() == 0
            && !resumed
            && !reader.setAside.holds(slot, leftover.number() - 1) // may be prepended to it
            && !isAtCursor(slot, leftover)
            && !done.contains(leftover.path())) {
          boolean merge = previous != null && isMergeable(slot, all.get(i - 1), previous, header);
          if (tryToEvict(evictor, slot, i, merge, merge ? previous : header)
              || (merge && diskFull && tryToEvict(evictor, slot, i, false, header))) {
            return true;
          }
        }
        resumed = header == null || header.resumeOffset() > 0;
        previous = header;
      }
    }
    return false;
  }

  private static boolean isAtCursor(SpillSlot slot, Leftover leftover) {
    Cursor.Position position = slot.cursor.position();
    return position != null && position.segment() >= leftover.number();
  }

  private boolean isMergeable(
      SpillSlot slot, Leftover before, SegmentHeader first, SegmentHeader header) {
    return copies.contains(before.path())
        && slot.listing.asides().isEmpty()
        && first.runSequence() == header.runSequence()
        && first.firstSequence() + first.events() == header.firstSequence() // no gap
        && before.size() < writer.segmentBytes() / 2
        && header.firstSequence() - first.firstSequence() < MAX_EVENTS / 2;
  }

  private boolean tryToEvict(
      Spill.Evictor evictor, SpillSlot slot, int index, boolean merge, SegmentHeader first) {
    try {
      return evict(evictor, slot, index, merge, first);
    } catch (IOException e) {
      return failed(slot.leftovers().get(index).path(), e);
    }
  }

  private boolean evict(
      Spill.Evictor evictor, SpillSlot slot, int index, boolean merge, SegmentHeader first)
      throws IOException {
    List<Leftover> all = slot.leftovers();
    Leftover leftover = all.get(index);
    Leftover before = merge ? all.get(index - 1) : null;
    Leftover next = index + 1 < all.size() ? all.get(index + 1) : null;
    SegmentHeader header =
        new SegmentHeader(
            kind,
            writer.nextSalt(),
            leftover.number(),
            first.firstSequence(),
            first.runSequence(),
            first.previousEnd(),
            0,
            first.createdMillis(),
            0,
            true);
    Copy copy;
    try (DiskFile file = files.openForReading(leftover.path());
        DiskFile earlier = merge ? files.openForReading(before.path()) : null) {
      Loss loss = new Loss();
      List<SegmentReader> sources = new ArrayList<>();
      if (merge) {
        sources.add(source(slot, before, earlier, null, loss));
      }
      sources.add(source(slot, leftover, file, next, loss));
      copy = copy(evictor, sources, header, leftover.path(), loss);
    }
    done.add(leftover.path());
    if (copy == null) {
      return false;
    }
    Leftover by = new Leftover(leftover.path(), leftover.number(), copy.length);
    copies.add(leftover.path());
    publish(copy, leftover.path());
    all.set(index, by);
    counters.leftoversSettled(leftover.size() - by.size());
    counters.segmentBytes.addAndGet(by.size() - leftover.size());
    evictor.end(true);
    if (merge) {
      all.remove(index - 1);
      reader.retirement.settled(slot, before.size()); // merged into the next, never opened
      copies.remove(before.path());
      reader.retirement.unlink(slot, before.path(), before.size());
    }
    return true;
  }

  private SegmentReader source(
      SpillSlot slot, Leftover leftover, DiskFile file, Leftover next, SpillListener loss)
      throws IOException {
    SegmentHeader header = SegmentFormat.header(file, leftover);
    if (header == null) {
      throw new IOException("the header of " + leftover.path() + " does not read as it did");
    }
    SegmentReader source = new SegmentReader(slot, leftover, file, header, loss);
    source.endsBefore(next == null ? null : SegmentFormat.header(files, next));
    return source;
  }

  /** Returns the copy; null if nothing can be dropped, or if the segment has damage. */
  private Copy copy(
      Spill.Evictor evictor, List<SegmentReader> from, SegmentHeader header, Path path, Loss loss)
      throws IOException {
    Path part = path.resolveSibling(path.getFileName() + SlotListing.PART_ENDING);
    files.delete(part);
    evictor.begin();
    Copy copy = null;
    try (DiskFile to = files.create(part)) {
      long position = SegmentFormat.SEGMENT_HEADER;
      long sequence = header.firstSequence();
      long end = sequence;
      long dropped = 0;
      for (SegmentReader source : from) {
        for (SpillRecord record = source.next(); record != null; record = source.next()) {
          if (evictor.drop(record)) {
            dropped += record.events();
            continue;
          }
          byte[] kept = record.payload();
          position = skip(to, header.salt(), position, sequence, record.sequence());
          writer.writeRecord(
              to,
              header.salt(),
              position,
              record.sequence(),
              new Spill.Payload(kept, 0, kept.length, record.events(), record.tag()));
          position += SegmentFormat.RECORD_HEADER + (long) kept.length;
          sequence = record.endSequence();
        }
        if (source.finish() || source.hasMore() || loss.any) {
          return null;
        }
        end = source.expected();
      }
      if (dropped == 0) {
        return null;
      }
      position = skip(to, header.salt(), position, sequence, end);
      SegmentHeader known = header.withEvents((int) (end - header.firstSequence()));
      byte[] bytes = known.encode();
      to.write(0, bytes, 0, bytes.length);
      if (forced) {
        to.sync();
      }
      copy = new Copy(part, known, position, dropped);
      return copy;
    } catch (SegmentReader.GapException damage) {
      return null;
    } catch (OutOfMemoryError e) {
      throw new IOException("no memory for one of its records", e); // others may be smaller
    } finally {
      if (copy == null) {
        files.delete(part);
      }
    }
  }

  /**
   * Writes two equal markers for events that are left out, and returns the position behind them.
   * These events are counted already; if the only marker were damaged, they would be counted again,
   * as lost.
   */
  private static long skip(DiskFile to, long salt, long position, long from, long until)
      throws IOException {
    if (from == until) {
      return position;
    }
    byte[] markers = new byte[2 * SegmentFormat.RECORD_HEADER];
    int crc = SegmentFormat.payloadCrc(salt, markers, 0, 0);
    RecordHeader marker =
        new RecordHeader(0, (int) (until - from), from, crc, RecordHeader.EVICTED);
    for (int at = 0; at < markers.length; at += SegmentFormat.RECORD_HEADER) {
      marker.encode(markers, at, salt, position + at);
    }
    to.write(position, markers, 0, markers.length);
    return position + markers.length;
  }

  private void publish(Copy copy, Path path) throws IOException {
    boolean published = false;
    try {
      files.replace(copy.path, path);
      published = true;
    } finally {
      if (!published) {
        copies.remove(path);
        done.remove(path); // so that it is tried again
        files.delete(copy.path);
      }
    }
  }
}
