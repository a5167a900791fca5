package io.spillway.internal.compress;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.lang.ref.WeakReference;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** One thread, that nothing stops but the end of its work. */
@Timeout(120)
class CompressionWorkerTest {
  private static final boolean FULL = Boolean.getBoolean("spillway.test.full");

  private static final int ROUNDS = FULL ? 1_000_000 : 20_000;

  @TempDir Path directory;

  private static long threads() {
    return Thread.getAllStackTraces().keySet().stream()
        .filter(thread -> thread.getName().equals(CompressionWorker.THREAD_NAME))
        .count();
  }

  @Test
  void shouldEndWithTheLastArchiverAndComeBack() {
    CompressionWorker shared = new CompressionWorker();
    for (int round = 0; round < 5; round++) {
      Idle first = new Idle();
      Idle second = new Idle();
      shared.add(first);
      shared.add(second);
      Thread thread = shared.thread();
      assertThat(thread.isDaemon()).isTrue();
      assertThat(thread.getPriority()).isEqualTo(Thread.MIN_PRIORITY);
      assertThat(thread.getContextClassLoader()).isSameAs(CompressionWorker.class.getClassLoader());
      first.stopped.set(true);
      shared.wake();
      first.awaitAbandoned();
      assertThat(second.abandoned).isFalse();
      assertThat(thread.isAlive()).isTrue();
      second.stopped.set(true);
      shared.wake();
      second.awaitAbandoned();
      awaitEnd(thread);
    }
    assertThat(threads()).isZero();
  }

  /** Who sees the thread wakes it; it must not end for all that. */
  @Timeout(1_800) // a million rounds
  @Test
  void shouldServeWhoComesWhileItEnds() {
    CompressionWorker worker = new CompressionWorker();
    for (int round = 0; round < ROUNDS; round++) {
      AtomicBoolean attended = new AtomicBoolean();
      Idle duty =
          new Idle() {
            @Override
            public boolean attend(byte[] chunk) {
              attended.set(true);
              return false;
            }
          };
      worker.add(duty);
      awaitTrue(attended::get);
      duty.stopped.set(true);
      worker.wake();
    }
    awaitTrue(() -> worker.thread() == null);
  }

  private static void awaitTrue(BooleanSupplier condition) {
    long deadline = System.nanoTime() + 30_000_000_000L;
    while (!condition.getAsBoolean()) {
      assertThat(deadline - System.nanoTime()).as("nanoseconds left").isPositive();
      Thread.yield(); // a spin takes the processor from whoever is awaited
    }
  }

  private static void awaitEnd(Thread thread) {
    try {
      thread.join(30_000);
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
    assertThat(thread.isAlive()).isFalse();
  }

  /** Has nothing to do. */
  static class Idle implements CompressionWorker.Duty {
    final AtomicBoolean stopped = new AtomicBoolean();
    volatile boolean abandoned;

    void awaitAbandoned() {
      awaitTrue(() -> abandoned);
    }

    @Override
    public boolean isStopped() {
      return stopped.get();
    }

    @Override
    public void abandon() {
      abandoned = true;
    }

    @Override
    public boolean attend(byte[] chunk) {
      return false;
    }

    @Override
    public boolean follow(byte[] chunk) {
      return false;
    }

    @Override
    public boolean compress(byte[] chunk) {
      return false;
    }

    @Override
    public boolean isBusy() {
      return false;
    }

    @Override
    public void hurry() {}

    @Override
    public boolean isHurrying() {
      return false;
    }

    @Override
    public void awaitArchived(long mostNanos) {}

    @Override
    public double cpuShare() {
      return 1;
    }

    @Override
    public long restNanos() {
      return Long.MAX_VALUE;
    }

    @Override
    public void survived(Throwable t) {
      throw new AssertionError(t);
    }
  }

  @Test
  void shouldReplaceAThreadThatDiedAndTellWhileItCannot() {
    AtomicBoolean dying = new AtomicBoolean(true);
    CompressionWorker worker =
        new CompressionWorker(
            loop ->
                () -> {
                  if (!dying.get()) {
                    loop.run();
                  }
                });
    try (ArchiverRig rig = new ArchiverRig(directory, worker).start()) {
      byte[] content = rig.roll(1, 1_000);
      rig.await("told", () -> rig.metrics().failing().equals(directory.toString()));
      dying.set(false);
      rig.await("replaced, by a look at the metrics", () -> rig.metrics().archived() == 1);
      assertThat(rig.metrics().failing()).isEmpty();
      Samples.assertHolds(rig.archive(1), content);
    }
  }

  @Test
  void shouldBeOneThreadForAllArchivers() {
    try (ArchiverRig first = new ArchiverRig(directory.resolve("a"));
        ArchiverRig second = new ArchiverRig(directory.resolve("b"), first.worker)) {
      first.start();
      second.start();
      byte[] a = first.roll(1, 600_000);
      byte[] b = second.roll(1, 600_000);
      first.awaitArchived(1);
      second.awaitArchived(1);
      Samples.assertHolds(first.archive(1), a);
      Samples.assertHolds(second.archive(1), b);
      assertThat(threads()).isEqualTo(1);
      first.archiver.stop();
      byte[] more = second.roll(2, 1_000);
      second.awaitArchived(2);
      Samples.assertHolds(second.archive(2), more);
      second.archiver.stop();
      second.await("worker gone", () -> !second.hasWorkerThread());
    }
  }

  /** Its share is one of its own archives: others are made while it rests. */
  @Test
  void shouldArchiveForOthersWhileOneRests() {
    try (ArchiverRig slow = new ArchiverRig(directory.resolve("a")).cpuShare(0.01);
        ArchiverRig other = new ArchiverRig(directory.resolve("b"), slow.worker)) {
      slow.start();
      other.start();
      try {
        slow.roll(1, 16 * CompressionWorker.CHUNK_BYTES);
        slow.await(
            "begun",
            () ->
                slow.leftovers().stream()
                    .anyMatch(file -> slow.names.kindOf(file) == ArchiveNames.Kind.PART));
        for (int i = 1; i <= 3; i++) {
          other.roll(i, 1_000);
        }
        other.await(
            "one of them", () -> other.metrics().archived() == 3 || slow.metrics().archived() > 0);
        assertThat(slow.metrics().archived()).isZero();
      } finally {
        slow.archiver.stop();
      }
    }
  }

  @Test
  void shouldTellADutyWhatItThrewAndServeTheOthers() {
    CompressionWorker worker = new CompressionWorker();
    AtomicInteger told = new AtomicInteger();
    Idle throwing =
        new Idle() {
          @Override
          public boolean compress(byte[] chunk) {
            throw new StackOverflowError();
          }

          @Override
          public void survived(Throwable t) {
            told.incrementAndGet();
          }
        };
    Idle other = new Idle();
    worker.add(throwing);
    worker.add(other);
    awaitTrue(() -> told.get() > 0);
    other.stopped.set(true);
    worker.wake();
    other.awaitAbandoned();
    throwing.stopped.set(true);
    worker.wake();
    throwing.awaitAbandoned();
  }

  @Test
  void shouldSurviveInterrupts() {
    try (ArchiverRig rig = new ArchiverRig(directory).start()) {
      Thread worker = rig.worker.thread();
      AtomicInteger storms = new AtomicInteger();
      rig.files.hook(
          (number, operation, file) -> {
            Thread.currentThread().interrupt();
            storms.incrementAndGet();
          });
      byte[] content = rig.roll(1, 2_000_000);
      while (rig.metrics().archived() == 0) {
        worker.interrupt();
        Thread.onSpinWait();
      }
      rig.awaitArchived(1);
      Samples.assertHolds(rig.archive(1), content);
      assertThat(rig.metrics().failures()).isZero();
      assertThat(storms.get()).isPositive();
      assertThat(rig.worker.thread()).isSameAs(worker);
    }
  }

  @Test
  void shouldSurviveEveryThrowable() {
    Throwable[] thrown = {
      new OutOfMemoryError("injected"),
      new StackOverflowError(),
      new LinkageError("injected"),
      new IllegalStateException("injected"),
      new IOException("injected")
    };
    String[] steps = {"list", "openForReading", "read", "write", "rename", "delete"};
    IntStream.range(0, steps.length * (FULL ? thrown.length : 1))
        .parallel()
        .forEach(
            i ->
                surviveOnce(
                    directory.resolve("run" + i),
                    steps[i % steps.length],
                    thrown[i % thrown.length]));
  }

  private static void surviveOnce(Path place, String step, Throwable each) {
    try (ArchiverRig rig = new ArchiverRig(place)) {
      AtomicBoolean done = new AtomicBoolean();
      rig.files.hook(
          (number, operation, file) -> {
            if (operation.equals(step) && done.compareAndSet(false, true)) {
              raise(each);
            }
          });
      rig.start();
      byte[] content = rig.roll(1, 1_000);
      rig.await(step + " " + each, done::get);
      rig.awaitArchived(1);
      Samples.assertHolds(rig.archive(1), content);
      assertThat(rig.metrics().failures()).isEqualTo(1);
    }
  }

  /** One file behind the other: what a foreign format throws in a close keeps none of them open. */
  @ParameterizedTest
  @ValueSource(strings = {"close", "close source"})
  void shouldCloseEverythingThoughAClosingThrows(String closing) throws IOException {
    try (ArchiverRig rig = new ArchiverRig(directory)) {
      AtomicBoolean failed = new AtomicBoolean();
      AtomicBoolean thrown = new AtomicBoolean();
      rig.files.hook(
          (number, operation, file) -> {
            if (operation.equals("write") && failed.compareAndSet(false, true)) {
              throw new IOException("injected");
            }
            if (failed.get() && operation.equals(closing) && thrown.compareAndSet(false, true)) {
              throw new LinkageError("injected into " + closing);
            }
          });
      rig.start();
      byte[] content = rig.roll(1, 1_000);
      rig.await("thrown", thrown::get);
      rig.awaitArchived(1);
      Samples.assertHolds(rig.archive(1), content);
      assertThat(rig.statuses()).anyMatch(text -> text.contains("Closing a file"));
      try (Stream<Path> open = Files.list(Path.of("/proc/self/fd"))) {
        assertThat(open.map(CompressionWorkerTest::target))
            .noneMatch(file -> file.startsWith(directory.toString()));
      }
    }
  }

  private static String target(Path link) {
    try {
      return Files.readSymbolicLink(link).toString();
    } catch (IOException closed) {
      return "";
    }
  }

  private static void raise(Throwable each) throws IOException {
    if (each instanceof Error error) {
      throw error;
    }
    if (each instanceof RuntimeException exception) {
      throw exception;
    }
    throw (IOException) each;
  }

  @Test
  void shouldSurviveAPolicyThatThrows() {
    for (Throwable each : List.of(new AssertionError("x"), new IOException("x"))) {
      try (ArchiverRig rig = new ArchiverRig(directory)) {
        rig.policy.failure = each;
        rig.start();
        byte[] content = rig.roll(1, 1_000);
        rig.await("asked", () -> rig.metrics().failures() >= 1);
        assertThat(rig.metrics().failures()).as("no spinning").isLessThanOrEqualTo(3);
        rig.policy.failure = null;
        rig.awaitArchived(1);
        Samples.assertHolds(rig.archive(1), content);
      }
      Samples.below(directory).forEach(file -> assertThat(file.toFile().delete()).isTrue());
    }
  }

  @Test
  void shouldKeepTheOthersGoingBesideAFileThatCannotBeRead() throws IOException {
    try (ArchiverRig rig = new ArchiverRig(directory)) {
      Files.write(rig.raw(1), Samples.log(1, 1_000));
      for (int i = 2; i <= 6; i++) {
        Files.write(rig.raw(i), Samples.log(i, 1_000));
      }
      AtomicBoolean broken = new AtomicBoolean(true);
      rig.files.hook(
          (number, operation, file) -> {
            if (broken.get() && operation.equals("read") && file.equals(rig.raw(1))) {
              throw new IOException("Input/output error (injected)");
            }
          });
      rig.start();
      rig.await("the others", () -> rig.metrics().archived() == 5);
      assertThat(rig.raw(1)).hasBinaryContent(Samples.log(1, 1_000));
      assertThat(rig.metrics().backlogFiles()).isEqualTo(1);
      assertThat(rig.statuses())
          .anyMatch(
              text -> text.startsWith("Cannot archive [" + rig.raw(1)) && text.contains("To do: "))
          .noneMatch(text -> text.contains("room") || text.contains("free or raise"));
      broken.set(false);
      rig.awaitArchived(6);
    }
  }

  @Test
  void shouldTakeNoMoreThanItsShare() {
    try (ArchiverRig rig = new ArchiverRig(directory).cpuShare(0.2)) {
      rig.start();
      long id = rig.worker.thread().getId();
      rig.roll(1, 1_000_000); // warms up
      rig.awaitArchived(1);
      byte[] large = Samples.log(2, 4_000_000);
      long cpu = ManagementFactory.getThreadMXBean().getThreadCpuTime(id);
      long start = System.nanoTime();
      rig.roll(2, large);
      rig.await("archived", () -> rig.metrics().archived() == 2);
      long used = ManagementFactory.getThreadMXBean().getThreadCpuTime(id) - cpu;
      long wall = System.nanoTime() - start;
      assertThat((double) used / wall).as("share of a core").isLessThan(0.35);
    }
  }

  @Test
  void shouldKeepNothingAliveAfterTheStop() throws InterruptedException {
    ArchiverRig rig = new ArchiverRig(directory).start();
    rig.roll(1, 1_000);
    rig.awaitArchived(1);
    rig.close();
    WeakReference<Archiver> archiver = new WeakReference<>(rig.archiver);
    CompressionWorker worker = rig.worker;
    rig = null;
    for (int i = 0; archiver.get() != null && i < 100; i++) {
      System.gc();
      Thread.sleep(20);
    }
    assertThat(archiver.get()).isNull();
    assertThat(worker.thread()).isNull();
  }
}
