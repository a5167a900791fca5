package io.spillway.internal.disk;

import java.io.Closeable;
import java.io.IOException;

/** An open file. Each access names its position. Thread-safe; no interrupt closes the file. */
public interface DiskFile extends Closeable {

  /**
   * Reads bytes until the range of the array is full.
   *
   * @param position offset of the first byte in the file
   * @param bytes receives the bytes
   * @param offset index of the first byte in the array
   * @param length number of bytes
   * @throws IOException if the file ends before the range is full, or cannot be read
   */
  void read(long position, byte[] bytes, int offset, int length) throws IOException;

  /**
   * Writes the range of the array.
   *
   * @param position offset of the first byte in the file
   * @param bytes holds the bytes
   * @param offset index of the first byte in the array
   * @param length number of bytes
   * @throws IOException if the write fails; any part of the range may have been written
   */
  void write(long position, byte[] bytes, int offset, int length) throws IOException;

  /**
   * Returns the length of the file.
   *
   * @return the length in bytes
   * @throws IOException if the length cannot be read
   */
  long size() throws IOException;

  /**
   * Cuts the file to a length.
   *
   * @param size the new length in bytes
   * @throws IOException if the length cannot be changed
   */
  void truncate(long size) throws IOException;

  /**
   * Forces the file's content to the disk. May be called while another thread writes.
   *
   * @throws IOException if the content may not be on the disk
   */
  void sync() throws IOException;
}
