package io.spillway.internal.spill;

import io.spillway.internal.disk.SpillFiles;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.Set;

/**
 * One file of the spill: where it ends, how much of it is delivered, and who has it open.
 *
 * <p>Concurrency: plain fields are guarded by {@code order}. {@code events} and {@code end} are
 * stored after the write that they cover: records below {@code end} are whole, and the syncer
 * forces at least the events that it has read. The handle has a monitor, held to open and close
 * alone.
 */
final class Segment {
  /** Who has the file open; it is closed when no user has. */
  enum User {
    WRITER,
    READER,
    MARKER,
    SYNCER
  }

  private static final String BAD_HEADER = "bad segment header";

  /** A position up to which everything is delivered. */
  record Mark(Segment segment, long offset, int delivered, long before) {}

  final Path path;
  final long firstSequence;
  final long created;
  final int salt;
  final boolean leftover;

  volatile long end = SegmentFormat.HEADER_BYTES; // behind the last whole record
  volatile long events; // up to there
  volatile boolean sealed; // nothing is appended any more

  /** A force has failed: what it covered may be gone, though another force would succeed. */
  volatile boolean doubtful;

  // The mark: offset of the next record, events of it that are delivered, events before it.
  long offset = SegmentFormat.HEADER_BYTES;
  int delivered;
  long before;

  boolean damaged; // a copy is kept when it is delivered
  String damage; // what is wrong at its header or behind its end; null: nothing
  long missing; // events behind its end, told by the next segment, or 1

  long forced; // events; by the syncer

  private final SpillFiles files;
  private SpillFiles.OpenFile file;
  private final Set<User> users = EnumSet.noneOf(User.class);
  private boolean closed;

  private Segment(SpillFiles files, Path path, ByteBuffer header, boolean leftover) {
    this.files = files;
    this.path = path;
    this.leftover = leftover;
    salt = header.getInt(SegmentFormat.SALT_AT);
    firstSequence = header.getLong(SegmentFormat.FIRST_AT);
    created = header.getLong(SegmentFormat.CREATED_AT);
  }

  /** Creates the file with its header; the writer has it open. */
  static Segment create(
      SpillFiles files, Path path, long run, long firstSequence, ByteBuffer buffer)
      throws IOException {
    SpillFiles.OpenFile file = files.create(path);
    try {
      buffer.clear();
      SegmentFormat.putHeader(buffer, run, firstSequence, files.currentTimeMillis());
      Segment created = new Segment(files, path, buffer, false);
      file.write(buffer.flip(), 0);
      created.file = file;
      created.users.add(User.WRITER);
      return created;
    } catch (Throwable t) {
      file.close();
      files.delete(path);
      throw t;
    }
  }

  /**
   * Reads header, mark and seal of a leftover; without a seal all record headers up to the limit,
   * the sequence at which the next segment begins, or -1. Returns null for another version.
   */
  static Segment load(SpillFiles files, Path path, long size, long limit) throws IOException {
    ByteBuffer header = ByteBuffer.allocateDirect(SegmentFormat.HEADER_BYTES);
    SpillReader.Window window = new SpillReader.Window(SpillReader.SCAN_BYTES);
    try (SpillFiles.OpenFile file = files.openToRead(path)) {
      window.use(file);
      boolean whole =
          file.read(header, 0) == SegmentFormat.HEADER_BYTES && SegmentFormat.isHeader(header);
      if (whole && header.getInt(SegmentFormat.VERSION_AT) != SegmentFormat.VERSION) {
        return null;
      }
      Segment loaded = new Segment(files, path, header, true);
      loaded.sealed = true;
      if (!whole) {
        loaded.damage = BAD_HEADER;
        loaded.missing = 1;
        return loaded;
      }
      if (!loaded.isEndedBySeal(window, size)) {
        loaded.scan(window, size, limit);
      }
      loaded.takeMark(header);
      return loaded;
    }
  }

  private boolean isEndedBySeal(SpillReader.Window window, long size) throws IOException {
    long at = size - SegmentFormat.RECORD_BYTES;
    int seal =
        at < SegmentFormat.HEADER_BYTES ? -1 : window.at(at, SegmentFormat.RECORD_BYTES, size);
    if (seal < 0 || !SegmentFormat.isSeal(window.buffer, seal, salt, firstSequence)) {
      return false;
    }
    events = SegmentFormat.events(window.buffer, seal);
    end = at;
    return true;
  }

  /** Returns where the segment before ends; -1 if the header does not tell. */
  long begin() {
    return BAD_HEADER.equals(damage) ? -1 : firstSequence;
  }

  /** Goes from header to header up to an end that is torn, damaged, or a seal with more behind. */
  private void scan(SpillReader.Window window, long size, long limit) throws IOException {
    long position = SegmentFormat.HEADER_BYTES;
    long sequence = firstSequence;
    String found = null;
    while (limit < 0 || sequence < limit) {
      int at = window.at(position, SegmentFormat.RECORD_BYTES, size);
      if (at < 0 || SegmentFormat.isSeal(window.buffer, at, salt, firstSequence)) {
        break;
      }
      if (!SegmentFormat.isRecord(window.buffer, at, salt, sequence)) {
        boolean seal = size - position == SegmentFormat.RECORD_BYTES;
        found = isZero(window, position, size) ? null : seal ? "bad seal" : "bad record header";
        missing = found == null || seal ? 0 : 1;
        break;
      }
      long next = position + SegmentFormat.RECORD_BYTES + SegmentFormat.length(window.buffer, at);
      if (next > size) {
        break; // torn
      }
      position = next;
      sequence += SegmentFormat.events(window.buffer, at);
    }
    end = position;
    events = sequence - firstSequence;
    if (limit > sequence) {
      missing = limit - sequence;
      found = found == null ? "cut off" : found;
    } else if (limit >= 0) {
      missing = 0;
    }
    damage = found;
  }

  private static boolean isZero(SpillReader.Window window, long from, long size)
      throws IOException {
    for (long position = from; position < size; position++) {
      int at = window.at(position, 1, size);
      if (at < 0 || window.buffer.get(at) != 0) {
        return at < 0;
      }
    }
    return true;
  }

  private void takeMark(ByteBuffer header) {
    long marked = Integer.toUnsignedLong(header.getInt(SegmentFormat.MARK_AT));
    int passed = header.getInt(SegmentFormat.MARK_BEFORE_AT);
    if (SegmentFormat.isMark(header) && marked <= end && passed <= events) {
      offset = Math.max(SegmentFormat.HEADER_BYTES, marked);
      delivered = header.getInt(SegmentFormat.MARK_DELIVERED_AT);
      before = passed;
    }
  }

  boolean isDelivered() {
    return offset >= end;
  }

  long undeliveredEvents() {
    return Math.max(0, events - before - delivered);
  }

  long undeliveredBytes() {
    return end - offset;
  }

  /** What it takes of the cap: the seal is reserved. */
  long bytes() {
    return end + SegmentFormat.RECORD_BYTES;
  }

  Mark mark() {
    return new Mark(this, offset, delivered, before);
  }

  /** Goes on behind the next record. */
  void advance(long bytes, int passed) {
    offset += bytes;
    before += passed;
    delivered = 0;
  }

  /** Returns the file, which stays open until this user releases it. */
  synchronized SpillFiles.OpenFile acquire(User user) throws IOException {
    if (closed) {
      throw new ClosedChannelException();
    }
    if (file == null) {
      file = files.open(path);
    }
    users.add(user);
    return file;
  }

  synchronized void release(User user) throws IOException {
    users.remove(user);
    if (users.isEmpty()) {
      closeFile();
    }
  }

  /** Closes the file for all users; a user in an operation gets an exception. */
  synchronized void close() throws IOException {
    closed = true;
    closeFile();
  }

  synchronized boolean isClosed() {
    return closed;
  }

  private void closeFile() throws IOException {
    if (file != null) {
      SpillFiles.OpenFile open = file;
      file = null;
      open.close();
    }
  }

  /** Writes the mark in place. */
  void write(Mark mark, ByteBuffer buffer) throws IOException {
    SpillFiles.OpenFile to = acquire(User.MARKER);
    try {
      buffer.clear();
      SegmentFormat.putMark(buffer, mark.offset, mark.delivered, mark.before);
      to.write(buffer.flip(), SegmentFormat.MARK_AT);
    } finally {
      release(User.MARKER);
    }
  }
}
