package io.spillway.examples.testkit;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;

/** Files that are as long as a test needs them, and take next to nothing of the disk. */
public final class SparseFile {

  private SparseFile() {}

  /** A file of zeros, in a directory that is made if it is not there; or one that is there. */
  public static Path create(Path file, long length) throws IOException {
    Files.createDirectories(file.getParent());
    try (RandomAccessFile sparse = new RandomAccessFile(file.toFile(), "rw")) {
      sparse.setLength(length);
    }
    return file;
  }
}
