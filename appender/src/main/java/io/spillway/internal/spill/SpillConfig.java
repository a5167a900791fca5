package io.spillway.internal.spill;

import java.nio.file.Path;

/**
 * Where a spill lives and how it behaves.
 *
 * @param directory the spill directory; its parent directories are created when missing
 * @param maxBytes the most bytes on disk, leftovers of earlier runs included; more than 0
 * @param kind what the payloads are; leftovers of another kind are left alone
 * @param syncIntervalNanos how often the active segment is forced to the disk; 0 leaves it to the
 *     operating system
 * @param owner says in plain text to whom leftovers belong; those of another owner are left alone.
 *     Null if nobody asks
 * @param tagged whether records may have tags, and may make room for others
 */
public record SpillConfig(
    Path directory,
    long maxBytes,
    SpillKind kind,
    long syncIntervalNanos,
    String owner,
    boolean tagged) {

  /** Of copies of damaged segments: so many are kept, and no more count against the size limit. */
  long maxCorruptBytes() {
    return maxBytes / 4;
  }
}
