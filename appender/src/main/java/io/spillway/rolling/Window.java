package io.spillway.rolling;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.function.Predicate;

/**
 * The numbered files of a fixed window. Index by index from the lowest, each is older than the one
 * before, at every instant, because a shift moves one file at a time into a gap: the highest first,
 * and no further than the first gap. What a crash leaves is such a gap.
 */
final class Window {
  /** What others are told, under the lock. */
  interface Listener {
    /** A file has another name. */
    void moved(Path from, Path to);

    /** The oldest is to go. */
    void drop(Path file) throws IOException;
  }

  private final ArchivePattern pattern;
  private final Places places;
  private final Moves moves;
  private final Listener listener;
  private final int min;
  private final int max;

  Window(ArchivePattern pattern, Places places, Moves moves, Listener listener, int min, int max) {
    this.pattern = pattern;
    this.places = places;
    this.moves = moves;
    this.listener = listener;
    this.min = min;
    this.max = max;
  }

  /** The stem of an index. */
  String stem(int index) {
    return pattern.stem(Instant.EPOCH, index);
  }

  private boolean isFree(int index) {
    return !places.isTaken(stem(index));
  }

  private int firstGap() {
    int gap = min;
    while (gap <= max && !isFree(gap)) {
      gap++;
    }
    return gap;
  }

  /** Whether the oldest has to go to make room. */
  boolean isFull() {
    return firstGap() > max;
  }

  /** Frees the lowest index. Under the lock; if it fails or dies, call it again. */
  void makeRoom() throws IOException {
    int gap = firstGap();
    if (gap > max) {
      gap = max;
      for (Path oldest : places.all(stem(max))) {
        if (moves.exists(oldest)) {
          listener.drop(oldest);
        }
      }
    }
    for (int index = gap - 1; index >= min; index--) {
      move(index, index + 1);
    }
  }

  /** Closes the gaps that a crash left in the middle of a shift, so that no index is skipped. */
  void closeGaps() throws IOException {
    for (int index = min; index < max; index++) {
      rejoin(index, index + 1);
    }
    int target = min;
    for (int index = min; index <= max; index++) {
      if (!isFree(index)) {
        if (index > target) {
          move(index, target);
        }
        target++;
      }
    }
  }

  /**
   * A rolled file whose archive is just being published moves together with it, in two renames. If
   * only the archive has moved, it shows in the time, which an archive takes over from its source.
   */
  private void rejoin(int index, int next) throws IOException {
    Path archive = places.archive(stem(next));
    if (moves.exists(places.archive(stem(index))) || !moves.exists(archive)) {
      return;
    }
    List<Path> raws = places.all(stem(index));
    List<Path> targets = places.all(stem(next));
    for (int i = 1; i < raws.size(); i++) {
      if (moves.exists(raws.get(i))
          && !moves.exists(targets.get(i))
          && Files.getLastModifiedTime(raws.get(i)).equals(Files.getLastModifiedTime(archive))) {
        moves.move(raws.get(i), targets.get(i));
      }
    }
  }

  private void move(int from, int to) throws IOException {
    List<Path> sources = places.all(stem(from));
    List<Path> targets = places.all(stem(to));
    for (int i = 0; i < sources.size(); i++) {
      if (moves.exists(sources.get(i))) {
        moves.move(sources.get(i), targets.get(i));
        listener.moved(sources.get(i), targets.get(i));
      }
    }
  }

  /** The oldest rolled file that may be taken, or null; looks beyond a window made smaller, too. */
  Path oldest(int highest, Predicate<Path> usable) {
    for (int index = highest; index >= min; index--) {
      List<Path> all = places.all(stem(index));
      for (Path raw : all.subList(Math.min(1, all.size() - 1), all.size())) {
        if (moves.exists(raw) && usable.test(raw)) {
          return raw;
        }
      }
    }
    return null;
  }
}
