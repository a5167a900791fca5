package io.spillway.rolling;

import java.io.File;

/**
 * Tells when a file has its size, without a look at it for each event: nobody writes faster than
 * memory, so that the file is shorter for some time after each look. It asks the file instead of
 * Logback's length counter, which Logback has since 1.5.8 only. One thread at a time.
 */
final class SizeWatch {
  private static final long MOST_BYTES_PER_NANO = 16;

  private File watched; // null for a look at once
  private long nextLookNanos;

  SizeWatch() {}

  /** Whether the file has that many bytes. */
  boolean hasReached(long bytes, File file) {
    long now = System.nanoTime();
    if (file == watched && now - nextLookNanos < 0) {
      return false;
    }
    long missing = bytes - file.length();
    watched = file;
    nextLookNanos = now + missing / MOST_BYTES_PER_NANO;
    return missing <= 0;
  }

  /** Looks at once when asked next: another file may have the name. */
  void reset() {
    watched = null;
  }
}
