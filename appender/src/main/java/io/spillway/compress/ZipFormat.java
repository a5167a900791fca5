package io.spillway.compress;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.util.zip.Deflater;
import java.util.zip.ZipEntry;
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
      buf = new byte[BUFFER_BYTES]; // the default of 512 bytes is a native call each
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
