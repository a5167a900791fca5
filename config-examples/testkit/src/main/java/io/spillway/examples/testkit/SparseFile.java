package io.spillway.examples.testkit;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;

/** Creates files of any length that take almost no disk space. */
public final class SparseFile {

  private SparseFile() {}

  /** Creates a file of zeros and its directory, or sets the length of an existing file. */
  public static Path create(Path file, long length) throws IOException {
    Files.createDirectories(file.getParent());
    try (RandomAccessFile sparse = new RandomAccessFile(file.toFile(), "rw")) {
      sparse.setLength(length);
    }
    return file;
  }
}
