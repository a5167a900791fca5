package io.spillway.internal.spill;

import java.io.Closeable;
import java.io.IOException;
import java.nio.file.FileSystemException;
import java.nio.file.Path;
import java.util.List;

/** Every file operation of the spill, so that tests can fail any one of them. */
interface SpillFiles {

  /** What a name stands for; links are not followed. */
  enum Type {
    ABSENT,
    FILE,
    DIRECTORY,
    OTHER
  }

  /** Something that is no file of the spill has one of its names, and stays. */
  final class ObstructedException extends FileSystemException {
    private static final long serialVersionUID = 1;

    ObstructedException(Path path, String reason) {
      super(path.toString(), null, reason);
    }
  }

  /** Creates missing parents with the platform's default permissions. */
  void createParents(Path directory) throws IOException;

  /** Creates the directory with mode 0700. */
  void createDirectory(Path directory) throws IOException;

  /** How others can get at a directory that is there, as the rest of a sentence; null if not. */
  String exposure(Path directory) throws IOException;

  List<Path> list(Path directory) throws IOException;

  Type type(Path path) throws IOException;

  long size(Path path) throws IOException;

  /** Identity of the file behind a name, or null when the name is free. */
  Object key(Path path) throws IOException;

  /** Creates a file that must not exist, mode 0600, for reading and writing. */
  SpillFile create(Path path) throws IOException;

  /** Opens a regular file; never follows a link, never waits on a FIFO. */
  SpillFile openForReading(Path path) throws IOException;

  /** As {@link #openForReading}, and refuses a file that has a second name elsewhere. */
  SpillFile openForWriting(Path path) throws IOException;

  void rename(Path from, Path to) throws IOException;

  /** Unlinks; a name already free is fine. */
  void delete(Path path) throws IOException;

  void syncDirectory(Path directory) throws IOException;

  /** Creates and locks the file for this process until closed; null when another one holds it. */
  Closeable lock(Path path) throws IOException;
}
