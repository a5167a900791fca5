package io.spillway.compress;

import java.io.IOException;

/** Work on one rolled file, done a chunk at a time on the worker's thread. */
interface Job {
  /** Does a bit; false when there is nothing left to do. */
  boolean step(byte[] chunk) throws IOException;

  /** Where the file is that it works on. */
  TrackedPath path();

  /** Frees everything, whether finished or not. */
  void close();
}
