package io.spillway.internal.disk;

import java.io.Closeable;
import java.io.IOException;

/** An open file. Positions are explicit; any thread. No interrupt closes it. */
public interface DiskFile extends Closeable {

  /**
   * Fills the range.
   *
   * @param position of the first byte in the file
   * @param bytes where to
   * @param offset in there
   * @param length how many
   * @throws IOException if the file ends before, or cannot be read
   */
  void read(long position, byte[] bytes, int offset, int length) throws IOException;

  /**
   * Writes the range.
   *
   * @param position of the first byte in the file
   * @param bytes where from
   * @param offset in there
   * @param length how many
   * @throws IOException with any part of it written
   */
  void write(long position, byte[] bytes, int offset, int length) throws IOException;

  /**
   * Its length.
   *
   * @return bytes
   * @throws IOException if that cannot be told
   */
  long size() throws IOException;

  /**
   * Cuts it off.
   *
   * @param size its new length in bytes
   * @throws IOException if that fails
   */
  void truncate(long size) throws IOException;

  /**
   * Returns when its contents are on the disk. Any thread, also while another one writes.
   *
   * @throws IOException if they may not be
   */
  void sync() throws IOException;
}
