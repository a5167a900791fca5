package io.spillway.compress;

import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Path;

/** Frees what a job holds; a failure here harms nothing but is told. */
final class Closing {
  private Closing() {}

  static void close(Parts parts, Closeable closeable) {
    try {
      closeable.close();
    } catch (IOException | RuntimeException e) {
      failed(parts, e);
    }
  }

  /** Frees a writer, if it came to one, and has its part deleted, unless that was published. */
  static void end(Parts parts, ArchiveWriter writer, Path part, boolean published) {
    if (part == null) {
      return;
    }
    try {
      if (writer != null && !published) {
        writer.abort();
      }
    } catch (IOException | RuntimeException e) {
      failed(parts, e);
    } finally {
      parts.writing().remove(part);
      if (!published) {
        parts.rubbish().accept(part);
      }
    }
  }

  /** Releases the file of a path that is not looked at any more. */
  static void release(Parts parts, OpenFile file) {
    parts.tracked().untrack(file.path());
    close(parts, file);
  }

  private static void failed(Parts parts, Exception e) {
    parts.reports().warn("archive.close", "Closing a file of the compressor failed: " + e);
  }
}
