package io.spillway.internal.spill;

import io.spillway.internal.disk.Disk;
import io.spillway.internal.disk.DiskFile;
import io.spillway.internal.spill.SegmentFormat.RecordHeader;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;

/**
 * Replaces a segment that could not be forced to the disk by a copy that could. The reader keeps
 * its handle on the old file; what is whole in the copy has the same bytes at the same offsets.
 * Syncer thread only, on a sealed segment: the writer is through with the file.
 *
 * <p>The sync has failed, so the old file may not give back what was written to it. Each record is
 * checked on its way, and one that cannot be read is marked as damage, which whoever reads the copy
 * counts as lost.
 */
final class SegmentRewrite {

  private static final int BUFFER = 1 << 16;

  /** No magic begins so, and it is not the zeros that a torn tail may end with. */
  private static final byte DAMAGE = (byte) 0xFF;

  private SegmentRewrite() {}

  /**
   * Writes the copy, forces it, and gives it the segment's name.
   *
   * @param mark how far it is written
   * @param from sequence from which on its events are not known to be on the disk
   * @param lastResort whether what cannot be read is given up; else a later attempt may read it
   * @return how many events from there on the copy lacks
   */
  static long rewrite(
      Disk files, LiveSegment segment, LiveSegment.Mark mark, long from, boolean lastResort)
      throws IOException {
    Path name = segment.path.getFileName();
    Path copy = segment.path.resolveSibling(name + ".sync");
    files.delete(copy);
    boolean published = false;
    long intact;
    try {
      try (DiskFile to = files.create(copy)) {
        intact = new Copying(segment, to, mark.offset(), lastResort).run(from);
        to.sync();
      }
      files.replace(copy, segment.path);
      published = true;
    } finally {
      if (!published) {
        files.delete(copy);
      }
    }
    if (segment.isRetired()) {
      files.delete(segment.path); // delivered meanwhile: do not bring it back
    }
    return mark.sequence() - Math.max(from, segment.firstSequence) - intact;
  }

  private record Copying(LiveSegment segment, DiskFile to, long length, boolean lastResort) {

    /** Returns how many events from that sequence on are whole in the copy. */
    long run(long from) throws IOException {
      byte[] segmentHeader = new byte[SegmentFormat.SEGMENT_HEADER];
      segment.writeFile.read(0, segmentHeader, 0, segmentHeader.length);
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
            isRead(position, header)
                ? RecordHeader.decode(header, 0, segment.salt, position)
                : null;
        if (record == null || record.length() > length - payload) {
          long next = next(position);
          mark(position, next - position);
          position = next;
          continue;
        }
        to.write(position, header, 0, header.length);
        position = payload + record.length();
        if (isPayloadCopied(payload, record)) {
          long end = record.sequence() + record.events();
          intact += Math.max(0, end - Math.max(from, record.sequence()));
        }
      }
      return intact;
    }

    private boolean isRead(long position, byte[] bytes) throws IOException {
      try {
        segment.writeFile.read(position, bytes, 0, bytes.length);
        return true;
      } catch (IOException e) {
        if (!lastResort) {
          throw e;
        }
        return false; // told by the number of events that are missing
      }
    }

    private long next(long position) throws IOException {
      long found;
      try {
        found = Resync.find(segment.writeFile, segment.salt, position + 1, length);
      } catch (IOException e) {
        if (!lastResort) {
          throw e;
        }
        found = -1; // the rest cannot be read
      }
      return found < 0 ? length : found;
    }

    private boolean isPayloadCopied(long position, RecordHeader record) throws IOException {
      byte[] payload = new byte[record.length()];
      if (!isRead(position, payload)) {
        mark(position, payload.length);
        return false;
      }
      to.write(position, payload, 0, payload.length);
      return SegmentFormat.payloadCrc(segment.salt, payload, 0, payload.length)
          == record.payloadCrc();
    }

    private void mark(long position, long bytes) throws IOException {
      byte[] filler = new byte[(int) Math.min(BUFFER, bytes)];
      Arrays.fill(filler, DAMAGE);
      for (long done = 0; done < bytes; done += filler.length) {
        to.write(position + done, filler, 0, (int) Math.min(filler.length, bytes - done));
      }
    }
  }
}
