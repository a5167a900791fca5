package io.spillway.internal.spill;

import java.util.List;

/** Where the sequence numbers of a new run begin: above all earlier ones, without a scan. */
final class RunSequence {

  private static final int MAX_HEADERS = 64;

  private RunSequence() {}

  static long next(SpillFiles files, SpillSlot slot) {
    Cursor.Position position = slot.cursor.position();
    long highest = position == null ? 0 : position.sequence();
    List<SlotListing.Leftover> leftovers = slot.leftovers();
    int oldest = Math.max(0, leftovers.size() - MAX_HEADERS);
    for (int i = leftovers.size() - 1; i >= oldest; i--) {
      SegmentFormat.SegmentHeader header = HeaderReader.read(files, leftovers.get(i));
      if (header != null) {
        highest = Math.max(highest, header.firstSequence());
        break;
      }
    }
    // Begins anew where numbers end: only within a run do they have to grow.
    return highest < SegmentFormat.MAX_NUMBER / 2
        ? highest + SegmentFormat.RUN_SEQUENCE_GAP
        : SegmentFormat.RUN_SEQUENCE_GAP;
  }
}
