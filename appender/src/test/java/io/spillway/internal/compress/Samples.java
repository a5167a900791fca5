package io.spillway.internal.compress;

import io.spillway.archive.ArchiveFormat;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Random;

/** Contents to compress. */
final class Samples {
  private Samples() {}

  /** So many bytes of a log, different for each seed. */
  static byte[] log(int seed, int size) {
    Random random = new Random(seed);
    StringBuilder log = new StringBuilder();
    while (log.length() < size) {
      log.append("2026-05-10 12:00:00,").append(random.nextInt(1_000)).append(" INFO order ");
      log.append(random.nextLong()).append(" is paid\n");
    }
    return Arrays.copyOf(log.toString().getBytes(StandardCharsets.US_ASCII), size);
  }

  static byte[] compressed(ArchiveFormat format, byte[] content) {
    ByteArrayOutputStream archive = new ByteArrayOutputStream();
    try (OutputStream out = format.compressing(archive, "app.log", format.defaultLevel())) {
      out.write(content);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return archive.toByteArray();
  }
}
