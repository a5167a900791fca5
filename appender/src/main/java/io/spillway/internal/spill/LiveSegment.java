package io.spillway.internal.spill;

import io.spillway.internal.disk.Disk;
import io.spillway.internal.disk.DiskFile;
import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A segment of this run, shared by the writer, the reader and the syncer; a link in the chain that
 * the reader follows.
 *
 * <p>Concurrency: {@code mark} is stored by the writer after the bytes before it are written. With
 * a weaker store the reader could search for a record that is not yet in the file, and report
 * damage. Offset and sequence are one object: read separately, they could belong to different
 * records. {@code state}: the writer appends only while it holds WRITING, any thread may turn OPEN
 * into SEALED, and SEALED is final; so a thread that reads SEALED first and the mark afterwards has
 * the last mark. {@code sealRequested} covers a request while the state is WRITING: it is stored
 * before the state change is tried, and the writer checks it after going back to OPEN, so that one
 * of the two seals. {@code next} is stored by the writer when the new segment is complete; its
 * readers follow only complete links.
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
  private long evictedEvents; // stored before it is linked, read after the link was followed
  private DiskFile readFile; // guarded by this; null while it is not open for reading
  private boolean reading; // guarded by this; the reader has opened it
  private boolean drained; // guarded by this; all of it is delivered

  private Object key; // guarded by this; identity of the file that has the name

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

  /** Returns the start of the chain: sealed, without a file. */
  static LiveSegment head() {
    LiveSegment head = new LiveSegment(null, null, HEAD, null, null);
    head.seal();
    return head;
  }

  boolean isHead() {
    return writeFile == null;
  }

  /** Reader: returns the read handle, which the reader has to close from now on. */
  synchronized DiskFile beginReading(Disk files) throws IOException {
    if (readFile == null) {
      readFile = files.openForReading(path);
    }
    reading = true;
    return readFile;
  }

  /** Returns the read handle if the file is open for reading, or null. */
  synchronized DiskFile readFile() {
    return readFile;
  }

  /** Hands the read handle over to be closed; null if there is none or the reader has it. */
  synchronized DiskFile takeReadFile() {
    DiskFile taken = reading ? null : readFile;
    if (taken != null) {
      readFile = null;
    }
    return taken;
  }

  /** Reader: notes that all of it is delivered; the caller closes the read handle. */
  synchronized void drained() {
    drained = true;
    readFile = null;
  }

  synchronized boolean isDrained() {
    return drained;
  }

  /** Returns whether the name of this segment still belongs to its file. */
  synchronized boolean isNamed(Disk files) throws IOException {
    return key.equals(files.key(path));
  }

  /** Renames a copy to this segment's name; deletes it if all was delivered meanwhile. */
  synchronized void replaceBy(Disk files, Path copy) throws IOException {
    Object copied = files.key(copy);
    files.replace(copy, path);
    key = copied;
    if (retired) {
      files.delete(path); // delivered events must not come back
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

  /** Counts bytes beyond the mark that could not be cut off. */
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

  /** Returns how many of its events were evicted; marker records stand for them. */
  long evictedEvents() {
    return evictedEvents;
  }

  /** Returns whether an eviction wrote this segment. It is whole then, and has dropped events. */
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
