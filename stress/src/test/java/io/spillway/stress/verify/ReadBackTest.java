package io.spillway.stress.verify;

import static org.assertj.core.api.Assertions.assertThat;

import io.spillway.stress.report.ReadBackFigures;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.Arrays;
import java.util.List;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ReadBackTest {

  private static final ReadBackFigures.Prefill NO_PREFILL = new ReadBackFigures.Prefill(0, 0, 0);

  @TempDir Path directory;
  private Path active;
  private String pattern;

  @BeforeEach
  void setUp() {
    active = directory.resolve("app.log");
    pattern = directory + "/app.%i.log.gz";
  }

  @Test
  void shouldFindNothingWrongWithAWholeLog() throws IOException {
    new TrialLog().event(0, 0).event(1, 0).event(0, 1).write(active);

    assertThat(conservation(2L, 1L))
        .isEqualTo(new ReadBackFigures.Conservation(3, 3, 0, 0, 0, 0, 0));
  }

  @Test
  void shouldReadArchivesOldestFirstAndTheActiveFileLast() throws IOException {
    for (int i = 0; i < 3; i++) {
      Path archive = directory.resolve("app." + (3 - i) + ".log.gz");
      new TrialLog().event(0, i).writeGzip(archive);
      Files.setLastModifiedTime(archive, FileTime.fromMillis(1_000 * i));
    }
    new TrialLog().event(0, 3).write(active);

    assertThat(conservation(4L).clean()).isTrue();
  }

  @Test
  void shouldCountLostEvents() throws IOException {
    new TrialLog().event(0, 0).event(0, 2).write(active);

    assertThat(conservation(5L).lost()).isEqualTo(3);
  }

  @Test
  void shouldCountDuplicatesWhereverTheyStand() throws IOException {
    new TrialLog().event(0, 0).event(0, 0).writeGzip(directory.resolve("app.1.log.gz"));
    new TrialLog().event(0, 1).event(0, 0).write(active);

    ReadBackFigures.Conservation events = conservation(2L);

    assertThat(events.duplicated()).isEqualTo(2);
    assertThat(events.outOfOrder()).isZero();
    assertThat(events.lost()).isZero();
  }

  @Test
  void shouldCountEachEventBehindALaterOneOfItsThread() throws IOException {
    new TrialLog().event(0, 2).event(0, 0).event(1, 0).event(0, 1).event(0, 3).write(active);

    assertThat(conservation(4L, 1L).outOfOrder()).isEqualTo(2);
  }

  /** Without the beginning of its message a line is no event, but its event is missed. */
  @Test
  void shouldMissTheEventOfALineCutAnywhere() throws IOException {
    String whole = TrialLog.line(0, 0);
    int message = whole.indexOf("event");
    for (int cut = message + "event 0 0".length(); cut < whole.length() - 1; cut++) {
      new TrialLog().raw(whole.substring(0, cut) + "\n").event(0, 1).write(active);
      assertThat(conservation(2L)).extracting("torn", "lost").containsExactly(1L, 1L);
      new TrialLog().raw(whole.substring(cut)).event(0, 1).write(active);
      assertThat(conservation(2L)).extracting("torn", "lost").containsExactly(0L, 1L);
    }
  }

  @Test
  void shouldTakeTwoLinesRunTogetherForTorn() throws IOException {
    new TrialLog().raw(TrialLog.line(0, 0).strip()).event(0, 1).write(active);

    assertThat(conservation(2L)).extracting("torn", "lost").containsExactly(1L, 2L);
  }

  @Test
  void shouldTakeALastLineWithoutItsEndForTorn() throws IOException {
    new TrialLog().event(0, 0).raw(TrialLog.line(0, 1).strip()).write(active);

    assertThat(conservation(2L)).extracting("torn", "lost").containsExactly(1L, 1L);
  }

  /** As HTMLLayout writes it. */
  @Test
  void shouldTakeNoFooterForTorn() throws IOException {
    new TrialLog().event(0, 0).raw("</table></body></html>").write(active);

    assertThat(conservation(1L).clean()).isTrue();
  }

  @Test
  void shouldMissAnEventOfWhichAnyByteIsAltered() throws IOException {
    byte[] whole = TrialLog.line(0, 0).getBytes(StandardCharsets.US_ASCII);
    int message = new String(whole, StandardCharsets.US_ASCII).indexOf("event");
    for (int i = message; i < whole.length - 1; i++) {
      byte[] altered = whole.clone();
      altered[i] ^= 1;
      Files.write(active, altered);
      assertThat(conservation(1L).lost()).as("byte %d", i).isEqualTo(1);
    }
  }

  @Test
  void shouldCountEventsThatNobodySent() throws IOException {
    new TrialLog().event(0, 0).event(0, 1).event(7, 0).write(active);

    assertThat(conservation(1L).unknown()).isEqualTo(2);
  }

  @Test
  void shouldReportAnArchiveThatEndsTooSoon() throws IOException {
    byte[] gzip = new TrialLog().event(0, 0).event(0, 1).gzip();
    Files.write(directory.resolve("app.1.log.gz"), Arrays.copyOf(gzip, gzip.length - 9));
    new TrialLog().event(0, 2).write(active);

    ReadBackFigures figures = ReadBack.of(directory, active, pattern, NO_PREFILL, List.of(3L));

    assertThat(figures.files().get(0).error()).contains("EOFException");
  }

  @Test
  void shouldReadALeftoverAndIgnoreTheHalfWrittenArchiveMadeFromIt() throws IOException {
    new TrialLog().event(0, 0).write(directory.resolve("app.1.log"));
    Files.write(directory.resolve("app.1.log.gz.part"), new byte[] {31, -117, 8});
    new TrialLog().event(0, 1).write(active);

    ReadBackFigures figures = ReadBack.of(directory, active, pattern, NO_PREFILL, List.of(2L));

    assertThat(figures.conservation().clean()).isTrue();
    assertThat(figures.files()).filteredOn(file -> !file.read()).hasSize(1);
  }

  /** What cannot be read is missed, and not a reason to miss all else. */
  @Test
  void shouldCountTheLinesThatCanBeRead() throws IOException {
    byte[] whole = new TrialLog().event(0, 0).event(0, 1).gzip();
    Files.write(directory.resolve("app.2.log.gz"), whole);
    Files.write(directory.resolve("app.1.log.gz"), Arrays.copyOf(whole, 5));
    new TrialLog().event(0, 2).write(active);

    ReadBackFigures figures = ReadBack.counted(active, pattern, List.of(3L, 1L));

    assertThat(figures.conservation().delivered()).isEqualTo(3);
    assertThat(figures.conservation().lost()).isEqualTo(1);
    assertThat(figures.files()).filteredOn(file -> file.error() != null).hasSize(1);
  }

  @Test
  void shouldNoticeEveryDamageToThePrefilledLines() throws IOException {
    byte[] block = new byte[4000];
    PrefillLines lines = new PrefillLines();
    int end = lines.fill(block, 0, block.length);
    CRC32C crc = new CRC32C();
    crc.update(block, 0, end);
    ReadBackFigures.Prefill prefill =
        new ReadBackFigures.Prefill(lines.lines(), end, crc.getValue());
    byte[] whole = Arrays.copyOf(block, end);

    Files.write(active, whole);
    assertThat(ReadBack.of(directory, active, pattern, prefill, List.of()).prefillIntact())
        .isTrue();

    byte[] altered = whole.clone();
    altered[end / 2] ^= 1;
    Files.write(active, altered);
    assertThat(ReadBack.of(directory, active, pattern, prefill, List.of()).prefillIntact())
        .isFalse();

    Files.write(active, Arrays.copyOf(whole, end - 1));
    assertThat(ReadBack.of(directory, active, pattern, prefill, List.of()).prefillIntact())
        .isFalse();
  }

  private ReadBackFigures.Conservation conservation(Long... sent) throws IOException {
    return ReadBack.of(directory, active, pattern, NO_PREFILL, List.of(sent)).conservation();
  }
}
