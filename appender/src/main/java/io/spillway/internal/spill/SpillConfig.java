package io.spillway.internal.spill;

import java.nio.file.Path;
import java.util.Locale;

/**
 * Where a spill lives and how it behaves: the most bytes of all segments (those kept as damaged
 * come on top), the interval of syncs (0 leaves them to the operating system), and the log file, or
 * null: if it is on the same file system, the spill leaves {@link #RESERVE_BYTES} free there.
 */
public record SpillConfig(Path directory, long maxBytes, Kind kind, long syncNanos, Path log) {
  static final long RESERVE_BYTES = 16 << 20;

  private static final long MIN_SEGMENT = 1 << 20;
  private static final long MAX_SEGMENT = 32 << 20;
  private static final int SEGMENTS = 16;

  /** What payloads are: events as the codec writes them, or lines as the log file takes them. */
  public enum Kind {
    EVENTS,
    BYTES;

    String suffix() {
      return "." + name().toLowerCase(Locale.ROOT);
    }
  }

  /** Normalizes the directory. */
  public SpillConfig {
    directory = directory.toAbsolutePath().normalize();
  }

  long segmentBytes() {
    return Math.max(MIN_SEGMENT, Math.min(MAX_SEGMENT, maxBytes / SEGMENTS));
  }

  /**
   * The size up to which an empty spill keeps its segment: to create and delete a file costs as
   * much as twenty records, and {@code spillMode=ALWAYS} empties the spill all the time.
   */
  long keptBytes() {
    return Math.min(MIN_SEGMENT, segmentBytes() / 4);
  }
}
