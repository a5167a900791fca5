package io.spillway.internal.compress;

import static org.assertj.core.api.Assertions.assertThat;

import io.spillway.internal.compress.ArchiveFormats.GzipFormat;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileTime;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What crashes, older versions of Logback and strangers leave in the directory. */
@Timeout(120)
class SweepTest {
  @TempDir Path directory;

  private Path put(String name, byte[] content) throws IOException {
    return Files.write(directory.resolve(name), content);
  }

  private ArchiverRig swept() {
    ArchiverRig rig = new ArchiverRig(directory).start();
    rig.awaitIdle();
    return rig;
  }

  @Test
  void shouldRemovePartsAndUsedFiles() throws IOException {
    put("app.1.log.gz.123.part", new byte[100]);
    put("app.1.log.1.gz.123.part", new byte[100]);
    put("app.2.log.123.delete", new byte[100]);
    put("app.2.log.gz.123.delete", new byte[100]);
    try (ArchiverRig rig = swept()) {
      assertThat(Samples.names(directory)).isEmpty();
      assertThat(rig.statuses()).anyMatch(text -> text.startsWith("4 unfinished or used files"));
    }
  }

  @Test
  void shouldArchiveWhatLogback15Left() throws IOException {
    byte[] alone = Samples.log(1, 10_000);
    byte[] beside = Samples.log(2, 10_000);
    byte[] finished = Samples.log(3, 10_000);
    put("app.1.log47110000000001.tmp", alone);
    put("app.2.log47110000000002.tmp", beside);
    put("app.2.log.gz", Arrays.copyOf(Samples.gzip(beside), 1_000));
    put("app.3.log47110000000003.tmp", finished);
    put("app.3.log.gz", Samples.gzip(finished));
    try (ArchiverRig rig = swept()) {
      Samples.assertHolds(rig.archive(1), alone);
      Samples.assertHolds(rig.archive(2), beside);
      Samples.assertHolds(rig.archive(3), finished);
      assertThat(Samples.names(directory))
          .containsExactly("app.1.log.gz", "app.2.log.gz", "app.3.log.gz");
    }
  }

  @Test
  void shouldGiveALeftoverAFreeNameIfItsOwnIsTaken() throws IOException {
    byte[] rolled = Samples.log(1, 1_000);
    byte[] left = Samples.log(2, 1_000);
    put("app.1.log", rolled);
    put("app.1.log47110000000001.tmp", left);
    try (ArchiverRig rig = swept()) {
      Samples.assertHolds(rig.archive(1), rolled);
      Samples.assertHolds(directory.resolve("app.1.log.1.gz"), left);
      assertThat(rig.metrics().failures()).isZero();
    }
  }

  @Test
  void shouldMakeACutArchiveAgainWhereverItIsCut() throws IOException {
    byte[] content = Samples.log(1, 30_000);
    byte[] whole = Samples.gzip(content);
    for (int length : new int[] {0, 1, 5, 10, 11, 500, 5_000, whole.length - 9, whole.length - 1}) {
      put("app.1.log", content);
      put("app.1.log.gz", Arrays.copyOf(whole, length));
      try (ArchiverRig rig = swept()) {
        Samples.assertHolds(rig.archive(1), content);
        assertThat(Samples.names(directory)).containsExactly("app.1.log.gz");
        assertThat(rig.statuses()).anyMatch(text -> text.contains("was cut short"));
      }
      Files.delete(directory.resolve("app.1.log.gz"));
    }
  }

  @Test
  void shouldKeepAWholeArchiveAndDropItsSource() throws IOException {
    byte[] content = Samples.log(1, 30_000);
    put("app.1.log", content);
    byte[] archive = Samples.compressed(new GzipFormat(), content, 1); // unlike what we would make
    put("app.1.log.gz", archive);
    try (ArchiverRig rig = swept()) {
      assertThat(rig.archive(1)).as("not made again").hasBinaryContent(archive);
      assertThat(Samples.names(directory)).containsExactly("app.1.log.gz");
      assertThat(rig.metrics().archived()).isEqualTo(1);
    }
  }

  /** A power cut brings back a rolled file that was never forced, without its end. */
  @Test
  void shouldDropTheBeginningOfWhatAWholeArchiveHolds() throws IOException {
    byte[] content = Samples.log(1, 30_000);
    for (int length : new int[] {0, 1, 20_000}) {
      Path raw = put("app.1.log", Arrays.copyOf(content, length));
      byte[] archive = Samples.gzip(content);
      Files.setLastModifiedTime(put("app.1.log.gz", archive), Files.getLastModifiedTime(raw));
      try (ArchiverRig rig = swept()) {
        assertThat(Samples.names(directory)).containsExactly("app.1.log.gz");
        assertThat(rig.archive(1)).hasBinaryContent(archive);
        assertThat(rig.statuses()).anyMatch(text -> text.contains("only the beginning"));
      }
    }
  }

  /** One that was written later, cannot be known to be on the disk, or is not whole itself. */
  @ParameterizedTest
  @ValueSource(strings = {"later", "not forced", "damaged"})
  void shouldKeepTheBeginningOfAnArchiveThatMayNotBeItsOwn(String how) throws IOException {
    byte[] content = Samples.log(1, 30_000);
    byte[] beginning = Arrays.copyOf(content, 20_000);
    Path raw = put("app.1.log", beginning);
    byte[] archive = Samples.gzip(content);
    if (how.equals("damaged")) {
      archive = Arrays.copyOf(archive, archive.length - 5);
    }
    FileTime time = Files.getLastModifiedTime(raw);
    Files.setLastModifiedTime(
        put("app.1.log.gz", archive),
        how.equals("later") ? FileTime.fromMillis(time.toMillis() - 1_000) : time);
    try (ArchiverRig rig = new ArchiverRig(directory)) {
      rig.files.hook(
          (number, operation, file) -> {
            if (operation.equals("sync archive") && how.equals("not forced")) {
              throw new IOException("Input/output error (injected)");
            }
          });
      rig.start();
      rig.awaitIdle();
      assertThat(rig.archive(1)).hasBinaryContent(archive);
      assertThat(rig.statuses()).noneMatch(text -> text.contains("made again"));
    }
    assertThat(Samples.names(directory)).hasSize(2);
    try (Stream<Path> files = Files.list(directory)) {
      Path other = files.filter(file -> file.toString().contains("log.1")).findAny().orElseThrow();
      Samples.assertHolds(other, beginning);
    }
  }

  @Test
  void shouldNotTrustAnArchiveThatCannotBeForced() throws IOException {
    byte[] content = Samples.log(1, 30_000);
    put("app.1.log", content);
    byte[] archive = Samples.compressed(new GzipFormat(), content, 1);
    put("app.1.log.gz", archive);
    AtomicInteger forced = new AtomicInteger();
    try (ArchiverRig rig = new ArchiverRig(directory)) {
      rig.files.hook(
          (number, operation, file) -> {
            if (operation.equals("sync archive")) {
              forced.incrementAndGet();
              throw new IOException("Input/output error (injected)");
            }
          });
      rig.start();
      rig.awaitIdle();
      Samples.assertHolds(rig.archive(1), content);
      assertThat(Files.readAllBytes(rig.archive(1))).as("made again").isNotEqualTo(archive);
      assertThat(forced).hasValue(1);
      assertThat(rig.statuses())
          .as("it is whole")
          .anyMatch(text -> text.contains("is made again"))
          .noneMatch(text -> text.contains("was cut short"));
    }
  }

  @Test
  void shouldKeepBothIfTheyDiffer() throws IOException {
    byte[] rolled = Samples.log(1, 30_000);
    byte[] archived = Samples.log(2, 30_000);
    put("app.1.log", rolled);
    put("app.1.log.gz", Samples.gzip(archived));
    try (ArchiverRig rig = swept()) {
      Samples.assertHolds(rig.archive(1), archived);
      Samples.assertHolds(directory.resolve("app.1.log.1.gz"), rolled);
    }
  }

  @Test
  void shouldTouchNothingForeign() throws IOException {
    byte[] theirs = Samples.log(3, 2_000);
    String[] names = {
      "app.log",
      "app.x.log",
      "app.1.log.bak",
      "app.1.log.gz.bak",
      "app.1.log.tmp",
      "app.1.log4711.tmp",
      "app.1.log.4711000000000.tmp",
      "app.1.log.gz4711000000000.tmp",
      "app.1.log.gz.tmp",
      "app.1.log.gz.part",
      "app.1.log.delete",
      "other.1.log",
      "other.1.log.gz.1.part",
      "other.1.log.1.delete",
      "app.1.log.zip",
      "xapp.1.log"
    };
    for (String name : names) {
      put(name, theirs);
    }
    Files.createDirectory(directory.resolve("app.2.log"));
    Files.createDirectory(directory.resolve("app.3.log.gz"));
    Files.createDirectory(directory.resolve("app.3.log.gz.1.part"));
    Files.createDirectory(directory.resolve("app.3.log.1.delete"));
    Path target = put("target", theirs);
    Files.createSymbolicLink(directory.resolve("app.4.log"), target);
    Files.createSymbolicLink(directory.resolve("app.5.log.gz.1.part"), target);
    Files.createSymbolicLink(directory.resolve("app.5.log.1.delete"), target);
    Files.createSymbolicLink(directory.resolve("app.6.log"), directory.resolve("nowhere"));
    List<String> before = Samples.names(directory);
    byte[] ours = Samples.log(1, 2_000);
    put("app.7.log", ours);
    try (ArchiverRig rig = swept()) {
      Samples.assertHolds(rig.archive(7), ours);
      Files.delete(rig.archive(7));
      assertThat(Samples.names(directory)).isEqualTo(before);
      for (String name : names) {
        assertThat(directory.resolve(name)).hasBinaryContent(theirs);
      }
      assertThat(target).hasBinaryContent(theirs);
      assertThat(Files.isSymbolicLink(directory.resolve("app.4.log"))).isTrue();
    }
  }

  @Test
  void shouldArchiveBesideADirectoryOrLinkOfTheArchivesName() throws IOException {
    Path target = put("target", Samples.log(3, 2_000));
    byte[] first = Samples.log(1, 2_000);
    byte[] second = Samples.log(2, 2_000);
    put("app.1.log", first);
    Files.createDirectory(directory.resolve("app.1.log.gz"));
    put("app.2.log", second);
    Files.createSymbolicLink(directory.resolve("app.2.log.gz"), target);
    try (ArchiverRig rig = swept()) {
      Samples.assertHolds(directory.resolve("app.1.log.1.gz"), first);
      Samples.assertHolds(directory.resolve("app.2.log.1.gz"), second);
      assertThat(rig.archive(1)).isDirectory();
      assertThat(Files.isSymbolicLink(rig.archive(2))).isTrue();
      assertThat(target).hasBinaryContent(Samples.log(3, 2_000));
    }
  }

  @Test
  void shouldRemoveWhatAnInterruptedRolloverMadeOfTheActiveFile() throws IOException {
    byte[] active = Samples.log(1, 200_000);
    byte[] whole = Samples.gzip(Arrays.copyOf(active, 150_000));
    for (byte[] archive : new byte[][] {whole, Arrays.copyOf(whole, whole.length / 2)}) {
      put("app.log", active);
      try (ArchiverRig rig = new ArchiverRig(directory)) {
        rig.policy.suspect = put("app.1.log.gz", archive);
        rig.start();
        rig.await("removed", () -> !Files.exists(rig.archive(1)));
        rig.awaitIdle();
        assertThat(rig.policy.log()).hasBinaryContent(active);
        assertThat(Samples.names(directory)).containsExactly("app.log");
      }
    }
  }

  /** By a stock Logback, which deletes the active file once it has finished. */
  @Test
  void shouldKeepTheSuspectWhileAnotherProgramWritesIt() throws IOException {
    byte[] active = Samples.log(1, 200_000);
    byte[] whole = Samples.gzip(active);
    int half = whole.length / 2;
    put("app.log", active);
    Path archive = put("app.1.log.gz", Arrays.copyOf(whole, half));
    AtomicInteger reads = new AtomicInteger();
    try (ArchiverRig rig = new ArchiverRig(directory)) {
      rig.policy.suspect = archive;
      rig.files.hook(
          (number, operation, file) -> {
            if (operation.equals("read") && file.equals(archive) && reads.incrementAndGet() == 1) {
              Files.write(
                  archive,
                  Arrays.copyOfRange(whole, half, whole.length),
                  StandardOpenOption.APPEND);
            }
          });
      rig.start();
      rig.archiver.awaitArchived(ArchiverRig.PATIENCE.toNanos());
      rig.awaitIdle();
      assertThat(reads).hasPositiveValue();
      assertThat(archive).hasBinaryContent(whole);
      assertThat(rig.policy.log()).hasBinaryContent(active);
    }
  }

  @Test
  void shouldJudgeTheSuspectAlsoIfTheFirstSweepFails() throws IOException {
    byte[] active = Samples.log(1, 200_000);
    put("app.log", active);
    put("app.9.log.gz.1.part", new byte[10]);
    AtomicInteger deletions = new AtomicInteger();
    try (ArchiverRig rig = new ArchiverRig(directory)) {
      rig.files.hook(
          (number, operation, file) -> {
            if (operation.equals("delete") && deletions.incrementAndGet() == 1) {
              throw new IOException("in use, for a test");
            }
          });
      rig.policy.suspect = put("app.1.log.gz", Samples.gzip(Arrays.copyOf(active, 150_000)));
      rig.start();
      rig.await("swept again", () -> !Files.exists(directory.resolve("app.9.log.gz.1.part")));
      rig.archiver.awaitArchived(ArchiverRig.PATIENCE.toNanos());
      assertThat(Samples.names(directory)).containsExactly("app.log");
    }
  }

  @Test
  void shouldKeepTheSuspectIfItHoldsAnythingElse() throws IOException {
    byte[] active = Samples.log(1, 400_000);
    byte[] longer = Samples.log(1, 400_001);
    byte[] later = Arrays.copyOf(active, 300_000);
    later[299_999] ^= 1;
    for (byte[] archive :
        new byte[][] {
          Samples.gzip(Samples.log(2, 500)), Samples.gzip(longer), Samples.gzip(later), new byte[10]
        }) {
      put("app.log", active);
      byte[] rolled = Samples.log(8, 100);
      put("app.2.log", rolled);
      try (ArchiverRig rig = new ArchiverRig(directory)) {
        rig.policy.suspect = put("app.1.log.gz", archive);
        rig.start();
        rig.awaitArchived(1);
        assertThat(rig.archive(1)).hasBinaryContent(archive);
        assertThat(rig.policy.log()).hasBinaryContent(active);
      }
    }
  }

  /** A deletion that fails makes it sweep again a second later, whatever it does by then. */
  @Test
  void shouldNotDeleteThePartThatIsBeingWritten() throws IOException {
    Path old = put("app.9.log.gz", Samples.gzip(Samples.log(9, 100)));
    try (ArchiverRig rig = new ArchiverRig(directory).cpuShare(0.01)) {
      AtomicInteger writes = new AtomicInteger();
      AtomicInteger refused = new AtomicInteger();
      AtomicInteger parts = new AtomicInteger();
      rig.files.hook(
          (number, operation, file) -> {
            if (operation.equals("write") && writes.incrementAndGet() == 1) {
              rig.archiver.discard(old);
            }
            if (operation.equals("delete") && rig.names.kindOf(file) == ArchiveNames.Kind.DONE) {
              if (refused.incrementAndGet() == 1) {
                throw new IOException("in use, for a test");
              }
            }
            if (operation.equals("delete") && rig.names.kindOf(file) == ArchiveNames.Kind.PART) {
              parts.incrementAndGet();
            }
          });
      rig.start();
      byte[] content = rig.roll(1, 1_500_000);
      rig.await("swept again", () -> rig.policy.swept.get() >= 2);
      assertThat(rig.archive(1)).as("not before the second sweep").doesNotExist();
      rig.awaitArchived(1);
      Samples.assertHolds(rig.archive(1), content);
      assertThat(parts).hasValue(0);
      assertThat(refused.get()).as("deleted by the second sweep").isGreaterThan(1);
    }
  }
}
