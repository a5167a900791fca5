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
import java.nio.file.attribute.FileTime;
import java.util.Arrays;
import java.util.List;
import java.util.zip.GZIPOutputStream;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class LogFilesTest {
  private static final String CONTENT = "a line\n".repeat(10_000);

  @TempDir Path root;

  private Path file(String name, int minute) throws IOException {
    Path file = root.resolve(name);
    Files.createDirectories(file.getParent());
    Files.writeString(file, name);
    return Files.setLastModifiedTime(file, FileTime.fromMillis(minute * 60_000L));
  }

  @Test
  void shouldReadArchivesByAgeThenTheActiveFileAndNothingElse() throws IOException {
    Path newer = file("old/2026/app.1.log.gz", 7);
    Path older = file("old/2026/app.2.log.gz", 3);
    Path waiting = file("old/2026/app.10.log", 9);
    Path renamed = file("old/2026/app.1.log.1.gz", 8);
    Path active = file("app.log", 1);
    file("old/2026/app.1.log.gz.part", 9);
    file("other.log", 9);
    List<Path> files = LogFiles.of(root, active, root + "/old/%d{yyyy}/app.%i.log.gz");
    assertThat(files).containsExactly(older, newer, renamed, waiting, active);
  }

  /** Logback renames the file before it compresses it. */
  @Test
  void shouldReadWhatLogbackHasYetToCompress() throws IOException {
    Path archive = file("app.12.log.gz", 5);
    Path ofArchive = file("app.1.log.gz81123.tmp", 6);
    Path ofFile = file("app.log81124.tmp", 7);
    Path active = file("app.log", 8);
    file("other.log81124.tmp", 7);
    assertThat(LogFiles.of(root, active, root + "/app.%i.log.gz"))
        .containsExactly(archive, ofArchive, ofFile, active);
  }

  @Test
  void shouldReadAPlainFileAlone() throws IOException {
    Path active = file("app.log", 1);
    file("app.1.log", 2);
    assertThat(LogFiles.of(root, active, null)).containsExactly(active);
  }

  @Test
  void shouldReadAFileThatIsCalledLikeItsArchiveByAge() throws IOException {
    Path second = file("app.2026-01-01.log", 2);
    Path first = file("app.2026-01-02.log.gz", 1);
    assertThat(LogFiles.of(root, null, root + "/app.%d.log.gz")).containsExactly(first, second);
  }

  @ParameterizedTest
  @CsvSource({
    "/l/app.%i.log.gz, /l/app.1.log.gz, true",
    "/l/app.%i.log.gz, /l/app.1.log, true",
    "/l/app.%03i.log.zip, /l/app.001.log.zip, true",
    "'/l/%d{yyyy/MM, aux}/app.%d.%i.log', /l/2026/01/app.2026-01-02.3.log, true",
    "/l/app.%i.log.gz, /l/app.log, false",
    "/l/app-%d.log.gz, /l/app-json.log, false",
    "/l/app.%i.log.gz, /l/app.old.log.gz, false",
    "'/l/app-%d{yyyyMMdd-H, UTC}.log', /l/app-20260102-9.log, true",
    "'/l/app-%d{yyyyMMdd-H, UTC}.log', /l/app-20260102-json.log, false",
    "/l/app-%d{yyyy-MM-dd'T'HH}.log, /l/app-2026-01-02T03.log, true",
    "/l/app-%d{DDD-SSS}.log, /l/app-031-007.log, true",
    "/l/app-%d{dd-MMM-yyyy}.log, /l/app-02-Jan-2026.log, true",
    "/l/app-%d{dd-MMM-yyyy}.log, /l/app-json.log, false",
    "/l/app.%i.log.gz, /l/app.1.log.gz.tmp, false",
    "/l/app+(1).%i.log, /l/app+(1).7.log, true",
    "/l/app+(1).%i.log, /l/apppp1.7.log, false",
  })
  void shouldKnowTheNamesThatAPatternGives(String pattern, String name, boolean known) {
    assertThat(FileNames.of(pattern).matcher(name).matches()).isEqualTo(known);
  }

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

  private Path packed(String suffix) throws IOException {
    Path file = root.resolve("app.1.log" + suffix);
    try (OutputStream out = packing(Files.newOutputStream(file), suffix)) {
      out.write(CONTENT.getBytes(StandardCharsets.UTF_8));
    }
    return file;
  }

  @ParameterizedTest
  @ValueSource(strings = {"", ".gz", ".zip", ".zst"})
  void shouldUnpackBySuffix(String suffix) throws IOException {
    try (InputStream in = LogFiles.open(packed(suffix))) {
      assertThat(new String(in.readAllBytes(), StandardCharsets.UTF_8)).isEqualTo(CONTENT);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {".gz", ".zip", ".zst"})
  void shouldTellThatAnArchiveIsCut(String suffix) throws IOException {
    Path file = packed(suffix);
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
