package io.spillway.compress;

import java.io.IOException;
import java.io.OutputStream;

/** A new file being written, on a plain stream: an interrupt would close a channel for good. */
abstract class PartFile extends OutputStream {
  @Override
  public final void write(int b) throws IOException {
    write(new byte[] {(byte) b}, 0, 1);
  }

  @Override
  public abstract void write(byte[] bytes, int offset, int length) throws IOException;

  /** Returns when what was written is on the disk. */
  abstract void force() throws IOException;
}
