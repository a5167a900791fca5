package io.spillway.internal.spill;

import java.nio.file.Path;

/**
 * The configuration of a {@link Spill}.
 *
 * @param directory the spill directory; its parent directories are created when missing
 * @param maxBytes the most bytes on disk, leftovers of earlier runs included; more than 0
 * @param kind what the payloads are; leftovers of another kind are left alone
 * @param syncIntervalNanos how often the active segment is forced to the disk; 0 leaves it to the
 *     operating system
 * @param owner names the owner of the leftovers in plain text; leftovers of another owner are left
 *     alone. Null if owners are not compared
 * @param tagged whether records may have tags, and may be evicted to make room for others
 */
public record SpillConfig(
    Path directory,
    long maxBytes,
    SpillKind kind,
    long syncIntervalNanos,
    String owner,
    boolean tagged) {

  /** Returns how many bytes of copies of damaged segments are kept, and count for the limit. */
  long maxCorruptBytes() {
    return maxBytes / 4;
  }
}
