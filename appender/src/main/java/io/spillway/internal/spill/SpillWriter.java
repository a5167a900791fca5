package io.spillway.internal.spill;

import io.spillway.internal.disk.Failures;
import io.spillway.internal.disk.SpillFiles;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;

/**
 * Appends records to the newest segment, with one write each, and begins segments. A write that
 * fails is cut off and ends its segment; it is tried once more in another one, then the spill
 * pauses for a second.
 *
 * <p>Concurrency: guarded by {@code order}.
 */
final class SpillWriter {
  private static final int BUFFER_BYTES = 66 << 10; // a full record and its header
  private static final int CHECK_BYTES = 256 << 10;
  private static final long PAUSE_NANOS = TimeUnit.SECONDS.toNanos(1);
  private static final String APPEND = "append to";

  private final SpillDirectory directory;
  private final SpillConfig config;
  private final SpillFiles files;
  private final SpillListener listener;
  private final boolean sharesDisk; // with the log
  private ByteBuffer buffer; // allocated when the first segment begins
  private Segment active; // null if none is open
  private long sequence;
  private boolean full;
  private boolean paused;
  private long pausedAt;
  private long unchecked = CHECK_BYTES; // bytes since the free space was last read

  SpillWriter(SpillDirectory directory) {
    this.directory = directory;
    config = directory.config;
    files = directory.files;
    listener = directory.listener;
    sharesDisk =
        config.log() != null
            && files.isSameStore(directory.path, config.log().toAbsolutePath().getParent());
  }

  Segment active() {
    return active;
  }

  boolean isFull() {
    return full;
  }

  /** Returns where the record is; null if it was not appended. */
  Spill.Place append(byte[] bytes, int length, int events) {
    full = false;
    if (paused && files.nanoTime() - pausedAt < PAUSE_NANOS) {
      return null;
    }
    paused = false;
    long size = (long) SegmentFormat.RECORD_BYTES + length;
    for (int attempt = 0; attempt < 2; attempt++) {
      if (active != null && !isRoomIn(active, size)) {
        seal();
      }
      long added =
          active != null ? size : size + SegmentFormat.HEADER_BYTES + SegmentFormat.RECORD_BYTES;
      if (directory.occupied.get() + added > config.maxBytes()) {
        full = true;
        return null;
      }
      if (isReserved(size)) {
        pause();
        return null;
      }
      Path path = directory.path;
      try {
        if (active == null) {
          begin();
        }
        path = active.path;
        Spill.Place place = write(bytes, length, events);
        listener.succeeded(APPEND);
        return place;
      } catch (IOException e) {
        listener.failed(APPEND, path, e);
        if (Failures.isNoRoom(e, path)) {
          break; // the log goes first
        }
      }
    }
    pause();
    return null;
  }

  private boolean isRoomIn(Segment segment, long size) {
    return !segment.doubtful
        && (segment.end + size <= config.segmentBytes()
            || segment.end == SegmentFormat.HEADER_BYTES);
  }

  private void pause() {
    paused = true;
    pausedAt = files.nanoTime();
  }

  /** Returns whether what is left on the disk is for the log. */
  private boolean isReserved(long size) {
    unchecked += size;
    if (!sharesDisk || unchecked < CHECK_BYTES) {
      return false;
    }
    if (files.usableSpace(directory.path) - size < SpillConfig.RESERVE_BYTES) {
      String why = "no space left but the 16 MB that are kept free for the log";
      listener.failed(APPEND, directory.path, new IOException(why));
      return true;
    }
    unchecked = 0;
    return false;
  }

  private void begin() throws IOException {
    if (buffer == null) {
      buffer = ByteBuffer.allocateDirect(BUFFER_BYTES);
    }
    active = Segment.create(files, directory.nextName(), directory.run(), sequence, buffer);
    directory.number++;
    directory.occupied.addAndGet(active.bytes());
  }

  private Spill.Place write(byte[] bytes, int length, int events) throws IOException {
    Segment to = active;
    long offset = to.end;
    try {
      SpillFiles.OpenFile file = to.acquire(Segment.User.WRITER);
      buffer.clear();
      SegmentFormat.putRecord(
          buffer, to.salt, length, events, sequence, SegmentFormat.crc(bytes, length));
      int done = 0;
      for (long position = offset; done < length || position == offset; buffer.clear()) {
        int part = Math.min(length - done, buffer.remaining());
        buffer.put(bytes, done, part).flip();
        int count = buffer.remaining();
        file.write(buffer, position);
        position += count;
        done += part;
      }
    } catch (Throwable t) {
      cutBack();
      throw t;
    }
    long size = (long) SegmentFormat.RECORD_BYTES + length;
    Spill.Place place = new Spill.Place(to, offset, sequence);
    place.length = length;
    place.events = events;
    sequence += events;
    to.events += events;
    to.end = offset + size;
    directory.occupied.addAndGet(size);
    return place;
  }

  /** A torn record must not stay: what is appended next has its sequence. */
  private void cutBack() {
    Segment torn = active;
    if (torn.end == SegmentFormat.HEADER_BYTES) {
      discard();
      directory.remove(torn);
      return;
    }
    try {
      torn.acquire(Segment.User.WRITER).truncate(torn.end);
    } catch (IOException e) {
      listener.failed("cut", torn.path, e); // the seal goes over it
    }
    seal();
  }

  /** Ends the segment. Without its seal it can still be read. */
  void seal() {
    Segment ended = active;
    active = null;
    if (ended == null) {
      return;
    }
    try {
      buffer.clear();
      SegmentFormat.putSeal(
          buffer, ended.salt, (int) ended.events, ended.firstSequence + ended.events);
      ended.acquire(Segment.User.WRITER).write(buffer.flip(), ended.end);
    } catch (IOException e) {
      listener.failed("seal", ended.path, e);
    }
    ended.sealed = true;
    try {
      if (directory.files.exists(ended.path)) { // else only the open file has what is in it
        ended.release(Segment.User.WRITER);
      }
    } catch (IOException e) {
      listener.failed("close", ended.path, e);
    }
  }

  /** Ends the segment, which is to be deleted. */
  void discard() {
    active.sealed = true;
    active = null;
  }
}
