package io.spillway.internal.spill;

import io.spillway.internal.disk.Disk;
import io.spillway.internal.disk.DiskFile;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.zip.CRC32C;

/** The layout drawn in the package description: constants, encoding, validation. Stateless. */
final class SegmentFormat {

  /** Format version of the cursor, and of segments whose records have no tags. */
  static final short VERSION = 1;

  /** Format version of segments whose records may have tags, or stand for evicted events. */
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

  /**
   * Highest segment number of a usable leftover: runs that begin above it have room for all their
   * segments, and for the ends of these.
   */
  static final long MAX_OLD_NUMBER = MAX_NUMBER - (1L << 40);

  /**
   * Distance between the sequences of two runs, so that a run need not scan what the last one left.
   * No segment has as many events: a segment is closed at a quarter of them.
   */
  static final long RUN_SEQUENCE_GAP = 1L << 34;

  static final long MAX_SEGMENT_EVENTS = RUN_SEQUENCE_GAP >>> 2;

  /** Distance of segment numbers: 15 stay free before each, for records that must precede it. */
  static final int NUMBER_STEP = 16;

  /**
   * Segment numbers per millisecond: in a directory without segments they begin with the time in
   * these units. A disk would have to begin 64 segments per millisecond to overtake it.
   */
  static final int NUMBERS_PER_MILLI = 64 * NUMBER_STEP;

  /** First buffer of {@link #find}; small, because the next header may be near. */
  private static final int FIRST_SEARCH_BUFFER = 1 << 8;

  private static final int SEARCH_BUFFER = 1 << 16;
  private static final byte FIRST_MAGIC_BYTE = (byte) (RECORD_MAGIC >>> 24);

  /** A later version of Spillway wrote the file: this version must neither read nor change it. */
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
   * @param salt random, unknown to the authors of log messages
   * @param number as in the file name
   * @param firstSequence sequence of the first event
   * @param runSequence sequence of the first event of the run: gaps before it are no loss
   * @param previousEnd good length of the previous segment of this run, 0 for the first
   * @param resumeOffset where reading resumes in the segment of the next number, 0 for its start
   * @param createdMillis wall clock, for information only
   * @param events the number of events in the segment, 0 if unknown when it was begun
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

    /** Returns whether {@code previous} is of the same run and ends where this header states. */
    boolean follows(SegmentHeader previous) {
      return runSequence == previous.runSequence
          && number - previous.number == NUMBER_STEP
          && previousEnd >= SEGMENT_HEADER;
    }

    /**
     * Returns where reading resumes in the segment that this one was prepended to, which is stated
     * only here; null if that segment is read from its start.
     *
     * @param end the sequence with which this segment ends
     */
    Cursor.Position behind(long end) {
      return resumeOffset >= SEGMENT_HEADER
          ? new Cursor.Position(number + 1, resumeOffset, end)
          : null;
    }

    /**
     * Returns the sequence with which this segment ends, or -1 if that is unknown.
     *
     * @param next the header of the segment behind it, or null
     */
    long endSequence(SegmentHeader next) {
      if (events > 0) {
        return firstSequence + events;
      }
      return next != null && next.follows(this) ? next.firstSequence : -1;
    }

    /**
     * Returns the offset where this segment ends: the next header of its run states it, unless this
     * segment has been rewritten since.
     */
    long limit(SegmentHeader next, long size) {
      return events == 0 && next != null && next.follows(this)
          ? Math.min(size, next.previousEnd)
          : size;
    }

    /**
     * Returns the sequence from which on records in the file are not part of this segment: a failed
     * write left them. After a merge of the segments behind it nothing else shows that.
     */
    long until(SegmentHeader next) {
      return events == 0 && next != null && next.runSequence == runSequence
          ? next.firstSequence
          : Long.MAX_VALUE;
    }

    /** Returns whether all of this segment is part of the next one, see {@link Eviction}. */
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

    /** Returns the format of a header of any version, or 0 if there is no intact one. */
    private static short version(byte[] bytes) {
      ByteBuffer buffer = ByteBuffer.wrap(bytes);
      return buffer.getInt(0) == SEGMENT_MAGIC
              && buffer.getInt(SEGMENT_CRC) == crc(bytes, 0, SEGMENT_CRC)
          ? buffer.getShort(SEGMENT_VERSION)
          : 0;
    }

    /** Returns the header; null unless it is intact, of a known format and of that number. */
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
   * @param events number of events in the payload
   * @param sequence sequence of the first event
   * @param payloadCrc salted CRC32C of the payload
   * @param tag what the writer states of the payload, 0 if nothing; {@link #EVICTED} if the record
   *     only stands for evicted events
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

    /** Returns the header; null unless its CRC proves that it was written for this position. */
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

  /** Includes the position in the CRC: a copied record is valid in no other place. */
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
   * Returns the header of a leftover; null unless it is intact, of a known format, and of the
   * number in the file name.
   *
   * @throws LaterFormatException if it is intact and of a later format
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

  /** Returns whether a later version wrote the leftover; false also when it cannot be read now. */
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

  /** Returns whether the header is intact, for any number; a crash leaves no other number. */
  static boolean hasWholeHeader(DiskFile file, SlotListing.Leftover leftover) throws IOException {
    if (leftover.size() < SEGMENT_HEADER) {
      return false;
    }
    byte[] bytes = new byte[SEGMENT_HEADER];
    file.read(0, bytes, 0, bytes.length);
    return SegmentHeader.isWhole(bytes);
  }

  /**
   * Returns the header of a leftover; null also when the file cannot be read now. A caller that
   * must know the difference opens the file itself.
   */
  static SegmentHeader header(Disk files, SlotListing.Leftover leftover) {
    try (DiskFile file = files.openForReading(leftover.path())) {
      return header(file, leftover);
    } catch (IOException e) {
      return null;
    }
  }

  /** Result of {@link #find}: there is no header, and all bytes are zeros. */
  static final long ZEROS = -2;

  /**
   * Returns the offset of the next place in {@code [from, limit)} that holds a valid record header,
   * to continue after damage; -1 or {@link #ZEROS} if there is none.
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

  /** Returns whether all bytes are zeros, as a power cut leaves those not yet on the disk. */
  static boolean allZero(byte[] bytes, int length) {
    for (int i = 0; i < length; i++) {
      if (bytes[i] != 0) {
        return false;
      }
    }
    return true;
  }
}
