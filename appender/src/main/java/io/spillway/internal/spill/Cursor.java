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
 * The position up to which everything is delivered, and the file that stores it: two slots written
 * in turn, so that an incomplete write leaves the older one.
 *
 * <p>The position is saved so often that a crash repeats at most {@link #MAX_LAG_EVENTS} events, or
 * the events of {@link #MAX_LAG_NANOS}. With a sync interval the syncer decides when to save: it
 * saves a position once the destination has forced everything before it to the disk.
 *
 * <p>Concurrency: the reader advances the position, and saves it unless the syncer does. {@code
 * position} is stored after the sink accepted everything before it; with a weaker store the syncer
 * could save a position whose bytes the log did not have when it was forced. {@code saved} is
 * stored after the file is written; with a weaker store a segment could be unlinked before the
 * cursor is beyond it. The file is used under this object's monitor, for which the reader waits
 * only when a directory was replaced or a slot is closed.
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
   * A place in the spill; everything before it is delivered.
   *
   * @param segment number of the segment in which reading continues
   * @param offset place in that segment; 0 for its start
   * @param sequence sequence of the next event
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

  // Guarded by the monitor once the cursor is open.
  private final byte[] slot = new byte[SLOT];
  private DiskFile file;
  private Object fileKey;
  private long generation;
  private volatile boolean closed; // stored under the monitor

  private volatile Position position;
  private volatile Position saved; // null if the file has no valid position
  private volatile int holds; // written by the reader only
  private boolean savedBySyncer; // set before another thread uses the cursor
  private long unsavedEvents;
  private long savedAtNanos;

  private Cursor(Disk files, Path directory, SpillListener listener, LongSupplier nanoClock) {
    this.files = files;
    this.path = directory.resolve(NAME);
    this.listener = listener;
    this.nanoClock = nanoClock;
  }

  /** Opens or creates the file; the position is null unless the file has a valid one. */
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
        Disk.closeQuietly(cursor);
      }
    }
    return opened;
  }

  /** Returns whether a later version wrote the file; false also if it cannot be read now. */
  static boolean isLater(Disk files, Path directory) {
    try {
      peek(files, directory);
      return false;
    } catch (LaterFormatException e) {
      return true;
    } catch (IOException e) {
      return false; // opening the file reports the failure
    }
  }

  /**
   * Returns the position in the cursor file of a directory, or null, without creating, locking or
   * changing anything.
   *
   * @throws LaterFormatException if a later version wrote the file
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
   * Replaces the descriptor, which may be dead although the file exists, as on a network file
   * system that has lost its session. Keeps the old one if the name belongs to another file, which
   * is another process's, or if the file cannot be opened now.
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
      Disk.closeQuietly(unused);
    }
  }

  /**
   * Returns the stored position, or null, and reports failures. Tries more than once, because
   * without a position all leftovers are delivered again.
   */
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

  /** Returns the position of the newest valid slot, or null. */
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
            && read.segment <= SegmentFormat.MAX_OLD_NUMBER // otherwise no numbers are left above
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
      file = null; // not after an OutOfMemoryError: the file is closed again then
    } catch (IOException e) {
      file = null;
      throw e;
    }
  }

  /** Lets only the syncer save, once forced. Called before another thread uses the cursor. */
  void leaveToSyncer() {
    savedBySyncer = true;
  }

  Position position() {
    return position;
  }

  /** Returns the position in the file, or null. */
  Position saved() {
    return saved;
  }

  /**
   * Keeps the position in the file unchanged until {@link #release}, because not everything before
   * the current position is delivered or renamed. Holds are counted.
   */
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

  /**
   * Saves the position if the record about to be delivered and the unsaved events exceed the lag
   * together. The record may exceed it alone.
   */
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

  /** Closes the file and forgets the saved position, because the directory was replaced. */
  synchronized void fileLost() {
    try {
      closeFile();
    } catch (IOException e) {
      listener.onFailure("close", path, e);
    }
    saved = null;
  }

  /** Saves the position; returns true when the file has it, or when the syncer will save it. */
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

  /** Syncer: saves a position; everything before it is on the disk. */
  synchronized void saveForced(Position forced) {
    if (!position.isBefore(forced)) { // otherwise it was set back to prepended records
      write(forced);
    }
  }

  /**
   * Sets the position back to records that were prepended at {@code to}, because the file must not
   * have a position behind them. Records before {@code to} may still wait to be forced. No thread
   * but the syncer may run.
   *
   * @return false if the file has a position behind {@code to} and cannot be changed, so that the
   *     prepended records would be taken for delivered; then nothing has changed
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

  /** Saves the position, forced or not. No thread but the syncer may run. */
  synchronized boolean saveAtOnce() {
    return write(position);
  }

  private synchronized boolean write(Position wanted) {
    if (closed || holds > 0) {
      // Closed: the directory may have a new owner. Held: a file set aside would be skipped.
      return false;
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

  /** Returns whether something is delivered that the file does not state yet. */
  boolean isBehind() {
    Position now = position;
    Position known = saved;
    return now != known && (now == null || known == null || !now.isAt(known));
  }

  /**
   * Returns the position that may be saved after the next force; null if there is nothing to save,
   * or if the cursor is held. The position is read before the holds: in the other order it could be
   * behind a new hold, whose file is delivered after the force.
   */
  Position awaitingForce() {
    Position now = position;
    return closed || holds > 0 || !isBehind() ? null : now;
  }

  /** Returns whether the syncer has yet to save a position as far as {@code end}. */
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
