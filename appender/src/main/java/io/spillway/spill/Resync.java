package io.spillway.spill;

import java.io.IOException;

/** Finds the next record after damage. Stateless; one bounded buffer per search. */
final class Resync {

  private static final int BUFFER = 1 << 16;
  private static final byte FIRST_MAGIC_BYTE = (byte) (SegmentFormat.RECORD_MAGIC >>> 24);

  private Resync() {}

  /** Offset of the next place in {@code [from, limit)} that holds a valid header, or -1. */
  static long find(SpillFile file, long salt, long from, long limit) throws IOException {
    byte[] buffer = new byte[BUFFER];
    long base = from;
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
      base += starts;
    }
    return -1;
  }

  /** Whether the range is what a power cut leaves of bytes that never reached the disk. */
  static boolean allZero(SpillFile file, long from, long limit) throws IOException {
    byte[] buffer = new byte[(int) Math.min(BUFFER, limit - from)];
    for (long base = from; base < limit; base += buffer.length) {
      int length = (int) Math.min(buffer.length, limit - base);
      file.read(base, buffer, 0, length);
      for (int i = 0; i < length; i++) {
        if (buffer[i] != 0) {
          return false;
        }
      }
    }
    return true;
  }
}
