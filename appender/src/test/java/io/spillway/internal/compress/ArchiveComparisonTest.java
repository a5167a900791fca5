package io.spillway.internal.compress;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.spillway.archive.ArchiveFormat;
import io.spillway.internal.compress.ArchiveComparison.Outcome;
import io.spillway.internal.compress.ArchiveFormats.GzipFormat;
import io.spillway.internal.compress.ArchiveFormats.XzFormat;
import io.spillway.internal.compress.ArchiveFormats.ZstdFormat;
import io.spillway.testkit.FaultyDisk;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Which of the two is to go. */
class ArchiveComparisonTest {
  private static final boolean FULL = Boolean.getBoolean("spillway.test.full");

  @TempDir Path directory;

  private final FaultyDisk files = new FaultyDisk();

  static Stream<ArchiveFormat> formats() {
    return Stream.of(new GzipFormat(), new ZipFormat(), new ZstdFormat(), new XzFormat());
  }

  private Outcome compare(byte[] raw, byte[] archive, ArchiveFormat format) throws IOException {
    Path rawFile = Files.write(directory.resolve("raw"), raw);
    Path archiveFile = Files.write(directory.resolve("archive"), archive);
    try (InputStream first = files.newInputStream(rawFile);
        InputStream second = files.newInputStream(archiveFile);
        ArchiveComparison comparison =
            new ArchiveComparison(first, raw.length, second, archive.length, format)) {
      byte[] chunk = new byte[10_000];
      Outcome outcome = null;
      while (outcome == null) {
        outcome = comparison.step(chunk);
      }
      return outcome;
    }
  }

  @ParameterizedTest
  @MethodSource("formats")
  void shouldKnowTheSame(ArchiveFormat format) throws IOException {
    for (int size : new int[] {0, 1, 4_999, 5_000, 5_001, 50_000}) {
      byte[] raw = Samples.log(1, size);
      assertThat(compare(raw, Samples.compressed(format, raw), format)).isEqualTo(Outcome.SAME);
    }
  }

  @ParameterizedTest
  @MethodSource("formats")
  void shouldKnowACutArchiveAtEveryOffset(ArchiveFormat format) throws IOException {
    for (int size : new int[] {0, 1, 1_500}) {
      byte[] raw = Samples.log(1, size);
      byte[] archive = Samples.compressed(format, raw);
      for (int length = 0; length < archive.length; length += FULL ? 1 : 7) {
        assertThat(compare(raw, Arrays.copyOf(archive, length), format))
            .as("%d bytes, archive cut at %d of %d", size, length, archive.length)
            .isEqualTo(Outcome.TRUNCATED);
      }
    }
  }

  @ParameterizedTest
  @MethodSource("formats")
  void shouldKnowAWholeArchiveOfTheBeginning(ArchiveFormat format) throws IOException {
    byte[] raw = Samples.log(1, 50_000);
    byte[] archive = Samples.compressed(format, Arrays.copyOf(raw, 20_000));
    assertThat(compare(raw, archive, format)).isEqualTo(Outcome.TRUNCATED);
  }

  @ParameterizedTest
  @MethodSource("formats")
  void shouldKnowOtherContent(ArchiveFormat format) throws IOException {
    byte[] raw = Samples.log(1, 50_000);
    byte[] lastByte = raw.clone();
    lastByte[49_999] ^= 1;
    for (byte[] other : new byte[][] {lastByte, Samples.log(2, 50_000), new byte[9]}) {
      byte[] archive = Samples.compressed(format, other);
      assertThat(compare(raw, archive, format)).isEqualTo(Outcome.DIFFERENT);
    }
  }

  @ParameterizedTest
  @MethodSource("formats")
  void shouldKnowTheBeginningOfAWholeArchive(ArchiveFormat format) throws IOException {
    byte[] content = Samples.log(1, 50_000);
    byte[] archive = Samples.compressed(format, content);
    for (int length : new int[] {0, 1, 4_999, 5_000, 5_001, 49_999}) {
      byte[] raw = Arrays.copyOf(content, length);
      assertThat(compare(raw, archive, format)).as("%d", length).isEqualTo(Outcome.WITHIN);
      if (length > 0) {
        raw[length - 1] ^= 1;
        assertThat(compare(raw, archive, format)).isEqualTo(Outcome.DIFFERENT);
      }
    }
    byte[] cut = Arrays.copyOf(archive, archive.length - 1);
    assertThat(compare(Arrays.copyOf(content, 5_001), cut, format)).isNotEqualTo(Outcome.WITHIN);
  }

  @Test
  void shouldLeaveAloneWhatIsLargerAndUnreadable() throws IOException {
    byte[] garbage = Samples.log(9, 60_000);
    assertThat(compare(Samples.log(1, 50_000), garbage, new GzipFormat()))
        .isEqualTo(Outcome.DIFFERENT);
    assertThat(compare(new byte[0], garbage, new GzipFormat())).isEqualTo(Outcome.DIFFERENT);
  }

  @ParameterizedTest
  @MethodSource("formats")
  void shouldLeaveAloneWhatIsNoArchive(ArchiveFormat format) throws IOException {
    byte[] foreign = Samples.log(9, 5_000);
    assertThat(compare(Samples.log(1, 50_000), foreign, format)).isEqualTo(Outcome.DIFFERENT);
  }

  /** A header is as long as the file name in it. */
  @Test
  void shouldTakeAnArchiveForCutThatEndsInALongHeader() throws IOException {
    byte[] header = new byte[100];
    Arrays.fill(header, (byte) 'x');
    System.arraycopy(new byte[] {0x1f, (byte) 0x8b, 8, 8, 0, 0, 0, 0, 0, 0}, 0, header, 0, 10);
    assertThat(compare(Samples.log(1, 50_000), header, new GzipFormat()))
        .isEqualTo(Outcome.TRUNCATED);
  }

  @Test
  void shouldTakeATailOfZeroesForDamage() throws IOException {
    byte[] raw = Samples.log(1, 50_000);
    byte[] archive = Samples.gzip(raw); // as a power cut leaves what was not forced
    Arrays.fill(archive, archive.length / 2, archive.length, (byte) 0);
    Outcome outcome = compare(raw, archive, new GzipFormat());
    assertThat(outcome).isIn(Outcome.TRUNCATED, Outcome.DIFFERENT); // zeroes may decode to bytes
    assertThat(compare(raw, new byte[archive.length], new GzipFormat()))
        .isEqualTo(Outcome.TRUNCATED);
  }

  @ParameterizedTest
  @MethodSource("formats")
  void shouldDecideNothingWhenADiskFails(ArchiveFormat format) {
    byte[] raw = Samples.log(1, 50_000);
    byte[] archive = Samples.compressed(format, raw);
    for (String failing : new String[] {"raw", "archive"}) {
      files.hook(
          (number, operation, file) -> {
            if (operation.equals("read") && file.endsWith(failing)) {
              throw new IOException("Input/output error (injected)");
            }
          });
      assertThatThrownBy(() -> compare(raw, archive, format))
          .isInstanceOf(IOException.class)
          .hasMessageContaining("injected");
    }
  }
}
