package io.spillway.internal.spill;

import io.spillway.internal.disk.Disk;
import io.spillway.internal.disk.DiskFile;
import io.spillway.internal.spill.SegmentFormat.LaterFormatException;
import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * What has been delivered, and the file that says so: two slots written in turn, so that a write
 * cut short leaves the older one.
 *
 * <p>It goes to the file so often that a crash repeats at most {@link #MAX_LAG_EVENTS} events or
 * {@link #MAX_LAG_NANOS} of them. With a sync interval the syncer decides that: it saves a position
 * once the destination of everything before it is forced to the disk.
 *
 * <p>Concurrency: the reader advances, and saves unless the syncer does. {@code position} is stored
 * after the sink took what is before it; were that weaker, the syncer could save a position whose
 * bytes the log had not got when it was forced. {@code saved} is stored after the file is written;
 * were that weaker, a segment could be unlinked before the cursor is beyond it. The file is used
 * under this object's monitor, for which the reader waits only when a directory was replaced or a
 * slot is closed.
 */
final class Cursor implements Closeable {

  static final String NAME = "cursor";
  static final int MAX_LAG_EVENTS = 1024;
  static final long MAX_LAG_NANOS = TimeUnit.MILLISECONDS.toNanos(200);

  private static final int MAGIC = 0x5350_4C43; // SPLC
  private static final int GENERATION = 2 * Integer.BYTES;
  private static final int SEGMENT = GENERATION + Long.BYTES;
  private static final int OFFSET = SEGMENT + Long.BYTES;
  private static final int SEQUENCE = OFFSET + Long.BYTES;
  private static final int RESERVED = SEQUENCE + Long.BYTES;
  private static final int CRC = RESERVED + 20;
  private static final int SLOT = CRC + Integer.BYTES;
  static final int FILE_BYTES = 2 * SLOT;

  private static final String SAVE = "save the cursor";

  /**
   * Everything before it is delivered.
   *
   * @param segment number of the segment to go on in
   * @param offset where in it; 0 for its start
   * @param sequence of the next event
   */
  record Position(long segment, long offset, long sequence) {
    boolean isAt(Position other) {
      return segment == other.segment && offset == other.offset && sequence == other.sequence;
    }

    boolean isBefore(Position other) {
      return segment < other.segment || (segment == other.segment && offset < other.offset);
    }
  }

  private final Disk files;
  private final Path path;
  private final SpillListener listener;
  private final LongSupplier nanoClock;

  // Under the monitor, once it is open.
  private final byte[] slot = new byte[SLOT];
  private DiskFile file;
  private Object fileKey;
  private long generation;
  private volatile boolean closed; // stored under the monitor

  private volatile Position position;
  private volatile Position saved; // null if the file does not say
  private volatile int holds; // stored by the reader alone
  private boolean savedBySyncer; // set before any thread starts
  private long unsavedEvents;
  private long savedAtNanos;

  private Cursor(Disk files, Path directory, SpillListener listener, LongSupplier nanoClock) {
    this.files = files;
    this.path = directory.resolve(NAME);
    this.listener = listener;
    this.nanoClock = nanoClock;
  }

  /** Opens or creates the file; the position is null unless it says one that is sane. */
  static Cursor open(Disk files, Path directory, SpillListener listener, LongSupplier nanoClock)
      throws IOException {
    Cursor cursor = new Cursor(files, directory, listener, nanoClock);
    Cursor opened = null;
    try {
      cursor.openFile();
      cursor.position = cursor.loadOrTell();
      cursor.saved = cursor.position;
      cursor.savedAtNanos = nanoClock.getAsLong();
      opened = cursor;
    } finally {
      if (opened == null) {
        Disk.giveBack(cursor);
      }
    }
    return opened;
  }

  /** Whether a later version of Spillway wrote it; false also when it cannot be read now. */
  static boolean isLater(Disk files, Path directory) {
    try {
      peek(files, directory);
      return false;
    } catch (LaterFormatException e) {
      return true;
    } catch (IOException e) {
      return false; // whoever opens it is told
    }
  }

  /**
   * What the file of a directory says, without creating, locking or changing anything.
   *
   * @throws LaterFormatException if a later version wrote it
   */
  static Position peek(Disk files, Path directory) throws IOException {
    Cursor cursor = new Cursor(files, directory, null, null);
    if (files.state(cursor.path) == null) {
      return null;
    }
    cursor.file = files.openForReading(cursor.path);
    try {
      return cursor.load();
    } finally {
      cursor.closeFile();
    }
  }

  private void openFile() throws IOException {
    closeFile();
    file = files.state(path) == null ? files.create(path) : files.openForWriting(path);
    fileKey = files.key(path);
  }

  /**
   * A descriptor may be dead for good, though its file is still there: that of a network file
   * system which has lost its session. The old one stays if the name has another file, which is
   * another process's, or if it cannot be opened now.
   */
  private void openAgain() {
    DiskFile unused = null;
    try {
      unused = files.openForWriting(path);
      if (file != null && fileKey != null && fileKey.equals(files.key(path))) {
        DiskFile before = file;
        file = unused;
        unused = before;
      }
    } catch (IOException e) {
      Thread.onSpinWait(); // the next failure tries again
    } finally {
      Disk.giveBack(unused);
    }
  }

  /** Without it all comes again, so a failure of a moment is not the last word. */
  private Position loadOrTell() {
    for (int failures = 0; Spill.triesAgain(failures); failures++) {
      try {
        return load();
      } catch (IOException e) {
        listener.onFailure("read the cursor", path, e);
      }
    }
    return null;
  }

  /** The newest valid slot, or null. */
  private Position load() throws IOException {
    if (file.size() < FILE_BYTES) {
      return file.size() < SLOT ? null : decode(0);
    }
    Position first = decode(0);
    long firstGeneration = first == null ? -1 : generation;
    Position second = decode(SLOT);
    if (second != null && generation > firstGeneration) {
      return second;
    }
    generation = Math.max(0, firstGeneration);
    return first;
  }

  private Position decode(int at) throws IOException {
    file.read(at, slot, 0, SLOT);
    ByteBuffer buffer = ByteBuffer.wrap(slot);
    if (buffer.getInt(0) != MAGIC || buffer.getInt(CRC) != SegmentFormat.crc(slot, 0, CRC)) {
      return null;
    }
    int version = buffer.getInt(Integer.BYTES);
    if (version > SegmentFormat.VERSION) {
      throw new LaterFormatException(version);
    } else if (version != SegmentFormat.VERSION) {
      return null;
    }
    Position read =
        new Position(buffer.getLong(SEGMENT), buffer.getLong(OFFSET), buffer.getLong(SEQUENCE));
    boolean sane =
        read.segment >= 0
            && read.segment <= SegmentFormat.MAX_OLD_NUMBER // or no names are left behind it
            && read.offset >= 0
            && read.sequence >= 0
            && read.sequence < SegmentFormat.MAX_NUMBER;
    if (sane) {
      generation = buffer.getLong(GENERATION);
    }
    return sane ? read : null;
  }

  private void writeFile(Position to) throws IOException {
    if (file == null) {
      openFile();
    }
    long newGeneration = generation + 1;
    Arrays.fill(slot, (byte) 0);
    ByteBuffer buffer = ByteBuffer.wrap(slot);
    buffer.putInt(0, MAGIC);
    buffer.putInt(Integer.BYTES, SegmentFormat.VERSION);
    buffer.putLong(GENERATION, newGeneration);
    buffer.putLong(SEGMENT, to.segment);
    buffer.putLong(OFFSET, to.offset);
    buffer.putLong(SEQUENCE, to.sequence);
    buffer.putInt(CRC, SegmentFormat.crc(slot, 0, CRC));
    file.write((newGeneration & 1) * SLOT, slot, 0, SLOT);
    generation = newGeneration;
  }

  private void closeFile() throws IOException {
    try {
      if (file != null) {
        file.close();
      }
      file = null; // not without memory for it: it is closed once more
    } catch (IOException e) {
      file = null;
      throw e;
    }
  }

  /** Only what is forced is saved from now on. Before any other thread comes. */
  void leaveToSyncer() {
    savedBySyncer = true;
  }

  Position position() {
    return position;
  }

  /** What the file says, or null. */
  Position saved() {
    return saved;
  }

  /** From now on it stays as it is: not all before the position is delivered or renamed. */
  @SuppressWarnings("NonAtomicOperationOnVolatileField")
  void hold() {
    holds++;
  }

  @SuppressWarnings("NonAtomicOperationOnVolatileField")
  void release() {
    holds--;
  }

  void advance(Position newPosition, long events) {
    position = newPosition;
    unsavedEvents += events;
  }

  /** The record about to be delivered may itself exceed the lag; what is before it must not add. */
  void beforeDelivery(int events) {
    if (unsavedEvents > 0 && unsavedEvents + events > MAX_LAG_EVENTS) {
      save();
    }
  }

  void saveIfDue() {
    if (unsavedEvents >= MAX_LAG_EVENTS || nanoClock.getAsLong() - savedAtNanos >= MAX_LAG_NANOS) {
      save();
    }
  }

  /** The directory was replaced and the file with it. */
  synchronized void fileLost() {
    try {
      closeFile();
    } catch (IOException e) {
      listener.onFailure("close", path, e);
    }
    saved = null;
  }

  /** True when the file says what {@link #position} says, or when the syncer sees to that. */
  boolean save() {
    if (savedBySyncer) {
      return true;
    }
    boolean done = !isBehind() || write(position);
    if (done) {
      unsavedEvents = 0;
    }
    return done;
  }

  /** Syncer: what is before the position is on the disk, so the position goes there. */
  synchronized void saveForced(Position forced) {
    if (!position.isBefore(forced)) { // else it was set back to what must come first
      write(forced);
    }
  }

  /**
   * Something was put there: the file must not say a place behind it. What is before it may still
   * wait to be forced. With no other thread at work but the syncer.
   *
   * @return false if the file says such a place, and what was put there would be taken for
   *     delivered; then nothing has changed
   */
  synchronized boolean holdBack(Position to) {
    Position before = position;
    if (before == null || !before.isBefore(to)) {
      position = to;
    }
    boolean back = saved == null || saved.isBefore(to);
    for (int failures = 0; !back && Spill.triesAgain(failures); failures++) {
      back = write(to);
    }
    if (!back) {
      position = before;
    }
    return back;
  }

  /** Saves whatever waits to be forced, with no other thread at work but the syncer. */
  synchronized boolean saveAtOnce() {
    return write(position);
  }

  private synchronized boolean write(Position wanted) {
    if (closed || holds > 0) {
      return false; // the directory may have a new owner, or a file that may be taken for delivered
    }
    savedAtNanos = nanoClock.getAsLong();
    try {
      writeFile(wanted);
      if (savedBySyncer) {
        file.sync();
      }
    } catch (IOException e) {
      openAgain();
      listener.failed(SAVE, path, e);
      return false;
    }
    saved = wanted;
    listener.succeeded(SAVE);
    return true;
  }

  /** Whether something is delivered of which the file does not know. */
  boolean isBehind() {
    Position now = position;
    Position known = saved;
    return now != known && (now == null || known == null || !now.isAt(known));
  }

  /**
   * Syncer: how far it may be saved after the next force; null if there is nothing to save, or not
   * now. The position is read before the holds: in the other order it could be one from behind a
   * hold, whose file is delivered after the force.
   */
  Position awaitingForce() {
    Position now = position;
    return closed || holds > 0 || !isBehind() ? null : now;
  }

  /** Whether the syncer has still to save a position as far as that. */
  boolean awaitsSyncer(Position end) {
    Position now = saved;
    return savedBySyncer && end != null && (now == null || now.isBefore(end));
  }

  @Override
  public synchronized void close() {
    closed = true;
    try {
      closeFile();
    } catch (IOException e) {
      listener.onFailure("close", path, e);
    }
  }
}
