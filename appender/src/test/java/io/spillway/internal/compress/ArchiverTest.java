package io.spillway.internal.compress;

import static org.assertj.core.api.Assertions.as;
import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.core.status.Status;
import io.spillway.archive.ArchiveFormat;
import io.spillway.internal.compress.ArchiveFormats.UnsupportedFormatException;
import io.spillway.internal.metrics.Reports;
import io.spillway.testkit.Gate;
import io.spillway.testkit.Hostile;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Rolled files become archives, as they are and in their order. */
@Timeout(120)
class ArchiverTest {
  @TempDir Path directory;

  @Test
  void shouldArchiveWhatIsRolledOver() {
    try (ArchiverRig rig = new ArchiverRig(directory).start()) {
      byte[] content = rig.roll(1, 1_000_000);
      rig.awaitArchived(1);
      Samples.assertHolds(rig.archive(1), content);
      assertThat(Samples.names(directory)).containsExactly("app.1.log.gz");
      assertThat(rig.metrics().archivedBytes()).isEqualTo(1_000_000);
      assertThat(rig.metrics().archiveBytes()).isEqualTo(rig.archive(1).toFile().length());
      assertThat(rig.metrics().lastArchiveNanos()).isPositive();
      assertThat(rig.metrics().failures()).isZero();
      rig.await("retention", () -> rig.policy.settled.get() > 0);
    }
  }

  /** A look through a large directory may take longer than a stop waits. */
  @Test
  void shouldArchiveAllBeforeItCleansUpWhenItStops() throws IOException {
    for (int i = 1; i <= 3; i++) {
      Files.write(directory.resolve("app." + i + ".log"), Samples.log(i, 1_000));
    }
    Gate gate = new Gate();
    gate.shut();
    try (ArchiverRig rig = new ArchiverRig(directory)) {
      List<Long> archived = new CopyOnWriteArrayList<>();
      rig.policy.onSwept = gate::pass;
      rig.policy.onSettled = () -> archived.add(rig.metrics().archived());
      rig.start();
      rig.await("begun", gate::isHolding);
      Thread stop = new Thread(() -> rig.archiver.awaitArchived(20_000_000_000L));
      stop.start();
      rig.await("stopping", () -> stop.getState() == Thread.State.TIMED_WAITING);
      gate.open();
      rig.await("cleaned up", () -> !archived.isEmpty());
      assertThat(archived).containsOnly(3L);
    } finally {
      gate.open();
    }
  }

  @Test
  void shouldArchiveWhatEarlierRunsLeft() throws IOException {
    byte[] content = Samples.log(1, 100_000);
    Files.write(directory.resolve("app.1.log"), content);
    Files.write(directory.resolve("app.2.log"), new byte[0]);
    try (ArchiverRig rig = new ArchiverRig(directory).start()) {
      rig.awaitArchived(2);
      Samples.assertHolds(rig.archive(1), content);
      Samples.assertHolds(rig.archive(2), new byte[0]);
      assertThat(rig.statuses()).anyMatch(text -> text.startsWith("2 rolled files (100000 bytes)"));
    }
  }

  @ParameterizedTest
  @CsvSource({
    "false, 1, ' If this goes on: lower [compressionLevel], or log less.'",
    "true, 0.9, ' [totalSizeCap] does not count them. If this goes on: raise"
        + " [compressionCpuShare], or lower [compressionLevel], or log less.'"
  })
  void shouldWarnWhenFilesComeFasterThanTheyGo(boolean capped, double share, String rest) {
    Gate gate = new Gate();
    try (ArchiverRig rig = new ArchiverRig(directory).cpuShare(share)) {
      rig.policy.capped = capped;
      rig.start();
      rig.await("idle", () -> rig.policy.settled.get() > 0);
      gate.shut();
      rig.files.hook(
          (number, operation, file) -> {
            if (operation.equals("read")) {
              gate.pass();
            }
          });
      rig.roll(1, 1_000);
      rig.await("begun", gate::isHolding);
      for (int i = 2; i <= 5; i++) {
        rig.roll(i, 1_000);
      }
      gate.open();
      rig.awaitArchived(5);
      assertThat(rig.statuses())
          .contains(
              "Files are rolled over faster than they are archived: 4 (4000 bytes) wait, and take"
                  + " room on the disk."
                  + rest);
    } finally {
      gate.open();
    }
  }

  @Test
  void shouldNotWarnOfWhatEarlierRunsLeft() throws IOException {
    for (int i = 1; i <= 9; i++) {
      Files.write(directory.resolve("app." + i + ".log"), Samples.log(i, 1_000));
    }
    try (ArchiverRig rig = new ArchiverRig(directory).start()) {
      rig.awaitArchived(9);
      assertThat(rig.statuses()).singleElement().asString().startsWith("9 rolled files");
    }
  }

  @Test
  void shouldKeepPermissionsAndTime() throws IOException {
    try (ArchiverRig rig = new ArchiverRig(directory)) {
      Path raw = Files.write(rig.raw(1), Samples.log(1, 1_000));
      Files.setPosixFilePermissions(raw, PosixFilePermissions.fromString("rw-r-----"));
      FileTime time = FileTime.from(Instant.parse("2020-02-29T12:00:00Z"));
      Files.setLastModifiedTime(raw, time);
      List<String> whileWritten = Collections.synchronizedList(new ArrayList<>());
      rig.files.hook(
          (number, operation, file) -> {
            if (operation.equals("write")) {
              whileWritten.add(PosixFilePermissions.toString(Files.getPosixFilePermissions(file)));
            }
          });
      rig.start();
      rig.awaitArchived(1);
      assertThat(whileWritten).isNotEmpty().containsOnly("rw-------");
      assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(rig.archive(1))))
          .isEqualTo("rw-r-----");
      assertThat(Files.getLastModifiedTime(rig.archive(1))).isEqualTo(time);
    }
  }

  @Test
  void shouldTakeTheOldestFirst() throws IOException {
    for (int i = 1; i <= 12; i++) {
      Path raw = Files.write(directory.resolve("app." + i + ".log"), Samples.log(i, 10_000));
      Files.setLastModifiedTime(raw, FileTime.fromMillis(i * 1_000));
    }
    List<String> created = Collections.synchronizedList(new ArrayList<>());
    try (ArchiverRig rig = new ArchiverRig(directory)) {
      rig.files.hook(
          (number, operation, file) -> {
            if (operation.equals("create")) {
              created.add(file.getFileName().toString().replaceAll("\\D*(\\d+)\\..*", "$1"));
            }
          });
      rig.start();
      rig.awaitArchived(12);
    }
    assertThat(created)
        .containsExactly("1", "2", "3", "4", "5", "6", "7", "8", "9", "10", "11", "12");
  }

  @Test
  void shouldNeverOverwriteAnArchive() throws IOException {
    byte[] older = Samples.log(7, 5_000);
    try (ArchiverRig rig = new ArchiverRig(directory)) {
      Files.write(rig.archive(1), Samples.gzip(older));
      byte[] newer = Samples.log(1, 5_000);
      Files.write(rig.raw(1), newer);
      rig.start();
      rig.awaitArchived(1);
      Samples.assertHolds(rig.archive(1), older);
      Samples.assertHolds(directory.resolve("app.1.log.1.gz"), newer);
      assertThat(rig.statuses()).anyMatch(text -> text.contains("is taken by another file"));
    }
  }

  @Test
  void shouldNeverOverwriteWhatComesWhileItCompresses() throws IOException {
    try (ArchiverRig rig = new ArchiverRig(directory)) {
      byte[] foreign = "something else".getBytes();
      rig.files.hook(
          (number, operation, file) -> {
            if (operation.equals("sync")) {
              Files.write(rig.archive(1), foreign);
            }
          });
      rig.start();
      byte[] content = rig.roll(1, 5_000);
      rig.awaitArchived(1);
      assertThat(rig.archive(1)).hasBinaryContent(foreign);
      Samples.assertHolds(directory.resolve("app.1.log.1.gz"), content);
    }
  }

  @Test
  void shouldLeaveTheFileAloneThatIsWritten() throws IOException {
    try (ArchiverRig rig = new ArchiverRig(directory)) {
      Files.write(rig.raw(1), Samples.log(1, 1_000));
      Files.write(rig.raw(2), Samples.log(2, 1_000));
      rig.policy.beingWritten = rig.raw(1);
      rig.start();
      rig.await("the other", () -> rig.metrics().archived() == 1);
      assertThat(rig.raw(1)).exists();
      rig.policy.beingWritten = null;
      rig.archiver.rolled(rig.raw(1));
      rig.awaitArchived(2);
    }
  }

  @Test
  void shouldPutOffByUpToTheRandomDelay() {
    try (ArchiverRig rig = new ArchiverRig(directory).randomDelay(Duration.ofDays(1)).start()) {
      rig.await("idle", () -> rig.policy.settled.get() > 0 && isParked(rig.worker.thread()));
      byte[] content = rig.roll(1, 1_000);
      rig.await("placed", () -> Files.exists(rig.raw(1)));
      rig.await("idle again", () -> isParked(rig.worker.thread()));
      assertThat(rig.metrics().backlogFiles()).isEqualTo(1);
      assertThat(rig.raw(1)).hasBinaryContent(content);
    }
    try (ArchiverRig rig = new ArchiverRig(directory).randomDelay(Duration.ofDays(1)).start()) {
      rig.awaitArchived(1); // a leftover is not put off
    }
    try (ArchiverRig rig = new ArchiverRig(directory).randomDelay(Duration.ofMillis(50)).start()) {
      rig.roll(2, 1_000);
      rig.awaitArchived(1);
    }
  }

  @Test
  void shouldCopyAcrossFromTheStagingDirectoryWithoutCompression() {
    Path archives = directory.resolve("archives/deeper");
    Path staging = directory.resolve("app.log.rolled");
    try (ArchiverRig rig = new ArchiverRig(archives, staging, "app.%i.log").start()) {
      byte[] content = rig.roll(1, 500_000);
      rig.awaitArchived(1);
      assertThat(archives.resolve("app.1.log")).hasBinaryContent(content);
      assertThat(Samples.names(staging)).isEmpty();
    }
  }

  @Test
  void shouldOnlyTellRetentionWhereThereIsNothingToArchive() throws IOException {
    try (ArchiverRig rig = new ArchiverRig(directory, directory, "app.%i.log").start()) {
      rig.await("sweep", () -> rig.policy.settled.get() == 1);
      byte[] content = rig.roll(1, 1_000);
      rig.await("retention", () -> rig.policy.settled.get() >= 2);
      rig.await("placed", () -> Files.exists(rig.raw(1)));
      assertThat(rig.raw(1)).hasBinaryContent(content);
      assertThat(rig.metrics().backlogFiles()).isZero();
    }
  }

  /** In a round of the safety net's poll, which comes each second. */
  @Test
  void shouldListNothingOnceNothingWaits() {
    AtomicLong seconds = new AtomicLong();
    AtomicInteger rounds = new AtomicInteger();
    try (ArchiverRig rig =
        new ArchiverRig(directory)
            .clock(() -> System.nanoTime() + TimeUnit.SECONDS.toNanos(seconds.get()))) {
      AtomicInteger listed = new AtomicInteger();
      rig.files.hook(
          (number, operation, file) -> {
            if (operation.equals("list")) {
              listed.incrementAndGet();
            }
          });
      rig.start();
      rig.roll(1, 1_000);
      rig.awaitArchived(1);
      rig.worker.add(
          new CompressionWorkerTest.Idle() {
            @Override
            public boolean isStopped() {
              return !rig.archiver.isRunning();
            }

            @Override
            public boolean attend(byte[] chunk) {
              rounds.incrementAndGet();
              return false;
            }
          });
      rig.await("idle", () -> isParked(rig.worker.thread()));
      int before = listed.get();
      for (int i = 0; i < 3; i++) {
        int round = rounds.get();
        seconds.incrementAndGet();
        rig.worker.wake();
        rig.await("another round", () -> rounds.get() > round);
      }
      assertThat(listed.get() - before).as("listings while idle").isLessThanOrEqualTo(1);
    }
  }

  private static boolean isParked(Thread thread) {
    return thread != null && thread.getState() == Thread.State.TIMED_WAITING;
  }

  /** It is found when the next one is, as one whose renaming is seen before it is told of. */
  @Test
  void shouldArchiveARolledFileThatNobodyToldOf() throws IOException {
    try (ArchiverRig rig = new ArchiverRig(directory).start()) {
      rig.awaitIdle();
      byte[] untold = Samples.log(1, 1_000);
      Files.write(RolledName.of(rig.policy.log(), Instant.now(), 1).path(), untold);
      byte[] told = rig.roll(2, 1_000);
      rig.awaitArchived(2);
      Samples.assertHolds(rig.archive(1), untold);
      Samples.assertHolds(rig.archive(2), told);
    }
  }

  /** An Error came between the rename of the active file and the word of it. */
  @Test
  void shouldArchiveWhatARolloverLeftThatWasCutShort() throws IOException {
    long sequence = ArchiverRig.LEFT + 1;
    try (ArchiverRig rig = new ArchiverRig(directory).start()) {
      rig.awaitIdle();
      byte[] content = Samples.log(1, 1_000);
      Files.write(RolledName.of(rig.policy.log(), Instant.now(), sequence).path(), content);
      rig.archiver.markInconsistent(sequence);
      rig.awaitArchived(1);
      Samples.assertHolds(rig.archive((int) sequence), content);
    }
  }

  /** A read-only file system refuses to delete what is not there, too. */
  @Test
  void shouldNotDeleteAPartThatCouldNotBeCreated() throws IOException {
    try (ArchiverRig rig = new ArchiverRig(directory)) {
      rig.files.hook(
          (number, operation, file) -> {
            if (file.toString().endsWith(".part")
                && (operation.equals("create") || operation.equals("delete"))) {
              throw new IOException("Read-only file system (injected)");
            }
          });
      rig.start();
      rig.roll(1, 1_000);
      rig.await("two failures", () -> rig.metrics().failures() >= 2);
      assertThat(rig.statuses())
          .anyMatch(status -> status.contains("Cannot archive ["))
          .noneMatch(status -> status.contains("Cannot delete"));
    }
  }

  /** Not while a file is only put off, nor after one failure. */
  @Test
  void shouldSayInWhichDirectoryItFailsAgainAndAgain() throws IOException {
    try (ArchiverRig rig = new ArchiverRig(directory)) {
      AtomicInteger failures = new AtomicInteger();
      rig.files.hook(
          (number, operation, file) -> {
            if (operation.equals("create")) {
              failures.incrementAndGet();
              throw new IOException("No space left on device (injected)");
            }
          });
      rig.randomDelay(Duration.ofMinutes(10)).start();
      rig.roll(1, 1_000);
      rig.await("put off", () -> Files.exists(rig.raw(1)));
      assertThat(rig.metrics().failing()).isEmpty();
      assertThat(failures).hasValue(0);
    }
    try (ArchiverRig rig = new ArchiverRig(directory)) {
      rig.files.hook(
          (number, operation, file) -> {
            if (operation.equals("create")) {
              throw new IOException("No space left on device (injected)");
            }
          });
      rig.start();
      rig.await("failing", () -> !rig.metrics().failing().isEmpty());
      assertThat(rig.metrics().failing()).isEqualTo(directory.toString());
      assertThat(rig.metrics().failures()).isGreaterThan(1);
      assertThat(rig.metrics().backlogFiles()).isEqualTo(1);
      rig.files.hook((number, operation, file) -> {});
      rig.awaitArchived(1);
      assertThat(rig.metrics().failing()).isEmpty();
    }
  }

  @Test
  void shouldForgetFilesThatSomebodyTookAway() throws IOException {
    try (ArchiverRig rig = new ArchiverRig(directory).randomDelay(Duration.ofDays(1)).start()) {
      rig.roll(1, 1_000);
      rig.roll(2, 1_000);
      rig.await("placed", () -> Files.exists(rig.raw(1)) && Files.exists(rig.raw(2)));
      Files.delete(rig.raw(1));
      Files.delete(rig.raw(2));
      rig.roll(3, 1_000);
      rig.await("backlog of one", () -> rig.metrics().backlogFiles() == 1);
      rig.await("its length", () -> rig.metrics().backlogBytes() == 1_000);
    }
  }

  /** A format is foreign code: so is the text of what it throws. */
  @ParameterizedTest
  @ValueSource(strings = {"read", "close source"})
  void shouldGoOnThoughTheTextOfWhatIsThrownThrows(String failing) {
    try (ArchiverRig rig = new ArchiverRig(directory).start()) {
      AtomicInteger failed = new AtomicInteger();
      rig.files.hook(
          (number, operation, file) -> {
            if (operation.equals(failing) && failed.getAndIncrement() == 0) {
              throw new Hostile();
            }
          });
      rig.roll(1, 1_000);
      rig.awaitArchived(1);
      assertThat(failed.get()).isPositive();
      Reports.flush(rig.context);
      assertThat(rig.context.getStatusManager().getCopyOfStatusList())
          .filteredOn(status -> status.getLevel() != Status.INFO) // of files it finds at first
          .singleElement()
          .extracting(Status::getMessage, as(InstanceOfAssertFactories.STRING))
          .doesNotContain("unexpected");
    }
  }

  @Test
  void shouldArchiveInEveryFormat() {
    for (String suffix : List.of(".gz", ".zip", ".zst")) {
      Path place = directory.resolve("of" + suffix);
      try (ArchiverRig rig = new ArchiverRig(place, place, suffix).start()) {
        byte[] content = rig.roll(1, 700_000);
        rig.awaitArchived(1);
        ArchiveFormat format = ArchiveFormats.forName(suffix);
        try (var in = format.decompressing(Files.newInputStream(rig.archive(1)))) {
          assertThat(Arrays.equals(in.readAllBytes(), content)).as(suffix).isTrue();
        }
      } catch (IOException | UnsupportedFormatException e) {
        throw new AssertionError(suffix, e);
      }
    }
  }
}
