package io.spillway.internal.compress;

import com.github.luben.zstd.Zstd;
import com.github.luben.zstd.ZstdInputStreamNoFinalizer;
import com.github.luben.zstd.ZstdOutputStreamNoFinalizer;
import io.spillway.archive.ArchiveFormat;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.PushbackInputStream;

/**
 * RFC 8878 with a checksum of the content, as {@code zstd} and {@code zstdcat} read it. The one
 * class that names the optional library: it fails with a {@link LinkageError} without it.
 */
final class ZstdFormat implements ArchiveFormat {
  private static final int DEFAULT_LEVEL = 3;

  /** The "ultra" levels above take hundreds of megabytes of native memory. */
  private static final int HIGHEST_LEVEL = 19;

  /** Loads the native library, too. */
  void requireLibrary() {
    Zstd.maxCompressionLevel();
  }

  @Override
  public String suffix() {
    return ".zst";
  }

  @Override
  public boolean isLevel(int level) {
    return level >= 1 && level <= HIGHEST_LEVEL;
  }

  @Override
  public int defaultLevel() {
    return DEFAULT_LEVEL;
  }

  @Override
  public OutputStream compressing(OutputStream out, String entryName, int level)
      throws IOException {
    ZstdOutputStreamNoFinalizer zstd = new ZstdOutputStreamNoFinalizer(out, level);
    zstd.setChecksum(true);
    return zstd;
  }

  @Override
  public InputStream decompressing(InputStream in) throws IOException {
    PushbackInputStream begun = new PushbackInputStream(in);
    int first = begun.read();
    if (first < 0) {
      throw new EOFException("empty; even an empty file makes a frame"); // zstd-jni reads it as one
    }
    begun.unread(first);
    return new ZstdInputStreamNoFinalizer(begun);
  }
}
