package io.spillway.compress;

import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/** The few files of one archiver that are open now. Thread-safe. */
final class TrackedPaths {
  private final List<TrackedPath> paths = new CopyOnWriteArrayList<>();

  TrackedPath track(Path path) {
    TrackedPath tracked = new TrackedPath(path);
    paths.add(tracked);
    return tracked;
  }

  void untrack(TrackedPath path) {
    paths.remove(path);
  }

  void moved(Path from, Path to) {
    for (TrackedPath path : paths) {
      path.moved(from, to);
    }
  }

  void dropped(Path dropped) {
    for (TrackedPath path : paths) {
      path.dropped(dropped);
    }
  }
}
