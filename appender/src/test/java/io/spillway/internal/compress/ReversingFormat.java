package io.spillway.internal.compress;

import io.spillway.archive.ArchiveFormat;
import java.io.FilterInputStream;
import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;

/** A format as others may provide them: turns every bit round. */
public class ReversingFormat implements ArchiveFormat {
  @Override
  public String suffix() {
    return ".reversed";
  }

  @Override
  public boolean isLevel(int level) {
    return level == 1;
  }

  @Override
  public int defaultLevel() {
    return 1;
  }

  @Override
  public OutputStream compressing(OutputStream out, String entryName, int level) {
    return new FilterOutputStream(out) {
      @Override
      public void write(int b) throws IOException {
        out.write(~b);
      }
    };
  }

  @Override
  public InputStream decompressing(InputStream in) {
    return new FilterInputStream(in) {
      @Override
      public int read() throws IOException {
        int b = in.read();
        return b < 0 ? b : ~b & 0xFF;
      }

      @Override
      public int read(byte[] bytes, int offset, int length) throws IOException {
        int count = in.read(bytes, offset, length);
        for (int i = 0; i < count; i++) {
          bytes[offset + i] = (byte) ~bytes[offset + i];
        }
        return count;
      }
    };
  }
}
