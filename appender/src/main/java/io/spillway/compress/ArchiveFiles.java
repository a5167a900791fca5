package io.spillway.compress;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.DirectoryStream;
import java.nio.file.Path;

/** Every file operation of the compressor, so that tests can fail it, hold it, or kill there. */
interface ArchiveFiles {
  /** What the name stands for, or null if it is free. */
  FileState state(Path file) throws IOException;

  /** Opens a regular file for reading. */
  InputStream open(Path file) throws IOException;

  /** Creates a file that must not exist, readable by its owner only, and missing directories. */
  PartFile create(Path file) throws IOException;

  /** Gives a file the permissions and the time of another. */
  void dress(Path file, FileState as) throws IOException;

  /** Returns when a file that others wrote is on the disk. */
  void force(Path file) throws IOException;

  /** Atomically, on one file system; creates missing directories. The target must be free. */
  void rename(Path from, Path to) throws IOException;

  /** Returns when the names in a directory are on the disk. */
  void forceDirectory(Path directory) throws IOException;

  /** Unlinks; a name already free is fine. */
  void delete(Path file) throws IOException;

  /** Lists a directory as it goes, however large it is. */
  DirectoryStream<Path> list(Path directory) throws IOException;
}
