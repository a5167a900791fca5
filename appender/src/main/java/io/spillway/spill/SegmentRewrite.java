package io.spillway.spill;

import java.io.IOException;
import java.nio.file.Path;

/**
 * Replaces a segment that could not be forced to the disk by a copy that could. The reader keeps
 * its handle on the old file; the copy has the same bytes at the same offsets. Syncer thread only,
 * on a sealed segment: the writer is through with the file.
 */
final class SegmentRewrite {

  private static final int BUFFER = 1 << 16;

  private SegmentRewrite() {}

  static void rewrite(SpillFiles files, LiveSegment segment, long length) throws IOException {
    Path name = segment.path.getFileName();
    Path copy = segment.path.resolveSibling(name + ".sync");
    files.delete(copy);
    boolean published = false;
    try {
      try (SpillFile to = files.create(copy)) {
        copy(segment.writeFile, to, length);
        to.sync();
      }
      files.rename(copy, segment.path);
      published = true;
    } finally {
      if (!published) {
        files.delete(copy);
      }
    }
    if (segment.isRetired()) {
      files.delete(segment.path); // delivered meanwhile: do not bring it back
    }
  }

  private static void copy(SpillFile from, SpillFile to, long length) throws IOException {
    byte[] buffer = new byte[BUFFER];
    for (long position = 0; position < length; ) {
      int chunk = (int) Math.min(buffer.length, length - position);
      from.read(position, buffer, 0, chunk);
      to.write(position, buffer, 0, chunk);
      position += chunk;
    }
  }
}
