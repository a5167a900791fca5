package io.spillway.internal.compress;

import io.spillway.archive.ArchiveFormat;
import java.io.EOFException;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.util.zip.Deflater;
import java.util.zip.ZipEntry;
import java.util.zip.ZipException;
import java.util.zip.ZipInputStream;
import java.util.zip.ZipOutputStream;

/** A zip archive with one deflated entry, named as the rolled file. */
final class ZipFormat implements ArchiveFormat {
  private static final int BUFFER_BYTES = 64 * 1024;
  private static final int DEFAULT_LEVEL = 6;

  @Override
  public String suffix() {
    return ".zip";
  }

  @Override
  public boolean isLevel(int level) {
    return level >= Deflater.BEST_SPEED && level <= Deflater.BEST_COMPRESSION;
  }

  @Override
  public int defaultLevel() {
    return DEFAULT_LEVEL;
  }

  @Override
  public OutputStream compressing(OutputStream out, String entryName, int level)
      throws IOException {
    Leveled zip = new Leveled(out, level);
    zip.putNextEntry(new ZipEntry(entryName));
    return zip;
  }

  @Override
  public InputStream decompressing(InputStream in) throws IOException {
    return new WholeZipInputStream(in);
  }

  private static final class Leveled extends ZipOutputStream {
    private boolean ended;

    Leveled(OutputStream out, int level) {
      super(out);
      setLevel(level);
      buf = new byte[BUFFER_BYTES]; // the default of 512 bytes costs a native call each
    }

    @Override
    public void close() throws IOException {
      if (ended) {
        return;
      }
      ended = true;
      try {
        super.close();
      } finally {
        def.end(); // frees native memory at once, also after a failed close
      }
    }
  }

  /**
   * The content of a zip archive's entries, one after the other. {@link ZipInputStream} alone stops
   * before the central directory and would accept an archive that is cut there, which {@code unzip}
   * does not; so the archive must end with its end record, at the position that the record implies.
   */
  private static final class WholeZipInputStream extends InputStream {
    private static final int BUFFER_BYTES = 64 * 1024;
    private static final int END_RECORD_BYTES = 22; // without a comment; Logback sets none either
    private static final long IN_ZIP64_RECORD = 0xFFFFFFFFL;

    private final Tail tail;
    private final ZipInputStream zip;
    private boolean ended;

    WholeZipInputStream(InputStream in) throws IOException {
      tail = new Tail(in);
      zip = new ZipInputStream(tail);
      if (!nextEntry()) {
        throw new ZipException("no zip entry at the beginning");
      }
    }

    private boolean nextEntry() throws IOException {
      try {
        return zip.getNextEntry() != null;
      } catch (IllegalArgumentException malformedName) {
        throw (IOException) new ZipException("a damaged zip entry").initCause(malformedName);
      }
    }

    @Override
    public int read() throws IOException {
      byte[] one = new byte[1];
      return read(one, 0, 1) < 0 ? -1 : one[0] & 0xFF;
    }

    @Override
    public int read(byte[] bytes, int offset, int length) throws IOException {
      while (!ended && length > 0) {
        int count = zip.read(bytes, offset, length);
        if (count >= 0) {
          return count;
        }
        if (!nextEntry()) {
          requireEnd();
          ended = true;
        }
      }
      return length == 0 ? 0 : -1;
    }

    private void requireEnd() throws IOException {
      byte[] rest = new byte[BUFFER_BYTES];
      while (tail.read(rest, 0, rest.length) >= 0) {
        continue; // the directory repeats what the entries contain
      }
      byte[] end = tail.last();
      boolean isEndRecord =
          end != null && end[0] == 'P' && end[1] == 'K' && end[2] == 5 && end[3] == 6;
      if (!isEndRecord) {
        throw new EOFException("the zip archive is cut in or before its central directory");
      }
      long directoryBytes = number(end, 12);
      long directoryStart = number(end, 16);
      if (directoryStart != IN_ZIP64_RECORD
          && directoryBytes != IN_ZIP64_RECORD
          && directoryStart + directoryBytes + END_RECORD_BYTES != tail.count) {
        throw new ZipException(
            "the zip archive's central directory is not where its end record says");
      }
    }

    private static long number(byte[] bytes, int at) {
      long number = 0;
      for (int i = 3; i >= 0; i--) {
        number = number << 8 | bytes[at + i] & 0xFF;
      }
      return number;
    }

    @Override
    public void close() throws IOException {
      zip.close();
    }

    /** Counts the bytes and keeps the last ones. */
    private static final class Tail extends FilterInputStream {
      private final byte[] ring = new byte[END_RECORD_BYTES];
      private long count;

      Tail(InputStream in) {
        super(in);
      }

      @Override
      public int read() throws IOException {
        byte[] one = new byte[1];
        return read(one, 0, 1) < 0 ? -1 : one[0] & 0xFF;
      }

      @Override
      public int read(byte[] bytes, int offset, int length) throws IOException {
        int read = in.read(bytes, offset, length);
        for (int i = Math.max(0, read - ring.length); i < read; i++) {
          ring[(int) ((count + i) % ring.length)] = bytes[offset + i];
        }
        count += Math.max(0, read);
        return read;
      }

      @Override
      public long skip(long bytes) throws IOException {
        byte[] skipped = new byte[(int) Math.min(bytes, BUFFER_BYTES)];
        return Math.max(0, read(skipped, 0, skipped.length));
      }

      byte[] last() {
        if (count < ring.length) {
          return null;
        }
        byte[] last = new byte[ring.length];
        for (int i = 0; i < last.length; i++) {
          last[i] = ring[(int) ((count + i) % ring.length)];
        }
        return last;
      }
    }
  }
}
