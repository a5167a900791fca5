package io.spillway.internal.compress;

import static org.assertj.core.api.Assertions.assertThat;

import io.spillway.testkit.Gate;
import io.spillway.testkit.Hostile;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Instant;
import java.util.Arrays;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.LongSupplier;
import java.util.zip.GZIPInputStream;
import java.util.zip.ZipInputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The archive of a file that is followed while it is written is the one made afterwards. */
@Timeout(120)
class FollowTest {
  private static final int CHUNK = CompressionWorker.CHUNK_BYTES;
  private static final int SIZE = 1_500_000;

  @TempDir Path directory;

  /** Writes the active file as an appender does. */
  private static final class Log implements AutoCloseable {
    private final ArchiverRig rig;
    private final OutputStream out;
    private long length;

    Log(ArchiverRig rig) {
      this.rig = rig;
      try {
        out =
            Files.newOutputStream(
                rig.policy.log(), StandardOpenOption.CREATE, StandardOpenOption.APPEND);
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
      rig.archiver.follow(rig.policy.log());
    }

    void write(byte[] content, int from, int to) throws IOException {
      out.write(content, from, to - from);
      length += to - from;
      rig.archiver.grown(length - (to - from), length);
    }

    void writeAll(byte[] content) throws IOException {
      Random random = new Random(3);
      for (int at = 0; at < content.length; ) {
        int next = Math.min(content.length, at + 1 + random.nextInt(60_000));
        write(content, at, next);
        at = next;
      }
    }

    /** As {@code copytruncate} does. */
    void truncate() throws IOException {
      Files.newOutputStream(rig.policy.log()).close();
      length = 0;
    }

    void roll(int number) throws IOException {
      out.close();
      rig.rollOver(number);
    }

    @Override
    public void close() throws IOException {
      out.close();
    }
  }

  /** How much of the active file is in the part, as its size tells. */
  private static void awaitPart(ArchiverRig rig) {
    rig.await(
        "part",
        () ->
            Samples.below(rig.directory).stream()
                .anyMatch(file -> isFollowersPart(file) && size(file) > 50_000));
  }

  private static boolean isFollowersPart(Path file) {
    return file.getFileName().toString().matches("app\\.0\\.log\\.gz\\.\\d+\\.part");
  }

  private static long size(Path file) {
    return file.toFile().length();
  }

  @Test
  void shouldNotJoinWhatItFollowedWithWhatCameAfterACut() throws IOException {
    byte[] before = Samples.log(1, SIZE);
    byte[] after = Samples.log(2, SIZE + SIZE / 2);
    try (ArchiverRig rig = new ArchiverRig(directory).start();
        Log log = new Log(rig)) {
      log.writeAll(before);
      awaitPart(rig);
      log.truncate();
      log.writeAll(after);
      log.roll(1);
      rig.awaitArchived(1);
      try (InputStream archive = new GZIPInputStream(Files.newInputStream(rig.archive(1)))) {
        assertThat(archive.readAllBytes()).isEqualTo(after);
      }
    }
  }

  @Test
  void shouldAskForNoRoomWhenTheFileWasCut() throws IOException {
    try (ArchiverRig rig = new ArchiverRig(directory).start();
        Log log = new Log(rig)) {
      log.writeAll(Samples.log(1, SIZE));
      awaitPart(rig);
      log.truncate();
      log.writeAll(Samples.log(2, SIZE));
      rig.await("told", () -> rig.statuses().stream().anyMatch(s -> s.contains("was cut")));
      assertThat(rig.statuses())
          .anyMatch(s -> s.contains("was cut") && s.contains("To do: let no other program"))
          .noneMatch(s -> s.contains("space") || s.contains("room"));
    }
  }

  /** Between a look at its size and the read that follows. */
  @Test
  void shouldSayThatTheFileWasCutJustBeforeItWasRead() throws IOException {
    try (ArchiverRig rig = new ArchiverRig(directory)) {
      AtomicInteger reads = new AtomicInteger();
      AtomicReference<Log> cut = new AtomicReference<>();
      rig.files.hook(
          (number, operation, file) -> {
            if (operation.equals("read") && reads.incrementAndGet() == 2) {
              cut.get().truncate();
            }
          });
      rig.start();
      try (Log log = new Log(rig)) {
        cut.set(log);
        log.writeAll(Samples.log(1, SIZE));
        rig.await("told", () -> !rig.statuses().isEmpty());
        assertThat(rig.statuses()).allMatch(s -> s.contains("was cut"));
      }
    }
  }

  @Test
  void shouldGoOnThoughTheTextOfWhatIsThrownThrows() throws IOException {
    try (ArchiverRig rig = new ArchiverRig(directory)) {
      AtomicInteger reads = new AtomicInteger();
      rig.files.hook(
          (number, operation, file) -> {
            if (operation.equals("read") && reads.incrementAndGet() == 2) {
              throw new Hostile();
            }
          });
      rig.start();
      try (Log log = new Log(rig)) {
        log.writeAll(Samples.log(1, SIZE));
        rig.await("failed", () -> !rig.statuses().isEmpty());
        log.roll(1);
      }
      rig.awaitArchived(1);
      assertThat(rig.statuses())
          .singleElement()
          .asString()
          .contains("while it is written")
          .contains(Hostile.class.getName());
    }
  }

  @Test
  void shouldMakeTheSameArchiveAsAfterwards() throws IOException {
    byte[] content = Samples.log(1, SIZE);
    long afterwards;
    try (ArchiverRig rig = new ArchiverRig(directory.resolve("afterwards")).start()) {
      rig.roll(1, content);
      rig.awaitArchived(1);
      afterwards = size(rig.archive(1));
    }
    Path place = Files.createDirectories(directory.resolve("followed"));
    try (ArchiverRig rig = new ArchiverRig(place)) {
      AtomicInteger reads = new AtomicInteger();
      rig.files.hook(
          (number, operation, file) -> {
            if (operation.equals("read")) {
              reads.incrementAndGet();
            }
          });
      rig.start();
      try (Log log = new Log(rig)) {
        log.writeAll(content);
        rig.await("caught up", () -> reads.get() == SIZE / CHUNK);
        log.roll(1);
      }
      rig.awaitArchived(1);
      Samples.assertHolds(rig.archive(1), content);
      assertThat(size(rig.archive(1))).isBetween(afterwards * 99 / 100, afterwards * 101 / 100);
      assertThat(reads.get())
          .as("chunks, the last one after the rollover")
          .isEqualTo(SIZE / CHUNK + 1);
      assertThat(rig.metrics().failures()).isZero();
      assertThat(Samples.names(place)).containsExactly("app.1.log.gz");
    }
  }

  private static long followed(ArchiverRig rig) {
    return Samples.below(rig.directory).stream()
        .filter(FollowTest::isFollowersPart)
        .mapToLong(FollowTest::size)
        .sum();
  }

  @Test
  void shouldFollowOneFileAfterTheOther() throws IOException {
    try (ArchiverRig rig = new ArchiverRig(directory).start()) {
      for (int i = 1; i <= 12; i++) {
        try (Log log = new Log(rig)) {
          log.writeAll(Samples.log(i, (i % 5) * 200_000));
          log.roll(i);
        }
      }
      rig.awaitArchived(12);
      for (int i = 1; i <= 12; i++) {
        Samples.assertHolds(rig.archive(i), Samples.log(i, (i % 5) * 200_000));
      }
      assertThat(rig.metrics().failures()).isZero();
    }
  }

  @Test
  void shouldPublishToTheNameThatTheFileHasNow() throws IOException {
    Gate gate = new Gate();
    try (ArchiverRig rig = new ArchiverRig(directory)) {
      gate.shut();
      rig.files.hook(
          (number, operation, file) -> {
            if (operation.equals("sync")) {
              gate.pass();
            }
          });
      rig.start();
      byte[] content = Samples.log(1, SIZE);
      try (Log log = new Log(rig)) {
        log.writeAll(content);
        awaitPart(rig);
        log.roll(1);
      }
      rig.await("held", gate::isHolding);
      rig.shift(1, 2);
      byte[] next = rig.roll(1, 1_000);
      gate.open();
      rig.awaitArchived(2);
      Samples.assertHolds(rig.archive(2), content);
      Samples.assertHolds(rig.archive(1), next);
    } finally {
      gate.open();
    }
  }

  @Test
  void shouldFallBackIfTheFileWasReplaced() throws IOException {
    byte[] other = Samples.log(9, SIZE);
    try (ArchiverRig rig = new ArchiverRig(directory).start()) {
      try (Log log = new Log(rig)) {
        log.writeAll(Samples.log(1, SIZE));
        awaitPart(rig);
        Files.delete(rig.policy.log());
        Files.write(rig.policy.log(), other);
        log.roll(1);
      }
      rig.awaitArchived(1);
      Samples.assertHolds(rig.archive(1), other);
    }
  }

  @Test
  void shouldFallBackIfTheFileWasCut() throws IOException {
    byte[] content = Samples.log(1, SIZE);
    try (ArchiverRig rig = new ArchiverRig(directory).start()) {
      try (Log log = new Log(rig)) {
        log.write(content, 0, 600_000);
        awaitPart(rig);
        Files.newOutputStream(rig.policy.log()).close(); // as "> app.log" in a shell
        log.write(content, 600_000, SIZE);
        log.roll(1);
      }
      rig.awaitArchived(1);
      Samples.assertHolds(rig.archive(1), Arrays.copyOfRange(content, 600_000, SIZE));
    }
  }

  @Test
  void shouldTakeWhatWasWrittenAfterTheLastWord() throws IOException {
    byte[] content = Samples.log(1, SIZE);
    try (ArchiverRig rig = new ArchiverRig(directory).start()) {
      try (Log log = new Log(rig)) {
        log.write(content, 0, 600_000);
        awaitPart(rig);
        log.out.write(content, 600_000, SIZE - 600_000); // as a footer is
        log.roll(1);
      }
      rig.awaitArchived(1);
      Samples.assertHolds(rig.archive(1), content);
      assertThat(rig.metrics().failures()).isZero();
    }
  }

  @Test
  void shouldStartAfreshWithAnotherActiveFile() throws IOException {
    byte[] content = Samples.log(2, SIZE);
    try (ArchiverRig rig = new ArchiverRig(directory).start()) {
      try (Log log = new Log(rig)) {
        log.writeAll(Samples.log(1, SIZE));
        awaitPart(rig);
        Files.delete(rig.policy.log());
      }
      try (Log log = new Log(rig)) {
        log.writeAll(content);
        awaitPart(rig);
        log.roll(1);
      }
      rig.awaitArchived(1);
      Samples.assertHolds(rig.archive(1), content);
    }
  }

  @Test
  void shouldLeaveOnlyTheLogWhenItIsStopped() throws IOException {
    byte[] content = Samples.log(1, SIZE);
    try (ArchiverRig rig = new ArchiverRig(directory).start()) {
      try (Log log = new Log(rig)) {
        log.writeAll(content);
        awaitPart(rig);
        rig.archiver.stop();
        rig.await("worker gone", () -> !rig.hasWorkerThread());
        assertThat(Samples.names(directory)).containsExactly("app.log");
      }
    }
    Files.write(directory.resolve("app.1.log.gz.5.part"), new byte[100]); // as a crash leaves it
    try (ArchiverRig rig = new ArchiverRig(directory).start()) {
      try (Log log = new Log(rig)) {
        log.length = SIZE;
        log.write(content, 0, CHUNK);
        log.roll(1);
      }
      rig.awaitArchived(1);
      byte[] both = Arrays.copyOf(content, SIZE + CHUNK);
      System.arraycopy(content, 0, both, SIZE, CHUNK);
      Samples.assertHolds(rig.archive(1), both);
    }
  }

  /** The first such operation; returns whether it has. */
  private static AtomicBoolean failOnce(ArchiverRig rig, String step) {
    AtomicBoolean failed = new AtomicBoolean();
    rig.files.hook(
        (number, operation, file) -> {
          if (operation.equals(step) && failed.compareAndSet(false, true)) {
            throw new IOException("No space left on device (injected)");
          }
        });
    return failed;
  }

  @Test
  void shouldArchiveAfterwardsIfFollowingFails() throws IOException {
    for (String step : new String[] {"create", "write"}) {
      byte[] content = Samples.log(1, SIZE);
      try (ArchiverRig rig = new ArchiverRig(directory)) {
        AtomicBoolean failed = failOnce(rig, step);
        rig.start();
        try (Log log = new Log(rig)) {
          log.writeAll(content);
          rig.await("failed", () -> failed.get() && followed(rig) == 0);
          log.roll(1);
        }
        rig.awaitArchived(1);
        Samples.assertHolds(rig.archive(1), content);
        assertThat(rig.metrics().failures()).isEqualTo(1);
        assertThat(rig.statuses())
            .anyMatch(
                text ->
                    text.contains("archived after its rollover")
                        && text.contains("To do: free or raise the space"));
      }
      Samples.below(directory).forEach(file -> assertThat(file.toFile().delete()).isTrue());
    }
  }

  /** The one that failed is archived like any other; those behind it must not wait for it. */
  @Test
  void shouldFollowTheNextAfterOneThatFailed() throws IOException {
    byte[] content = Samples.log(1, SIZE);
    try (ArchiverRig rig = new ArchiverRig(directory)) {
      AtomicBoolean failed = failOnce(rig, "write");
      rig.start();
      for (int i = 1; i <= 3; i++) {
        try (Log log = new Log(rig)) {
          log.writeAll(content);
          rig.await("failed", failed::get);
          log.roll(i);
        }
      }
      rig.awaitArchived(3);
      for (int i = 1; i <= 3; i++) {
        Samples.assertHolds(rig.archive(i), content);
      }
    }
  }

  /** Just as it is opened to be followed, it is rolled over. */
  @Test
  void shouldFollowTheNextAfterOneThatWasRolledOverAsItWasOpened() throws IOException {
    byte[] content = Samples.log(1, SIZE);
    try (ArchiverRig rig = new ArchiverRig(directory)) {
      AtomicBoolean log = new AtomicBoolean();
      AtomicInteger looks = new AtomicInteger(); // the first is whether it is there
      CountDownLatch opening = new CountDownLatch(1);
      CountDownLatch rolled = new CountDownLatch(1);
      rig.files.hook(
          (number, operation, file) -> {
            boolean opened = operation.equals("state") && file.equals(rig.policy.log());
            if (opened && log.get() && looks.incrementAndGet() == 2) {
              opening.countDown();
              await(rolled);
            }
          });
      rig.start();
      rig.awaitIdle();
      log.set(true);
      try (Log first = new Log(rig)) {
        first.writeAll(content);
        await(opening);
        first.roll(1);
        rolled.countDown();
      }
      for (int i = 2; i <= 3; i++) {
        try (Log next = new Log(rig)) {
          next.writeAll(content);
          next.roll(i);
        }
      }
      rig.awaitArchived(3);
      for (int i = 1; i <= 3; i++) {
        Samples.assertHolds(rig.archive(i), content);
      }
    }
  }

  private static void await(CountDownLatch latch) {
    try {
      assertThat(latch.await(1, TimeUnit.MINUTES)).isTrue();
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  /** Memory was short between the rename of a file and the note of it. */
  @Test
  void shouldArchiveAfterwardsIfARenameIsNotNoted() throws IOException {
    byte[] content = Samples.log(1, SIZE);
    try (ArchiverRig rig = new ArchiverRig(directory)) {
      AtomicBoolean failed = new AtomicBoolean();
      rig.files.hook(
          (number, operation, file) -> {
            if (operation.equals("rename")
                && file.toString().endsWith(".rolled")
                && failed.compareAndSet(false, true)) {
              Files.move(file, rig.raw(1));
              throw new OutOfMemoryError("injected");
            }
          });
      rig.start();
      try (Log log = new Log(rig)) {
        log.writeAll(content);
        awaitPart(rig);
        log.roll(1);
      }
      rig.awaitArchived(1);
      Samples.assertHolds(rig.archive(1), content);
    }
  }

  /** It waits for its name, which it never gets. */
  @Test
  void shouldFollowTheNextAfterOneThatSomebodyTookAway() throws IOException {
    byte[] content = Samples.log(1, SIZE);
    try (ArchiverRig rig = new ArchiverRig(directory)) {
      AtomicBoolean taken = new AtomicBoolean();
      rig.files.hook(
          (number, operation, file) -> {
            if (operation.equals("rename")
                && file.toString().endsWith(".rolled")
                && taken.compareAndSet(false, true)) {
              Files.delete(file);
            }
          });
      rig.start();
      try (Log log = new Log(rig)) {
        log.writeAll(content);
        awaitPart(rig);
        log.roll(1);
      }
      rig.await("taken away", taken::get);
      rig.await("its part is gone", () -> followed(rig) == 0);
      try (Log log = new Log(rig)) {
        log.writeAll(content);
        awaitPart(rig);
        log.roll(2);
      }
      rig.awaitArchived(1);
      Samples.assertHolds(rig.archive(2), content);
    }
  }

  /** The file lies where nobody looks for it any more, as after its link was changed. */
  @Test
  void shouldFollowTheNextAfterOneThatGetsNoName() throws IOException {
    byte[] content = Samples.log(1, SIZE);
    try (ArchiverRig rig = new ArchiverRig(directory)) {
      Path elsewhere = Files.createDirectory(directory.resolve("elsewhere")).resolve("app.log");
      rig.start();
      rig.awaitIdle();
      Files.createFile(elsewhere);
      rig.archiver.follow(elsewhere);
      RolledName lost = RolledName.of(elsewhere, Instant.EPOCH, 1);
      Files.move(elsewhere, lost.path());
      rig.archiver.rolled(lost);
      try (Log log = new Log(rig)) {
        log.writeAll(content);
        awaitPart(rig);
        log.roll(2);
      }
      rig.await("archived", () -> rig.metrics().archived() == 1);
      Samples.assertHolds(rig.archive(2), content);
    }
  }

  /** Each has a stream, a part and two open files, and names may not be had for days. */
  @Test
  void shouldBeginNoThirdWhileTwoGetNoName() throws IOException {
    AtomicInteger looks = new AtomicInteger();
    LongSupplier clock =
        () -> {
          looks.incrementAndGet();
          return System.nanoTime();
        };
    try (ArchiverRig rig = new ArchiverRig(directory).clock(clock)) {
      rig.policy.failure = new IOException("no name is to be had");
      rig.start();
      for (int i = 1; i <= 3; i++) {
        int begun = Math.min(i, 2);
        int more = i <= 2 ? 0 : 20; // asked at each turn while a name is waited for
        try (Log log = new Log(rig)) {
          log.writeAll(Samples.log(i, SIZE));
          int before = looks.get();
          rig.await("followed", () -> parts(rig) >= begun && looks.get() >= before + more);
          log.roll(i);
        }
      }
      assertThat(parts(rig)).isEqualTo(2);
      rig.policy.failure = null;
      rig.awaitArchived(3);
      for (int i = 1; i <= 3; i++) {
        Samples.assertHolds(rig.archive(i), Samples.log(i, SIZE));
      }
    }
  }

  private static long parts(ArchiverRig rig) {
    return Samples.below(rig.directory).stream().filter(FollowTest::isFollowersPart).count();
  }

  /** Another process writes on; what it has written is not in the archive. */
  @Test
  void shouldLookAgainAtAFileThatGrewAsItsArchiveWasPublished() throws IOException {
    byte[] content = Samples.log(1, SIZE);
    byte[] more = Samples.log(2, 10_000);
    try (ArchiverRig rig = new ArchiverRig(directory)) {
      AtomicBoolean grown = new AtomicBoolean();
      rig.files.hook(
          (number, operation, file) -> {
            if (operation.equals("syncDirectory") && grown.compareAndSet(false, true)) {
              Files.write(rig.raw(1), more, StandardOpenOption.APPEND);
            }
          });
      rig.start();
      try (Log log = new Log(rig)) {
        log.writeAll(content);
        awaitPart(rig);
        log.roll(1);
      }
      rig.await("grown", grown::get);
      rig.awaitArchived(1);
      byte[] both = Arrays.copyOf(content, SIZE + more.length);
      System.arraycopy(more, 0, both, SIZE, more.length);
      Samples.assertHolds(rig.archive(1), both);
    }
  }

  /** What was likely has not come true. */
  @Test
  void shouldFallBackIfTheEntryWouldHaveAnotherName() throws IOException {
    byte[] content = Samples.log(1, SIZE);
    try (ArchiverRig rig = new ArchiverRig(directory, directory, "x.zip").start()) {
      try (Log log = new Log(rig)) {
        log.writeAll(content);
        rig.await(
            "followed",
            () -> Samples.names(directory).stream().anyMatch(name -> name.endsWith(".part")));
        log.roll(1);
      }
      rig.awaitArchived(1);
      try (ZipInputStream zip = new ZipInputStream(Files.newInputStream(rig.archive(1)))) {
        assertThat(zip.getNextEntry().getName()).isEqualTo("app.1.log");
        assertThat(zip.readAllBytes()).isEqualTo(content);
      }
    }
  }

  @Test
  void shouldFollowBesideABurst() throws IOException {
    byte[] burst = Samples.log(1, 5_000_000);
    byte[] content = Samples.log(2, SIZE);
    try (ArchiverRig rig = new ArchiverRig(directory).cpuShare(0.2).start()) {
      rig.roll(1, burst);
      try (Log log = new Log(rig)) {
        log.writeAll(content);
        awaitPart(rig);
        log.roll(2);
      }
      rig.await("followed first", () -> Files.exists(rig.archive(2)));
      assertThat(rig.archive(1)).as("still under way").doesNotExist();
      rig.awaitArchived(2);
      Samples.assertHolds(rig.archive(1), burst);
      Samples.assertHolds(rig.archive(2), content);
    }
  }
}
