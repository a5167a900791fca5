package io.spillway.internal.compress;

import io.spillway.archive.ArchiveFormat;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.util.zip.Deflater;
import java.util.zip.GZIPInputStream;
import java.util.zip.GZIPOutputStream;

/** RFC 1952, one member an archive, as {@code gzip}, {@code zcat} and {@code zgrep} read it. */
final class GzipFormat implements ArchiveFormat {
  private static final int BUFFER_BYTES = 64 * 1024;

  /** What zlib, {@code gzip} and Logback take. */
  private static final int DEFAULT_LEVEL = 6;

  @Override
  public String suffix() {
    return ".gz";
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
    return new Leveled(out, level);
  }

  @Override
  public InputStream decompressing(InputStream in) throws IOException {
    return new GZIPInputStream(in, BUFFER_BYTES);
  }

  private static final class Leveled extends GZIPOutputStream {
    private boolean ended;

    Leveled(OutputStream out, int level) throws IOException {
      super(out, BUFFER_BYTES);
      def.setLevel(level);
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
        def.end(); // its memory is native: after a failed close the heap would not press for it
      }
    }
  }
}
