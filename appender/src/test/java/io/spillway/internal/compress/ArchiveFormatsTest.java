package io.spillway.internal.compress;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.core.status.Status;
import io.spillway.archive.ArchiveFormat;
import io.spillway.rolling.FixedWindowRollingPolicy;
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
    return Stream.of("gz", "zip", "zst", "xz", "log").map(suffix -> chosen("a.%i." + suffix));
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
    for (ArchiveFormat format :
        formats().filter(f -> List.of(".gz", ".zip").contains(f.suffix())).toList()) {
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
    Path gz = directory.resolve("a.gz");
    Files.write(gz, Samples.compressed(chosen("a.%i.gz"), content));
    String zcat = "zcat " + gz + " | cmp - " + Files.write(directory.resolve("raw"), content);
    Shell.run("sh", "-c", zcat);

    Path zip = directory.resolve("a.zip");
    Files.write(zip, Samples.compressed(chosen("a.%i.zip"), content));
    Shell.run("unzip", "-tq", zip);

    Path zst = directory.resolve("a.zst");
    Files.write(zst, Samples.compressed(chosen("a.%i.zst"), content));
    Shell.run("zstd", "-tq", zst);
  }

  @ParameterizedTest
  @MethodSource("compressing")
  void shouldThrowWhereverTheArchiveIsCut(ArchiveFormat format) {
    for (byte[] content : List.of(new byte[0], Samples.log(3, 3_000), noise(500))) {
      byte[] archive = Samples.compressed(format, content);
      for (int length = 0; length < end(format, archive); length += FULL ? 1 : 3) {
        byte[] cut = Arrays.copyOf(archive, length);
        assertThatThrownBy(() -> read(format, cut))
            .as("%s of %d bytes cut at %d of %d", format, content.length, length, archive.length)
            .isInstanceOf(IOException.class);
      }
    }
  }

  /** Returns the length of a whole archive; of a zip, that of its entry, as the rest is a copy. */
  private static int end(ArchiveFormat format, byte[] archive) {
    int directory = 46 + "app.log".length() + 22; // central header, name, end record
    return format.suffix().equals(".zip") ? archive.length - directory : archive.length;
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
      } catch (IOException | IllegalArgumentException noticed) {
        assertThat(noticed).isNotNull();
      }
    }
    assertThat(unnoticed).isLessThan(archive.length * 8 / 4);
  }

  private static ArchiveFormat chosen(String pattern) {
    FixedWindowRollingPolicy policy = new FixedWindowRollingPolicy();
    policy.setFileNamePattern(pattern);
    return ArchiveFormats.choose(policy);
  }

  @Test
  void shouldChooseBySuffix() {
    assertThat(chosen("a.%i.log.xz").suffix()).isEqualTo(".xz");
    assertThat(chosen("a.%i.reversed")).isInstanceOf(ReversingFormat.class);
    for (String plain : List.of("a.%i.log", "a.%i", "gz", "a.gz/%i")) {
      assertThat(chosen(plain)).as(plain).isSameAs(ArchiveFormats.PLAIN);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {".XZ", ".bz2", ".lz4", ".7z", ".Z", ".tgz", ".zstd", ".GZ", ".Zip"})
  void shouldWarnOfCompressionsThatAreNotAtHand(String suffix) {
    FixedWindowRollingPolicy policy = new FixedWindowRollingPolicy();
    LoggerContext context = new LoggerContext();
    policy.setContext(context);
    policy.setFileNamePattern("app.%i.log" + suffix);
    assertThat(ArchiveFormats.choose(policy)).isSameAs(ArchiveFormats.PLAIN);
    assertThat(context.getStatusManager().getCopyOfStatusList())
        .singleElement()
        .extracting(Status::getMessage)
        .asString()
        .contains("Setting [fileNamePattern] has the value [app.%i.log" + suffix + "]")
        .contains("To do: ");
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
    try {
      compressor.close(); // what is written now is discarded
    } catch (IOException repeated) {
      assertThat(repeated).hasMessage("No space left on device");
    }
  }
}
