package io.spillway.internal.spill;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/** Unlinks what the cursor says is delivered, left by a crash between cursor and unlink. */
final class SettledLeftovers {

  private SettledLeftovers() {}

  static SlotListing remove(
      SpillFiles files,
      Faults faults,
      SlotListing listing,
      Cursor.Position position,
      SpillKind kind) {
    List<SlotListing.Leftover> kept = new ArrayList<>();
    for (SlotListing.Leftover leftover : listing.segments()) {
      if (!isSettled(leftover, position) || isForeign(files, leftover, kind)) {
        kept.add(leftover);
        continue;
      }
      try {
        files.delete(leftover.path());
      } catch (IOException e) {
        faults.failed("delete", leftover.path(), e);
      }
    }
    if (kept.stream().allMatch(leftover -> leftover.size() <= SegmentFormat.SEGMENT_HEADER)) {
      kept.removeIf(leftover -> deleteEmpty(files, faults, leftover));
    }
    return new SlotListing(kept, listing.asides(), listing.highestNumber(), listing.corruptBytes());
  }

  private static boolean isSettled(SlotListing.Leftover leftover, Cursor.Position position) {
    return position != null
        && (leftover.number() < position.segment()
            || leftover.number() == position.segment() && leftover.size() <= position.offset());
  }

  private static boolean isForeign(
      SpillFiles files, SlotListing.Leftover leftover, SpillKind kind) {
    SegmentFormat.SegmentHeader header = HeaderReader.read(files, leftover);
    return header != null && header.kind() != kind;
  }

  private static boolean deleteEmpty(
      SpillFiles files, Faults faults, SlotListing.Leftover leftover) {
    try {
      files.delete(leftover.path());
      return true;
    } catch (IOException e) {
      faults.failed("delete", leftover.path(), e);
      return false;
    }
  }
}
