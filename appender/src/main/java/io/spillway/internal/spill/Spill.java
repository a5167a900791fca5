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
    /** The same as FAILED, because its disk is full: less room than that record needs is free. */
    DISK_FULL,
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
   * @param tag comes back when it is read; 0 for none
   */
  public record Payload(byte[] bytes, int offset, int length, int events, int tag) {}

  /** Decides which records make room. Called by the writer thread. */
  public interface Evictor {
    /** Forgets the records seen: those chosen stay. */
    void begin();

    /**
     * Looks at a record that nobody has begun to deliver.
     *
     * @param record the next one
     * @return true if it may go
     */
    boolean drop(SpillRecord record);

    /**
     * The records chosen since {@link #begin} are gone.
     *
     * @param leftover whether an earlier run wrote them
     */
    void end(boolean leftover);
  }

  static {
    Append.values(); // initializes it, before memory may be short
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
  private long firstNumber; // of a directory that has none
  private final Path base;
  private long triedNanos; // writer only
  private SegmentWriter.Prepended prepended; // written, and the reader does not know it yet
  private boolean forced; // what was delivered before that
  private boolean unforcedTold;
  private boolean released; // after closed
  private List<SpillSlot> adopting; // reader only; taken, and not all know it

  /**
   * Null until the directory can be had. Stored by the writer, or by whoever starts, when all of it
   * is ready; read by every thread. Were it not volatile, the reader could meet half of it.
   */
  private volatile Parts parts;

  /**
   * Stored by whoever stops; read by writer and reader threads, so that one that comes back late
   * from a stuck sink does not write into a directory that may have a new owner. The caller fences
   * the threads off first: this is the second line.
   */
  private volatile boolean closed;

  /**
   * What an open spill consists of; the eviction is null if records have no levels, the syncer
   * without an interval.
   */
  private record Parts(
      SpillCounters counters,
      SpillSlots slots,
      SegmentWriter writer,
      SpillReader reader,
      Eviction eviction,
      SpillSyncer syncer) {}

  /** Tests have another disk and clock. */
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
   * A spill that is not open yet. As long as {@link #open()} fails it is empty and takes nothing;
   * the writer thread tries again once a second, in {@link #append} and {@link #keep}.
   *
   * @param config where and how
   * @param listener is told of leftovers, damage and failures
   * @param destination with a sync interval, called by a thread of the spill: returns true once all
   *     that was {@link #delivered} is on the disk, as far as that can be known; false, told to
   *     whom it concerns, if it cannot be had now
   * @return the spill
   */
  public static Spill of(SpillConfig config, SpillListener listener, BooleanSupplier destination) {
    Spill spill = new Spill(config, listener, destination, new Disk(), Reports.NANO_TIME);
    spill.firstNumber = Math.max(0, System.currentTimeMillis()) * SegmentFormat.NUMBERS_PER_MILLI;
    return spill;
  }

  /**
   * Loads what is needed to write, read and remove records, and to save what memory holds.
   *
   * @param payload of a record that is not written
   * @return the record, as if it had been read
   */
  public static SpillRecord rehearse(Payload payload) {
    new SegmentWriter.Prepended(0, null).records();
    Retirement.rehearse();
    return SegmentReader.rehearse(payload);
  }

  /**
   * Takes ownership of the directory, creating it with mode 0700, or of a subdirectory when another
   * owner has it. Looks at names, sizes and headers only, so that it returns quickly whatever has
   * been left there. Before any thread uses the spill.
   *
   * @throws IOException if no directory can be had now
   */
  public void open() throws IOException {
    SpillContext context =
        new SpillContext(config, files, listener, new SpillCounters(), nanoClock);
    SpillSlots slots = SpillSlots.open(context);
    Parts opened = null;
    try {
      opened = parts(context, slots);
    } finally {
      if (opened == null) { // or nobody could take the directories before the JVM ends
        Disk.giveBack(slots);
      }
    }
    parts = opened;
  }

  /**
   * Where nobody comes again, what fails for a moment, for want of descriptors perhaps, is tried
   * more than once.
   *
   * @param failures so far
   * @return after a pause, if there are any; false at once if they are enough
   */
  public static boolean triesAgain(int failures) {
    if (failures > 0 && failures < ATTEMPTS) {
      // an interrupt would make all tries fall into one instant
      DetachedThread.pause(Spill.class, ATTEMPT_NANOS);
    }
    return failures < ATTEMPTS;
  }

  /** Writer: null if it cannot be opened now. */
  private Parts opened() {
    if (parts == null && !closed && nanoClock.getAsLong() - triedNanos >= OPEN_AGAIN_NANOS) {
      openAgain();
    }
    return usable();
  }

  /** For the last time. */
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
      listener.onFailure(OPEN, base, e); // its recovery is told here as well
    } catch (RuntimeException e) {
      listener.onFailure(OPEN, base, new IOException(e.toString(), e));
    }
  }

  /** Null while it is not open, and after its end. */
  private Parts usable() {
    return closed ? null : parts;
  }

  /**
   * Writer thread: makes room by writing the oldest records once more, without those that may be
   * dropped. Leaves alone the segment that the reader has begun.
   *
   * @param evictor asked which those are
   * @return false if there is no room to be made
   */
  public boolean evict(Evictor evictor) {
    Parts now = usable();
    return now != null && now.eviction != null && now.eviction.evict(evictor);
  }

  /**
   * Any thread: whether the directory could be had.
   *
   * @return false until then
   */
  public boolean isOpen() {
    return parts != null;
  }

  /** Waits for what is appended to be forced to the disk. */
  @FunctionalInterface
  public interface AwaitsSync {
    /**
     * Called once, by a thread of the spill; must not throw or wait.
     *
     * @param all whether the fsync has returned, and all can be read back; false if it never will
     */
    void synced(boolean all);

    /**
     * Whether nobody waits any more; then it need not be called. By any thread of the spill.
     *
     * @return true for good
     */
    default boolean isOver() {
      return false;
    }
  }

  /**
   * Writer thread: asks for an fsync at once. All that is appended meanwhile shares the next one.
   *
   * @param waiting told once everything appended so far is on the disk; false at once without a
   *     sync interval
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
   * Writer thread: something newer than all that was appended has gone another way. With a sync
   * interval what is appended next begins a segment, so that the newer has a place between the two
   * at a stop ({@link #prepend}).
   */
  public void bypassed() {
    Parts now = usable();
    if (now != null && now.syncer != null) {
      now.writer.endSegment();
    }
  }

  /** Writer thread, when it has nothing to append: sees that what is written stays there. */
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
      own.writeOwner(); // not by the writer, who would wait for the disk
      syncer.start(); // last: its threads are not left behind by what fails
    }
    return ready;
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
   * @return the configured one, or a subdirectory of it; the configured one until it is open
   */
  public Path directory() {
    Parts now = parts;
    return now == null ? base : now.slots.own().directory;
  }

  /**
   * Writer thread: appends one record. Never throws for an I/O error.
   *
   * @param record to be appended
   * @return what became of it
   */
  public Append append(Payload record) {
    Parts now = opened();
    return now == null ? Append.FAILED : now.writer.append(record);
  }

  /**
   * Reader thread: the next record not yet read. Damaged ones are stepped over and counted.
   *
   * @return the record, or null when there is none now
   */
  public SpillRecord read() {
    Parts now = usable();
    return now == null ? null : now.reader.read();
  }

  /**
   * Reader thread, before it has read anything: takes over what other owners of the directory and
   * its subdirectories have left since {@link #open}, for example an appender of the same name that
   * has stopped only now. To be called again if memory was short.
   *
   * @return whether there is any
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
   * Reader thread: as {@link #read}, but nothing of this run.
   *
   * @return the record, or null when there is none now
   */
  public SpillRecord readLeftover() {
    Parts now = usable();
    return now == null ? null : now.reader.readLeftover();
  }

  /**
   * Reader thread: whether something of earlier runs is still to be read.
   *
   * @return false once all of it was read or given up
   */
  public boolean hasLeftovers() {
    Parts now = usable();
    return now != null && now.reader.hasLeftovers();
  }

  /**
   * Reader thread: a record of what was set aside because it could not be read or delivered. Call
   * it only while nothing else waits: it is not in the order of the others.
   *
   * @return the record, or null when there is none to try now
   */
  public SpillRecord readSetAside() {
    Parts now = usable();
    return now == null ? null : now.reader.readSetAside();
  }

  /**
   * Reader thread: the record read last could not be decoded or delivered now. It is read again; if
   * that has happened too often, it is set aside and the others go on.
   *
   * @param record read last
   * @param events how many of its events are delivered, those skipped included
   */
  public void undelivered(SpillRecord record, int events) {
    Parts now = usable();
    if (now != null) {
      now.reader.undelivered(record, events);
    }
  }

  /**
   * Reader thread: the record is malformed, and its segment is to be kept as damaged. Its events
   * are lost: call {@link #delivered} as well.
   *
   * @param record read last
   */
  public void malformed(SpillRecord record) {
    Parts now = usable();
    if (now != null) {
      now.reader.malformed(record);
    }
  }

  /**
   * Any thread: how many of the first events appended in this run wait no more, as they are
   * delivered, lost, dropped or set aside.
   *
   * @return their number
   */
  public long settledEvents() {
    Parts now = parts;
    return now == null ? 0 : now.counters.settledEvents();
  }

  /**
   * Any thread: events of this run that were set aside and are not delivered.
   *
   * @return their number
   */
  public long setAsideEvents() {
    Parts now = parts;
    return now == null ? 0 : now.counters.setAsideEvents();
  }

  /**
   * Reader thread: to be called before a record is given to the sink. Saves the cursor if a crash
   * during the delivery could otherwise repeat more than 1,024 events, or more than this record.
   *
   * @param record the one about to be delivered
   */
  public void beforeDelivery(SpillRecord record) {
    Parts now = usable();
    if (now != null) {
      now.reader.beforeDelivery(record);
    }
  }

  /**
   * Reader thread: the sink took it. Records must be reported in the order of reading.
   *
   * @param record the one delivered
   */
  public void delivered(SpillRecord record) {
    Parts now = usable();
    if (now != null) {
      now.reader.delivered(record);
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
    parts.reader.deliveredPart(record, events);
  }

  /**
   * Reader thread: saves the cursor and unlinks files when due. Call it when idle, too.
   *
   * @return whether nothing becomes due by the time alone, until something is appended
   */
  public boolean maintain() {
    Parts now = usable();
    return now != null && now.reader.maintain();
  }

  /**
   * Any thread: whether nothing waits for {@link #delivered}, of this run or an earlier one. After
   * damage at the very end, true only when {@link #read} has met that end.
   *
   * @return true when nothing waits
   */
  public boolean isEmpty() {
    Parts now = parts;
    return now == null || now.counters.isEmpty();
  }

  /**
   * Any thread: bytes appended in this run and neither delivered nor lost.
   *
   * @return without what is set aside
   */
  public long waitingBytes() {
    Parts now = parts;
    return now == null ? 0 : now.counters.waitingBytes();
  }

  /**
   * Any thread: a number that grows with each record that is written, wherever that is. {@link
   * #prepend} writes many.
   *
   * @return the same twice means no progress between
   */
  public long writtenRecords() {
    Parts now = parts;
    return now == null ? 0 : now.counters.writtenRecords();
  }

  /**
   * Any thread: bytes on disk now, leftovers and kept copies of damaged segments included.
   *
   * @return bytes
   */
  public long bytes() {
    Parts now = parts;
    return now == null ? 0 : now.counters.diskBytes();
  }

  /**
   * Any thread: bytes of earlier runs still to be delivered.
   *
   * @return bytes
   */
  public long leftoverBytes() {
    Parts now = parts;
    return now == null ? 0 : Math.max(0, now.counters.leftoverBytes());
  }

  /**
   * Any thread: events of this run whose fsync has returned.
   *
   * @return their number, 0 when syncing is left to the operating system
   */
  public long syncedEvents() {
    Parts now = parts;
    return now == null ? 0 : now.counters.syncedEvents.get();
  }

  /**
   * Keeps records older than everything this run has waiting, so that they come before it at the
   * next open, and after what earlier runs left. As many as the size limit and the disk have room
   * for, the oldest first. Only when writer and reader threads are gone.
   *
   * <p>With a sync interval, what is delivered and cannot be forced comes again before them; only
   * where it shares a segment with what waits, see {@link #bypassed}, behind them.
   *
   * <p>If the cursor cannot be saved, the next start would take them for delivered. Fewer are tried
   * then: on a file system that writes each block to a new place, they may have taken the room.
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
      prepended = null; // without memory for the next, all are tried again
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
   * Whether {@link #prepend} has room for records. Only when writer and reader threads are gone.
   *
   * @param older the records
   * @return false if the size limit allows only some of them
   */
  public boolean hasRoomFor(List<Payload> older) {
    Parts now = usable();
    return now == null || prepended != null || now.writer.hasRoomFor(older);
  }

  /**
   * Looks a last time whether the files of this run are there, writes those again that somebody has
   * removed, and gives up what cannot be written. Only when writer and reader threads are gone.
   *
   * @return how many events are given up; the next start does not miss them
   */
  public long loseRemoved() {
    Parts now = usable();
    LiveSegment first = now == null ? null : now.writer.firstGone();
    long lost = 0;
    for (LiveSegment gone = first; gone != null; gone = gone.next()) {
      lost += now.reader.waitingEvents(gone);
    }
    for (LiveSegment gone = first; gone != null; gone = gone.next()) {
      gone.retire(); // it is counted, and must not come back
    }
    return lost;
  }

  /**
   * Saves the cursor, with a sync interval once the log is forced, and stays open for {@link
   * #append}: what is written from now on is delivered by the next start, behind all that waits.
   * Only when the reader thread is gone.
   */
  public void endReading() {
    Parts now = usable();
    if (now != null) {
      now.reader.save(); // the new name of a file may let a cursor move on
      awaitForced(now); // the threads of the spill end with the JVM
      now.reader.save();
      now.writer.end();
    }
  }

  /**
   * Saves the cursor and gives the directory up; a spill with nothing left in it leaves no file
   * behind. Only when writer and reader threads are gone.
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
      last.reader.save(); // the new name of a file may let a cursor move on
      last.syncer.close();
    }
    boolean empty = last.reader.close();
    for (SpillSlot slot : last.slots.adopted()) {
      slot.close(false); // those emptied are closed already
    }
    last.slots.own().close(empty);
    released = true; // last: without memory for a step, all of them are done once more
  }
}
