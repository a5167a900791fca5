package io.spillway.compress;

import java.io.InputStream;
import java.io.OutputStream;

/** No compression: the archive is the rolled file's bytes, copied only to another file system. */
final class PlainFormat implements ArchiveFormat {
  @Override
  public String suffix() {
    return "";
  }

  @Override
  public boolean isLevel(int level) {
    return level == 0;
  }

  @Override
  public int defaultLevel() {
    return 0;
  }

  @Override
  public OutputStream compressing(OutputStream out, String entryName, int level) {
    return out;
  }

  @Override
  public InputStream decompressing(InputStream in) {
    return in;
  }
}
