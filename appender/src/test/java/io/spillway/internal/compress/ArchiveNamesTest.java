package io.spillway.internal.compress;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.spillway.internal.compress.ArchiveNames.Kind;
import io.spillway.internal.disk.Disk;
import io.spillway.testkit.FaultyDisk;
import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Exact names only, each of one kind. */
class ArchiveNamesTest {
  private static final Pattern FLAT = Pattern.compile("app\\.\\d+\\.log");
  private static final Pattern NUMBERED = Pattern.compile("app\\.log\\.\\d+");
  private static final Pattern DATED = Pattern.compile("\\d{4}/\\d{2}/app\\.\\d+\\.log");

  @TempDir Path logs;

  private ArchiveNames names(Pattern stem, String suffix) {
    return new ArchiveNames(logs, logs, stem, suffix, true);
  }

  private ArchiveNames flat(String suffix) {
    return names(FLAT, suffix);
  }

  @ParameterizedTest
  @CsvSource({
    "app.3.log, RAW",
    "app.3.log.1, RAW",
    "app.3.log.gz, ARCHIVE",
    "app.3.log.1.gz, ARCHIVE",
    "app.3.log.gz.17.part, PART",
    "app.3.log.2.gz.17.part, PART",
    "app.3.log.17.delete, DONE",
    "app.3.log.2.17.delete, DONE",
    "app.3.log.gz.17.delete, DONE",
    "app.3.log1234567890.tmp, STOCK_TMP",
    "app.3.log-1234567890.tmp, STOCK_TMP",
    "app.log, FOREIGN",
    "app.x.log, FOREIGN",
    "app.3.log.gz.part, FOREIGN",
    "app.3.log.gz.17.part.gz, FOREIGN",
    "app.3.log.part, FOREIGN",
    "app.3.log.17.part, FOREIGN",
    "app.3.log.gz.tmp, FOREIGN",
    "app.3.log.tmp, FOREIGN",
    "app.3.log123456789.tmp, FOREIGN",
    "app.3.log1234567890123456789.tmp, FOREIGN",
    "app.3.log.1234567890.tmp, FOREIGN",
    "app.3.log.gz1234567890.tmp, FOREIGN",
    "app.3.log.delete, FOREIGN",
    "app.3.log.gz.bak, FOREIGN",
    "xapp.3.log, FOREIGN",
    "app.3.log.zip, FOREIGN",
    "app.3.logxgz, FOREIGN",
    "app.3.log~, FOREIGN",
    "sub/app.3.log, FOREIGN"
  })
  void shouldTellKindsByTheirExactNames(String name, Kind kind) {
    assertThat(flat(".gz").kindOf(logs.resolve(name))).isEqualTo(kind);
  }

  @ParameterizedTest
  @CsvSource({
    "app.3.log, ARCHIVE",
    "app.3.log.1, ARCHIVE",
    "app.3.log.17.part, PART",
    "app.3.log.17.delete, DONE",
    "app.3.log1234567890.tmp, FOREIGN",
    "app.3.log.gz, FOREIGN"
  })
  void shouldKnowNoRawFilesWithoutCompression(String name, Kind kind) {
    assertThat(flat("").kindOf(logs.resolve(name))).isEqualTo(kind);
    assertThat(flat("").isInPlace(logs.resolve(name))).isTrue();
  }

  @Test
  void shouldKeepStagedFilesApart() {
    Path staging = logs.resolve("app.log.rolled");
    Path archives = logs.resolve("archives");
    ArchiveNames names = new ArchiveNames(archives, staging, DATED, ".gz", true);
    Path raw = staging.resolve("2026/11/app.1.log");
    Path archive = archives.resolve("2026/11/app.1.log.gz");
    assertThat(names.kindOf(raw)).isEqualTo(Kind.RAW);
    assertThat(names.archiveOf(raw)).isEqualTo(archive);
    assertThat(names.kindOf(archive)).isEqualTo(Kind.ARCHIVE);
    assertThat(names.kindOf(staging.resolve("2026/11/app.1.log.gz"))).isEqualTo(Kind.FOREIGN);
    assertThat(names.kindOf(names.done(raw))).isEqualTo(Kind.DONE);
    assertThat(names.kindOf(names.done(archive))).isEqualTo(Kind.DONE);
    assertThat(names.kindOf(names.part(archive))).isEqualTo(Kind.PART);

    Path left = archives.resolve("2026/11/app.1.log"); // from before the archives moved
    assertThat(names.kindOf(left)).isEqualTo(Kind.RAW);
    assertThat(names.archiveOf(left)).isEqualTo(archive);

    ArchiveNames plain = new ArchiveNames(archives, staging, DATED, "", true);
    assertThat(plain.kindOf(raw)).isEqualTo(Kind.RAW);
    assertThat(plain.kindOf(left)).isEqualTo(Kind.ARCHIVE);
    assertThat(plain.isInPlace(raw)).isFalse();
  }

  @Test
  void shouldGiveUniqueNames() {
    Path archive = logs.resolve("app.1.log.gz");
    ArchiveNames names = flat(".gz");
    assertThat(names.part(archive)).isNotEqualTo(names.part(archive));
    assertThat(names.kindOf(names.part(archive))).isEqualTo(Kind.PART);
    assertThat(names.kindOf(names.done(archive))).isEqualTo(Kind.DONE);
  }

  /** Another program's temporary file may look like one of Logback's. */
  @Test
  void shouldKnowNoFilesOfLogbackWhereItLeavesNone() {
    ArchiveNames window = new ArchiveNames(logs, logs, NUMBERED, ".gz", false);
    assertThat(window.kindOf(logs.resolve("app.log.1764291234567.tmp"))).isEqualTo(Kind.FOREIGN);
    assertThat(window.kindOf(logs.resolve("app.log.1"))).isEqualTo(Kind.RAW);
  }

  private String rawOf(ArchiveNames names, Path tmp) throws IOException {
    Disk disk = new Disk();
    assertThat(names.kindOf(tmp)).isEqualTo(Kind.STOCK_TMP);
    return logs.relativize(names.rawOfStockTmp(disk, tmp, disk.state(tmp))).toString();
  }

  @Test
  void shouldTellTheRolledFileThatLogbackWasCompressing() throws IOException {
    assertThat(rawOf(flat(".gz"), touch("app.1.log1234567890.tmp"))).isEqualTo("app.1.log");
    assertThat(rawOf(flat(".gz"), touch("app.2.log-123456789012.tmp"))).isEqualTo("app.2.log");
    Path nested = touch("2026/11/app.3.log1234567890.tmp");
    assertThat(rawOf(names(DATED, ".gz"), nested)).isEqualTo("2026/11/app.3.log");
  }

  /** Where the name ends with its number, Logback's digits go on behind it. */
  @Test
  void shouldTellTheNumberByTheArchiveThatLogbackHadBegun() throws IOException {
    ArchiveNames names = names(NUMBERED, ".gz");
    Path tmp = touch("app.log.1234567890123.tmp");
    long written = 1_764_291_234_567L;
    at(tmp, written);
    assertThat(rawOf(names, tmp)).as("no archive").isEqualTo("app.log.1");
    for (int earlier : new int[] {1, 12}) {
      at(touch("app.log." + earlier + ".gz"), written - 1_000);
    }
    at(touch("app.log.123.gz"), written);
    at(touch("app.log.1234.gz"), written + 1_000);
    assertThat(rawOf(names, tmp)).isEqualTo("app.log.123");
    at(logs.resolve("app.log.1.gz"), written + 500);
    assertThat(rawOf(names, tmp)).isEqualTo("app.log.1");
  }

  private static void at(Path file, long millis) throws IOException {
    Files.setLastModifiedTime(file, FileTime.fromMillis(millis));
  }

  private List<String> walked(ArchiveNames names) throws IOException {
    List<String> seen = new ArrayList<>();
    names.walk(
        new Disk(),
        (file, kind, state) -> seen.add(logs.relativize(file) + " " + kind + " " + state.bytes()));
    seen.sort(null);
    return seen;
  }

  private Path touch(String name) throws IOException {
    Path file = logs.resolve(name);
    Files.createDirectories(file.getParent());
    return Files.write(file, new byte[3]);
  }

  @Test
  void shouldShowRegularFilesOfThePolicyOnly() throws IOException {
    Path elsewhere = touch("elsewhere/file");
    touch("app.1.log");
    touch("app.2.log.gz");
    touch("app.3.log.gz.5.part");
    touch("notes.txt");
    Files.createSymbolicLink(logs.resolve("app.4.log"), elsewhere);
    Files.createDirectory(logs.resolve("app.5.log.gz"));
    touch("sub/app.6.log");
    assertThat(walked(flat(".gz")))
        .containsExactly("app.1.log RAW 3", "app.2.log.gz ARCHIVE 3", "app.3.log.gz.5.part PART 3");
  }

  @Test
  void shouldGoAsDeepAsNamesDoAndNoFurther() throws IOException {
    touch("2026/11/app.1.log");
    touch("2026/12/app.2.log.gz");
    touch("2026/app.3.log");
    touch("app.4.log");
    touch("2026/11/more/app.5.log");
    touch("other/11/app.6.log");
    Files.createSymbolicLink(logs.resolve("2027"), logs.resolve("2026"));
    FaultyDisk files = new FaultyDisk();
    List<Path> listed = new ArrayList<>();
    files.hook(
        (number, operation, file) -> {
          if (operation.equals("list")) {
            listed.add(logs.relativize(file));
          }
        });
    List<String> seen = new ArrayList<>();
    ArchiveNames names = names(DATED, ".gz");
    names.walk(files, (file, kind, state) -> seen.add(logs.relativize(file).toString()));
    assertThat(seen).containsExactlyInAnyOrder("2026/11/app.1.log", "2026/12/app.2.log.gz");
    assertThat(listed)
        .containsExactlyInAnyOrder(
            Path.of(""), Path.of("2026"), Path.of("2026/11"), Path.of("2026/12"));
  }

  @Test
  void shouldEndWhenTheVisitorHasHadEnough() throws IOException {
    touch("app.1.log");
    touch("app.2.log");
    List<Path> seen = new ArrayList<>();
    flat(".gz")
        .walk(
            new Disk(),
            (file, kind, state) -> {
              seen.add(file);
              return false;
            });
    assertThat(seen).hasSize(1);
  }

  @Test
  void shouldTakeAMissingDirectoryForAnEmptyOne() throws IOException {
    Path missing = logs.resolve("missing");
    new ArchiveNames(missing, missing, FLAT, ".gz", true)
        .walk(
            new Disk(),
            (file, kind, state) -> {
              throw new AssertionError(file);
            });
  }

  @Test
  void shouldGoOnBesideADirectoryThatCannotBeListed() throws IOException {
    touch("2026/11/app.1.log");
    touch("2026/12/app.2.log");
    FaultyDisk files = new FaultyDisk();
    files.hook(
        (number, operation, file) -> {
          if (operation.equals("list") && file.endsWith("11")) {
            throw new AccessDeniedException(file.toString());
          }
        });
    List<Path> seen = new ArrayList<>();
    ArchiveNames names = names(DATED, ".gz");
    assertThatThrownBy(() -> names.walk(files, (file, kind, state) -> seen.add(file)))
        .isInstanceOf(AccessDeniedException.class);
    assertThat(seen).containsExactly(logs.resolve("2026/12/app.2.log"));
  }

  @Test
  void shouldGoOnBesideAFileThatCannotBeLookedAtOrWhoseVisitFails() throws IOException {
    for (int i = 1; i <= 10; i++) {
      touch("app." + i + ".log");
    }
    FaultyDisk files = new FaultyDisk();
    List<Path> failed = new ArrayList<>();
    files.hook(
        (number, operation, file) -> {
          if (operation.equals("state") && failed.isEmpty()) {
            failed.add(file);
            throw new AccessDeniedException(file.toString());
          }
        });
    List<Path> seen = new ArrayList<>();
    assertThatThrownBy(
            () ->
                flat(".gz")
                    .walk(
                        files,
                        (file, kind, state) -> {
                          seen.add(file);
                          if (seen.size() == 1) {
                            throw new IOException("of the visitor");
                          }
                          return true;
                        }))
        .isInstanceOf(AccessDeniedException.class)
        .satisfies(e -> assertThat(e.getSuppressed()[0]).hasMessage("of the visitor"));
    assertThat(seen).hasSize(9).doesNotContainAnyElementsOf(failed);
  }
}
