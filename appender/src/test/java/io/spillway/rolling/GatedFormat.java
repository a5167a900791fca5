package io.spillway.rolling;

import io.spillway.archive.ArchiveFormat;
import io.spillway.testkit.Gate;
import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.util.concurrent.atomic.AtomicLong;
import java.util.zip.GZIPInputStream;
import java.util.zip.GZIPOutputStream;

/** As slow as a test wants, or failing. One worker compresses for all, so tests take turns. */
public final class GatedFormat implements ArchiveFormat {
  static final String SUFFIX = ".gated";
  static final Gate GATE = new Gate();
  static final AtomicLong BEGUN = new AtomicLong(); // compressions
  static volatile boolean failing;

  /** Lets everything pass. */
  static void reset() {
    failing = false;
    GATE.open();
  }

  private static void pass() throws IOException {
    GATE.pass();
    if (failing) {
      throw new IOException("No space left on device (by the test)");
    }
  }

  @Override
  public String suffix() {
    return SUFFIX;
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
  public OutputStream compressing(OutputStream out, String entryName, int level)
      throws IOException {
    BEGUN.incrementAndGet();
    pass();
    return new FilterOutputStream(new GZIPOutputStream(out)) {
      @Override
      public void write(byte[] bytes, int offset, int length) throws IOException {
        pass();
        out.write(bytes, offset, length);
      }
    };
  }

  @Override
  public InputStream decompressing(InputStream in) throws IOException {
    return new GZIPInputStream(in);
  }
}
