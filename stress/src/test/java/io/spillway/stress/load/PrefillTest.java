package io.spillway.stress.load;

import static org.assertj.core.api.Assertions.assertThat;

import io.spillway.stress.report.ReadBackFigures;
import io.spillway.stress.verify.ReadBack;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PrefillTest {

  private static final int LENGTH = 5_000_000;

  @TempDir Path directory;

  @Test
  void shouldFillAFileWithWholeLinesThatAreFoundAgain() throws IOException {
    Path file = directory.resolve("app.log");

    ReadBackFigures.Prefill written = Prefill.write(file, LENGTH, () -> false);
    ReadBackFigures read = ReadBack.of(file.getParent(), file, null, written, List.of());

    assertThat(Files.size(file)).isEqualTo(written.bytes()).isBetween(LENGTH - 2000L, LENGTH + 0L);
    assertThat(read.prefillIntact()).isTrue();
    assertThat(read.conservation().clean()).isTrue();
  }

  @Test
  void shouldCompressLikeRealLogs() throws IOException {
    Path file = directory.resolve("app.log");
    ReadBackFigures.Prefill written = Prefill.write(file, LENGTH, () -> false);
    ByteArrayOutputStream packed = new ByteArrayOutputStream();
    try (GZIPOutputStream gzip = new GZIPOutputStream(packed)) {
      Files.copy(file, gzip);
    }

    assertThat((double) written.bytes() / packed.size()).isBetween(8.0, 12.0);
  }
}
