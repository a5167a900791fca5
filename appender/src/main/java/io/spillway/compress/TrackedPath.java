package io.spillway.compress;

import java.nio.file.Path;

/**
 * Where a file is now that the compressor works on while policies move it. Written under {@link
 * RolledFiles#lock()}; read under it where a rename follows, without it for messages.
 */
final class TrackedPath {
  private volatile Path now;
  private volatile boolean dropped;

  TrackedPath(Path start) {
    now = start;
  }

  Path now() {
    return now;
  }

  /** Whether the file is gone or on its way out. */
  boolean isDropped() {
    return dropped;
  }

  void moved(Path from, Path to) {
    if (now.equals(from) && !dropped) {
      now = to;
    }
  }

  void dropped(Path path) {
    dropped |= now.equals(path);
  }
}
