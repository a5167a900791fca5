package io.spillway.internal.spill;

import io.spillway.internal.disk.Disk;
import io.spillway.internal.disk.DiskFile;
import io.spillway.internal.spill.SegmentFormat.RecordHeader;
import io.spillway.internal.spill.SegmentFormat.SegmentHeader;
import io.spillway.internal.spill.SlotListing.Rest;
import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import java.util.zip.CRC32C;

/**
 * Keeps what cannot be read or delivered now and must not hold up the rest: a segment that is
 * unreadable because of an I/O error, or one record that does not fit into the heap. Each is a file
 * of its own, whose name states where reading resumes in it, so that the cursor can move on. The
 * file is tried again while nothing else waits, by this run and by later ones, and delivered out of
 * order. Reader thread only.
 */
final class SetAside {

  private static final long RETRY_NANOS = TimeUnit.SECONDS.toNanos(30);
  private static final long PROGRESS_NANOS = TimeUnit.SECONDS.toNanos(1);
  private static final int BUFFER = 1 << 16;
  static final String SET_ASIDE = "set aside";
  private static final String READ = "read what was set aside";

  /** A file set aside. */
  private static final class Item {
    private final SpillSlot slot;
    private SlotListing.Aside file;
    private long events; // undelivered events of this run; 0 if an earlier run wrote it
    private long dueNanos;
    private boolean held; // whether it holds the cursor, until its name is safe from a power cut
    private long force; // force of the log to await before a rename; 0 for none
    private boolean damaged; // damage was found in it by this run: a copy is kept

    Item(SpillSlot slot, SlotListing.Aside file, long events, long dueNanos) {
      this.slot = slot;
      this.file = file;
      this.events = events;
      this.dueNanos = dueNanos;
    }
  }

  private final Disk files;
  private final SpillListener listener;
  private final SpillCounters counters;
  private final SpillKind kind;
  private final Retirement retirement;
  private final SpillSyncer syncer; // null without an interval
  private final LongSupplier nanoClock;
  private final ArrayList<Item> items = new ArrayList<>();
  private Item item; // the file being read, if there is a reader
  private SegmentReader reader;

  SetAside(SpillContext context, Retirement retirement, SpillSyncer syncer) {
    files = context.files();
    listener = context.listener();
    counters = context.counters();
    kind = context.config().kind();
    nanoClock = context.nanoClock();
    this.retirement = retirement;
    this.syncer = syncer;
  }

  /** Adds the files that earlier runs set aside in these slots, unless they are known. */
  void adopt(List<SpillSlot> slots) {
    for (SpillSlot slot : slots) {
      for (SlotListing.Aside file : slot.listing.asides()) {
        if (!isWaiting(file.path())) {
          Item added = new Item(slot, file, 0, nanoClock.getAsLong());
          add(added);
          if (syncer != null) { // the earlier run may not have forced the name
            hold(added);
            release(added);
          }
        }
      }
    }
  }

  /** Returns whether a file set aside comes from that segment. */
  boolean holds(SpillSlot slot, long number) {
    for (Item each : items) {
      if (each.slot == slot && each.file.number() == number) {
        return true;
      }
    }
    return false;
  }

  private void add(Item added) {
    items.add(added);
    added.slot.asidesOpen++;
    counters.segmentBytes.addAndGet(added.file.counted());
  }

  /**
   * Sets a leftover aside. As long as it cannot be renamed, or a power cut may restore its old
   * name, the cursor of its slot stays where it is: otherwise the next start would take the
   * leftover for delivered.
   *
   * @return the path under which it waits; the caller reports it after all other steps
   */
  Path segment(SpillSlot slot, SlotListing.Leftover leftover, Rest rest, boolean damaged) {
    Item added = place(slot, leftover, rest, 0);
    added.damaged = damaged;
    return added.file.path();
  }

  /** Sets aside the rest of a sealed segment of this run; the reader has then finished it. */
  void live(SegmentReader from) {
    LiveSegment live = from.live;
    LiveSegment.Mark mark = live.mark();
    SlotListing.Leftover file =
        new SlotListing.Leftover(from.path, from.number, mark.offset()); // garbage left out
    Rest rest = new Rest(from.position(), from.expected(), mark.sequence());
    long events = from.restEvents();
    Item added = place(from.slot, file, rest, events);
    added.damaged = from.isDamaged();
    from.setAside();
    counters.segmentBytes.addAndGet(mark.offset() - live.diskBytes());
    counters.setAside(events);
    reportUnreadable(from.path, added.file.path());
  }

  private Item place(SpillSlot slot, SlotListing.Leftover leftover, Rest rest, long events) {
    items.ensureCapacity(items.size() + 1);
    SlotListing.Aside held =
        new SlotListing.Aside(leftover.path(), leftover.number(), rest, leftover.size());
    Item added = new Item(slot, held, events, nanoClock.getAsLong() + RETRY_NANOS);
    Rest forced = forced(slot, leftover.number(), rest);
    boolean renamed = rename(added, forced, rest);
    hold(added);
    if (forced != rest) {
      added.force = syncer.nextForce();
    }
    counters.segmentBytes.addAndGet(-leftover.counted());
    add(added);
    if (renamed) {
      release(added);
    }
    return added;
  }

  void reportUnreadable(Path path, Path waitsAs) {
    reportRecovery();
    listener.warning(
        "unreadable",
        path
            + " cannot be read now. It waits as "
            + waitsAs.getFileName()
            + " and is tried again now and then; everything else goes on. To do: make it"
            + " readable for this user, or look at the disk.");
  }

  /** Returns the rest as the saved cursor has it: a power cut may undo later deliveries. */
  private Rest forced(SpillSlot slot, long number, Rest rest) {
    if (syncer == null || rest.offset() == SegmentFormat.SEGMENT_HEADER) {
      return rest;
    }
    Cursor.Position saved = slot.cursor.saved();
    return saved != null
            && saved.segment() == number
            && saved.offset() >= SegmentFormat.SEGMENT_HEADER
        ? new Rest(saved.offset(), saved.sequence(), rest.end())
        : new Rest(SegmentFormat.SEGMENT_HEADER, 0, rest.end());
  }

  /** Notes what is delivered; with a sync interval the name states it once the log is forced. */
  private void deliveredUpTo(Item of, Rest rest) {
    if (syncer != null && !rest.isSame(of.file.rest())) {
      of.force = syncer.nextForce();
      of.file = of.file.with(rest);
    }
  }

  /**
   * Copies the next record of a segment to a file of its own and steps over it. Uses a small
   * buffer, whatever the size of the record.
   */
  void record(SegmentReader from) throws IOException {
    byte[] buffer = new byte[BUFFER];
    long start = from.position();
    RecordHeader record = from.headerAt(start);
    if (record == null) {
      return; // damaged meanwhile: the next read reports it
    }
    long sequence = Math.max(from.expected(), record.sequence());
    long events = record.sequence() + record.events() - sequence;
    long size = SegmentFormat.SEGMENT_HEADER + SegmentFormat.RECORD_HEADER + (long) record.length();
    SlotListing.Aside aside =
        SlotListing.Aside.of(
            from.slot.directory,
            from.number,
            new Rest(SegmentFormat.SEGMENT_HEADER, sequence, record.endSequence()),
            size);
    long own = from.isOfThisRun() ? events : 0;
    Item added = new Item(from.slot, aside, own, nanoClock.getAsLong() + RETRY_NANOS);
    items.ensureCapacity(items.size() + 1); // no memory is needed once the file has its name
    // A run that was killed before it had saved its cursor may have set the same record aside.
    boolean known = isWaiting(aside.path());
    boolean whole = known || write(aside.path(), from, record, buffer);
    if (whole && !known) {
      hold(added);
      add(added);
      counters.setAside(own);
      release(added);
    }
    from.stepOver(record, whole);
    reportRecovery();
    if (!whole) {
      return; // its checksum is wrong: lost like any damaged record
    }
    listener.warning(
        "undeliverable",
        "A record of "
            + record.length()
            + " bytes, "
            + events
            + " events, in "
            + from.path
            + " cannot be delivered now, most likely because memory is short. It waits as "
            + aside.path().getFileName()
            + " and is tried again now and then and at the next start; everything else goes on."
            + " To do: give the JVM more heap (-Xmx).");
  }

  private boolean isWaiting(Path path) {
    for (Item known : items) {
      if (known.file.path().equals(path)) {
        return true;
      }
    }
    return false;
  }

  /** Writes the file of a record; returns false, and leaves none, if the checksum is wrong. */
  private boolean write(Path path, SegmentReader from, RecordHeader record, byte[] buffer)
      throws IOException {
    Path part = path.resolveSibling(path.getFileName() + SlotListing.PART_ENDING);
    boolean whole = false;
    files.delete(part);
    try {
      try (DiskFile to = files.create(part)) {
        whole = copy(from, from.position(), record, to, buffer);
        to.sync();
      }
      if (whole) {
        files.replace(part, path);
      }
    } catch (IOException e) {
      whole = false;
      throw e;
    } finally {
      if (!whole) {
        files.delete(part);
      }
    }
    return whole;
  }

  private boolean copy(
      SegmentReader from, long start, RecordHeader record, DiskFile to, byte[] buffer)
      throws IOException {
    byte[] head =
        new SegmentHeader(
                kind,
                from.salt,
                from.number,
                record.sequence(),
                record.sequence(),
                0,
                0,
                System.currentTimeMillis(),
                0,
                record.tag() != 0)
            .encode();
    to.write(0, head, 0, head.length);
    record.encode(buffer, 0, from.salt, head.length);
    to.write(head.length, buffer, 0, SegmentFormat.RECORD_HEADER);
    CRC32C crc = SegmentFormat.salted(from.salt);
    long shift = start - head.length;
    long end = start + SegmentFormat.RECORD_HEADER + record.length();
    for (long at = start + SegmentFormat.RECORD_HEADER; at < end; ) {
      int chunk = (int) Math.min(buffer.length, end - at);
      from.file.read(at, buffer, 0, chunk);
      crc.update(buffer, 0, chunk);
      to.write(at - shift, buffer, 0, chunk);
      at += chunk;
    }
    return (int) crc.getValue() == record.payloadCrc();
  }

  /** Sets the sequence from which events missing before the first record are counted. */
  void beginsAt(SpillSlot slot, long number, long sequence) {
    for (Item each : items) {
      Rest rest = each.file.rest();
      if (each.slot == slot
          && each.file.number() == number
          && rest.offset() == SegmentFormat.SEGMENT_HEADER
          && (rest.sequence() == 0 || rest.sequence() > sequence)) {
        move(each, new Rest(rest.offset(), sequence, rest.end()));
      }
    }
  }

  /** Sets the sequence up to which events missing behind the last record are counted. */
  void endsAt(SpillSlot slot, long number, long sequence) {
    for (Item each : items) {
      Rest rest = each.file.rest();
      if (each.slot == slot && each.file.number() == number && rest.end() == 0) {
        move(each, new Rest(rest.offset(), rest.sequence(), sequence));
      }
    }
  }

  /** Returns the next record that can be read again, or null. */
  SpillRecord read() {
    if (items.isEmpty() && reader == null) {
      return null;
    }
    try {
      while (reader != null || open()) {
        SpillRecord record = reader.next();
        listener.succeeded(READ);
        if (record != null) {
          reader.outstanding++;
          return record;
        }
        finished();
      }
    } catch (SegmentReader.GapException e) {
      if (reader.leave()) {
        unknownLoss(reader.path, "unreadable");
      }
      putBack(e.position(), reader.expected(), reader.evictedEvents(), PROGRESS_NANOS);
    } catch (NoSuchFileException e) {
      missing();
    } catch (IOException e) {
      listener.failed(READ, item.file.path(), e);
      putBack(RETRY_NANOS);
    } catch (RuntimeException | Error e) {
      if (item != null) {
        putBack(RETRY_NANOS);
      }
      throw e;
    }
    return null;
  }

  private boolean open() throws IOException {
    item = due();
    if (item == null) {
      return false;
    }
    SlotListing.Leftover listed = item.file.file();
    DiskFile file = files.openForReading(listed.path());
    try {
      SlotListing.Leftover leftover = listed.measured(file);
      SegmentHeader header = SegmentFormat.header(file, leftover);
      if (header != null && header.kind() == kind) {
        SegmentReader opened = new SegmentReader(item.slot, leftover, file, header, listener);
        opened.endsAt(end(header));
        opened.ofThisRun(item.events > 0);
        Rest rest = item.file.rest();
        opened.startAt(
            rest.offset(),
            rest.sequence() > 0
                ? Math.max(rest.sequence(), header.runSequence())
                : header.firstSequence());
        reader = opened;
        return true;
      }
      if (header == null) {
        retirement.readAgain(item.slot, leftover.path(), item.file.counted(), true);
        lose("no segment header");
        retirement.flush();
      } else {
        remove(); // its records are of another kind
      }
      return false;
    } finally {
      if (reader == null) {
        listener.close(file, listed.path());
      }
    }
  }

  /**
   * Returns the sequence with which the file ends, or -1 if unknown. The file that was found behind
   * it may turn out to be of another run.
   */
  private long end(SegmentHeader header) {
    long end = item.file.rest().end();
    return end > 0 && !isBehindTheRun(end, header.firstSequence()) ? end : header.endSequence(null);
  }

  private static boolean isBehindTheRun(long end, long sequence) {
    return end - sequence >= SegmentFormat.RUN_SEQUENCE_GAP;
  }

  /** Returns the file that is overdue for the longest time, or null. */
  private Item due() {
    long now = nanoClock.getAsLong();
    Item first = null;
    for (int i = 0; i < items.size(); i++) {
      Item each = items.get(i);
      if (each.dueNanos - now <= 0 && (first == null || each.dueNanos - first.dueNanos < 0)) {
        first = each;
      }
    }
    return first;
  }

  private void remove() {
    releaseBuffers(item);
    items.remove(item);
    item.slot.asidesOpen--;
    item = null;
  }

  private void finished() {
    boolean unknown = reader.finish();
    boolean others = isBehindTheRun(item.file.rest().end(), reader.expected());
    // A record is set aside whole, so that a file without a good record has lost one. An
    // eviction marker is a good record, though it is never settled.
    boolean nothing =
        reader.goodEnd() == SegmentFormat.SEGMENT_HEADER
            && reader.leftoverSize > SegmentFormat.SEGMENT_HEADER
            && !reader.isDamaged()
            && !item.damaged;
    if (nothing) {
      reader.damage();
    }
    SegmentReader finished = reader;
    boolean damaged = item.damaged || reader.isDamaged();
    retirement.readAgain(item.slot, item.file.path(), item.file.counted(), damaged);
    counters.setAside(-item.events);
    reader = null;
    remove();
    listener.close(finished.file, finished.path);
    if (unknown || nothing) {
      unknownLoss(finished.path, "unreadable");
    }
    if (others) {
      unknownLoss(finished.path, "what followed it is missing");
    }
    retirement.flush();
  }

  /** Counts a file that was removed as lost. */
  private void missing() {
    counters.segmentBytes.addAndGet(-item.file.counted());
    lose("missing");
  }

  /** Counts all of the file as lost; the number of events is known if this run has set it aside. */
  private void lose(String why) {
    Path path = item.file.path();
    long events = item.events;
    counters.setAside(-events);
    remove();
    if (events > 0) {
      listener.recordsLost(events, path, why, false);
    } else {
      unknownLoss(path, why);
    }
  }

  private void unknownLoss(Path path, String why) {
    listener.recordsLost(1, path, why + "; how many events is unknown", true);
  }

  private void putBack(long nanos) {
    if (reader == null) {
      putBack(item.file.rest().offset(), item.file.rest().sequence(), 0, nanos);
    } else {
      // Events reported as lost up to there are not reported again.
      if (reader.outstanding == 0 && reader.expected() > reader.settledSequence) {
        putBack(reader.settledOffset, reader.expected(), reader.evictedEvents(), nanos);
      } else {
        putBack(reader.settledOffset, reader.settledSequence, reader.settledEvicted, nanos);
      }
    }
  }

  private void putBack(long offset, long sequence, long evicted, long nanos) {
    SegmentReader stopped = reader;
    reader = null;
    item.dueNanos = nanoClock.getAsLong() + nanos;
    if (stopped != null) {
      item.damaged |= stopped.isDamaged();
      settle(stopped, offset, sequence, evicted);
      listener.close(stopped.file, stopped.path);
    }
    move(offset, sequence);
  }

  private void move(long offset, long sequence) {
    move(item, new Rest(offset, sequence, item.file.rest().end()));
  }

  private void move(Item moved, Rest rest) {
    if (moved.held) {
      if (rename(moved, rest)) {
        release(moved);
        reportRecovery();
      }
    } else if ((moved.force > 0 || !rest.isSame(moved.file.rest())) && rename(moved, rest)) {
      reportRecovery();
    }
  }

  /**
   * Renames a file, so that its name states where reading resumes in it. This run keeps that place
   * also while the file cannot be renamed, or the log is not forced.
   */
  private boolean rename(Item renamed, Rest rest) {
    return rename(renamed, rest, rest);
  }

  private boolean rename(Item renamed, Rest named, Rest rest) {
    SlotListing.Aside from = renamed.file;
    renamed.file = from.with(rest);
    if (renamed.force > 0 && !syncer.isForced(renamed.force)) {
      return false;
    }
    SlotListing.Aside to =
        SlotListing.Aside.of(renamed.slot.directory, from.number(), named, from.size());
    SlotListing.Aside known = named == rest ? to : to.with(rest);
    try {
      if (!from.path().equals(to.path())) {
        files.replace(from.path(), to.path());
      }
    } catch (IOException e) {
      listener.failed(SET_ASIDE, from.path(), e);
      return false;
    }
    renamed.file = known;
    renamed.force = 0;
    return true;
  }

  private static void hold(Item added) {
    added.held = true;
    added.slot.cursor.hold();
  }

  /** Lets the cursor move on; with a sync interval once the name of the file is on the disk. */
  private void release(Item named) {
    if (syncer == null || !named.held || isNameForced(named)) {
      releaseBuffers(named);
    }
  }

  /** Reports recovery if no file holds the cursor; called last, because it needs memory. */
  private void reportRecovery() {
    for (Item each : items) {
      if (each.held) {
        return;
      }
    }
    listener.succeeded(SET_ASIDE);
  }

  private boolean isNameForced(Item named) {
    try {
      try {
        named.slot.forceNames();
        return true;
      } catch (IOException e) {
        listener.failed(SET_ASIDE, named.file.path(), e);
      }
    } catch (OutOfMemoryError e) {
      // tried again while the cursor is held; the caller must do all other steps exactly once
    }
    return false;
  }

  private static void releaseBuffers(Item held) {
    if (held.held) {
      held.held = false;
      held.slot.cursor.release();
    }
  }

  /** Renames files whose names are not up to date. This is the last chance of this run. */
  void rename() {
    for (Item each : items) {
      if (each.held || each.force > 0) {
        move(each, each.file.rest());
      }
    }
  }

  /** Notes that the sink accepted a record, or the first events of it. */
  void delivered(SpillRecord record, long offset, long sequence) {
    if (!record.settled) {
      record.settled = true; // the next steps may throw, and this method is called again
      reader.outstanding--;
      settle(reader, offset, sequence, record.evictedBefore);
    }
    deliveredUpTo(item, new Rest(offset, sequence, item.file.rest().end()));
    move(offset, sequence);
  }

  /** Counts events of this run up to {@code sequence} as delivered or lost. */
  private void settle(SegmentReader of, long offset, long sequence, long evicted) {
    long events = sequence - of.settledSequence - (evicted - of.settledEvicted);
    of.settledEvicted = evicted;
    of.settledOffset = offset;
    of.settledSequence = sequence;
    long own = Math.min(item.events, Math.max(0, events));
    counters.setAside(-own);
    item.events -= own;
  }

  /** Puts the file back after delivering a record failed again, or all but its first events. */
  void undelivered(SpillRecord record, int delivered) {
    if (delivered > 0) {
      long sequence = record.sequence() + delivered;
      deliveredUpTo(item, new Rest(record.startOffset(), sequence, item.file.rest().end()));
    }
    reader.outstanding--;
    if (reader.outstanding > 0) {
      putBack(RETRY_NANOS);
    } else {
      long sequence = record.sequence() + delivered;
      putBack(record.startOffset(), sequence, record.evictedBefore, RETRY_NANOS);
    }
  }

  boolean isReading(SegmentReader segment) {
    return segment == reader;
  }

  void close() {
    if (reader != null) {
      listener.close(reader.file, reader.path);
    }
  }
}
