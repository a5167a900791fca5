package io.spillway.internal.compress;

import io.spillway.archive.ArchiveFormat;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import org.tukaani.xz.LZMA2Options;
import org.tukaani.xz.XZInputStream;
import org.tukaani.xz.XZOutputStream;

/**
 * The .xz format with a CRC64 of the content. The one class that names the optional library: it
 * fails with a {@link LinkageError} without it.
 */
final class XzFormat implements ArchiveFormat {
  private static final int DEFAULT_LEVEL = LZMA2Options.PRESET_DEFAULT; // as Logback's

  /** Loads the library. */
  void requireLibrary() {
    new LZMA2Options();
  }

  @Override
  public String suffix() {
    return ".xz";
  }

  @Override
  public boolean isLevel(int level) {
    return level >= 1 && level <= LZMA2Options.PRESET_MAX;
  }

  @Override
  public int defaultLevel() {
    return DEFAULT_LEVEL;
  }

  @Override
  public OutputStream compressing(OutputStream out, String entryName, int level)
      throws IOException {
    return new XZOutputStream(out, new LZMA2Options(level));
  }

  @Override
  public InputStream decompressing(InputStream in) throws IOException {
    return new XZInputStream(in);
  }
}
