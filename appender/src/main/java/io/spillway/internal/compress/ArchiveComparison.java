package io.spillway.internal.compress;

import io.spillway.archive.ArchiveFormat;
import java.io.Closeable;
import java.io.EOFException;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.Arrays;

/**
 * Compares an archive with a rolled file of the same name, a chunk at a time: after a crash either
 * may be what is left to keep. Only the archive's damage is a verdict; a disk that fails to read is
 * an exception, and nothing is decided. Whoever opened the files closes them.
 */
final class ArchiveComparison implements Closeable {
  /** What was found. */
  enum Outcome {
    /** The archive is whole and holds the rolled file. */
    SAME,
    /** The archive is cut short or damaged; what can be read of it begins the rolled file. */
    TRUNCATED,
    /** The archive is whole and begins with the rolled file. */
    WITHIN,
    /** The archive holds something else, or cannot be read to its end and holds more. */
    DIFFERENT
  }

  /** An archive this much larger than the rolled file was never made from it. */
  private static final long OVERHEAD_BYTES = 1_024;

  /** What does not begin as an archive does, and is not cut within these, is somebody else's. */
  private static final long HEADER_BYTES = 64;

  private final InputStream raw;
  private final long rawBytes;
  private final long archiveBytes;
  private final ArchiveFormat format;
  private final Source source;
  private InputStream content;
  private long compared;
  private boolean more; // in the archive

  /** Of two files of such lengths, opened at their beginnings. */
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

  /** How many bytes of content are equal so far. */
  long comparedBytes() {
    return compared;
  }

  /** Goes on by half a chunk at most; null while undecided. */
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
        return Outcome.DIFFERENT; // neither of the two has all
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

  /** Remembers the disk's own failures, to tell them from the format's. */
  private static final class Source extends FilterInputStream {
    private IOException failure;
    private int first = -1; // byte of the archive

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
