package io.spillway.internal.spill;

import java.io.Closeable;
import java.io.IOException;

/** An open file of the spill. Positions are explicit; any thread. */
interface SpillFile extends Closeable {

  /** Fills the range or throws. */
  void read(long position, byte[] bytes, int offset, int length) throws IOException;

  /** Writes the whole range or throws, with any part of it written. */
  void write(long position, byte[] bytes, int offset, int length) throws IOException;

  long size() throws IOException;

  void truncate(long size) throws IOException;

  /** Forces contents to the disk. Any thread, also while another one writes. */
  void sync() throws IOException;
}
