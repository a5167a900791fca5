package io.spillway.internal.spill;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.Arrays;

/**
 * The file that says what has been delivered: two slots written in turn, so that a write cut short
 * leaves the older one. One thread at a time.
 */
final class Cursor {

  static final String NAME = "cursor";

  private static final int MAGIC = 0x5350_4C43; // SPLC
  private static final int GENERATION = 2 * Integer.BYTES;
  private static final int SEGMENT = GENERATION + Long.BYTES;
  private static final int OFFSET = SEGMENT + Long.BYTES;
  private static final int SEQUENCE = OFFSET + Long.BYTES;
  private static final int RESERVED = SEQUENCE + Long.BYTES;
  private static final int CRC = RESERVED + 20;
  private static final int SLOT = CRC + Integer.BYTES;
  static final int FILE_BYTES = 2 * SLOT;

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

  private final SpillFiles files;
  private final Path path;
  private final byte[] slot = new byte[SLOT];
  private SpillFile file;
  private long generation;

  Cursor(SpillFiles files, Path directory) {
    this.files = files;
    this.path = directory.resolve(NAME);
  }

  Path path() {
    return path;
  }

  /** Opens or creates the file. Also used again when the directory has been replaced. */
  void open() throws IOException {
    close();
    file =
        files.type(path) == SpillFiles.Type.ABSENT
            ? files.create(path)
            : files.openForWriting(path);
  }

  /** What the file of a directory says, without creating, locking or changing anything. */
  static Position peek(SpillFiles files, Path directory) throws IOException {
    Cursor cursor = new Cursor(files, directory);
    if (files.type(cursor.path) == SpillFiles.Type.ABSENT) {
      return null;
    }
    cursor.file = files.openForReading(cursor.path);
    try {
      return cursor.load();
    } finally {
      cursor.close();
    }
  }

  /** The newest valid slot, or null. */
  Position load() throws IOException {
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
    if (buffer.getInt(0) != MAGIC
        || buffer.getInt(Integer.BYTES) != SegmentFormat.VERSION
        || buffer.getInt(CRC) != SegmentFormat.crc(slot, 0, CRC)) {
      return null;
    }
    Position position =
        new Position(buffer.getLong(SEGMENT), buffer.getLong(OFFSET), buffer.getLong(SEQUENCE));
    boolean sane =
        position.segment >= 0
            && position.segment <= SegmentFormat.MAX_NUMBER / 2
            && position.offset >= 0
            && position.sequence >= 0
            && position.sequence < SegmentFormat.MAX_NUMBER;
    if (sane) {
      generation = buffer.getLong(GENERATION);
    }
    return sane ? position : null;
  }

  void save(Position position) throws IOException {
    if (file == null) {
      open();
    }
    long newGeneration = generation + 1;
    Arrays.fill(slot, (byte) 0);
    ByteBuffer buffer = ByteBuffer.wrap(slot);
    buffer.putInt(0, MAGIC);
    buffer.putInt(Integer.BYTES, SegmentFormat.VERSION);
    buffer.putLong(GENERATION, newGeneration);
    buffer.putLong(SEGMENT, position.segment);
    buffer.putLong(OFFSET, position.offset);
    buffer.putLong(SEQUENCE, position.sequence);
    buffer.putInt(CRC, SegmentFormat.crc(slot, 0, CRC));
    file.write((newGeneration & 1) * SLOT, slot, 0, SLOT);
    generation = newGeneration;
  }

  void sync() throws IOException {
    if (file != null) {
      file.sync();
    }
  }

  void close() throws IOException {
    SpillFile old = file;
    file = null;
    if (old != null) {
      old.close();
    }
  }
}
