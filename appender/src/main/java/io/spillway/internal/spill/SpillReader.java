package io.spillway.internal.spill;

import io.spillway.internal.disk.Failures;
import io.spillway.internal.disk.SpillFiles;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.TimeUnit;

/**
 * Reads records back, without {@code order}: from the {@link Tee} if they were appended a moment
 * ago, else from the file, some 260 KB ahead into one buffer.
 *
 * <p>Concurrency: used by the deliverer alone; the tee has a monitor.
 */
final class SpillReader {
  static final int SCAN_BYTES = 8 << 10;
  private static final int WINDOW_BYTES = 260 << 10; // four full records and their headers
  private static final int KEPT_BYTES = 1 << 20;
  private static final int FIRST_BYTES = 64 << 10;
  private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(10);
  private static final String READ = "read";

  /** A part of a file in memory. */
  static final class Window {
    final ByteBuffer buffer;
    private SpillFiles.OpenFile file;
    private long start;

    Window(int bytes) {
      buffer = ByteBuffer.allocateDirect(bytes).limit(0);
    }

    void use(SpillFiles.OpenFile next) {
      file = next;
      buffer.limit(0);
    }

    /**
     * Returns the index in the buffer of a range of the file, -1 if the file is shorter. Nothing
     * from {@code end} on is kept: it may be in the middle of a write.
     */
    int at(long offset, int count, long end) throws IOException {
      if (offset < start || offset + count > start + buffer.limit()) {
        start = offset;
        buffer.clear().limit((int) Math.max(0, Math.min(buffer.capacity(), end - offset)));
        int read = 0;
        try {
          read = file.read(buffer, offset);
        } finally {
          buffer.limit(read).position(0);
        }
        if (read < count) {
          return -1;
        }
      }
      return (int) (offset - start);
    }
  }

  /** Copies of the last payloads: with {@code spillMode=ALWAYS} no record is read from its file. */
  static final class Tee {
    static final int BYTES = 256 << 10;
    private static final int OBJECT_BYTES = 64; // a small payload takes more than its bytes
    private static final byte[] NONE = {};

    private record Copy(Spill.Place place, byte[] bytes) {}

    private final Deque<Copy> copies = new ArrayDeque<>();
    private int held;
    private byte[] spare = NONE;

    synchronized void put(Spill.Place place, byte[] bytes, int length) {
      int more = length + OBJECT_BYTES;
      while (!copies.isEmpty() && held + more > BYTES) {
        drop();
      }
      if (more <= BYTES) {
        byte[] copy =
            length <= spare.length && spare.length <= 2 * length ? spare : new byte[length];
        spare = NONE;
        System.arraycopy(bytes, 0, copy, 0, length);
        copies.add(new Copy(place, copy));
        held += copy.length + OBJECT_BYTES;
      }
    }

    /** Reads that payload, which stays, as the deliverer may read it again; forgets older ones. */
    synchronized boolean read(Spill.Place place, Spill.Payload into) {
      while (!copies.isEmpty()) {
        Spill.Place oldest = copies.peek().place;
        if (oldest.segment == place.segment && oldest.offset == place.offset) {
          place.length = oldest.length;
          place.events = oldest.events;
          room(into, oldest.length);
          System.arraycopy(copies.peek().bytes, 0, into.bytes, 0, oldest.length);
          return true;
        }
        if (place.segment.leftover || oldest.sequence > place.sequence) {
          return false;
        }
        drop();
      }
      return false;
    }

    private void drop() {
      spare = copies.remove().bytes; // for the next one: new arrays would cost a tenth
      held -= spare.length + OBJECT_BYTES;
    }
  }

  private final SpillFiles files;
  private final SpillListener listener;
  private final Tee tee;
  private Window window; // allocated when it is first used
  private Segment current;
  private Spill.Place failing;
  private long failingSince;

  SpillReader(SpillFiles files, SpillListener listener, Tee tee) {
    this.files = files;
    this.listener = listener;
    this.tee = tee;
  }

  private static void room(Spill.Payload into, int length) {
    if (into.bytes.length < length) {
      into.bytes = new byte[Math.max(FIRST_BYTES, length)];
    } else if (into.bytes.length > KEPT_BYTES && length <= FIRST_BYTES) {
      into.bytes = new byte[FIRST_BYTES]; // one large record must not stay in the heap
    }
  }

  Spill.Outcome read(Spill.Place place, Spill.Payload into) {
    if (!tee.read(place, into)) {
      try {
        place.damage = readFile(place, into);
        if (place.damage != null) {
          return Spill.Outcome.DAMAGED;
        }
        failing = null;
        listener.succeeded(READ);
      } catch (IOException e) {
        return failed(place, e);
      }
    }
    into.length = place.length;
    into.events = place.events;
    into.done = Math.min(place.delivered, place.events);
    into.leftover = place.segment.leftover;
    return Spill.Outcome.OK;
  }

  private Spill.Outcome failed(Spill.Place place, IOException e) {
    Path path = place.segment.path;
    if (place.segment.isClosed()) {
      return Spill.Outcome.FAILED; // the spill is closed, or the segment dropped
    }
    current = null; // opened again next time
    if (Failures.isGone(e)) {
      place.damage = "the file was removed";
      place.rest = true;
      return Spill.Outcome.DAMAGED;
    }
    listener.failed(READ, path, e);
    if (failing != place) {
      failing = place;
      failingSince = files.nanoTime();
    }
    place.unreadable = files.nanoTime() - failingSince >= PATIENCE_NANOS;
    place.damage = Failures.reason(e, path);
    return place.unreadable ? Spill.Outcome.DAMAGED : Spill.Outcome.FAILED;
  }

  /** Returns what is damaged; null if nothing is. */
  private String readFile(Spill.Place place, Spill.Payload into) throws IOException {
    Segment segment = place.segment;
    if (window == null) {
      window = new Window(WINDOW_BYTES);
    }
    if (segment != current) {
      Segment last = current;
      current = null;
      if (last != null) {
        last.release(Segment.User.READER);
      }
      window.use(segment.acquire(Segment.User.READER));
      current = segment;
    }
    long end = segment.end;
    int at = window.at(place.offset, SegmentFormat.RECORD_BYTES, end);
    place.rest = true;
    if (at < 0) {
      return "cut off";
    }
    ByteBuffer buffer = window.buffer;
    if (!SegmentFormat.isRecord(buffer, at, segment.salt, place.sequence)
        || place.offset + SegmentFormat.RECORD_BYTES + SegmentFormat.length(buffer, at) > end) {
      return "bad record header";
    }
    place.length = SegmentFormat.length(buffer, at);
    place.events = SegmentFormat.events(buffer, at);
    int crc = SegmentFormat.payloadCrc(buffer, at);
    room(into, place.length);
    if (!copy(place.offset + SegmentFormat.RECORD_BYTES, into.bytes, place.length, end)) {
      return "cut off";
    }
    place.rest = false;
    return SegmentFormat.crc(into.bytes, place.length) == crc ? null : "bad payload";
  }

  private boolean copy(long from, byte[] bytes, int length, long end) throws IOException {
    for (int done = 0; done < length; ) {
      int count = Math.min(length - done, window.buffer.capacity());
      int at = window.at(from + done, count, end);
      if (at < 0) {
        return false;
      }
      window.buffer.get(at, bytes, done, count);
      done += count;
    }
    return true;
  }
}
