package io.spillway.internal.spill;

import io.spillway.internal.disk.DiskFile;
import java.io.IOException;

/** Finds the next record after damage. Stateless; one bounded buffer per search. */
final class Resync {

  private static final int BUFFER = 1 << 16;
  private static final byte FIRST_MAGIC_BYTE = (byte) (SegmentFormat.RECORD_MAGIC >>> 24);

  private Resync() {}

  /** No header, and no byte but zeros either. */
  static final long ZEROS = -2;

  /**
   * Offset of the next place in {@code [from, limit)} that holds a valid header; -1 or {@link
   * #ZEROS} if there is none.
   */
  static long find(DiskFile file, long salt, long from, long limit) throws IOException {
    byte[] buffer = new byte[BUFFER];
    long base = from;
    boolean zeros = true;
    while (limit - base >= SegmentFormat.RECORD_HEADER) {
      int length = (int) Math.min(buffer.length, limit - base);
      file.read(base, buffer, 0, length);
      int starts = length - SegmentFormat.RECORD_HEADER + 1;
      for (int i = 0; i < starts; i++) {
        if (buffer[i] == FIRST_MAGIC_BYTE
            && SegmentFormat.RecordHeader.decode(buffer, i, salt, base + i) != null) {
          return base + i;
        }
      }
      zeros = zeros && allZero(buffer, length);
      base += starts;
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
