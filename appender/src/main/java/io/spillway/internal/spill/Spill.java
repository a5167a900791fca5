package io.spillway.internal.spill;

import io.spillway.internal.disk.Disk;
import io.spillway.internal.metrics.DetachedThread;
import io.spillway.internal.metrics.Reports;
import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;

/**
 * A bounded queue of byte records on disk: one thread appends, one reads, and records that are not
 * delivered outlive the process. See the package description for the files.
 */
public final class Spill implements Closeable {

  /** The result of {@link #append}. */
  public enum Append {
    /** The record was written: it survives the end of the process. */
    APPENDED,
    /** The spill is at its size limit; nothing was written. */
    FULL,
    /** An error as {@link #FAILED}: less space is free on the disk than the record needs. */
    DISK_FULL,
    /** An I/O error, reported to the listener; nothing counts as written and a retry is allowed. */
    FAILED
  }

  /**
   * A record for {@link #append} or {@link #prepend}.
   *
   * @param bytes an array that holds the payload
   * @param offset where the payload begins in the array
   * @param length the number of bytes of the payload
   * @param events how many events the payload holds
   * @param tag a number that is returned when the record is read; 0 for none
   */
  public record Payload(byte[] bytes, int offset, int length, int events, int tag) {}

  /** Decides which records are dropped to make room. Called by the writer thread. */
  public interface Evictor {
    /** Begins a new selection: records chosen before, without a call of {@link #end}, stay. */
    void begin();

    /**
     * Decides about the next record, whose delivery has not begun.
     *
     * @param record the next record
     * @return true if the record may be dropped
     */
    boolean drop(SpillRecord record);

    /**
     * Confirms that the records chosen since {@link #begin} are gone.
     *
     * @param leftover whether an earlier run wrote them
     */
    void end(boolean leftover);
  }

  static {
    Append.values(); // initializes the enum before memory may be short
  }

  private static final long FORCE_NANOS = TimeUnit.SECONDS.toNanos(3);
  private static final long OPEN_AGAIN_NANOS = TimeUnit.SECONDS.toNanos(1);
  private static final int ATTEMPTS = 3;
  private static final long ATTEMPT_NANOS = TimeUnit.MILLISECONDS.toNanos(100);
  private static final String OPEN = "open";

  private final SpillConfig config;
  private final SpillListener listener;
  private final BooleanSupplier destination;
  private final Disk files;
  private final LongSupplier nanoClock;
  private long firstNumber; // the first segment number of an empty directory
  private final Path base;
  private long triedNanos; // when open() was last tried; writer only
  private SegmentWriter.Prepended prepended; // written, but not yet reported to the reader
  private boolean forced; // whether everything delivered before prepending is forced
  private boolean unforcedTold;
  private boolean released; // set when all parts are closed
  private List<SpillSlot> adopting; // reader only; taken over, but not yet passed on to all parts

  /**
   * Null until the directory is owned. Stored by the writer, or by the caller of {@link #open},
   * once all parts are ready; read by every thread. If it were not volatile, the reader could see
   * incomplete parts.
   */
  private volatile Parts parts;

  /**
   * Stored by the thread that calls {@link #close}; read by writer and reader threads, so that one
   * that returns late from a stuck sink does not write into a directory that may have a new owner.
   * The caller fences these threads off first: this is the second safeguard.
   */
  private volatile boolean closed;

  /** The open spill. The eviction is null without tags, the syncer without a sync interval. */
  private record Parts(
      SpillCounters counters,
      SpillSlots slots,
      SegmentWriter writer,
      SpillReader reader,
      Eviction eviction,
      SpillSyncer syncer) {}

  /** Creates a spill that is not open yet. Tests pass another disk and clock. */
  Spill(
      SpillConfig config,
      SpillListener listener,
      BooleanSupplier destination,
      Disk files,
      LongSupplier nanoClock) {
    this.config = config;
    this.listener = listener;
    this.destination = destination;
    this.files = files;
    this.nanoClock = nanoClock;
    base = config.directory().toAbsolutePath().normalize();
    triedNanos = nanoClock.getAsLong();
  }

  /**
   * Creates a spill that is not open yet. As long as {@link #open()} fails, the spill is empty and
   * accepts nothing; the writer thread tries again once a second, in {@link #append} and {@link
   * #keep}.
   *
   * @param config where the spill lives and how it behaves
   * @param listener receives leftovers, damage and failures
   * @param destination with a sync interval, called by a thread of the spill: returns true once
   *     everything that was {@link #delivered} is on the disk, as far as that can be known; false
   *     if that is not possible now, which the destination reports itself
   * @return the spill
   */
  public static Spill of(SpillConfig config, SpillListener listener, BooleanSupplier destination) {
    Spill spill = new Spill(config, listener, destination, new Disk(), Reports.NANO_TIME);
    spill.firstNumber = Math.max(0, System.currentTimeMillis()) * SegmentFormat.NUMBERS_PER_MILLI;
    return spill;
  }

  /**
   * Loads the classes that are needed to write, read and remove records, and to save what memory
   * holds, before memory may be short.
   *
   * @param payload a record, which is not written
   * @return the record, as if it had been read
   */
  public static SpillRecord rehearse(Payload payload) {
    new SegmentWriter.Prepended(0, null).records();
    Retirement.rehearse();
    return SegmentReader.rehearse(payload);
  }

  /**
   * Takes ownership of the directory, creating it with mode 0700, or of a subdirectory if the
   * directory has another owner. Reads names, sizes and headers only, so that it returns quickly
   * whatever the size of the leftovers. Called before any thread uses the spill; if that failed,
   * the writer thread calls it again.
   *
   * @throws IOException if no directory can be owned now
   */
  public void open() throws IOException {
    SpillContext context =
        new SpillContext(config, files, listener, new SpillCounters(), nanoClock);
    SpillSlots slots = SpillSlots.open(context);
    Parts opened = null;
    try {
      opened = parts(context, slots);
    } finally {
      if (opened == null) { // otherwise the directories stay locked until the JVM ends
        Disk.closeQuietly(slots);
      }
    }
    parts = opened;
  }

  /**
   * Limits the attempts of an operation that has no later occasion to be repeated. Three attempts,
   * 100 ms apart, overcome a transient failure, such as a lack of file descriptors.
   *
   * @param failures the number of failures so far
   * @return true if there is another attempt, after a pause unless it is the first; false at once
   *     after three failures
   */
  public static boolean triesAgain(int failures) {
    if (failures > 0 && failures < ATTEMPTS) {
      // not interruptible: after an interrupt all attempts would follow at once
      DetachedThread.pause(Spill.class, ATTEMPT_NANOS);
    }
    return failures < ATTEMPTS;
  }

  /** Writer: returns the parts, after an attempt to open if due; null while not open. */
  private Parts opened() {
    if (parts == null && !closed && nanoClock.getAsLong() - triedNanos >= OPEN_AGAIN_NANOS) {
      openAgain();
    }
    return usable();
  }

  /** Returns the parts of the spill, after last attempts to open it; null if it is not open. */
  private Parts openedForStop() {
    for (int failures = 0; parts == null && !closed && triesAgain(failures); failures++) {
      openAgain();
    }
    return usable();
  }

  private void openAgain() {
    triedNanos = nanoClock.getAsLong();
    try {
      open();
      listener.onRecovery(OPEN);
    } catch (IOException e) {
      listener.onFailure(OPEN, base, e); // not failed(): this method reports the recovery itself
    } catch (RuntimeException e) {
      listener.onFailure(OPEN, base, new IOException(e.toString(), e));
    }
  }

  /** Returns the parts of the spill; null while it is not open, and once it is closed. */
  private Parts usable() {
    return closed ? null : parts;
  }

  /**
   * Writer thread: makes room by rewriting the oldest segment without the records that may be
   * dropped. Leaves alone the segment that the reader has begun.
   *
   * @param evictor decides which records are dropped
   * @return false if no room can be made
   */
  public boolean evict(Evictor evictor) {
    Parts now = usable();
    return now != null && now.eviction != null && now.eviction.evict(evictor);
  }

  /**
   * Any thread: returns whether the directory is owned.
   *
   * @return false until {@link #open} has succeeded
   */
  public boolean isOpen() {
    return parts != null;
  }

  /** Receives the result of an fsync of appended records. */
  @FunctionalInterface
  public interface AwaitsSync {
    /**
     * Reports the result. Called at most once, by a thread of the spill or the thread that closes
     * it, or by the caller of {@link #whenSynced}; must not throw or wait.
     *
     * @param all true if the fsync has returned and everything can be read back; false if that will
     *     never happen
     */
    void synced(boolean all);

    /**
     * Returns whether the result is no longer needed; then {@link #synced} need not be called.
     * Called by any thread of the spill, and by the writer thread.
     *
     * @return true from then on, false before
     */
    default boolean isOver() {
      return false;
    }
  }

  /**
   * Writer thread: requests an fsync at once. Records appended while it runs share the next one.
   *
   * @param waiting called with true once everything appended so far is on the disk; called with
   *     false at once without a sync interval
   */
  public void whenSynced(AwaitsSync waiting) {
    Parts now = usable();
    if (now == null || now.syncer == null) {
      waiting.synced(false);
    } else {
      now.syncer.whenSynced(waiting);
    }
  }

  /**
   * Writer thread: notes that an event newer than everything appended has bypassed the spill. With
   * a sync interval the next record begins a segment, so that at a stop the newer event has a place
   * between the two segments ({@link #prepend}).
   */
  public void bypassed() {
    Parts now = usable();
    if (now != null && now.syncer != null) {
      now.writer.endSegment();
    }
  }

  /**
   * Writer thread, when it has nothing to append: checks that the files of waiting records still
   * exist, and rewrites those that were removed.
   */
  public void keep() {
    Parts now = opened();
    if (now != null) {
      now.writer.keep();
    }
  }

  private Parts parts(SpillContext context, SpillSlots slots) throws IOException {
    LiveSegment head = LiveSegment.head();
    SpillSlot own = slots.own();
    SpillSyncer syncer =
        config.syncIntervalNanos() == 0 ? null : new SpillSyncer(context, slots.all(), destination);
    SpillReader reader = new SpillReader(context, slots, syncer, head);
    long sequence = own.nextRunSequence();
    context.counters().begin(sequence);
    if (own.cursor.position() == null && own.leftovers().isEmpty()) {
      own.cursor.advance(new Cursor.Position(firstNumber, 0, sequence), 0);
      own.cursor.saveAtOnce();
    }
    SegmentWriter writer = new SegmentWriter(context, own, syncer, head, sequence);
    Eviction eviction = config.tagged() ? new Eviction(context, own, reader, writer) : null;
    Parts ready = new Parts(context.counters(), slots, writer, reader, eviction, syncer);
    if (syncer != null) {
      own.writeOwner(); // here, because the writer would wait for the disk
      syncer.start(); // last: a failure before it leaves no threads behind
    }
    return ready;
  }

  /**
   * Returns the configured directory.
   *
   * @return the absolute path
   */
  public Path base() {
    return base;
  }

  /**
   * Returns the directory that is owned.
   *
   * @return the configured directory, or a subdirectory of it; the configured one until the spill
   *     is open
   */
  public Path directory() {
    Parts now = parts;
    return now == null ? base : now.slots.own().directory;
  }

  /**
   * Writer thread: appends one record. Never throws for an I/O error.
   *
   * @param record the record to append
   * @return whether the record was written, and if not, why
   */
  public Append append(Payload record) {
    Parts now = opened();
    return now == null ? Append.FAILED : now.writer.append(record);
  }

  /**
   * Reader thread: returns the next record not yet read. Damaged records are skipped and counted.
   *
   * @return the record, or null when there is none now
   */
  public SpillRecord read() {
    Parts now = usable();
    return now == null ? null : now.reader.read();
  }

  /**
   * Reader thread, before it has read anything: takes over the leftovers that other owners of the
   * directory and its subdirectories have released since {@link #open}, for example an appender of
   * the same name that stopped after that. To be called again if memory was short.
   *
   * @return whether there are any leftovers
   */
  public boolean adoptLeftovers() {
    Parts now = usable();
    if (now == null) {
      return false;
    }
    if (adopting == null) {
      adopting = now.slots.adoptReleased();
    }
    if (now.syncer != null) {
      now.syncer.add(adopting);
    }
    boolean any = now.reader.adopt(adopting);
    adopting = null;
    return any;
  }

  /**
   * Reader thread: returns the next record of an earlier run, as {@link #read} does.
   *
   * @return the record, or null when there is none now
   */
  public SpillRecord readLeftover() {
    Parts now = usable();
    return now == null ? null : now.reader.readLeftover();
  }

  /**
   * Reader thread: returns whether records of earlier runs are still to be read.
   *
   * @return false once all of them were read, set aside or counted as lost
   */
  public boolean hasLeftovers() {
    Parts now = usable();
    return now != null && now.reader.hasLeftovers();
  }

  /**
   * Reader thread: returns a record that was set aside because it could not be read or delivered.
   * Called only while no other record waits, because records set aside are out of order.
   *
   * @return the record, or null when there is none to try now
   */
  public SpillRecord readSetAside() {
    Parts now = usable();
    return now == null ? null : now.reader.readSetAside();
  }

  /**
   * Reader thread: reports that the record read last could not be decoded or delivered now. The
   * record is read again; after too many failures it is set aside and reading continues behind it.
   *
   * @param record the record read last
   * @param events how many of its events are delivered, those skipped included
   */
  public void undelivered(SpillRecord record, int events) {
    Parts now = usable();
    if (now != null) {
      now.reader.undelivered(record, events);
    }
  }

  /**
   * Reader thread: reports that the record is malformed, so that its segment is kept as damaged.
   * The events of the record are lost: {@link #delivered} has to be called for it as well.
   *
   * @param record the record read last
   */
  public void malformed(SpillRecord record) {
    Parts now = usable();
    if (now != null) {
      now.reader.malformed(record);
    }
  }

  /**
   * Any thread: returns how many of the events appended in this run, from the first one on, no
   * longer wait because they are delivered, lost, dropped or set aside.
   *
   * @return the number of events
   */
  public long settledEvents() {
    Parts now = parts;
    return now == null ? 0 : now.counters.settledEvents();
  }

  /**
   * Any thread: returns how many events of this run are set aside and not delivered.
   *
   * @return the number of events
   */
  public long setAsideEvents() {
    Parts now = parts;
    return now == null ? 0 : now.counters.setAsideEvents();
  }

  /**
   * Reader thread: to be called before a record is given to the sink. Saves the cursor if a crash
   * during the delivery could otherwise repeat more than 1,024 events, or more than this record.
   *
   * @param record the record about to be delivered
   */
  public void beforeDelivery(SpillRecord record) {
    Parts now = usable();
    if (now != null) {
      now.reader.beforeDelivery(record);
    }
  }

  /**
   * Reader thread: reports that the sink accepted a record. Records must be reported in the order
   * of reading.
   *
   * @param record the delivered record
   */
  public void delivered(SpillRecord record) {
    Parts now = usable();
    if (now != null) {
      now.reader.delivered(record);
    }
  }

  /**
   * Reports that the sink accepted only the first events of the record read last, and that this run
   * delivers no more. Called before {@link #close}, instead of {@link #delivered}, when the reader
   * thread has ended. The next run reads the record again, with {@link SpillRecord#skip}.
   *
   * @param record the record in delivery
   * @param events how many of its events are delivered, those skipped included
   */
  public void deliveredPart(SpillRecord record, int events) {
    parts.reader.deliveredPart(record, events);
  }

  /**
   * Reader thread: saves the cursor and unlinks files when due. To be called when idle as well.
   *
   * @return true if nothing will become due until something is appended
   */
  public boolean maintain() {
    Parts now = usable();
    return now != null && now.reader.maintain();
  }

  /**
   * Any thread: returns whether no record of this run or an earlier one waits for {@link
   * #delivered}. After damage at the very end, true only when {@link #read} has reached that end.
   *
   * @return true when nothing waits
   */
  public boolean isEmpty() {
    Parts now = parts;
    return now == null || now.counters.isEmpty();
  }

  /**
   * Any thread: returns the bytes appended in this run that are neither delivered nor lost.
   *
   * @return the bytes, without what is set aside
   */
  public long waitingBytes() {
    Parts now = parts;
    return now == null ? 0 : now.counters.waitingBytes();
  }

  /**
   * Any thread: returns a number that grows with each record written to any file. {@link #prepend}
   * writes many records in one call.
   *
   * @return the count; an equal value later means that nothing was written in between
   */
  public long writtenRecords() {
    Parts now = parts;
    return now == null ? 0 : now.counters.writtenRecords();
  }

  /**
   * Any thread: returns the bytes on disk now, including leftovers and kept copies of damaged
   * segments.
   *
   * @return the number of bytes
   */
  public long bytes() {
    Parts now = parts;
    return now == null ? 0 : now.counters.diskBytes();
  }

  /**
   * Any thread: returns the bytes of earlier runs that are still to be delivered.
   *
   * @return the number of bytes
   */
  public long leftoverBytes() {
    Parts now = parts;
    return now == null ? 0 : Math.max(0, now.counters.leftoverBytes());
  }

  /**
   * Any thread: returns how many events of this run are on the disk because their fsync has
   * returned.
   *
   * @return the number of events, 0 when syncing is left to the operating system
   */
  public long syncedEvents() {
    Parts now = parts;
    return now == null ? 0 : now.counters.syncedEvents.get();
  }

  /**
   * Stores records that are older than all waiting records of this run, so that the next open
   * delivers them before those, and after the leftovers of earlier runs. Stores as many as the size
   * limit and the disk have room for, the oldest first. Called only when writer and reader threads
   * have ended.
   *
   * <p>With a sync interval, delivered records that cannot be forced are delivered again before the
   * older ones; behind them only where they share a segment with waiting records, see {@link
   * #bypassed}.
   *
   * <p>If the cursor cannot be saved, the next start would take the older records for delivered.
   * Half as many are tried then: on a file system that writes each block to a new place, they may
   * have taken the space that the cursor needs.
   *
   * @param older the records, oldest first
   * @return how many of them are written
   */
  public int prepend(List<Payload> older) {
    Parts now = older.isEmpty() ? null : openedForStop();
    if (now == null) {
      return 0;
    }
    if (prepended == null) {
      forced = awaitForced(now);
      prepend(now, older);
    }
    int records = prepended.records();
    while (records > 0 && !now.reader.prepended(prepended.start(), forced)) {
      List<Payload> taken = older.subList(0, records);
      now.writer.takeBack(taken, prepended.start());
      prepended = null; // after an OutOfMemoryError the next call tries all of them
      prepend(now, taken.subList(0, records / 2));
      records = prepended.records();
    }
    prepended = null;
    return records;
  }

  private void prepend(Parts now, List<Payload> older) {
    prepended =
        now.writer.prepend(older, forced ? now.reader.firstWaiting() : now.reader.firstUnforced());
  }

  private boolean awaitForced(Parts now) {
    boolean all = now.syncer == null || now.syncer.awaitForced(FORCE_NANOS);
    if (!all && !unforcedTold) {
      unforcedTold = true;
      listener.notice(
          "unforced",
          "The log could not be forced to the disk before the stop: what was delivered last stays"
              + " in the spill, and the next start delivers it once more");
    }
    return all;
  }

  /**
   * Returns whether {@link #prepend} has room for records. Called only when writer and reader
   * threads have ended.
   *
   * @param older the records
   * @return false if the size limit allows only some of them
   */
  public boolean hasRoomFor(List<Payload> older) {
    Parts now = usable();
    return now == null || prepended != null || now.writer.hasRoomFor(older);
  }

  /**
   * Checks a last time whether the files of this run exist, rewrites those that were removed, and
   * counts the events of those that cannot be rewritten. Called only when writer and reader threads
   * have ended.
   *
   * @return how many events are lost; the next start does not count them as missing
   */
  public long loseRemoved() {
    Parts now = usable();
    LiveSegment first = now == null ? null : now.writer.firstGone();
    long lost = 0;
    for (LiveSegment gone = first; gone != null; gone = gone.next()) {
      lost += now.reader.waitingEvents(gone);
    }
    for (LiveSegment gone = first; gone != null; gone = gone.next()) {
      gone.retire(); // its events are counted: it must not be written again
    }
    return lost;
  }

  /**
   * Saves the cursor, with a sync interval once the log is forced, and leaves the spill open for
   * {@link #append}: the next start delivers what is written from now on, behind all waiting
   * records. Called only when the reader thread has ended.
   */
  public void endReading() {
    Parts now = usable();
    if (now != null) {
      now.reader.save(); // renaming a file set aside may release a cursor
      awaitForced(now); // last chance: the threads of the spill end with the JVM
      now.reader.save();
      now.writer.end();
    }
  }

  /**
   * Saves the cursor and releases the directory; a spill with nothing left in it leaves no file
   * behind. Called only when writer and reader threads have ended.
   */
  @Override
  public void close() {
    closed = true;
    Parts last = parts;
    if (last == null || released) {
      return;
    }
    last.writer.close();
    if (last.syncer != null) {
      last.reader.save(); // renaming a file set aside may release a cursor
      last.syncer.close();
    }
    boolean empty = last.reader.close();
    for (SpillSlot slot : last.slots.adopted()) {
      slot.close(false); // empty slots are closed already
    }
    last.slots.own().close(empty);
    released = true; // last: after an OutOfMemoryError the next call repeats all steps
  }
}
