package io.spillway.internal.spill;

import io.spillway.internal.disk.Disk;
import io.spillway.internal.disk.DiskFile;
import io.spillway.internal.spill.SegmentFormat.RecordHeader;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.zip.CRC32C;

/**
 * Rewrites a sealed segment of this run under the same name and a new inode: by the syncer when it
 * could not be forced to the disk, by the writer when its file was removed. The reader keeps its
 * handle on the old file; whole records have the same bytes at the same offsets in the copy.
 *
 * <p>After a failed sync the old file may not return what was written to it. Each record is checked
 * while it is copied, and one that cannot be read is marked as damage, which the reader of the copy
 * counts as lost.
 */
final class SegmentRewrite {

  private static final int BUFFER = 1 << 16;

  /** Marks damage: no magic begins with it, and zeros would look like an incomplete end. */
  private static final byte DAMAGE = (byte) 0xFF;

  private final Disk files;
  private final LiveSegment segment;
  private final DiskFile from;
  private final Path copy;
  private final boolean lastResort;
  private final byte[] buffer = new byte[BUFFER];
  private DiskFile to;

  /**
   * Creates a rewrite that has not begun.
   *
   * @param from a handle on the file as it was written
   * @param ending of the copy's name until it is whole; each thread has its own
   * @param lastResort whether bytes that cannot be read are marked as damage; otherwise the rewrite
   *     fails, and a later one may read them
   */
  SegmentRewrite(
      Disk files, LiveSegment segment, DiskFile from, String ending, boolean lastResort) {
    this.files = files;
    this.segment = segment;
    this.from = from;
    this.copy = segment.path.resolveSibling(segment.path.getFileName() + ending);
    this.lastResort = lastResort;
  }

  /**
   * Writes the copy and gives it the segment's name.
   *
   * @param mark up to where the segment is written
   * @param sequence the sequence from which on its events are counted
   * @param forced whether the copy has to be on the disk before it has the name
   * @return how many events from that sequence on the copy lacks
   */
  long run(LiveSegment.Mark mark, long sequence, boolean forced) throws IOException {
    files.delete(copy);
    boolean published = false;
    long intact;
    try {
      to = files.create(copy);
      try (DiskFile written = to) {
        intact = copyRecords(mark.offset(), sequence);
        if (forced) {
          written.sync();
        }
      }
      segment.replaceBy(files, copy);
      published = true;
    } finally {
      if (!published) {
        files.delete(copy);
      }
    }
    return mark.sequence() - Math.max(sequence, segment.firstSequence) - intact;
  }

  /** Returns how many events from that sequence on are whole in the copy. */
  private long copyRecords(long length, long sequence) throws IOException {
    byte[] segmentHeader = new byte[SegmentFormat.SEGMENT_HEADER];
    from.read(0, segmentHeader, 0, segmentHeader.length);
    if (SegmentFormat.SegmentHeader.decode(segmentHeader, segment.number) == null) {
      throw new IOException("the segment's header does not read as it was written");
    }
    to.write(0, segmentHeader, 0, segmentHeader.length);
    byte[] header = new byte[SegmentFormat.RECORD_HEADER];
    long intact = 0;
    long position = segmentHeader.length;
    while (length - position >= header.length) {
      long payload = position + header.length;
      RecordHeader record =
          isRead(position, header, header.length)
              ? RecordHeader.decode(header, 0, segment.salt, position)
              : null;
      if (record == null || record.length() > length - payload) {
        long next = next(position, length);
        mark(position, next - position);
        position = next;
        continue;
      }
      to.write(position, header, 0, header.length);
      position = payload + record.length();
      if (isPayloadCopied(payload, record)) {
        intact += Math.max(0, record.endSequence() - Math.max(sequence, record.sequence()));
      }
    }
    return intact;
  }

  private boolean isRead(long position, byte[] bytes, int length) throws IOException {
    try {
      from.read(position, bytes, 0, length);
      return true;
    } catch (IOException e) {
      if (!lastResort) {
        throw e;
      }
      return false; // reported by the number of missing events
    }
  }

  private long next(long position, long length) throws IOException {
    long found;
    try {
      found = SegmentFormat.find(from, segment.salt, position + 1, length);
    } catch (IOException e) {
      if (!lastResort) {
        throw e;
      }
      found = -1; // the rest cannot be read
    }
    return found < 0 ? length : found;
  }

  private boolean isPayloadCopied(long position, RecordHeader record) throws IOException {
    CRC32C crc = SegmentFormat.salted(segment.salt);
    long end = position + record.length();
    for (long at = position; at < end; at += buffer.length) {
      int chunk = (int) Math.min(buffer.length, end - at);
      if (!isRead(at, buffer, chunk)) {
        mark(position, record.length());
        return false;
      }
      crc.update(buffer, 0, chunk);
      to.write(at, buffer, 0, chunk);
    }
    return (int) crc.getValue() == record.payloadCrc();
  }

  private void mark(long position, long bytes) throws IOException {
    byte[] filler = new byte[(int) Math.min(BUFFER, bytes)];
    Arrays.fill(filler, DAMAGE);
    for (long done = 0; done < bytes; done += filler.length) {
      to.write(position + done, filler, 0, (int) Math.min(filler.length, bytes - done));
    }
  }
}
