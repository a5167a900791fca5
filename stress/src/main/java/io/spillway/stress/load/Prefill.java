package io.spillway.stress.load;

import io.spillway.stress.report.ReadBackFigures;
import io.spillway.stress.verify.PrefillLines;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.function.BooleanSupplier;
import java.util.zip.CRC32C;
import java.util.zip.GZIPOutputStream;

/**
 * Fills a file with log lines. It stays in the page cache, as it does for an application that has
 * just written it.
 */
public final class Prefill {

  private static final int BLOCK_BYTES = 1 << 20;
  private static final int SAMPLE_BYTES = 16 << 20;
  private static final int LINE_ROOM = 1024;

  private Prefill() {}

  /** Writes whole lines up to the given length, or fewer if it is cancelled meanwhile. */
  public static ReadBackFigures.Prefill write(Path file, long length, BooleanSupplier cancelled)
      throws IOException {
    PrefillLines lines = new PrefillLines();
    CRC32C crc = new CRC32C();
    byte[] block = new byte[BLOCK_BYTES];
    long written = 0;
    try (FileChannel channel =
        FileChannel.open(file, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE)) {
      OutputStream out = Channels.newOutputStream(channel);
      while (length - written > LINE_ROOM && !cancelled.getAsBoolean()) {
        int end = lines.fill(block, 0, (int) Math.min(BLOCK_BYTES, length - written));
        crc.update(block, 0, end);
        out.write(block, 0, end);
        written += end;
      }
      channel.force(true); // a later write-back would disturb the trial
    }
    return new ReadBackFigures.Prefill(lines.lines(), written, crc.getValue());
  }

  /** Measures how fast one core compresses such lines with gzip, in bytes a second. */
  public static double gzipBytesPerSecond() throws IOException {
    byte[] sample = new byte[SAMPLE_BYTES];
    int end = new PrefillLines().fill(sample, 0, sample.length);
    long start = System.nanoTime();
    try (GZIPOutputStream gzip = new GZIPOutputStream(new ByteArrayOutputStream(SAMPLE_BYTES))) {
      gzip.write(sample, 0, end);
    }
    return end / ((System.nanoTime() - start) / 1e9);
  }
}
