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
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * RFC 8878 with a checksum of the content, as {@code zstd} and {@code zstdcat} read it. The one
 * class that names the optional library: it fails with a {@link LinkageError} without it.
 */
final class ZstdFormat implements ArchiveFormat {
  private static final int DEFAULT_LEVEL = 3;

  /** The "ultra" levels above take hundreds of megabytes of native memory. */
  private static final int HIGHEST_LEVEL = 19;

  private static final int MAGIC_BYTES = 4;
  private static final int MAGIC = 0xFD2FB528;
  private static final int SKIPPABLE_MAGIC = 0x184D2A50; // and the 15 above, which hold no content

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
    PushbackInputStream begun = new PushbackInputStream(in, MAGIC_BYTES);
    byte[] first = begun.readNBytes(MAGIC_BYTES);
    if (first.length < MAGIC_BYTES) {
      throw new EOFException("too short for a frame, which even an empty file makes");
    }
    int magic = ByteBuffer.wrap(first).order(ByteOrder.LITTLE_ENDIAN).getInt();
    if (magic != MAGIC && magic >>> 4 != SKIPPABLE_MAGIC >>> 4) {
      throw new IOException("no zstd frame at the beginning"); // zstd-jni would see it too late
    }
    begun.unread(first);
    return new ZstdInputStreamNoFinalizer(begun);
  }
}
