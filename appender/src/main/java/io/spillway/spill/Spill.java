package io.spillway.spill;

import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;

/**
 * A bounded queue of byte records on disk: one thread appends, one reads, and what is not delivered
 * outlives the process. See the package description for the files.
 */
public final class Spill implements Closeable {

  /** What became of a record. */
  public enum Append {
    /** Written: it survives the end of the process. */
    APPENDED,
    /** The spill is at its size limit; nothing was written. */
    FULL,
    /** An I/O error, told to the listener; nothing counts as written and a retry is allowed. */
    FAILED
  }

  /**
   * A record for {@link #prepend}.
   *
   * @param bytes an array that holds it
   * @param offset where it begins
   * @param length its bytes
   * @param events how many events it holds
   */
  public record Payload(byte[] bytes, int offset, int length, int events) {}

  private static final long FORCE_BEFORE_PREPEND_NANOS = TimeUnit.SECONDS.toNanos(1);

  private final SpillListener listener;
  private final Path base;
  private final SpillCounters counters;
  private final SpillSlots slots;
  private final SegmentWriter writer;
  private final SpillReader reader;
  private final SpillSyncer syncer;

  /**
   * Stored by whoever stops; read by writer and reader threads, so that one that comes back late
   * from a stuck sink does not write into a directory that may have a new owner. The caller fences
   * the threads off first: this is the second line.
   */
  private volatile boolean closed;

  private Spill(
      SpillListener listener,
      Path base,
      SpillCounters counters,
      SpillSlots slots,
      SegmentWriter writer,
      SpillReader reader,
      SpillSyncer syncer) {
    this.listener = listener;
    this.base = base;
    this.counters = counters;
    this.slots = slots;
    this.writer = writer;
    this.reader = reader;
    this.syncer = syncer;
  }

  /**
   * Takes ownership of the directory, creating it with mode 0700, or of a subdirectory when another
   * owner has it. Looks at names, sizes and headers only, so that it returns quickly whatever has
   * been left there.
   *
   * @param config where and how
   * @param listener is told of leftovers, damage and failures
   * @return the open spill, whose destination needs no forcing
   * @throws IOException if no directory can be had; the message names it and a remedy
   */
  public static Spill open(SpillConfig config, SpillListener listener) throws IOException {
    return open(config, listener, () -> true);
  }

  /**
   * The same, for a destination that can be forced to the disk.
   *
   * @param config where and how
   * @param listener is told of leftovers, damage and failures
   * @param destination with a sync interval, called by a thread of the spill: returns true once all
   *     that was {@link #delivered} is on the disk, as far as that can be known; false, told to
   *     whom it concerns, if it cannot be had now
   * @return the open spill
   * @throws IOException if no directory can be had; the message names it and a remedy
   */
  public static Spill open(SpillConfig config, SpillListener listener, BooleanSupplier destination)
      throws IOException {
    return open(config, listener, destination, new RealSpillFiles(), System::nanoTime);
  }

  static Spill open(
      SpillConfig config, SpillListener listener, SpillFiles files, LongSupplier nanoClock)
      throws IOException {
    return open(config, listener, () -> true, files, nanoClock);
  }

  static Spill open(
      SpillConfig config,
      SpillListener listener,
      BooleanSupplier destination,
      SpillFiles files,
      LongSupplier nanoClock)
      throws IOException {
    Faults faults = new Faults(listener);
    SpillCounters counters = new SpillCounters();
    SpillSlots slots = SpillSlots.open(files, faults, config, nanoClock);
    Spill spill = null;
    try {
      spill = open(config, listener, destination, files, nanoClock, faults, counters, slots);
      return spill;
    } finally {
      if (spill == null) { // or nobody could take the directories before the JVM ends
        slots.all().forEach(slot -> slot.close(false));
      }
    }
  }

  private static Spill open(
      SpillConfig config,
      SpillListener listener,
      BooleanSupplier destination,
      SpillFiles files,
      LongSupplier nanoClock,
      Faults faults,
      SpillCounters counters,
      SpillSlots slots) {
    countLeftovers(slots, counters, listener);
    Retirement retirement =
        new Retirement(files, faults, counters, slots, config.maxBytes(), nanoClock);
    Leftovers leftovers = new Leftovers(files, faults, config.kind(), retirement, slots.all());
    SetAside setAside =
        new SetAside(files, faults, counters, config.kind(), retirement, slots, nanoClock);
    LiveSegment head = LiveSegment.head();
    SpillSlot own = slots.own();
    SpillReader reader =
        new SpillReader(faults, counters, own, leftovers, setAside, retirement, head, nanoClock);
    SpillSyncer syncer =
        config.syncIntervalNanos() == 0
            ? null
            : new SpillSyncer(
                files, faults, counters, slots.all(), destination, config.syncIntervalNanos());
    long sequence = RunSequence.next(files, own);
    if (own.cursor.position() == null && own.leftovers().isEmpty()) {
      own.cursor.advance(new Cursor.Position(0, 0, sequence), 0);
      own.cursor.saveAtOnce();
    }
    SegmentWriter writer =
        new SegmentWriter(
            files,
            faults,
            counters,
            own,
            config,
            syncer,
            head,
            sequence,
            new SecureRandom().nextLong(),
            nanoClock);
    if (syncer != null) {
      forceName(files, faults, own.directory);
      syncer.start();
    }
    return new Spill(
        listener,
        config.directory().toAbsolutePath().normalize(),
        counters,
        slots,
        writer,
        reader,
        syncer);
  }

  /** The directory may be new: its own entry has to survive as well. */
  private static void forceName(SpillFiles files, Faults faults, Path directory) {
    Path parent = directory.getParent();
    try {
      if (parent != null) {
        files.syncDirectory(parent);
      }
    } catch (IOException e) {
      faults.failed("sync the directory of", directory, e);
    }
  }

  private static void countLeftovers(
      SpillSlots slots, SpillCounters counters, SpillListener listener) {
    int segments = 0;
    long bytes = 0;
    long delivered = 0;
    for (SpillSlot slot : slots.all()) {
      Cursor.Position position = slot.cursor.position();
      counters.corruptBytes.addAndGet(slot.listing.corruptBytes());
      for (SlotListing.Leftover leftover : slot.leftovers()) {
        segments++;
        bytes += leftover.size();
        if (position != null && position.segment() == leftover.number()) {
          delivered += position.offset();
        }
      }
    }
    counters.segmentBytes.set(bytes);
    counters.leftovers(bytes, segments > 0);
    if (segments > 0) {
      listener.leftoversFound(segments, bytes - delivered);
    }
  }

  /**
   * The directory that was configured.
   *
   * @return absolute
   */
  public Path base() {
    return base;
  }

  /**
   * The directory really owned.
   *
   * @return the configured one, or a subdirectory of it
   */
  public Path directory() {
    return slots.own().directory;
  }

  /**
   * Writer thread: appends one record. Never throws for an I/O error.
   *
   * @param payload an array that holds it
   * @param offset where it begins
   * @param length its bytes
   * @param events how many events it holds
   * @return what became of it
   */
  public Append append(byte[] payload, int offset, int length, int events) {
    java.util.Objects.checkFromIndexSize(offset, length, payload.length);
    if (events < 0) {
      throw new IllegalArgumentException("events is " + events + ", allowed: 0 or more");
    }
    return closed ? Append.FAILED : writer.append(payload, offset, length, events);
  }

  /**
   * Reader thread: the next record not yet read. Damaged ones are stepped over and counted.
   *
   * @return the record, or null when there is none now
   */
  public SpillRecord read() {
    return closed ? null : reader.read();
  }

  /**
   * Reader thread, before it has read anything: takes over what owners of lower subdirectories have
   * left since {@link #open}, for example an appender of the same name that has stopped only now.
   *
   * @return whether there is any
   */
  public boolean adoptLeftovers() {
    return !closed && reader.adopt(slots.adoptReleased());
  }

  /**
   * Reader thread: as {@link #read}, but nothing of this run.
   *
   * @return the record, or null when there is none now
   */
  public SpillRecord readLeftover() {
    return closed ? null : reader.readLeftover();
  }

  /**
   * Reader thread: whether something of earlier runs is still to be read.
   *
   * @return false once all of it was read or given up
   */
  public boolean hasLeftovers() {
    return !closed && reader.hasLeftovers();
  }

  /**
   * Reader thread: a record of what was set aside because it could not be read or delivered. Call
   * it only while nothing else waits: it is not in the order of the others.
   *
   * @return the record, or null when there is none to try now
   */
  public SpillRecord readSetAside() {
    return closed ? null : reader.readSetAside();
  }

  /**
   * Reader thread: the record read last could not be decoded or delivered now. It is read again; if
   * that has happened too often, it is set aside and the others go on.
   *
   * @param record read last
   * @param events how many of its events are delivered, those skipped included
   */
  public void undelivered(SpillRecord record, int events) {
    if (!closed) {
      reader.undelivered(record, events);
    }
  }

  /**
   * Reader thread: the record is malformed, its events are lost, and its segment is kept as
   * damaged.
   *
   * @param record read last
   */
  public void malformed(SpillRecord record) {
    if (!closed) {
      reader.malformed(record);
    }
  }

  /**
   * Any thread: events of this run that were set aside and are not delivered.
   *
   * @return their number
   */
  public long setAsideEvents() {
    return counters.setAsideEvents();
  }

  /**
   * Reader thread: to be called before a record is given to the sink. Saves the cursor if a crash
   * during the delivery could otherwise repeat more than 1,024 events, or more than this record.
   *
   * @param record the one about to be delivered
   */
  public void beforeDelivery(SpillRecord record) {
    if (!closed) {
      reader.beforeDelivery(record);
    }
  }

  /**
   * Reader thread: the sink took it. Records must be reported in the order of reading.
   *
   * @param record the one delivered
   */
  public void delivered(SpillRecord record) {
    if (!closed) {
      reader.delivered(record);
    }
  }

  /**
   * The sink took only the first events of a record that was read last, and no more will be
   * delivered by this run. Call it before {@link #close}, instead of {@link #delivered}, when the
   * reader thread is gone. The next run reads the record again, with {@link SpillRecord#skip}.
   *
   * @param record the one in delivery
   * @param events how many of its events are delivered, those skipped included
   */
  public void deliveredPart(SpillRecord record, int events) {
    reader.deliveredPart(record, events);
  }

  /** Reader thread: saves the cursor and unlinks files when due. Call it when idle, too. */
  public void maintain() {
    if (!closed) {
      reader.maintain();
    }
  }

  /**
   * Any thread: whether nothing waits for {@link #delivered}, of this run or an earlier one. After
   * damage at the very end, true only when {@link #read} has met that end.
   *
   * @return true when nothing waits
   */
  public boolean isEmpty() {
    return counters.isEmpty();
  }

  /**
   * Any thread: events appended in this run and neither delivered nor lost.
   *
   * @return their number
   */
  public long pendingEvents() {
    return counters.pendingEvents();
  }

  /**
   * Any thread: bytes on disk now, leftovers and kept copies of damaged segments included.
   *
   * @return bytes
   */
  public long bytes() {
    return counters.diskBytes();
  }

  /**
   * Any thread: bytes of earlier runs still to be delivered.
   *
   * @return bytes
   */
  public long leftoverBytes() {
    return Math.max(0, counters.leftoverBytes());
  }

  /**
   * Any thread: events of this run whose fsync has returned.
   *
   * @return their number, 0 when syncing is left to the operating system
   */
  public long syncedEvents() {
    return counters.syncedEvents();
  }

  /**
   * Keeps records older than everything this run has waiting, so that they come before it at the
   * next open, and after what earlier runs left. As many as the size limit and the disk have room
   * for, the oldest first. Only when writer and reader threads are gone.
   *
   * @param older the records, oldest first
   * @return how many of them are written
   */
  public int prepend(List<Payload> older) {
    if (older.isEmpty()) {
      return 0;
    }
    if (syncer != null && !syncer.awaitForced(FORCE_BEFORE_PREPEND_NANOS)) {
      listener.notice(
          "The log could not be forced to the disk before the stop: a power cut now may cost what"
              + " was delivered last");
    }
    SegmentWriter.Prepended written = writer.prepend(older, reader.firstWaiting());
    if (written.records() > 0) {
      reader.prepended(written.start());
    }
    return written.records();
  }

  /**
   * Saves the cursor and gives the directory up; a spill with nothing left in it leaves no file
   * behind. Only when writer and reader threads are gone.
   */
  @Override
  public void close() {
    if (closed) {
      return;
    }
    closed = true;
    writer.close();
    if (syncer != null) {
      syncer.close();
    }
    boolean empty = reader.close();
    for (SpillSlot slot : slots.adopted()) {
      slot.close(false); // those emptied are closed already
    }
    slots.own().close(empty);
  }
}
