package io.spillway.internal.compress;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.spillway.archive.ArchiveFormat;
import io.spillway.internal.compress.ArchiveFormats.GzipFormat;
import io.spillway.internal.compress.ArchiveFormats.UnsupportedFormatException;
import io.spillway.internal.compress.ArchiveFormats.XzFormat;
import io.spillway.internal.compress.ArchiveFormats.ZstdFormat;
import io.spillway.testkit.Shell;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What goes in comes out, for us and for the operator's tools; what is cut never ends silently. */
class ArchiveFormatsTest {
  private static final boolean FULL = Boolean.getBoolean("spillway.test.full");
  private static final int[] SIZES = {0, 1, 511, 512, 65_535, 65_536, 65_537, 600_001};

  static Stream<ArchiveFormat> formats() {
    return Stream.of(new GzipFormat(), new ZipFormat(), new ZstdFormat(), ArchiveFormats.PLAIN);
  }

  static Stream<ArchiveFormat> compressing() {
    return formats().filter(format -> !format.suffix().isEmpty());
  }

  private static byte[] noise(int size) {
    byte[] noise = new byte[size];
    new Random(size).nextBytes(noise);
    return noise;
  }

  private static byte[] read(ArchiveFormat format, byte[] archive) throws IOException {
    try (InputStream in = format.decompressing(new ByteArrayInputStream(archive))) {
      return in.readAllBytes();
    }
  }

  @ParameterizedTest
  @MethodSource("formats")
  void shouldRoundTripEverySize(ArchiveFormat format) throws IOException {
    for (int size : SIZES) {
      for (byte[] content : List.of(Samples.log(size, size), noise(size), new byte[size])) {
        byte[] back = read(format, Samples.compressed(format, content));
        assertThat(Arrays.equals(back, content)).as(size + " bytes").isTrue();
      }
    }
  }

  @ParameterizedTest
  @MethodSource("formats")
  void shouldRoundTripEveryLevel(ArchiveFormat format) throws IOException {
    byte[] content = Samples.log(1, 120_000);
    for (int level : IntStream.range(-1, 30).filter(format::isLevel).toArray()) {
      ByteArrayOutputStream archive = new ByteArrayOutputStream();
      try (OutputStream out = format.compressing(archive, "app.log", level)) {
        out.write(content, 0, 100_000);
        out.write(content, 100_000, 20_000);
      }
      assertThat(Arrays.equals(read(format, archive.toByteArray()), content)).isTrue();
    }
    assertThat(format.isLevel(format.defaultLevel())).isTrue();
  }

  @Test
  void shouldCompressHarderAtHigherLevels() throws IOException {
    byte[] content = Samples.log(1, 300_000);
    for (ArchiveFormat format : List.of(new GzipFormat(), new ZipFormat(), new ZstdFormat())) {
      ByteArrayOutputStream fast = new ByteArrayOutputStream();
      ByteArrayOutputStream small = new ByteArrayOutputStream();
      try (OutputStream first = format.compressing(fast, "app.log", 1);
          OutputStream second = format.compressing(small, "app.log", 9)) {
        first.write(content);
        second.write(content);
      }
      assertThat(small.size()).as(format.suffix()).isLessThan(fast.size());
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 1_000_001})
  void shouldBeReadByTheOperatorsTools(int size, @TempDir Path directory) throws IOException {
    byte[] content = Samples.log(5, size);
    Path gz = Files.write(directory.resolve("a.gz"), Samples.gzip(content));
    Samples.assertHolds(gz, content);
    String zcat = "zcat " + gz + " | cmp - " + Files.write(directory.resolve("raw"), content);
    Shell.run("sh", "-c", zcat);

    Path zip = directory.resolve("a.zip");
    Files.write(zip, Samples.compressed(new ZipFormat(), content));
    Shell.run("unzip", "-tq", zip);

    Path zst = directory.resolve("a.zst");
    Files.write(zst, Samples.compressed(new ZstdFormat(), content));
    Shell.run("zstd", "-tq", zst);
  }

  @ParameterizedTest
  @MethodSource("compressing")
  void shouldThrowWhereverTheArchiveIsCut(ArchiveFormat format) {
    for (byte[] content : List.of(new byte[0], Samples.log(3, 3_000), noise(500))) {
      byte[] archive = Samples.compressed(format, content);
      for (int length = 0; length < archive.length; length += FULL ? 1 : 3) {
        byte[] cut = Arrays.copyOf(archive, length);
        assertThatThrownBy(() -> read(format, cut))
            .as("%s of %d bytes cut at %d of %d", format, content.length, length, archive.length)
            .isInstanceOf(IOException.class);
      }
    }
  }

  @ParameterizedTest
  @MethodSource("compressing")
  void shouldNeverReturnOtherBytesThanWentIn(ArchiveFormat format) {
    byte[] content = Samples.log(3, 1_000);
    byte[] archive = Samples.compressed(format, content);
    int unnoticed = 0;
    for (int bit = 0; bit < archive.length * 8; bit += FULL ? 1 : 5) {
      byte[] damaged = archive.clone();
      damaged[bit / 8] ^= (byte) (1 << bit % 8);
      try {
        assertThat(Arrays.equals(read(format, damaged), content)).as("bit " + bit).isTrue();
        unnoticed++; // names, times, the copy of the directory: none of the content
      } catch (IOException noticed) {
        assertThat(noticed).isNotNull();
      }
    }
    assertThat(unnoticed).isLessThan(archive.length * 8 / 4);
  }

  @Test
  void shouldSeeZipArchivesCutBehindTheirEntry() throws IOException {
    byte[] content = Samples.log(3, 100_000);
    byte[] archive = Samples.compressed(new ZipFormat(), content);
    for (int missing = 1; missing <= 80; missing++) {
      byte[] cut = Arrays.copyOf(archive, archive.length - missing);
      assertThatThrownBy(() -> read(new ZipFormat(), cut)).isInstanceOf(IOException.class);
    }
    byte[] longer = Arrays.copyOf(archive, archive.length + 1);
    assertThatThrownBy(() -> read(new ZipFormat(), longer)).isInstanceOf(IOException.class);
  }

  @Test
  void shouldChooseBySuffix() throws UnsupportedFormatException {
    assertThat(ArchiveFormats.forName("a.%i.log.gz")).isInstanceOf(GzipFormat.class);
    assertThat(ArchiveFormats.forName("a.%i.log.zip")).isInstanceOf(ZipFormat.class);
    assertThat(ArchiveFormats.forName("a.%i.log.zst")).isInstanceOf(ZstdFormat.class);
    assertThat(ArchiveFormats.forName("a.%i.log.xz")).isInstanceOf(XzFormat.class);
    assertThat(ArchiveFormats.forName("a.%i.reversed")).isInstanceOf(ReversingFormat.class);
    for (String plain : List.of("a.%i.log", "a.%i", "gz", "a.gz/%i")) {
      assertThat(ArchiveFormats.forName(plain)).as(plain).isSameAs(ArchiveFormats.PLAIN);
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        ".XZ", ".bz2", ".bz", ".lz4", ".7z", ".rar", ".Z", ".lzma", ".br", ".tgz", ".snappy",
        ".gzip", ".zstd", ".GZ", ".Zip", ".ZST"
      })
  void shouldRefuseCompressionsThatAreNotAtHand(String suffix) {
    assertThatThrownBy(() -> ArchiveFormats.forName("app.%i.log" + suffix))
        .isInstanceOf(UnsupportedFormatException.class)
        .hasMessageContaining("Setting [fileNamePattern] has the value [app.%i.log" + suffix + "]")
        .hasMessageContaining("allowed: ")
        .hasMessageContaining("To do: ");
  }

  @ParameterizedTest
  @MethodSource("compressing")
  void shouldFreeACompressorWhoseArchiveIsGivenUp(ArchiveFormat format) throws IOException {
    boolean[] failing = {false};
    OutputStream out =
        new OutputStream() {
          @Override
          public void write(int b) throws IOException {
            if (failing[0]) {
              throw new IOException("No space left on device");
            }
          }
        };
    OutputStream compressor = format.compressing(out, "app.log", format.defaultLevel());
    compressor.write(noise(500_000));
    failing[0] = true;
    assertThatThrownBy(compressor::close).isInstanceOf(IOException.class);
    failing[0] = false;
    compressor.close(); // a second time does no harm
  }
}
