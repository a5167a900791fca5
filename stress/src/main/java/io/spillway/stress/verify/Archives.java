package io.spillway.stress.verify;

import com.github.luben.zstd.ZstdInputStream;
import java.io.BufferedInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.zip.GZIPInputStream;
import java.util.zip.ZipException;
import java.util.zip.ZipInputStream;

/** Opens log files and archives as streams of their uncompressed content. */
final class Archives {
  private static final int BUFFER_BYTES = 1 << 16;

  private Archives() {}

  /** Opens a file by its suffix, which the suffix of an unfinished file may follow. */
  static InputStream open(Path file) throws IOException {
    InputStream in = new BufferedInputStream(Files.newInputStream(file), BUFFER_BYTES);
    try {
      return unpacked(in, file.getFileName().toString());
    } catch (IOException e) {
      in.close();
      throw e;
    }
  }

  private static InputStream unpacked(InputStream in, String name) throws IOException {
    if (name.contains(".gz")) {
      return new GZIPInputStream(in, BUFFER_BYTES);
    }
    if (name.contains(".zst")) {
      in.mark(1);
      if (in.read() < 0) {
        throw new EOFException("no frame in it"); // the library takes it as empty
      }
      in.reset();
      return new ZstdInputStream(in);
    }
    if (name.contains(".zip")) {
      ZipInputStream zip = new ZipInputStream(in);
      if (zip.getNextEntry() == null) {
        throw new ZipException("no entry in it");
      }
      return zip;
    }
    return in;
  }
}
