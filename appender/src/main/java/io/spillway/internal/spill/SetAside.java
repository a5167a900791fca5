package io.spillway.internal.spill;

import io.spillway.internal.spill.SegmentFormat.RecordHeader;
import io.spillway.internal.spill.SegmentFormat.SegmentHeader;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import java.util.zip.CRC32C;

/**
 * What cannot be read or delivered now and must not hold up the rest: a segment that an I/O error
 * makes unreadable, or one record that does not fit into the heap. Each is a file of its own, whose
 * name says where to go on in it, so that the cursor can move on. It is tried again while nothing
 * else waits, by this run and by later ones, and delivered out of its order. Reader thread only.
 */
final class SetAside {

  /** What of a file counts against the size limit: a sparse one may claim any size. */
  private static final long MAX_COUNTED = 64L << 20;

  private static final long RETRY_NANOS = TimeUnit.SECONDS.toNanos(30);
  private static final long PROGRESS_NANOS = TimeUnit.SECONDS.toNanos(1);
  private static final int BUFFER = 1 << 16;
  private static final String SET_ASIDE = "set aside";
  private static final String READ = "read what was set aside";

  /** A file; events are those of this run in it, 0 if an earlier one wrote it. */
  private record Item(SpillSlot slot, SlotListing.Aside file, long events, long dueNanos) {}

  private final SpillFiles files;
  private final Faults faults;
  private final SpillCounters counters;
  private final SpillKind kind;
  private final Retirement retirement;
  private final LongSupplier nanoClock;
  private final Deque<Item> items = new ArrayDeque<>();
  private Item item;
  private SegmentReader reader;

  SetAside(
      SpillFiles files,
      Faults faults,
      SpillCounters counters,
      SpillKind kind,
      Retirement retirement,
      SpillSlots slots,
      LongSupplier nanoClock) {
    this.files = files;
    this.faults = faults;
    this.counters = counters;
    this.kind = kind;
    this.retirement = retirement;
    this.nanoClock = nanoClock;
    adopt(slots.all());
  }

  /** What earlier runs set aside in these slots. */
  void adopt(List<SpillSlot> slots) {
    for (SpillSlot slot : slots) {
      for (SlotListing.Aside file : slot.listing.asides()) {
        add(new Item(slot, file, 0, nanoClock.getAsLong()));
      }
    }
  }

  private void add(Item added) {
    added.slot().asidesOpen++;
    counters.segmentBytes.addAndGet(counted(added.file()));
    items.add(added);
  }

  private static long counted(SlotListing.Aside file) {
    return Math.min(file.size(), MAX_COUNTED);
  }

  /** Takes a leftover away from the others; from that offset and sequence on if they are known. */
  void segment(SpillSlot slot, SlotListing.Leftover leftover, long offset, long sequence)
      throws IOException {
    SlotListing.Aside aside =
        SlotListing.Aside.of(slot.directory, leftover.number(), offset, sequence, leftover.size());
    files.rename(leftover.path(), aside.path());
    faults.succeeded(SET_ASIDE);
    counters.segmentBytes.addAndGet(-leftover.size());
    add(new Item(slot, aside, 0, nanoClock.getAsLong() + RETRY_NANOS));
    faults
        .listener()
        .warning(
            leftover.path()
                + " cannot be read now. It waits as "
                + aside.path().getFileName()
                + " and is tried again now and then; everything else goes on. To do: make it"
                + " readable for this user, or look at the disk.");
  }

  /**
   * Copies the next record of a segment, with a small buffer whatever its size, and steps over it.
   */
  void record(SegmentReader from) throws IOException {
    byte[] buffer = new byte[BUFFER];
    long start = from.position();
    RecordHeader record = from.headerAt(start);
    if (record == null) {
      return; // damaged meanwhile: the next read says so
    }
    long sequence = Math.max(from.expected(), record.sequence());
    long events = record.sequence() + record.events() - sequence;
    long size = SegmentFormat.SEGMENT_HEADER + SegmentFormat.RECORD_HEADER + (long) record.length();
    SlotListing.Aside aside =
        SlotListing.Aside.of(
            from.slot.directory, from.number, SegmentFormat.SEGMENT_HEADER, sequence, size);
    Path part = aside.path().resolveSibling(aside.path().getFileName() + SlotListing.PART_SUFFIX);
    boolean whole = false;
    files.delete(part);
    try {
      try (SpillFile to = files.create(part)) {
        whole = copy(from, start, record, to, buffer);
        to.sync();
      }
      if (whole) {
        files.rename(part, aside.path());
      }
    } catch (IOException e) {
      whole = false;
      throw e;
    } finally {
      if (!whole) {
        files.delete(part);
      }
    }
    faults.succeeded(SET_ASIDE);
    from.stepOver(record, whole);
    if (!whole) {
      return; // its checksum is wrong: lost as any damaged record is
    }
    long own = from.isOfThisRun() ? events : 0;
    counters.setAside(own);
    add(new Item(from.slot, aside, own, nanoClock.getAsLong() + RETRY_NANOS));
    faults
        .listener()
        .warning(
            "A record of "
                + record.length()
                + " bytes, "
                + events
                + " events, in "
                + from.path
                + " cannot be delivered now, most likely for want of memory. It waits as "
                + aside.path().getFileName()
                + " and is tried again now and then and at the next start; everything else goes on."
                + " To do: give the JVM more heap (-Xmx).");
  }

  private boolean copy(
      SegmentReader from, long start, RecordHeader record, SpillFile to, byte[] buffer)
      throws IOException {
    byte[] head =
        new SegmentHeader(
                kind,
                from.salt(),
                from.number,
                record.sequence(),
                record.sequence(),
                0,
                0,
                System.currentTimeMillis())
            .encode();
    to.write(0, head, 0, head.length);
    record.encode(buffer, from.salt(), head.length);
    to.write(head.length, buffer, 0, SegmentFormat.RECORD_HEADER);
    CRC32C crc = SegmentFormat.salted(from.salt());
    long shift = start - head.length;
    long end = start + SegmentFormat.RECORD_HEADER + record.length();
    for (long at = start + SegmentFormat.RECORD_HEADER; at < end; ) {
      int chunk = (int) Math.min(buffer.length, end - at);
      from.file().read(at, buffer, 0, chunk);
      crc.update(buffer, 0, chunk);
      to.write(at - shift, buffer, 0, chunk);
      at += chunk;
    }
    return (int) crc.getValue() == record.payloadCrc();
  }

  /** The next record that can be read again, or null. */
  SpillRecord read() {
    if (items.isEmpty() && reader == null) {
      return null;
    }
    try {
      while (reader != null || open()) {
        SpillRecord record = reader.next();
        faults.succeeded(READ);
        if (record != null) {
          reader.outstanding++;
          return record;
        }
        finished();
      }
    } catch (SegmentReader.GapException e) {
      if (reader.leave()) {
        unknownLoss(reader.path);
      }
      putBack(e.position(), reader.expected(), PROGRESS_NANOS);
    } catch (IOException e) {
      faults.failed(READ, item.file().path(), e);
      putBack(RETRY_NANOS);
    } catch (RuntimeException | Error e) {
      putBack(RETRY_NANOS);
      throw e;
    }
    return null;
  }

  private boolean open() throws IOException {
    Item next = items.peek();
    if (next == null || next.dueNanos() - nanoClock.getAsLong() > 0) {
      return false;
    }
    item = items.poll();
    SlotListing.Leftover leftover =
        new SlotListing.Leftover(item.file().path(), item.file().number(), item.file().size());
    SpillFile file = files.openForReading(leftover.path());
    try {
      SegmentHeader header = SegmentFormat.header(file, leftover);
      if (header != null && header.kind() == kind) {
        reader =
            new SegmentReader(
                item.slot(), leftover, file, header, leftover.size(), -1, faults.listener());
        reader.ofThisRun(item.events() > 0);
        long sequence = item.file().sequence();
        reader.startAt(item.file().offset(), sequence > 0 ? sequence : header.firstSequence());
        return true;
      }
      item.slot().asidesOpen--;
      if (header == null) {
        faults
            .listener()
            .recordsLost(1, leftover.path(), "no segment header; how many events is unknown", true);
        retirement.readAgain(item.slot(), leftover.path(), counted(item.file()), true);
      }
      return false;
    } finally {
      if (reader == null) {
        faults.close(file, leftover.path());
      }
    }
  }

  private void finished() {
    boolean unknown = reader.finish();
    // A record is set aside whole, so that a file with none in it has lost one.
    boolean nothing =
        reader.settledOffset == SegmentFormat.SEGMENT_HEADER
            && reader.leftoverSize() > SegmentFormat.SEGMENT_HEADER
            && !reader.isDamaged();
    if (nothing) {
      reader.damage();
    }
    if (unknown || nothing) {
      unknownLoss(reader.path);
    }
    faults.close(reader.file(), reader.path);
    item.slot().asidesOpen--;
    counters.setAside(-item.events());
    retirement.readAgain(item.slot(), item.file().path(), counted(item.file()), reader.isDamaged());
    reader = null;
    item = null;
  }

  private void unknownLoss(Path path) {
    faults.listener().recordsLost(1, path, "unreadable; how many events is unknown", true);
  }

  private void putBack(long nanos) {
    if (reader == null) {
      putBack(item.file().offset(), item.file().sequence(), nanos);
    } else {
      putBack(reader.settledOffset, reader.settledSequence, nanos);
    }
  }

  private void putBack(long offset, long sequence, long nanos) {
    if (reader != null) {
      faults.close(reader.file(), reader.path);
      reader = null;
    }
    SlotListing.Aside file = moved(item, offset, sequence);
    items.add(new Item(item.slot(), file, item.events(), nanoClock.getAsLong() + nanos));
    item = null;
  }

  private SlotListing.Aside moved(Item from, long offset, long sequence) {
    if (offset == from.file().offset() && sequence == from.file().sequence()) {
      return from.file();
    }
    SlotListing.Aside to =
        SlotListing.Aside.of(
            from.slot().directory, from.file().number(), offset, sequence, from.file().size());
    try {
      files.rename(from.file().path(), to.path());
      return to;
    } catch (IOException e) {
      faults.failed("rename what was set aside", from.file().path(), e);
      return from.file();
    }
  }

  /** The sink took a record, or the first events of it. */
  void delivered(SpillRecord record, long offset, long sequence) {
    reader.outstanding--;
    long events = sequence - reader.settledSequence;
    reader.settledOffset = offset;
    reader.settledSequence = sequence;
    long own = Math.min(item.events(), Math.max(0, events));
    counters.setAside(-own);
    item =
        new Item(item.slot(), moved(item, offset, sequence), item.events() - own, item.dueNanos());
  }

  /** Delivering it failed again. */
  void undelivered() {
    reader.outstanding--;
    putBack(RETRY_NANOS);
  }

  boolean isReading(SegmentReader segment) {
    return segment == reader;
  }

  void close() {
    if (reader != null) {
      faults.close(reader.file(), reader.path);
    }
  }
}
