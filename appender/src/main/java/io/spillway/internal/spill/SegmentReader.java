package io.spillway.internal.spill;

import io.spillway.internal.disk.DiskFile;
import io.spillway.internal.spill.SegmentFormat.RecordHeader;
import io.spillway.internal.spill.SegmentFormat.SegmentHeader;
import java.io.EOFException;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.zip.CRC32C;

/**
 * Reads the records of one segment and steps over damage. Used by a single thread: the reader, the
 * writer during an eviction, or that of an inspection.
 *
 * <p>A header is trusted when its salted CRC matches, and a payload is allocated only when the rest
 * of the file can hold it. Loss is counted from the sequence gap before the next good record, or,
 * at the end, from what is known of the end. The amount of reading is limited by the size of the
 * file alone, even if an attacker wrote the file: with a known salt, many headers can claim the
 * same bytes.
 */
final class SegmentReader {

  /** Limit of one search in a leftover; no segment is as long, unless it is a single record. */
  private static final long MAX_GAP = 64L << 20;

  /** A longer payload is allocated only after its CRC was found to match. */
  private static final int LARGE = 1 << 20;

  private static final int BUFFER = 1 << 16;

  /** A leftover holds more bytes without a record than any segment has; its rest can wait. */
  static final class GapException extends IOException {
    private static final long serialVersionUID = 1;

    private final long position;

    private GapException(long position) {
      super("no record in sight; the rest of the file is looked at later");
      this.position = position;
    }

    /** Returns the offset up to which the file was searched. */
    long position() {
      return position;
    }
  }

  final long number;
  final Path path;
  final SpillSlot slot;
  final DiskFile file;
  final long salt;
  final long firstSequence;
  final long leftoverSize; // when listed; 0 for a segment of this run
  final LiveSegment live; // null for a leftover

  private final SpillListener listener;
  private final SegmentHeader own; // null for a segment of this run
  private final byte[] header = new byte[SegmentFormat.RECORD_HEADER];

  private long limit;
  private long endSequence = -1;
  private long until = Long.MAX_VALUE; // sequences of its records are lower
  private long position;
  private long expected;
  private long partlyDelivered; // offset of the only record that may be partly delivered
  private long readableEnd;
  private long goodEnd;
  private boolean ended;
  private boolean damaged;
  private boolean unknownTail;
  private boolean ofThisRun;
  private boolean aside;
  private long evictedEvents; // of the records passed so far
  private long readAgain; // bytes of damaged records that were searched for others as well

  /** The offset up to which the segment is delivered or lost. */
  long settledOffset;

  long settledSequence;
  long settledEvicted; // evicted events up to there
  int outstanding; // records read and not delivered

  /** Reads a segment of this run; the file is null if it is gone or not to be read. */
  SegmentReader(SpillSlot slot, LiveSegment live, DiskFile file, SpillListener listener) {
    this.slot = slot;
    this.live = live;
    this.number = live.number;
    this.path = live.path;
    this.file = file;
    this.salt = live.salt;
    this.leftoverSize = 0;
    this.firstSequence = live.firstSequence;
    this.listener = listener;
    this.own = null;
    this.ofThisRun = true;
    startAt(SegmentFormat.SEGMENT_HEADER, firstSequence);
  }

  /** Reads a leftover or a file set aside; {@link #endsBefore} says where it ends. */
  SegmentReader(
      SpillSlot slot,
      SlotListing.Leftover leftover,
      DiskFile file,
      SegmentHeader header,
      SpillListener listener) {
    this.slot = slot;
    this.live = null;
    this.number = leftover.number();
    this.path = leftover.path();
    this.file = file;
    this.salt = header.salt();
    this.leftoverSize = leftover.size();
    this.firstSequence = header.firstSequence();
    this.own = header;
    this.ended = true;
    this.listener = listener;
    endsBefore(null);
    startAt(SegmentFormat.SEGMENT_HEADER, firstSequence);
  }

  /**
   * Takes the end of a leftover from the header of the segment behind it; null if there is none.
   */
  void endsBefore(SegmentHeader behind) {
    limit = own.limit(behind, leftoverSize);
    endSequence = own.endSequence(behind);
    until = own.until(behind);
  }

  /** Returns a record that was never written, as if it had been read from an empty segment. */
  static SpillRecord rehearse(Spill.Payload payload) {
    SegmentHeader none = new SegmentHeader(SpillKind.BYTES, 0, 0, 0, 0, 0, 0, 0, 0, true);
    SlotListing.Leftover empty = new SlotListing.Leftover(null, 0, 0);
    SegmentReader reader = new SegmentReader(null, empty, null, none, null);
    byte[] bytes =
        Arrays.copyOfRange(payload.bytes(), payload.offset(), payload.offset() + payload.length());
    byte[] header = new byte[SegmentFormat.RECORD_HEADER];
    new RecordHeader(bytes.length, payload.events(), 0, 0, payload.tag()).encode(header, 0, 0, 0);
    return new SpillRecord(bytes, RecordHeader.decode(header, 0, 0, 0), 0, reader, 0);
  }

  void startAt(long offset, long sequence) {
    position = offset;
    partlyDelivered = offset;
    expected = sequence;
    readableEnd = sequence;
    goodEnd = offset;
    settledOffset = offset;
    settledSequence = sequence;
    settledEvicted = evictedEvents;
  }

  /** Goes back to the start of the last record, of which some events are delivered. */
  void stepBack(SpillRecord record, int delivered) {
    position = record.startOffset();
    partlyDelivered = position;
    expected = record.sequence() + delivered;
  }

  /** Steps over an unread record. If not intact, it counts as lost with the next intact one. */
  void stepOver(RecordHeader record, boolean intact) {
    position += SegmentFormat.RECORD_HEADER + (long) record.length();
    long next = record.sequence() + record.events();
    readableEnd = Math.max(readableEnd, next);
    if (intact) {
      long missing = record.sequence() - expected;
      expected = next; // first: the listener may throw, and a record set aside is not lost
      if (missing > 0) {
        reportLost(missing, "damaged records");
      }
    }
  }

  /** Returns the record header at an offset, or null if there is none. */
  RecordHeader headerAt(long offset) throws IOException {
    file.read(offset, header, 0, header.length);
    return RecordHeader.decode(header, 0, salt, offset);
  }

  boolean isOfThisRun() {
    return ofThisRun;
  }

  void ofThisRun(boolean is) {
    ofThisRun = is;
  }

  /** Marks the segment as damaged, so that its file is kept. */
  void damage() {
    damaged = true;
  }

  /** Sets the sequence with which the segment ends. */
  void endsAt(long sequence) {
    endSequence = sequence;
  }

  /** Returns whether the end is known: from its header, the next segment or a file name. */
  boolean knowsEnd() {
    return endSequence >= 0;
  }

  /** Returns the known sequence of the end, or the one up to which it is read if that is higher. */
  long end() {
    return Math.max(endSequence, expected);
  }

  long limit() {
    return limit;
  }

  long position() {
    return position;
  }

  long expected() {
    return expected;
  }

  /** Returns where reading resumes in the segment behind it, see {@link SegmentHeader#behind}. */
  Cursor.Position behind() {
    return own == null ? null : own.behind(end());
  }

  boolean isDamaged() {
    return damaged;
  }

  /** Returns whether no record will come after {@link #position}. */
  boolean isFinished() {
    refresh();
    return ended && position >= limit;
  }

  /** Reads the seal before the mark: a mark that is read after the seal is the last one. */
  private LiveSegment.Mark refresh() {
    if (live == null) {
      return null;
    }
    ended = live.isSealed();
    LiveSegment.Mark mark = live.mark();
    limit = mark.offset();
    return mark;
  }

  /** Returns the next good record, or null when there is none up to now. */
  SpillRecord next() throws IOException {
    LiveSegment.Mark mark = refresh();
    SpillRecord record = null;
    try {
      record = scan();
    } catch (EOFException e) {
      position = limit; // the file was truncated: its rest is gone
      unknownTail = true;
    }
    if (record == null && mark != null && expected < mark.sequence()) {
      long evicted = Math.min(evictedAhead(), mark.sequence() - expected); // counted already
      evictedEvents += evicted;
      expected += evicted;
      if (expected < mark.sequence()) {
        lost(mark.sequence(), "damaged while in use");
      }
    }
    return record;
  }

  private SpillRecord scan() throws IOException {
    // Not "less than": a wrong number of events in one record must not hide later ones.
    while (limit - position >= SegmentFormat.RECORD_HEADER && expected != until) {
      file.read(position, header, 0, header.length);
      RecordHeader record = RecordHeader.decode(header, 0, salt, position);
      if (record == null || record.sequence() < firstSequence) { // no header, or of another segment
        long found = find(position + 1);
        unknownTail |= found < 0 && isDamage(found);
        position = found < 0 ? limit : found;
        continue;
      }
      if (record.sequence() >= until) {
        break;
      }
      long start = position + SegmentFormat.RECORD_HEADER;
      long end = start + record.length();
      byte[] payload = end > limit ? null : payload(start, record);
      if (payload == null) {
        long found = find(start, end);
        if (end > limit && found < 0) {
          readableEnd = Math.max(readableEnd, record.sequence()); // earlier ones were written
          break; // the end of the file cuts it off
        }
        readableEnd = Math.max(readableEnd, record.endSequence());
        if (found >= 0 && end <= limit) {
          readAgain += end - found;
        }
        position = found < 0 ? end : found;
        continue;
      }
      unknownTail = false; // its sequence shows what was skipped
      if (record.sequence() > expected) {
        lost(record.sequence(), "damaged records");
      }
      if (record.isEvicted()) { // its events are counted already
        evictedEvents += Math.max(0, record.endSequence() - expected);
        expected = Math.max(expected, record.endSequence());
        position = end;
        goodEnd = end;
        continue;
      }
      long delivered = position == partlyDelivered ? expected - record.sequence() : 0;
      int skip = delivered <= record.events() ? (int) delivered : 0; // else of another record
      SpillRecord read = new SpillRecord(payload, record, skip, this, end);
      expected = record.endSequence();
      position = end;
      goodEnd = end;
      return read;
    }
    if (ended) {
      position = limit;
    }
    return null;
  }

  /** Returns whether the searched bytes, including the last header read, are more than zeros. */
  private boolean isDamage(long found) {
    return found != SegmentFormat.ZEROS || !SegmentFormat.allZero(header, header.length);
  }

  /** Returns the payload, or null if its CRC does not match. */
  private byte[] payload(long start, RecordHeader record) throws IOException {
    int length = record.length();
    if (length > LARGE && crc(start, length) != record.payloadCrc()) {
      return null;
    }
    byte[] payload = new byte[length];
    file.read(start, payload, 0, length);
    return SegmentFormat.payloadCrc(salt, payload, 0, length) == record.payloadCrc()
        ? payload
        : null;
  }

  private int crc(long start, int length) throws IOException {
    byte[] buffer = new byte[BUFFER];
    CRC32C crc = SegmentFormat.salted(salt);
    for (long done = 0; done < length; done += buffer.length) {
      int chunk = (int) Math.min(buffer.length, length - done);
      file.read(start + done, buffer, 0, chunk);
      crc.update(buffer, 0, chunk);
    }
    return (int) crc.getValue();
  }

  /**
   * Finds a record that begins inside a damaged one, whose stated length is wrong then. No writer
   * leaves more bytes of this kind than the file has; beyond that, records inside damaged ones stay
   * unread.
   */
  private long find(long from, long to) throws IOException {
    if (to > limit) {
      return find(from);
    }
    if (readAgain > Math.min(limit, MAX_GAP)) {
      unknownTail = true;
      return -1;
    }
    return to - from > MAX_GAP
        ? -1
        : SegmentFormat.find(
            file, salt, from, Math.min(limit, to + SegmentFormat.RECORD_HEADER - 1));
  }

  private long find(long from) throws IOException {
    long end = live == null ? Math.min(limit, from + MAX_GAP) : limit;
    long found = SegmentFormat.find(file, salt, from, end);
    if (found < 0 && end < limit) {
      unknownTail = isDamage(found);
      throw new GapException(end - SegmentFormat.RECORD_HEADER + 1);
    }
    return found;
  }

  private void lost(long untilSequence, String why) {
    long events = untilSequence - expected;
    expected = untilSequence;
    reportLost(events, why);
  }

  private void reportLost(long events, String why) {
    damaged = true;
    listener.recordsLost(events, path, why, !ofThisRun);
  }

  /**
   * Counts the events missing at the end. An incomplete record at the end, after a crash, counts as
   * nothing.
   *
   * @return true when events are missing and their number is unknown
   */
  boolean finish() {
    long end = endSequence >= 0 ? endSequence : readableEnd;
    if (end > expected) {
      lost(end, "damaged records at the end");
    }
    boolean unknown = unknownTail && endSequence < 0 && live == null;
    damaged |= unknown;
    return unknown;
  }

  /** Returns whether bytes follow the last record of a leftover that lacks no record. */
  boolean hasMore() {
    return live == null && unknownTail && !damaged;
  }

  /** Returns the end of the last good record. */
  long goodEnd() {
    return goodEnd;
  }

  /**
   * Counts the events missing up to the place from which another reader reads the rest.
   *
   * @return true when events are missing and their number is unknown
   */
  boolean leave() {
    if (readableEnd > expected) {
      lost(readableEnd, "damaged records");
    }
    boolean unknown = unknownTail && endSequence < 0;
    unknownTail = false;
    return unknown;
  }

  /** Returns how many events wait in the rest of a segment of this run, without evicted ones. */
  long restEvents() {
    return Math.max(0, live.mark().sequence() - expected - evictedAhead());
  }

  /** Returns how many evicted events were passed. */
  long evictedEvents() {
    return evictedEvents;
  }

  /** Returns how many events of a segment of this run are not settled, without evicted ones. */
  long waitingEvents() {
    long evicted = Math.max(0, live.evictedEvents() - settledEvicted);
    return Math.max(0, live.mark().sequence() - settledSequence - evicted);
  }

  private long evictedAhead() {
    return Math.max(0, live.evictedEvents() - evictedEvents);
  }

  private void passRest() {
    LiveSegment.Mark mark = refresh();
    evictedEvents += evictedAhead();
    position = mark.offset();
    expected = mark.sequence();
  }

  /** Notes that another reader has the rest of the segment, and the file. */
  void setAside() {
    aside = true;
    passRest();
  }

  boolean isSetAside() {
    return aside;
  }

  /** Counts the rest of a segment of this run, whose file is gone, as lost. */
  void abandon() {
    long events = restEvents();
    passRest();
    damaged = true;
    if (events > 0) {
      listener.recordsLost(events, path, "unreadable", false);
    }
  }
}
