package io.spillway.internal.spill;

import io.spillway.internal.disk.Disk;
import io.spillway.internal.disk.DiskFile;
import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A segment of this run, shared by its writer, its reader and the syncer; a link in the chain the
 * reader follows.
 *
 * <p>Concurrency: {@code mark} is stored by the writer after the bytes it covers are written. Were
 * that store weaker, the reader could look for a record not yet in the file and call it damage.
 * Offset and sequence are one object: read apart, they could belong to different records. {@code
 * state}: the writer appends only while it holds WRITING, anybody may turn OPEN into SEALED, and
 * SEALED is final; so who reads SEALED first and the mark afterwards has the last mark. {@code
 * sealRequested} catches the writer in WRITING: it is stored before the state is tried, and the
 * writer looks at it after going back to OPEN, so one of the two seals. {@code next} is stored by
 * the writer when the new segment is complete; its readers follow only complete links.
 */
final class LiveSegment {

  /**
   * How far a segment is written.
   *
   * @param offset end of the last whole record
   * @param sequence of the event after it
   */
  record Mark(long offset, long sequence) {}

  private static final SegmentFormat.SegmentHeader HEAD =
      new SegmentFormat.SegmentHeader(SpillKind.BYTES, 0, 0, 0, 0, 0, 0, 0, 0, false);

  private static final int OPEN = 0;
  private static final int WRITING = 1;
  private static final int SEALED = 2;

  final long number;
  final Path path;
  final long salt;
  final long firstSequence;
  final DiskFile writeFile;

  private final AtomicInteger state = new AtomicInteger(OPEN);
  private volatile boolean sealRequested;
  private volatile Mark mark;
  private volatile LiveSegment next;
  private volatile long diskBytes;
  private volatile boolean retired;
  private boolean evicted; // writer only: nothing in it can be dropped any more
  private long evictedEvents; // stored before it is linked, read by who has come to it
  private DiskFile readFile; // under itself; null while nobody has it open for reading
  private boolean reading; // under itself; the reader has come to it
  private boolean drained; // under itself; all of it is delivered

  private Object key; // under itself; identity of the file that has the name

  LiveSegment(
      Path path,
      Object key,
      SegmentFormat.SegmentHeader header,
      DiskFile writeFile,
      DiskFile readFile) {
    this.key = key;
    this.number = header.number();
    this.path = path;
    this.salt = header.salt();
    this.firstSequence = header.firstSequence();
    this.writeFile = writeFile;
    this.readFile = readFile;
    this.mark = new Mark(SegmentFormat.SEGMENT_HEADER, firstSequence);
    this.diskBytes = SegmentFormat.SEGMENT_HEADER;
  }

  /** The start of the chain: sealed, no file. */
  static LiveSegment head() {
    LiveSegment head = new LiveSegment(null, null, HEAD, null, null);
    head.seal();
    return head;
  }

  boolean isHead() {
    return writeFile == null;
  }

  /** Reader: its file, which is the reader's to close from now on. */
  synchronized DiskFile beginReading(Disk files) throws IOException {
    if (readFile == null) {
      readFile = files.openForReading(path);
    }
    reading = true;
    return readFile;
  }

  /** Its file if it is open for reading, or null. */
  synchronized DiskFile readFile() {
    return readFile;
  }

  /** Writer: gives the file up, for the caller to close; null if the reader has it. */
  synchronized DiskFile takeReadFile() {
    DiskFile taken = reading ? null : readFile;
    if (taken != null) {
      readFile = null;
    }
    return taken;
  }

  /** Reader: it is through, and closes the file. */
  synchronized void drained() {
    drained = true;
    readFile = null;
  }

  synchronized boolean isDrained() {
    return drained;
  }

  /** Whether its name stands for its file. */
  synchronized boolean isNamed(Disk files) throws IOException {
    return key.equals(files.key(path));
  }

  /** Gives its name to a copy, unless all of it was delivered meanwhile. */
  synchronized void replaceBy(Disk files, Path copy) throws IOException {
    Object copied = files.key(copy);
    files.replace(copy, path);
    key = copied;
    if (retired) {
      files.delete(path); // it must not come back
    }
  }

  boolean claim() {
    return state.compareAndSet(OPEN, WRITING);
  }

  void release() {
    state.set(OPEN);
    if (sealRequested) {
      seal();
    }
  }

  /** Seals now, or when the append under way is done. */
  void seal() {
    sealRequested = true;
    state.compareAndSet(OPEN, SEALED);
  }

  boolean isSealed() {
    return state.get() == SEALED;
  }

  Mark mark() {
    return mark;
  }

  void commit(Mark newMark) {
    diskBytes = newMark.offset();
    mark = newMark;
  }

  /** Bytes beyond the mark that could not be cut off. */
  void garbage(long bytes) {
    diskBytes = mark.offset() + bytes;
  }

  long diskBytes() {
    return diskBytes;
  }

  LiveSegment next() {
    return next;
  }

  void linkNext(LiveSegment segment) {
    next = segment;
  }

  void evicted() {
    evicted = true;
  }

  boolean isEvicted() {
    return evicted;
  }

  void copied(long eventsThatMadeRoom) {
    evicted = true;
    evictedEvents = eventsThatMadeRoom;
  }

  /** How many of its events made room: something stands for them. */
  long evictedEvents() {
    return evictedEvents;
  }

  /** Whether it is what an eviction has left, and so whole: none leaves all. */
  boolean isCopy() {
    return evictedEvents > 0;
  }

  boolean isRetired() {
    return retired;
  }

  void retire() {
    retired = true;
  }
}
