package io.spillway.rolling;

import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.function.Predicate;
import java.util.stream.IntStream;

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
  private final int highest;
  private volatile Names names;
  private int last; // the highest index that can be used, under the lock
  private Path obstacle; // under the lock

  /**
   * The paths of each index from the lowest, made once: a rollover is too rare for its code to be
   * compiled, and making them anew took most of its time.
   */
  private record Names(Path rawRoot, List<List<Path>> paths) {}

  /**
   * A window.
   *
   * @param highest index at which files may lie, left by a larger window
   */
  Window(
      ArchivePattern pattern,
      Places places,
      Moves moves,
      Listener listener,
      int min,
      int max,
      int highest) {
    this.pattern = pattern;
    this.places = places;
    this.moves = moves;
    this.listener = listener;
    this.min = min;
    this.max = max;
    this.highest = highest;
    this.names = names();
  }

  private Names names() {
    return new Names(
        places.rawRoot(),
        IntStream.rangeClosed(min, highest).mapToObj(i -> places.all(stem(i))).toList());
  }

  /** Every path of an index: its archive first, then rolled files. */
  private List<Path> paths(int index) {
    Names known = names;
    if (known.rawRoot != places.rawRoot()) { // staged since
      known = names();
      names = known;
    }
    return known.paths.get(index - min);
  }

  /** The stem of an index. */
  String stem(int index) {
    return pattern.stem(Instant.EPOCH, index);
  }

  private BitSet there(int index) {
    List<Path> paths = paths(index);
    BitSet there = new BitSet();
    for (int i = 0; i < paths.size(); i++) {
      there.set(i, moves.exists(paths.get(i)));
    }
    return there;
  }

  /** Which paths are there of each index, from the lowest up to the first gap. Under the lock. */
  List<BitSet> look() {
    List<BitSet> found = new ArrayList<>();
    obstacle = null;
    last = max;
    while (last >= min && isObstructed(last)) {
      last--;
    }
    for (int index = min; index <= last; index++) {
      BitSet there = there(index);
      if (there.isEmpty()) {
        break;
      }
      found.add(there);
    }
    return found;
  }

  /** A directory cannot be dropped like an archive, and nothing can be renamed to it. */
  private boolean isObstructed(int index) {
    for (Path path : paths(index)) {
      if (Files.isDirectory(path, LinkOption.NOFOLLOW_LINKS)) {
        obstacle = path;
        return true;
      }
    }
    return false;
  }

  /** A directory that the last look found at the window's end, or null. */
  Path obstacle() {
    return obstacle;
  }

  /** Whether there is no gap, so that the oldest has to go. */
  boolean isFull(List<BitSet> found) {
    return found.size() > last - min;
  }

  /** Frees the lowest index. Under the lock in which was looked; if it fails, look again. */
  void makeRoom(List<BitSet> found) throws IOException {
    if (last < min) {
      throw new FileAlreadyExistsException(String.valueOf(obstacle));
    }
    int gap = Math.min(min + found.size(), last);
    if (isFull(found)) {
      BitSet oldest = found.get(last - min);
      for (int i = oldest.nextSetBit(0); i >= 0; i = oldest.nextSetBit(i + 1)) {
        listener.drop(paths(last).get(i));
      }
    }
    for (int index = gap - 1; index >= min; index--) {
      move(index, index + 1, found.get(index - min));
    }
  }

  /**
   * Mends what a crash left in the middle of a shift, but for the gap, which the next one fills.
   */
  void rejoin() throws IOException {
    for (int index = min; index < max; index++) {
      rejoin(index, index + 1);
    }
  }

  /**
   * A rolled file whose archive is just being published moves together with it, in two renames. If
   * only the archive has moved, it shows in the time, which an archive takes over from its source.
   */
  private void rejoin(int index, int next) throws IOException {
    List<Path> raws = paths(index);
    List<Path> targets = paths(next);
    Path archive = targets.get(0);
    if (moves.exists(raws.get(0)) || !moves.exists(archive)) {
      return;
    }
    for (int i = 1; i < raws.size(); i++) {
      if (moves.exists(raws.get(i))
          && !moves.exists(targets.get(i))
          && Files.getLastModifiedTime(raws.get(i)).equals(Files.getLastModifiedTime(archive))) {
        moves.move(raws.get(i), targets.get(i));
      }
    }
  }

  private void move(int from, int to, BitSet there) throws IOException {
    List<Path> sources = paths(from);
    List<Path> targets = paths(to);
    for (int i = there.nextSetBit(0); i >= 0; i = there.nextSetBit(i + 1)) {
      moves.shift(sources.get(i), targets.get(i));
      listener.moved(sources.get(i), targets.get(i));
    }
  }

  /** The oldest rolled file that may be taken, or null; looks beyond a window made smaller, too. */
  Path oldest(Predicate<Path> usable) {
    for (int index = highest; index >= min; index--) {
      List<Path> all = paths(index);
      for (Path raw : all.subList(Math.min(1, all.size() - 1), all.size())) {
        if (moves.exists(raw) && usable.test(raw)) {
          return raw;
        }
      }
    }
    return null;
  }
}
