package io.spillway.internal.compress;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A stop, or the JVM's exit, waits for what waits to be archived, as long as there is progress. The
 * time is the test's: where it stands still, nothing may be put off.
 */
@Timeout(120)
class AwaitArchivedTest {
  private static final long SECOND = 1_000_000_000L;
  private static final long SOON = SECOND / 100; // from one look to the next

  /** So small that after a chunk the compressor rests for days. */
  private static final double NEARLY_NOTHING = 1e-9;

  @TempDir Path directory;
  private final AtomicLong time = new AtomicLong();
  private final AtomicLong looks = new AtomicLong(); // of the thread that waits
  private final AtomicLong passing = new AtomicLong(); // a part of it at each look
  private final AtomicBoolean over = new AtomicBoolean();
  private volatile long lookNanos = SOON;
  private volatile Thread waiting;

  private long now() {
    if (Thread.currentThread() == waiting) {
      looks.incrementAndGet();
      if (passing.get() > 0) {
        passing.addAndGet(-lookNanos);
        time.addAndGet(lookNanos);
      }
    }
    return time.get();
  }

  /** A step that takes nearly as long as one that hangs; whoever waits notices. */
  private void slowStep() {
    passing.set(SECOND * 8 / 10);
    while (passing.get() > 0 && !over.get()) {
      LockSupport.parkNanos(100_000);
    }
    awaitLooks();
  }

  private void awaitLooks() {
    long seen = looks.get();
    while (looks.get() < seen + 3 && !over.get()) {
      LockSupport.parkNanos(100_000);
    }
  }

  /** Before anybody waits, for whom it would be one that hangs. */
  private void longStep() {
    if (waiting == null) {
      time.addAndGet(5 * SECOND);
    }
  }

  private ArchiverRig rig(Path place, CompressionWorker worker) {
    return new ArchiverRig(place, worker).clock(this::now);
  }

  private ArchiverRig rig() {
    return rig(directory, new CompressionWorker());
  }

  /** Waits in a thread of its own, since the time of the test may never end it. */
  private void begin(Runnable wait) {
    over.set(false);
    waiting =
        new Thread(
            () -> {
              wait.run();
              over.set(true);
            });
    waiting.setDaemon(true);
    waiting.start();
  }

  private boolean await(ArchiverRig rig, BooleanSupplier wait) {
    AtomicBoolean archived = new AtomicBoolean();
    begin(() -> archived.set(wait.getAsBoolean()));
    rig.await("the end of the wait", over::get);
    return archived.get();
  }

  private boolean awaitArchived(ArchiverRig rig) {
    return await(rig, () -> rig.archiver.awaitArchived(30 * SECOND));
  }

  /** After a large directory has taken long, the next look comes later; a stop has no such time. */
  @Test
  void shouldNotRestBeforeFilesGetTheirNames() {
    try (ArchiverRig rig = rig()) {
      rig.policy.onPlaced = this::longStep;
      rig.start();
      rig.roll(1, 1_000);
      rig.awaitArchived(1);
      rig.roll(2, 1_000);
      assertThat(awaitArchived(rig)).as("archived").isTrue();
      assertThat(Samples.names(directory)).containsExactly("app.1.log.gz", "app.2.log.gz");
    }
  }

  @Test
  void shouldNotRestBeforeThatThoughNobodyWaitsForArchives() {
    try (ArchiverRig rig = rig()) {
      rig.policy.onPlaced = this::longStep;
      rig.start();
      rig.roll(1, 1_000);
      rig.awaitArchived(1);
      rig.roll(2, 1_000);
      begin(() -> rig.archiver.awaitPlaced(SECOND));
      rig.await("the end of the wait", over::get);
      assertThat(Samples.names(directory)).noneMatch(name -> name.endsWith(".rolled"));
    }
  }

  @Test
  void shouldNotRestBeforeRetention() {
    try (ArchiverRig rig = rig()) {
      rig.policy.onSettled = this::longStep;
      rig.start();
      rig.roll(1, 1_000);
      rig.awaitArchived(1);
      rig.await("cleaned up", () -> rig.policy.settled.get() > 0);
      rig.roll(2, 1_000);
      assertThat(awaitArchived(rig)).as("archived").isTrue();
      assertThat(rig.metrics().archived()).isEqualTo(2);
    }
  }

  /** A disk has not answered for an hour, which says nothing of how long the directory takes. */
  @ParameterizedTest
  @ValueSource(strings = {"place", "settle"})
  void shouldNotRestForHoursAfterADiskThatStoodStill(String step) {
    try (ArchiverRig rig = rig()) {
      AtomicBoolean stood = new AtomicBoolean();
      Runnable hour =
          () -> {
            if (!stood.getAndSet(true)) {
              time.addAndGet(3_600 * SECOND);
            }
          };
      if (step.equals("place")) {
        rig.policy.onPlaced = hour;
      } else {
        rig.policy.onSettled = hour;
      }
      rig.start();
      rig.roll(1, 1_000);
      rig.awaitArchived(1);
      rig.await("stood still", stood::get);
      rig.roll(2, 1_000);
      long settled = rig.policy.settled.get();
      AtomicInteger minutes = new AtomicInteger();
      rig.await(
          "goes on",
          () -> {
            if (minutes.getAndIncrement() < 50) {
              time.addAndGet(60 * SECOND);
            }
            rig.worker.wake(); // the time is the test's
            return rig.metrics().archived() == 2 && rig.policy.settled.get() > settled;
          });
    }
  }

  /** It is no time in which the compressor could have done anything. */
  @Test
  void shouldWaitForWhatAMachineThatStoodStillHasUnderWay() {
    try (ArchiverRig rig = rig()) {
      AtomicBoolean stood = new AtomicBoolean();
      rig.files.hook(
          (number, operation, file) -> {
            if (operation.equals("read") && !stood.getAndSet(true)) {
              awaitLooks();
              time.addAndGet(60 * SECOND);
              awaitLooks();
            }
          });
      rig.start();
      rig.roll(1, 1_000);
      assertThat(awaitArchived(rig)).as("archived").isTrue();
      assertThat(Samples.names(directory)).containsExactly("app.1.log.gz");
    }
  }

  /** Where processors are scarce, the time between two looks is time, too. */
  @Test
  void shouldGiveUpInTimeThoughItLooksSeldom() {
    try (ArchiverRig rig = rig()) {
      AtomicBoolean hangs = new AtomicBoolean(true);
      rig.files.hook(
          (number, operation, file) -> {
            while (operation.equals("read") && hangs.get()) {
              LockSupport.parkNanos(100_000);
            }
          });
      rig.start();
      rig.roll(1, 1_000);
      lookNanos = SECOND / 10;
      passing.set(Long.MAX_VALUE);
      long start = time.get();
      boolean archived = awaitArchived(rig);
      hangs.set(false);
      assertThat(archived).isFalse();
      assertThat(time.get() - start).isLessThan(2 * SECOND);
    }
  }

  /** What failed is tried again a second later, also by a stop. */
  @Test
  void shouldNotTryAgainWithoutARest() {
    try (ArchiverRig rig = rig()) {
      rig.policy.failure = new IOException("injected");
      rig.start();
      rig.roll(1, 1_000);
      rig.await("failed", () -> rig.metrics().failures() > 0);
      begin(() -> rig.archiver.awaitArchived(30 * SECOND));
      rig.await("waiting", () -> looks.get() > 50);
      assertThat(rig.metrics().failures()).as("no spinning").isEqualTo(1);
      rig.policy.failure = null;
      time.addAndGet(SECOND);
      rig.await("the end of the wait", over::get);
      assertThat(Samples.names(directory)).containsExactly("app.1.log.gz");
    }
  }

  /** The disk of the archives is full, and each file takes some time to fail. */
  @Test
  void shouldNotTakeFailuresForProgress() {
    try (ArchiverRig rig = rig()) {
      rig.files.hook(
          (number, operation, file) -> {
            if (operation.equals("create")) {
              slowStep();
              throw new IOException("No space left on device (injected)");
            }
          });
      rig.start();
      for (int i = 1; i <= 20; i++) {
        rig.roll(i, 1_000);
      }
      AtomicLong tried = new AtomicLong(); // until the wait is over: then no step is slow any more
      boolean archived =
          await(
              rig,
              () -> {
                boolean all = rig.archiver.awaitArchived(30 * SECOND);
                tried.set(rig.metrics().failures());
                return all;
              });
      assertThat(archived).as("archived").isFalse();
      assertThat(tried).as("files tried").hasValueLessThan(10);
    }
  }

  /** Three files that an earlier run left cannot be archived at first; another one is younger. */
  private void startWithFailures(ArchiverRig rig, boolean archivedAlready) throws IOException {
    for (int i = 1; i <= 3; i++) {
      Files.write(rig.raw(i), Samples.log(i, 1_000));
    }
    if (archivedAlready) {
      byte[] content = Samples.log(4, 1_000);
      Files.write(rig.raw(4), content);
      Files.write(rig.archive(4), Samples.gzip(content));
    }
    AtomicInteger failed = new AtomicInteger();
    rig.files.hook(
        (number, operation, file) -> {
          if (operation.equals("create") && failed.incrementAndGet() <= 3) {
            throw new IOException("No space left on device (injected)");
          }
        });
    rig.start();
    rig.await("failures", () -> rig.metrics().failures() >= 3);
  }

  /** One that takes longer than a stop waits for progress. */
  private void assertWaitsForALargeFile(ArchiverRig rig) {
    rig.files.hook(
        (number, operation, file) -> {
          if (operation.equals("read")) {
            slowStep();
          }
        });
    rig.roll(9, 4 * CompressionWorker.CHUNK_BYTES);
    assertThat(awaitArchived(rig)).as("archived").isTrue();
    assertThat(Samples.names(directory)).contains("app.9.log.gz");
  }

  @Test
  void shouldWaitForProgressThoughFilesFailedLongAgo() throws IOException {
    try (ArchiverRig rig = rig()) {
      startWithFailures(rig, false);
      time.addAndGet(60 * SECOND);
      assertWaitsForALargeFile(rig);
    }
  }

  /** A crash came between the archive and the end of its rolled file. */
  @Test
  void shouldWaitForProgressOnceAFileTurnedOutToBeArchived() throws IOException {
    try (ArchiverRig rig = rig()) {
      startWithFailures(rig, true);
      rig.await("compared", () -> rig.metrics().archived() > 0);
      assertWaitsForALargeFile(rig);
    }
  }

  @Test
  void shouldWaitForProgressOnceAFollowedFileIsArchived() throws IOException {
    try (ArchiverRig rig = rig()) {
      startWithFailures(rig, false);
      rig.archiver.follow(rig.policy.log());
      Files.write(rig.policy.log(), Samples.log(6, CompressionWorker.CHUNK_BYTES));
      rig.archiver.grown(0, CompressionWorker.CHUNK_BYTES);
      rig.await("followed", () -> Samples.names(directory).toString().contains("app.0.log.gz"));
      rig.rollOver(6);
      rig.await("archived", () -> rig.metrics().archived() > 0);
      assertWaitsForALargeFile(rig);
    }
  }

  /** Retention and the archive listener have no other turn, if no archive comes after that. */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void shouldLookAfterArchivesAgainButNotBeWaitedForIfThatFailed(boolean noMemory) {
    try (ArchiverRig rig = rig()) {
      AtomicBoolean failing = new AtomicBoolean(true);
      rig.policy.onSettled =
          () -> {
            if (failing.get() && noMemory) {
              throw new OutOfMemoryError("injected");
            } else if (failing.get()) {
              throw new IllegalStateException("injected");
            }
          };
      rig.start();
      rig.await("failed", () -> rig.metrics().failures() > 0);
      assertThat(awaitArchived(rig)).as("nothing waits").isTrue();
      assertThat(rig.metrics().failures()).as("no spinning").isEqualTo(1);
      failing.set(false);
      time.addAndGet(SECOND);
      rig.await("looked after", () -> rig.policy.settled.get() > 0);
      assertThat(rig.statuses()).anyMatch(text -> text.contains("injected; tried again in 1 s"));
    }
  }

  /** Memory was short between the rename of a file that is to be deleted and the note of it. */
  @Test
  void shouldDeleteWhatAFailedRetentionHasRenamed() {
    try (ArchiverRig rig = rig()) {
      AtomicBoolean failed = new AtomicBoolean();
      rig.policy.onSettled =
          () -> {
            if (rig.metrics().archived() > 0 && failed.compareAndSet(false, true)) {
              move(rig.archive(1), rig.names.done(rig.archive(1)));
              throw new OutOfMemoryError("injected");
            }
          };
      rig.start();
      rig.roll(1, 1_000);
      rig.await("failed", failed::get);
      rig.await("deleted: " + Samples.names(directory), () -> Samples.names(directory).isEmpty());
    }
  }

  private static void move(Path from, Path to) {
    try {
      Files.move(from, to);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Test
  void shouldTakeDeletionsForProgress() throws IOException {
    for (int i = 1; i <= 4; i++) {
      Files.write(directory.resolve("app." + i + ".log.gz." + i + ".delete"), new byte[0]);
    }
    assertWaitsWhileItSweeps("delete");
  }

  @Test
  void shouldTakeLooksThroughADirectoryForProgress() throws IOException {
    for (int i = 1; i <= 4; i++) {
      Files.write(directory.resolve("app." + i + ".log"), Samples.log(i, 1_000));
    }
    assertWaitsWhileItSweeps("state");
  }

  private void assertWaitsWhileItSweeps(String slow) {
    try (ArchiverRig rig = rig()) {
      rig.files.hook(
          (number, operation, file) -> {
            if (operation.equals(slow) && rig.policy.swept.get() == 0) {
              slowStep();
            }
          });
      rig.start();
      assertThat(awaitArchived(rig)).as("archived").isTrue();
      assertThat(rig.leftovers()).isEmpty();
    }
  }

  /** As a shift of a window, and what retention takes away. */
  @ParameterizedTest
  @ValueSource(strings = {"place", "settle"})
  void shouldTakeRenamesForProgress(String step) throws IOException {
    for (int i = 1; i <= 4; i++) {
      Files.write(directory.resolve("app." + i + ".log.gz"), new byte[0]);
    }
    try (ArchiverRig rig = rig()) {
      Runnable renames =
          () -> {
            for (int i = 4; i > 1 && Files.exists(rig.archive(i)); i--) {
              slowStep();
              try {
                if (i == 4) {
                  rig.archiver.discard(rig.archive(4));
                } else {
                  rig.archiver.move(rig.archive(i), rig.archive(i + 3));
                }
              } catch (IOException e) {
                throw new UncheckedIOException(e);
              }
            }
          };
      if (step.equals("place")) {
        rig.policy.onPlaced = renames;
      } else {
        rig.policy.onSettled = renames;
      }
      rig.start();
      rig.roll(9, 1_000);
      assertThat(awaitArchived(rig)).as("archived").isTrue();
      assertThat(Samples.names(directory))
          .containsExactly("app.1.log.gz", "app.5.log.gz", "app.6.log.gz", "app.9.log.gz");
    }
  }

  @Test
  void shouldNotWaitForWhatTheRandomDelayPutsOff() {
    try (ArchiverRig rig = rig().randomDelay(Duration.ofDays(1))) {
      rig.start();
      rig.roll(1, 1_000);
      assertThat(awaitArchived(rig)).as("nothing to wait for").isTrue();
      assertThat(Samples.names(directory)).containsExactly("app.1.log");
    }
  }

  /** A low share is no reason to leave files: from now on there is none. */
  @Test
  void shouldNotTakeTheRestThatTheShareAsksFor() {
    try (ArchiverRig rig = rig().cpuShare(NEARLY_NOTHING)) {
      rig.start();
      beginAFile(rig);
      assertThat(awaitArchived(rig)).as("archived").isTrue();
      assertThat(Samples.names(directory)).containsExactly("app.1.log.gz");
    }
  }

  private static void beginAFile(ArchiverRig rig) {
    rig.roll(1, 2_000_000);
    rig.await("begun", () -> Samples.names(rig.directory).toString().contains(".part"));
    rig.await("resting", () -> rig.worker.thread().getState() == Thread.State.TIMED_WAITING);
  }

  /** Its own files are not late because of one that somebody else has under way, and may rest. */
  @Test
  void shouldNotWaitForAFileOfAnotherAppender() {
    CompressionWorker worker = new CompressionWorker();
    try (ArchiverRig other = rig(directory.resolve("a"), worker).cpuShare(NEARLY_NOTHING);
        ArchiverRig rig = rig(directory.resolve("b"), worker)) {
      other.start();
      beginAFile(other);
      rig.start();
      rig.roll(1, 2_000_000);
      assertThat(awaitArchived(rig)).as("archived").isTrue();
      assertThat(other.metrics().archived()).as("at its own pace").isZero();
      assertThat(awaitArchived(other)).as("archived later").isTrue();
      other.archiver.stop(); // or the worker lives on at the first close
    }
  }

  /** One file after the other, whosever it is: who is not served makes progress, too. */
  @Test
  void shouldArchiveWhatAllAppendersLeaveAtAnExit() {
    CompressionWorker worker = new CompressionWorker();
    try (ArchiverRig second = rig(directory.resolve("b"), worker).cpuShare(NEARLY_NOTHING);
        ArchiverRig first = rig(directory.resolve("a"), worker).cpuShare(NEARLY_NOTHING)) {
      first.start();
      second.start();
      beginAFile(second);
      second.files.hook(
          (number, operation, file) -> {
            if (operation.equals("read")) {
              slowStep();
            }
          });
      first.roll(1, 1_000);
      begin(() -> worker.awaitArchived(30 * SECOND));
      first.await("the end of the wait", over::get);
      assertThat(Samples.names(first.directory)).containsExactly("app.1.log.gz");
      assertThat(Samples.names(second.directory)).containsExactly("app.1.log.gz");
      second.archiver.stop(); // or the worker lives on at the first close
    }
  }

  /** What is not rolled over by then is no archive of this run. */
  @Test
  void shouldNotGoOnWithTheActiveFileWhileItWaits() throws IOException {
    try (ArchiverRig rig = new ArchiverRig(directory)) {
      AtomicInteger parts = new AtomicInteger();
      rig.files.hook(
          (number, operation, file) -> {
            if (operation.equals("create")) {
              parts.incrementAndGet();
            }
          });
      rig.start();
      rig.archiver.awaitArchived(Long.MAX_VALUE);
      Files.write(rig.policy.log(), Samples.log(1, 1_500_000));
      rig.archiver.follow(rig.policy.log());
      rig.archiver.grown(0, 1_500_000);
      for (int rounds = 0; rounds < 3; rounds++) { // at each it is asked whether it follows
        assertThat(rig.archiver.awaitArchived(Long.MAX_VALUE)).isTrue();
      }
      assertThat(parts).hasValue(0);
    }
  }
}
