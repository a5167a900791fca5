package io.spillway.internal.compress;

import static org.assertj.core.api.Assertions.assertThat;

import io.spillway.archive.ArchiveFormat;
import io.spillway.internal.compress.ArchiveFormats.GzipFormat;
import io.spillway.testkit.Shell;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import java.util.zip.GZIPInputStream;

/** Contents of rolled files, and what archives are held against. */
final class Samples {
  private Samples() {}

  /** Lines as logs have them, always the same for a seed, of exactly this length. */
  static byte[] log(long seed, int bytes) {
    Random random = new Random(seed);
    StringBuilder text = new StringBuilder(bytes + 200);
    for (int line = 0; text.length() < bytes; line++) {
      text.append("2026-11-21 10:15:30,")
          .append(100 + line % 900)
          .append(" [worker-")
          .append(random.nextInt(300))
          .append("] INFO  c.e.push.Sender - sent ")
          .append(Long.toHexString(random.nextLong()))
          .append(" to device ")
          .append(random.nextInt(1_000_000))
          .append(" in ")
          .append(random.nextInt(500))
          .append(" ms\n");
    }
    text.setLength(bytes);
    return text.toString().getBytes(StandardCharsets.US_ASCII);
  }

  static byte[] compressed(ArchiveFormat format, byte[] content) {
    return compressed(format, content, format.defaultLevel());
  }

  static byte[] compressed(ArchiveFormat format, byte[] content, int level) {
    ByteArrayOutputStream archive = new ByteArrayOutputStream();
    try (var out = format.compressing(archive, "app.log", level)) {
      out.write(content);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return archive.toByteArray();
  }

  static byte[] gzip(byte[] content) {
    return compressed(new GzipFormat(), content);
  }

  /** An archive is whole for the operator's tool and for Java, and holds this. */
  static void assertHolds(Path archive, byte[] content) {
    Shell.run("gzip", "-t", archive);
    try (InputStream in = new GZIPInputStream(Files.newInputStream(archive))) {
      assertThat(sha256(in.readAllBytes())).as("content of " + archive).isEqualTo(sha256(content));
    } catch (IOException e) {
      throw new UncheckedIOException(archive.toString(), e);
    }
  }

  /** All of them pass {@code gzip -t}. */
  static void assertWhole(List<Path> archives) {
    List<Object> command = new ArrayList<>(List.of("gzip", "-t"));
    command.addAll(archives);
    Shell.run(command.toArray());
  }

  static String sha256(byte[] bytes) {
    try {
      return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(bytes));
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException(e);
    }
  }

  /** Every name below a directory, sorted. */
  static List<Path> below(Path directory) {
    if (!Files.isDirectory(directory)) {
      return List.of();
    }
    try (Stream<Path> files = Files.walk(directory)) {
      return files.filter(file -> !file.equals(directory)).sorted().toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (UncheckedIOException vanished) {
      return below(directory); // a file went away in the middle of the walk
    }
  }

  static List<String> names(Path directory) {
    return below(directory).stream().map(file -> directory.relativize(file).toString()).toList();
  }
}
