package io.spillway.rolling;

import io.spillway.compress.ArchiveNames;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/**
 * Where rolled files and archives lie. Side by side, unless the archives' directory is on another
 * file system than the active file: then rolled files wait in {@code <active file>.rolled}, because
 * a rollover renames, and the compressor's copy crosses over.
 */
final class Places {
  private final ArchivePattern pattern;
  private final String suffix;
  private final Moves moves;
  private final Path staging;
  private volatile Path rawRoot; // written under the lock

  /**
   * Finds the places.
   *
   * @param active the active file if it is not one of the pattern's own, else null
   */
  Places(ArchivePattern pattern, String suffix, Path active, Moves moves) {
    this.pattern = pattern;
    this.suffix = suffix;
    this.moves = moves;
    this.rawRoot = pattern.root();
    this.staging = active == null ? null : active.resolveSibling(active.getFileName() + ".rolled");
    if (staging != null && (isLeft() || !isOnOneFileSystem(active, pattern.root()))) {
      rawRoot = staging;
    }
  }

  /** Whether an earlier run left files waiting there: then they are found if it is used again. */
  private boolean isLeft() {
    try {
      return Files.isDirectory(staging) && !moves.removeIfEmpty(staging);
    } catch (IOException stays) {
      return true;
    }
  }

  private static boolean isOnOneFileSystem(Path active, Path root) {
    try {
      return Files.getFileStore(nearestExisting(active.getParent()))
          .equals(Files.getFileStore(nearestExisting(root)));
    } catch (IOException unknown) {
      return true; // a rename that fails will tell
    }
  }

  /** The directory itself or the first one above it that exists. */
  static Path nearestExisting(Path directory) {
    Path existing = directory;
    while (!Files.exists(existing) && existing.getParent() != null) {
      existing = existing.getParent();
    }
    return existing;
  }

  /** Uses the staging directory from now on; false if it is used already or there is none. */
  boolean stage() {
    if (staging == null || isStaged()) {
      return false;
    }
    rawRoot = staging;
    return true;
  }

  boolean isStaged() {
    return !rawRoot.equals(pattern.root());
  }

  /** The directory in which rolled files wait. */
  Path rawRoot() {
    return rawRoot;
  }

  /** Of archives, with the dot, or empty. */
  String suffix() {
    return suffix;
  }

  /** A rolled file. */
  Path raw(String stem) {
    return rawRoot.resolve(stem);
  }

  /** Its archive. */
  Path archive(String stem) {
    return pattern.root().resolve(stem + suffix);
  }

  /** Every path that a stem can have: its archive first, then rolled ones. */
  List<Path> all(String stem) {
    return Stream.of(archive(stem), raw(stem), pattern.root().resolve(stem)).distinct().toList();
  }

  /** Whether a stem is used. */
  boolean isTaken(String stem) {
    return all(stem).stream().anyMatch(moves::exists);
  }

  /** The stem of a rolled file or an archive. */
  String stemOf(Path file) {
    return file.startsWith(rawRoot)
        ? pattern.stemOf(rawRoot, file)
        : pattern.stemOf(pattern.root(), file);
  }

  /** The names, as the compressor knows them. */
  ArchiveNames names() {
    return new ArchiveNames(pattern.root(), rawRoot, pattern.stems(), suffix);
  }
}
