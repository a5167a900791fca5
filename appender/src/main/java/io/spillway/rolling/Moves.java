package io.spillway.rolling;

import java.io.IOException;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.DirectoryStream;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.function.Consumer;

/** Every file operation of a rollover, so that tests can fail it, count it, or crash there. */
class Moves {
  private static final int MOST_LINKS = 40; // as Linux

  Moves() {}

  /**
   * Whether a name is taken, be it by a dangling link. A rollover asks for many names, and too
   * rarely for compiled code: the exception inside the second look is what takes time.
   */
  boolean exists(Path file) {
    return file.toFile().exists() || Files.exists(file, LinkOption.NOFOLLOW_LINKS);
  }

  /**
   * What a link stands for, whether that exists or not; the file itself if it is no link. Renaming
   * the link instead would leave nothing to archive but the link.
   */
  static Path followed(Path file) {
    Path followed = file;
    try {
      for (int links = 0; links < MOST_LINKS && Files.isSymbolicLink(followed); links++) {
        followed = followed.resolveSibling(Files.readSymbolicLink(followed)).normalize();
      }
      return followed;
    } catch (IOException gone) {
      return file;
    }
  }

  /**
   * Renames atomically, on one file system, to a name that must be free; creates missing
   * directories. Call it under the lock, which is what keeps the name free.
   */
  final void move(Path from, Path to) throws IOException {
    if (exists(to)) {
      throw new FileAlreadyExistsException(to.toString()); // rename(2) would replace it
    }
    renameInto(from, to);
  }

  /** The same to a name that has been seen free under this very hold of the lock. */
  final void shift(Path from, Path to) throws IOException {
    if (to.toFile().exists()) { // a stranger's, since then
      throw new FileAlreadyExistsException(to.toString());
    }
    renameInto(from, to);
  }

  private void renameInto(Path from, Path to) throws IOException {
    try {
      rename(from, to);
    } catch (NoSuchFileException e) {
      createDirectory(to.getParent()); // rarely missing, so it is not looked for each time
      rename(from, to);
    }
  }

  /** The rename itself. */
  void rename(Path from, Path to) throws IOException {
    Files.move(from, to, StandardCopyOption.ATOMIC_MOVE); // else Java copies across file systems
  }

  /** Creates a directory and those above it, unless it is there, perhaps as a link to one. */
  void createDirectory(Path directory) throws IOException {
    if (!Files.isDirectory(directory)) {
      Files.createDirectories(directory);
    }
  }

  /** Creates an empty file, unless it is there. */
  void createFile(Path file) throws IOException {
    createDirectory(file.getParent());
    if (!exists(file)) {
      Files.createFile(file);
    }
  }

  /** Whether entries of a directory can be renamed. False for an immutable one even to root. */
  boolean isWritable(Path directory) {
    return Files.isWritable(directory);
  }

  /** Shows the entries of a directory, none if there is no such directory. */
  void list(Path directory, Consumer<Path> visitor) throws IOException {
    try (DirectoryStream<Path> entries = Files.newDirectoryStream(directory)) {
      entries.forEach(visitor);
    } catch (NoSuchFileException | NotDirectoryException gone) {
      return; // nothing in it
    }
  }

  /** Removes a directory if it is empty; false if it stays. */
  boolean removeIfEmpty(Path directory) throws IOException {
    try {
      return Files.deleteIfExists(directory);
    } catch (DirectoryNotEmptyException inUse) {
      return false;
    }
  }
}
