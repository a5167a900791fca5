package io.spillway.rolling;

import io.spillway.internal.compress.Archiver;
import io.spillway.internal.disk.Disk;
import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;

/**
 * The numbered files of a fixed window. Index by index from the lowest, each is older than the one
 * before, at every instant, because a shift moves one file at a time into a gap: the highest first,
 * and no further than the first gap. What a crash leaves is such a gap. Compressor's thread.
 */
final class Window {
  private final Site site;
  private final Disk files;
  private final Supplier<Archiver> archiver;
  private final int min;
  private final int max;
  private int last; // the highest index that can be used
  private Path obstacle;

  /** A window; whatever is renamed is renamed by the archiver. */
  Window(Site site, Disk files, Supplier<Archiver> archiver, int min, int max) {
    this.site = site;
    this.files = files;
    this.archiver = archiver;
    this.min = min;
    this.max = max;
  }

  /** Every path of an index: its archive first, then rolled files. */
  private List<Path> paths(int index) {
    return site.all(stem(index));
  }

  /** The stem of an index. */
  String stem(int index) {
    return site.pattern().stem(Instant.EPOCH, index);
  }

  /** What is there of each index, from the lowest up to the first gap. */
  private List<List<Path>> look() {
    List<List<Path>> found = new ArrayList<>();
    obstacle = null;
    last = max;
    while (last >= min && isObstructed(last)) {
      last--;
    }
    for (int index = min; index <= last; index++) {
      List<Path> there = new ArrayList<>();
      for (Path path : paths(index)) {
        if (files.exists(path)) {
          there.add(path);
        }
      }
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

  /** Frees the lowest index; if that fails, it is tried again from another look. */
  void makeRoom() throws IOException {
    List<List<Path>> found = look();
    if (last < min) {
      throw new FileAlreadyExistsException(String.valueOf(obstacle));
    }
    if (found.size() > last - min) { // there is no gap
      for (Path oldest : found.get(last - min)) {
        archiver.get().discard(oldest);
      }
    }
    for (int index = Math.min(min + found.size(), last) - 1; index >= min; index--) {
      List<Path> sources = paths(index);
      List<Path> targets = paths(index + 1);
      for (int i = 0; i < sources.size(); i++) {
        if (found.get(index - min).contains(sources.get(i))) {
          archiver.get().move(sources.get(i), targets.get(i));
        }
      }
    }
  }

  /**
   * Mends what a crash left in the middle of a shift, but for the gap, which the next one fills: a
   * rolled file whose archive was published moves together with it, in two renames. If only the
   * archive has moved, it shows in the time, which an archive takes over from its source.
   */
  void rejoin() throws IOException {
    for (int index = min; index < max; index++) {
      List<Path> raws = paths(index);
      List<Path> targets = paths(index + 1);
      Path archive = targets.get(0);
      if (files.exists(raws.get(0)) || !files.exists(archive)) {
        continue;
      }
      for (int i = 1; i < raws.size(); i++) {
        if (files.exists(raws.get(i))
            && !files.exists(targets.get(i))
            && Files.getLastModifiedTime(raws.get(i)).equals(Files.getLastModifiedTime(archive))) {
          archiver.get().move(raws.get(i), targets.get(i));
        }
      }
    }
  }
}
