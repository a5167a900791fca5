package io.spillway.internal.spill;

import io.spillway.internal.disk.Disk;
import io.spillway.internal.disk.DiskFile;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.zip.CRC32C;

/** The layout drawn in the package description: constants, encoding, validation. Stateless. */
final class SegmentFormat {

  /** Of the cursor, and of segments whose records have no tags. */
  static final short VERSION = 1;

  /** Of segments whose records may have tags, or stand for what made room. */
  static final short VERSION_TAGGED = 2;

  static final int SEGMENT_MAGIC = 0x5350_4C47; // SPLG
  static final int RECORD_MAGIC = 0x5350_4C52; // SPLR

  private static final short KIND_EVENTS = 1;
  private static final short KIND_BYTES = 2;

  private static final int SEGMENT_VERSION = Integer.BYTES;
  private static final int SEGMENT_KIND = SEGMENT_VERSION + Short.BYTES;
  private static final int SEGMENT_SALT = SEGMENT_KIND + Short.BYTES;
  private static final int SEGMENT_NUMBER = SEGMENT_SALT + Long.BYTES;
  private static final int SEGMENT_SEQUENCE = SEGMENT_NUMBER + Long.BYTES;
  private static final int SEGMENT_RUN = SEGMENT_SEQUENCE + Long.BYTES;
  private static final int SEGMENT_PREVIOUS_END = SEGMENT_RUN + Long.BYTES;
  private static final int SEGMENT_RESUME = SEGMENT_PREVIOUS_END + Long.BYTES;
  private static final int SEGMENT_CREATED = SEGMENT_RESUME + Long.BYTES;
  private static final int SEGMENT_EVENTS = SEGMENT_CREATED + Long.BYTES;
  private static final int SEGMENT_CRC = SEGMENT_EVENTS + Integer.BYTES;
  static final int SEGMENT_HEADER = SEGMENT_CRC + Integer.BYTES;

  private static final int RECORD_LENGTH = Integer.BYTES;
  private static final int RECORD_EVENTS = RECORD_LENGTH + Integer.BYTES;
  private static final int RECORD_PAYLOAD_CRC = RECORD_EVENTS + Integer.BYTES;
  private static final int RECORD_SEQUENCE = RECORD_PAYLOAD_CRC + Integer.BYTES;
  private static final int RECORD_TAG = RECORD_SEQUENCE + Long.BYTES;
  private static final int RECORD_CRC = RECORD_TAG + Integer.BYTES;
  static final int RECORD_HEADER = RECORD_CRC + Integer.BYTES;

  /** Sequence and segment numbers stay below this, so that no sum of them overflows. */
  static final long MAX_NUMBER = 1L << 62;

  /** Of a leftover: whatever runs begin above it has room for all its segments, and their ends. */
  static final long MAX_OLD_NUMBER = MAX_NUMBER - (1L << 40);

  /**
   * Between runs, so that a run need not scan what the last one left. No segment holds as many
   * events: it is closed at a quarter of them.
   */
  static final long RUN_SEQUENCE_GAP = 1L << 34;

  static final long MAX_SEGMENT_EVENTS = RUN_SEQUENCE_GAP >>> 2;

  /** Free segment numbers before every segment, for what must come before it. */
  static final int NUMBER_STEP = 16;

  /**
   * The segment numbers of a directory that has none begin with the time, in these units: a disk
   * would have to begin 64 segments a millisecond to overtake it.
   */
  static final int NUMBERS_PER_MILLI = 64 * NUMBER_STEP;

  /** The next header is near where a file has many: then little is read beyond it. */
  private static final int FIRST_SEARCH_BUFFER = 1 << 8;

  private static final int SEARCH_BUFFER = 1 << 16;
  private static final byte FIRST_MAGIC_BYTE = (byte) (RECORD_MAGIC >>> 24);

  /** A later version of Spillway wrote it: not for this one to read, nor to change. */
  static final class LaterFormatException extends IOException {
    private static final long serialVersionUID = 1;

    LaterFormatException(int version) {
      super("a later version of Spillway wrote it, in format " + version);
    }
  }

  private SegmentFormat() {}

  /**
   * A segment header.
   *
   * @param kind what the payloads are
   * @param salt random, unknown to whoever writes log text
   * @param number as in the file name
   * @param firstSequence sequence of the first event
   * @param runSequence sequence of the first event of the run: gaps before it are no loss
   * @param previousEnd good length of the previous segment of this run, 0 for the first
   * @param resumeOffset where to go on in the segment of the next number, 0 for its start
   * @param createdMillis wall clock, for people
   * @param events how many there are in it, 0 if that was not known when it was begun
   * @param tagged whether its records may have tags: format version 2
   */
  record SegmentHeader(
      SpillKind kind,
      long salt,
      long number,
      long firstSequence,
      long runSequence,
      long previousEnd,
      long resumeOffset,
      long createdMillis,
      int events,
      boolean tagged) {

    SegmentHeader withEvents(int known) {
      return new SegmentHeader(
          kind,
          salt,
          number,
          firstSequence,
          runSequence,
          previousEnd,
          resumeOffset,
          createdMillis,
          known,
          tagged);
    }

    byte[] encode() {
      byte[] bytes = new byte[SEGMENT_HEADER];
      ByteBuffer buffer = ByteBuffer.wrap(bytes);
      buffer.putInt(0, SEGMENT_MAGIC);
      buffer.putShort(SEGMENT_VERSION, tagged ? VERSION_TAGGED : VERSION);
      buffer.putShort(SEGMENT_KIND, kind == SpillKind.EVENTS ? KIND_EVENTS : KIND_BYTES);
      buffer.putLong(SEGMENT_SALT, salt);
      buffer.putLong(SEGMENT_NUMBER, number);
      buffer.putLong(SEGMENT_SEQUENCE, firstSequence);
      buffer.putLong(SEGMENT_RUN, runSequence);
      buffer.putLong(SEGMENT_PREVIOUS_END, previousEnd);
      buffer.putLong(SEGMENT_RESUME, resumeOffset);
      buffer.putLong(SEGMENT_CREATED, createdMillis);
      buffer.putInt(SEGMENT_EVENTS, events);
      buffer.putInt(SEGMENT_CRC, crc(bytes, 0, SEGMENT_CRC));
      return bytes;
    }

    /** Whether it says where that segment ends: the next one of the same run. */
    boolean follows(SegmentHeader previous) {
      return runSequence == previous.runSequence
          && number - previous.number == NUMBER_STEP
          && previousEnd >= SEGMENT_HEADER;
    }

    /**
     * Where to go on in the segment behind one that was put before it, which alone says so; null if
     * that is read from its start.
     *
     * @param end the sequence with which this one ends
     */
    Cursor.Position behind(long end) {
      return resumeOffset >= SEGMENT_HEADER
          ? new Cursor.Position(number + 1, resumeOffset, end)
          : null;
    }

    /**
     * The sequence with which it ends, or -1 if that is unknown.
     *
     * @param next the header of the segment behind it, or null
     */
    long endSequence(SegmentHeader next) {
      if (events > 0) {
        return firstSequence + events;
      }
      return next != null && next.follows(this) ? next.firstSequence : -1;
    }

    /** Where it ends: the next one of its run knows, unless it was written once more since. */
    long limit(SegmentHeader next, long size) {
      return events == 0 && next != null && next.follows(this)
          ? Math.min(size, next.previousEnd)
          : size;
    }

    /**
     * The sequence from which on its records are not its own: a write that failed has left them.
     * Where some between were merged, nothing else tells.
     */
    long until(SegmentHeader next) {
      return events == 0 && next != null && next.runSequence == runSequence
          ? next.firstSequence
          : Long.MAX_VALUE;
    }

    /** Whether all of it went into the one behind it, see {@link Eviction}. */
    boolean isWithin(SegmentHeader next) {
      return next != null
          && next.tagged
          && next.events > 0
          && next.runSequence == runSequence
          && next.firstSequence <= firstSequence
          && next.firstSequence + next.events > firstSequence;
    }

    private static boolean isWhole(byte[] bytes) {
      short version = version(bytes);
      return version >= VERSION && version <= VERSION_TAGGED;
    }

    /** The format of a header of any version, or 0 if there is none that is whole. */
    private static short version(byte[] bytes) {
      ByteBuffer buffer = ByteBuffer.wrap(bytes);
      return buffer.getInt(0) == SEGMENT_MAGIC
              && buffer.getInt(SEGMENT_CRC) == crc(bytes, 0, SEGMENT_CRC)
          ? buffer.getShort(SEGMENT_VERSION)
          : 0;
    }

    /** The header, or null unless it is whole, ours, and belongs under that number. */
    static SegmentHeader decode(byte[] bytes, long fileNumber) {
      if (!isWhole(bytes)) {
        return null;
      }
      ByteBuffer buffer = ByteBuffer.wrap(bytes);
      SpillKind kind =
          switch (buffer.getShort(SEGMENT_KIND)) {
            case KIND_EVENTS -> SpillKind.EVENTS;
            case KIND_BYTES -> SpillKind.BYTES;
            default -> null;
          };
      SegmentHeader header =
          new SegmentHeader(
              kind,
              buffer.getLong(SEGMENT_SALT),
              buffer.getLong(SEGMENT_NUMBER),
              buffer.getLong(SEGMENT_SEQUENCE),
              buffer.getLong(SEGMENT_RUN),
              buffer.getLong(SEGMENT_PREVIOUS_END),
              buffer.getLong(SEGMENT_RESUME),
              buffer.getLong(SEGMENT_CREATED),
              buffer.getInt(SEGMENT_EVENTS),
              buffer.getShort(SEGMENT_VERSION) == VERSION_TAGGED);
      boolean sane =
          kind != null
              && header.number == fileNumber
              && inRange(header.firstSequence)
              && inRange(header.runSequence)
              && header.previousEnd >= 0
              && header.resumeOffset >= 0
              && header.events >= 0;
      return sane ? header : null;
    }
  }

  /**
   * A record header.
   *
   * @param length payload bytes
   * @param events events in the payload
   * @param sequence of the first of them
   * @param payloadCrc salted CRC32C of the payload
   * @param tag what the writer says of the payload, 0 if nothing; {@link #EVICTED} if the record
   *     only stands for events that made room
   */
  record RecordHeader(int length, int events, long sequence, int payloadCrc, int tag) {
    static final int EVICTED = -1;

    boolean isEvicted() {
      return tag == EVICTED;
    }

    long endSequence() {
      return sequence + events;
    }

    void encode(byte[] bytes, int at, long salt, long position) {
      ByteBuffer buffer = ByteBuffer.wrap(bytes);
      buffer.putInt(at, RECORD_MAGIC);
      buffer.putInt(at + RECORD_LENGTH, length);
      buffer.putInt(at + RECORD_EVENTS, events);
      buffer.putInt(at + RECORD_PAYLOAD_CRC, payloadCrc);
      buffer.putLong(at + RECORD_SEQUENCE, sequence);
      buffer.putInt(at + RECORD_TAG, tag);
      buffer.putInt(at + RECORD_CRC, headerCrc(bytes, at, salt, position));
    }

    /** The header at that place, or null unless its CRC proves it was written for just there. */
    static RecordHeader decode(byte[] bytes, int at, long salt, long position) {
      ByteBuffer buffer = ByteBuffer.wrap(bytes);
      if (buffer.getInt(at) != RECORD_MAGIC
          || buffer.getInt(at + RECORD_CRC) != headerCrc(bytes, at, salt, position)) {
        return null;
      }
      RecordHeader header =
          new RecordHeader(
              buffer.getInt(at + RECORD_LENGTH),
              buffer.getInt(at + RECORD_EVENTS),
              buffer.getLong(at + RECORD_SEQUENCE),
              buffer.getInt(at + RECORD_PAYLOAD_CRC),
              buffer.getInt(at + RECORD_TAG));
      boolean sane =
          header.length >= 0
              && (header.tag >= 0 || (header.isEvicted() && header.length == 0))
              && header.events >= 0
              && inRange(header.sequence)
              && inRange(header.endSequence());
      return sane ? header : null;
    }
  }

  private static boolean inRange(long number) {
    return number >= 0 && number < MAX_NUMBER;
  }

  static int payloadCrc(long salt, byte[] bytes, int offset, int length) {
    CRC32C crc = salted(salt);
    crc.update(bytes, offset, length);
    return (int) crc.getValue();
  }

  /** The position is in it too, so that a copied record is valid in no other place. */
  private static int headerCrc(byte[] bytes, int at, long salt, long position) {
    CRC32C crc = salted(salt);
    crc.update(ByteBuffer.allocate(Long.BYTES).putLong(0, position));
    crc.update(bytes, at, RECORD_CRC);
    return (int) crc.getValue();
  }

  static CRC32C salted(long salt) {
    CRC32C crc = new CRC32C();
    crc.update(ByteBuffer.allocate(Long.BYTES).putLong(0, salt));
    return crc;
  }

  static int crc(byte[] bytes, int offset, int length) {
    CRC32C crc = new CRC32C();
    crc.update(bytes, offset, length);
    return (int) crc.getValue();
  }

  /**
   * The header of a leftover; null unless it is whole, ours, and belongs under its name.
   *
   * @throws LaterFormatException if it is whole and of a later format
   */
  static SegmentHeader header(DiskFile file, SlotListing.Leftover leftover) throws IOException {
    if (leftover.measured(file).size() < SEGMENT_HEADER) {
      return null;
    }
    byte[] bytes = new byte[SEGMENT_HEADER];
    file.read(0, bytes, 0, bytes.length);
    short version = SegmentHeader.version(bytes);
    if (version > VERSION_TAGGED) {
      throw new LaterFormatException(version);
    }
    return SegmentHeader.decode(bytes, leftover.number());
  }

  /** Whether a later version wrote it; false also when it cannot be read now. */
  static boolean isLater(Disk files, SlotListing.Leftover leftover) {
    try (DiskFile file = files.openForReading(leftover.path())) {
      header(file, leftover);
      return false;
    } catch (LaterFormatException e) {
      return true;
    } catch (IOException e) {
      return false;
    }
  }

  /** Whether it has a whole header, of another number perhaps: no crash leaves that. */
  static boolean hasWholeHeader(DiskFile file, SlotListing.Leftover leftover) throws IOException {
    if (leftover.size() < SEGMENT_HEADER) {
      return false;
    }
    byte[] bytes = new byte[SEGMENT_HEADER];
    file.read(0, bytes, 0, bytes.length);
    return SegmentHeader.isWhole(bytes);
  }

  /** Null also when it cannot be read now: whoever needs it for certain opens the file itself. */
  static SegmentHeader header(Disk files, SlotListing.Leftover leftover) {
    try (DiskFile file = files.openForReading(leftover.path())) {
      return header(file, leftover);
    } catch (IOException e) {
      return null;
    }
  }

  /** Found by {@link #find}: no header, and no byte but zeros either. */
  static final long ZEROS = -2;

  /**
   * Offset of the next place in {@code [from, limit)} that holds a valid record header, as after
   * damage; -1 or {@link #ZEROS} if there is none.
   */
  static long find(DiskFile file, long salt, long from, long limit) throws IOException {
    byte[] buffer = new byte[FIRST_SEARCH_BUFFER];
    long base = from;
    boolean zeros = true;
    while (limit - base >= RECORD_HEADER) {
      int length = (int) Math.min(buffer.length, limit - base);
      file.read(base, buffer, 0, length);
      int starts = length - RECORD_HEADER + 1;
      for (int i = 0; i < starts; i++) {
        if (buffer[i] == FIRST_MAGIC_BYTE
            && RecordHeader.decode(buffer, i, salt, base + i) != null) {
          return base + i;
        }
      }
      zeros = zeros && allZero(buffer, length);
      base += starts;
      if (buffer.length < SEARCH_BUFFER) {
        buffer = new byte[2 * buffer.length];
      }
    }
    return zeros ? ZEROS : -1;
  }

  /** What a power cut leaves of bytes that never reached the disk. */
  static boolean allZero(byte[] bytes, int length) {
    for (int i = 0; i < length; i++) {
      if (bytes[i] != 0) {
        return false;
      }
    }
    return true;
  }
}
