package io.spillway.internal.spill;

import java.io.IOException;

/** Reads segment headers, and nothing else, of leftovers. Stateless. */
final class HeaderReader {

  private HeaderReader() {}

  static SegmentFormat.SegmentHeader read(SpillFile file, SlotListing.Leftover leftover)
      throws IOException {
    if (leftover.size() < SegmentFormat.SEGMENT_HEADER) {
      return null;
    }
    byte[] bytes = new byte[SegmentFormat.SEGMENT_HEADER];
    file.read(0, bytes, 0, bytes.length);
    return SegmentFormat.SegmentHeader.decode(bytes, leftover.number());
  }

  /** Null also when it cannot be read now: whoever needs it for certain opens the file itself. */
  static SegmentFormat.SegmentHeader read(SpillFiles files, SlotListing.Leftover leftover) {
    try (SpillFile file = files.openForReading(leftover.path())) {
      return read(file, leftover);
    } catch (IOException e) {
      return null;
    }
  }
}
