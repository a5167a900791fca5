package io.spillway.internal.spill;

import java.nio.file.Path;
import java.util.Objects;

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

  /**
   * Rejects what no spill could work with: these are programming errors, not disk errors.
   *
   * @param directory not null
   * @param maxBytes 1 or more
   * @param kind not null
   * @param syncIntervalNanos 0 or more
   * @param owner null or not empty
   * @param tagged either
   * @throws IllegalArgumentException for a number out of range
   */
  public SpillConfig {
    Objects.requireNonNull(directory, "directory");
    Objects.requireNonNull(kind, "kind");
    if (maxBytes <= 0) {
      throw new IllegalArgumentException("maxBytes is " + maxBytes + ", allowed: 1 or more");
    }
    if (syncIntervalNanos < 0) {
      throw new IllegalArgumentException(
          "syncIntervalNanos is " + syncIntervalNanos + ", allowed: 0 or more");
    }
  }
}
