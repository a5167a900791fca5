package io.spillway.stress.verify;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIOException;

import com.github.luben.zstd.ZstdOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.zip.GZIPOutputStream;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ArchivesTest {
  private static final String CONTENT = "a line\n".repeat(10_000);

  @TempDir Path directory;

  private static OutputStream packing(OutputStream out, String suffix) throws IOException {
    return switch (suffix) {
      case ".gz" -> new GZIPOutputStream(out);
      case ".zst" -> new ZstdOutputStream(out);
      case ".zip" -> {
        ZipOutputStream zip = new ZipOutputStream(out);
        zip.putNextEntry(new ZipEntry("app.log"));
        yield zip;
      }
      default -> out;
    };
  }

  private Path write(String suffix) throws IOException {
    Path file = directory.resolve("app.1.log" + suffix);
    try (OutputStream out = packing(Files.newOutputStream(file), suffix)) {
      out.write(CONTENT.getBytes(StandardCharsets.UTF_8));
    }
    return file;
  }

  @ParameterizedTest
  @ValueSource(strings = {"", ".gz", ".zip", ".zst"})
  void shouldUnpackBySuffix(String suffix) throws IOException {
    try (InputStream in = LogFiles.open(write(suffix))) {
      assertThat(new String(in.readAllBytes(), StandardCharsets.UTF_8)).isEqualTo(CONTENT);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {".gz", ".zip", ".zst"})
  void shouldTellThatAnArchiveIsCut(String suffix) throws IOException {
    Path file = write(suffix);
    byte[] bytes = Files.readAllBytes(file);
    for (int length : new int[] {0, 3, bytes.length / 2}) {
      Files.write(file, Arrays.copyOf(bytes, length));
      assertThatIOException()
          .as("of %d bytes %d", bytes.length, length)
          .isThrownBy(
              () -> {
                try (InputStream in = LogFiles.open(file)) {
                  in.readAllBytes();
                }
              });
    }
  }
}
