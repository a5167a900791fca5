package io.spillway.internal.spill;

import io.spillway.internal.disk.Disk;
import io.spillway.internal.disk.DiskFile;
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
 * Makes room: writes the oldest segment that nobody reads yet once more, without the events that
 * may be dropped. Writer thread, while the reader is kept out.
 *
 * <p>Sequence numbers stay: a record without payload stands for what is left out, so that no gap is
 * taken for damage. The copy takes the segment's name in one step. What is left of the segments
 * before goes into the same copy, so that their number does not grow with what was dropped; a crash
 * before the old file of such a one is gone leaves a segment that the next one begins with, and
 * that is passed over ({@link SegmentHeader#isWithin}). A segment with damage is left to the
 * reader.
 */
final class Eviction {
  private static final String EVICT = "make room in";

  /** Events in a copy, so that its header can tell their number. */
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
  private boolean failing;
  private long failedNanos;
  private final Set<Path> evicted = new HashSet<>(); // leftovers with nothing to drop any more

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

  /** False if nothing that is not read yet may be dropped, or the disk does not let it be. */
  boolean evict(Spill.Evictor evictor) {
    long now = nanoClock.getAsLong();
    if (failing && now - failedNanos < PAUSE_NANOS) {
      return false;
    }
    try {
      boolean done = evictLeftover(evictor) || evictLive(evictor);
      failing = false;
      listener.succeeded(EVICT);
      return done;
    } catch (IOException e) {
      failing = true;
      failedNanos = now;
      listener.failed(EVICT, own.directory, e);
      return false;
    }
  }

  /** A copy that is complete and has no name yet. */
  private record Copy(Path path, SegmentHeader header, long length) {}

  /** Hears of damage. */
  private static final class Loss extends SpillListener {
    private boolean any;

    @Override
    public void recordsLost(long events, Path segment, String why, boolean leftover) {
      any = true;
    }
  }

  private boolean evictLive(Spill.Evictor evictor) throws IOException {
    LiveSegment link = reader.lastOpened(); // to the one before, or to this one
    LiveSegment before = null;
    for (LiveSegment segment = link.next(); segment != null; segment = segment.next()) {
      if (!segment.isEvicted() && writer.isClosed(segment)) {
        if (before != null && !isMergeable(before, segment)) {
          link = before;
          before = null;
        }
        if (evict(evictor, link, before, segment)) {
          return true;
        }
      }
      if (before != null) {
        link = before;
      }
      before = segment;
    }
    return false;
  }

  private boolean isMergeable(LiveSegment before, LiveSegment segment) {
    return before.isEvicted()
        && writer.isClosed(before)
        && before.mark().offset() < writer.segmentBytes() / 2
        && segment.mark().sequence() - before.firstSequence < MAX_EVENTS;
  }

  private boolean evict(
      Spill.Evictor evictor, LiveSegment link, LiveSegment before, LiveSegment segment)
      throws IOException {
    Loss loss = new Loss();
    try (DiskFile file = files.openForReading(segment.path);
        DiskFile first = before == null ? null : files.openForReading(before.path)) {
      List<SegmentReader> sources = new ArrayList<>();
      if (before != null) {
        sources.add(new SegmentReader(own, before, first, loss));
      }
      sources.add(new SegmentReader(own, segment, file, loss));
      long begin = before == null ? segment.firstSequence : before.firstSequence;
      long old = segment.mark().offset() + (before == null ? 0 : before.mark().offset());
      SegmentHeader header = writer.header(segment.number, begin);
      Copy copy =
          copy(evictor, sources, header, segment.path, segment.mark().sequence(), old, loss);
      segment.evicted(); // whatever comes of it
      if (copy == null) {
        return false;
      }
      writer.replace(link, before, segment, copy.path, copy.header, copy.length);
      evictor.evicted(false);
    }
    return true;
  }

  private boolean evictLeftover(Spill.Evictor evictor) throws IOException {
    for (SpillSlot slot : reader.leftoverSlots()) {
      List<Leftover> all = slot.leftovers();
      SegmentHeader previous = null;
      boolean resumed = reader.isResumed(slot);
      for (int i = reader.firstUnread(slot); i < all.size(); i++) {
        Leftover leftover = all.get(i);
        SegmentHeader header = SegmentFormat.header(files, leftover);
        if (header != null
            && header.kind() == kind
            && header.resumeOffset() == 0
            && !resumed
            && !isAtCursor(slot, leftover)
            && !evicted.contains(leftover.path())) {
          Leftover before =
              previous != null && isMergeable(slot, all.get(i - 1), previous, header)
                  ? all.get(i - 1)
                  : null;
          if (evict(evictor, slot, i, before, before == null ? header : previous)) {
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
    return evicted.contains(before.path())
        && slot.listing.asides().isEmpty()
        && first.runSequence() == header.runSequence()
        && before.size() < writer.segmentBytes() / 2
        && header.firstSequence() - first.firstSequence() < MAX_EVENTS / 2;
  }

  private boolean evict(
      Spill.Evictor evictor, SpillSlot slot, int index, Leftover before, SegmentHeader first)
      throws IOException {
    List<Leftover> all = slot.leftovers();
    Leftover leftover = all.get(index);
    Loss loss = new Loss();
    Copy copy;
    try (DiskFile file = files.openForReading(leftover.path());
        DiskFile earlier = before == null ? null : files.openForReading(before.path())) {
      List<SegmentReader> sources = new ArrayList<>();
      if (before != null) {
        sources.add(source(slot, before, earlier, null, loss));
      }
      Leftover next = index + 1 < all.size() ? all.get(index + 1) : null;
      SegmentReader last = source(slot, leftover, file, next, loss);
      sources.add(last);
      SegmentHeader header =
          new SegmentHeader(
              kind,
              writer.nextSalt(),
              leftover.number(),
              first.firstSequence(),
              first.runSequence(),
              first.previousEnd(),
              0,
              first.createdMillis());
      long old = leftover.size() + (before == null ? 0 : before.size());
      copy = copy(evictor, sources, header, leftover.path(), last.endSequence(), old, loss);
      evicted.add(leftover.path());
    }
    if (copy == null) {
      return false;
    }
    Leftover by = new Leftover(leftover.path(), leftover.number(), copy.length);
    files.replace(copy.path, leftover.path());
    all.set(index, by);
    counters.leftoversSettled(leftover.size() - by.size());
    counters.segmentBytes.addAndGet(by.size() - leftover.size());
    evictor.evicted(true);
    if (before != null) {
      all.remove(index - 1);
      reader.merged(slot, before);
      discard(before.path(), before.size());
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
    SegmentHeader behind = next == null ? null : SegmentFormat.header(files, next);
    return new SegmentReader(
        slot,
        leftover,
        file,
        new SegmentReader.Extent(
            header, header.limit(behind, leftover.size()), header.endSequence(behind)),
        loss);
  }

  /** Null if nothing can be dropped, or not without a look at damage. */
  private Copy copy(
      Spill.Evictor evictor,
      List<SegmentReader> from,
      SegmentHeader header,
      Path path,
      long end,
      long oldLength,
      Loss loss)
      throws IOException {
    Path part = path.resolveSibling(path.getFileName() + SlotListing.PART_ENDING);
    files.delete(part);
    Copy copy = null;
    try (DiskFile to = files.create(part)) {
      long position = SegmentFormat.SEGMENT_HEADER;
      long sequence = header.firstSequence();
      boolean drops = false;
      for (SegmentReader source : from) {
        for (SpillRecord record = source.next(); record != null; record = source.next()) {
          Spill.Payload kept = evictor.keep(record);
          drops |= kept.events() < record.events();
          if (kept.events() > 0) {
            long begin = record.endSequence() - kept.events();
            position = skip(to, header.salt(), position, sequence, begin);
            writer.writeRecord(to, header.salt(), position, begin, kept);
            position += SegmentFormat.RECORD_HEADER + (long) kept.size();
            sequence = record.endSequence();
          }
        }
        if (source.finish() || source.hasMore() || loss.any) {
          return null;
        }
      }
      long last = end >= 0 ? end : from.get(from.size() - 1).expected();
      position = skip(to, header.salt(), position, sequence, last);
      if (!drops || position >= oldLength || last - header.firstSequence() >= MAX_EVENTS) {
        return null;
      }
      SegmentHeader known = header.withEvents((int) (last - header.firstSequence()));
      byte[] bytes = known.encode(SegmentFormat.VERSION_INDEXED);
      to.write(0, bytes, 0, bytes.length);
      if (forced) {
        to.sync();
      }
      copy = new Copy(part, known, position);
      return copy;
    } finally {
      if (copy == null) {
        files.delete(part);
      }
    }
  }

  /** What stands for events that are left out. */
  private static long skip(DiskFile to, long salt, long position, long from, long until)
      throws IOException {
    if (from == until) {
      return position;
    }
    byte[] marker = new byte[SegmentFormat.RECORD_HEADER];
    int crc = SegmentFormat.payloadCrc(salt, marker, 0, 0);
    new RecordHeader(0, (int) (until - from), from, crc, RecordHeader.EVICTED)
        .encode(marker, salt, position);
    to.write(position, marker, 0, marker.length);
    return position + marker.length;
  }

  private void discard(Path path, long bytes) {
    try {
      files.delete(path);
      counters.segmentBytes.addAndGet(-bytes);
    } catch (IOException e) {
      listener.failed(EVICT, path, e); // the next start passes it over
    }
  }
}
