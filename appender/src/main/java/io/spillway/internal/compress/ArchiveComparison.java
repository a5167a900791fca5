package io.spillway.internal.compress;

import io.spillway.archive.ArchiveFormat;
import java.io.Closeable;
import java.io.EOFException;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.Arrays;

/**
 * Compares an archive with a rolled file of the same name, a chunk at a time; after a crash either
 * of the two may be the one to keep. Damage of the archive is an outcome; a disk that cannot be
 * read is an exception and decides nothing. The caller opens the files and closes them.
 */
final class ArchiveComparison implements Closeable {
  /** The result of a comparison. */
  enum Outcome {
    /** The archive is whole and holds the rolled file. */
    SAME,
    /** The archive is damaged or ends early; its readable content begins the rolled file. */
    TRUNCATED,
    /** The archive is whole and begins with the rolled file. */
    WITHIN,
    /** The archive holds other content, or is damaged and holds more than the rolled file. */
    DIFFERENT
  }

  /** An unreadable archive this much larger than the rolled file was not made from it. */
  private static final long OVERHEAD_BYTES = 1_024;

  /** A file at least this long without an archive's header is another program's file. */
  private static final long HEADER_BYTES = 64;

  private final InputStream raw;
  private final long rawBytes;
  private final long archiveBytes;
  private final ArchiveFormat format;
  private final Source source;
  private InputStream content;
  private long compared;
  private boolean more; // in the archive than in the rolled file

  /** Compares two files, each opened at its beginning. */
  ArchiveComparison(
      InputStream raw,
      long rawBytes,
      InputStream archive,
      long archiveBytes,
      ArchiveFormat format) {
    this.raw = raw;
    this.rawBytes = rawBytes;
    this.archiveBytes = archiveBytes;
    this.format = format;
    this.source = new Source(archive);
  }

  /** Returns how many bytes of content are equal so far. */
  long comparedBytes() {
    return compared;
  }

  /** Compares at most half a chunk more; returns null while the outcome is open. */
  Outcome step(byte[] chunk) throws IOException {
    int half = chunk.length / 2;
    int count;
    try {
      if (content == null) {
        content = format.decompressing(source);
      }
      count = content.read(chunk, 0, half);
    } catch (IOException e) {
      if (source.failure != null) {
        throw source.failure;
      }
      if (more) {
        return Outcome.DIFFERENT; // neither file is complete
      }
      boolean isHeader = content == null && source.first != 0 && archiveBytes >= HEADER_BYTES;
      return isHeader && !(e instanceof EOFException) ? Outcome.DIFFERENT : cut();
    }
    if (count < 0) {
      boolean rawEnds = compared >= rawBytes;
      return more ? Outcome.WITHIN : rawEnds ? Outcome.SAME : Outcome.TRUNCATED;
    }
    int found = raw.readNBytes(chunk, half, count);
    if (!Arrays.equals(chunk, 0, found, chunk, half, half + found)) {
      return Outcome.DIFFERENT;
    }
    compared += found;
    more |= found < count;
    return null;
  }

  private Outcome cut() {
    boolean foreign = compared == 0 && archiveBytes > rawBytes + OVERHEAD_BYTES;
    return foreign ? Outcome.DIFFERENT : Outcome.TRUNCATED;
  }

  @Override
  public void close() throws IOException {
    if (content != null) {
      content.close();
    }
  }

  /** Records the disk's failures, to distinguish them from those of the format. */
  private static final class Source extends FilterInputStream {
    private IOException failure;
    private int first = -1; // first byte of the archive

    Source(InputStream in) {
      super(in);
    }

    @Override
    public int read() throws IOException {
      byte[] one = new byte[1];
      return read(one, 0, 1) < 0 ? -1 : one[0] & 0xFF;
    }

    @Override
    public int read(byte[] bytes, int offset, int length) throws IOException {
      try {
        int count = in.read(bytes, offset, length);
        first = first < 0 && count > 0 ? bytes[offset] & 0xFF : first;
        return count;
      } catch (IOException e) {
        failure = e;
        throw e;
      }
    }
  }
}
