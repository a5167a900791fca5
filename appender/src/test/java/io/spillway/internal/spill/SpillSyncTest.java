package io.spillway.internal.spill;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Promises 8 and 13: what is synced is on the disk, in its segment until the log was forced; a
 * failed force is never taken for success.
 */
class SpillSyncTest {
  private static final long HOUR = TimeUnit.HOURS.toNanos(1); // turns come only when asked for
  private static final int RECORD = 400_000; // two in a segment

  @TempDir Path temp;
  private final FaultyFiles files = new FaultyFiles();
  private final Listened listener = new Listened();
  private final AtomicInteger forces = new AtomicInteger(); // of the destination
  private final AtomicBoolean destinationWorks = new AtomicBoolean(true);

  private Spill open(Path directory, long syncNanos, BooleanSupplier destination) {
    SpillConfig config =
        new SpillConfig(directory, 16 * Spills.MEGABYTE, SpillConfig.Kind.BYTES, syncNanos, null);
    Spill spill = new Spill(config, files, listener, destination);
    assertThat(spill.open()).isTrue();
    return spill;
  }

  private Spill open(Path directory, long syncNanos) {
    return open(
        directory,
        syncNanos,
        () -> {
          forces.incrementAndGet();
          return destinationWorks.get();
        });
  }

  private static final class Answer extends CompletableFuture<Boolean> implements Spill.Waiter {
    volatile boolean over;

    @Override
    public void synced(boolean all) {
      assertThat(complete(all)).as("told once").isTrue();
    }

    @Override
    public boolean isOver() {
      return over;
    }
  }

  private static boolean sync(Spill spill) throws Exception {
    Answer answer = new Answer();
    spill.sync(answer, null);
    return answer.get(60, TimeUnit.SECONDS);
  }

  private long marked(Path directory, int segment) throws IOException {
    Path path = Spills.segments(directory).get(segment);
    return Segment.load(new FaultyFiles(), path, Files.size(path), -1).undeliveredEvents();
  }

  @Test
  void shouldForceSegmentsAndDestinationBeforeItAnswers() throws Exception {
    Path directory = temp.resolve("spill");
    try (Spill spill = open(directory, HOUR)) {
      Spills.append(spill, 0, 10, 0);
      assertThat(spill.syncedEvents()).isZero();
      assertThat(sync(spill)).isTrue();
      assertThat(files.done).contains("force", "forceDirectory");
      assertThat(spill.syncedEvents()).isEqualTo(10);
      assertThat(forces.get()).isOne();
      Spills.append(spill, 10, 15, 0);
      assertThat(sync(spill)).isTrue();
      assertThat(spill.syncedEvents()).isEqualTo(15);
      Spills.deliverAll(spill);
    }
    assertThat(directory).doesNotExist();
    assertThat(listener.failures).isEmpty();
  }

  @Test
  void shouldMarkAndDeleteOnlyWhatTheDestinationWasForcedTo() throws Exception {
    Path directory = temp.resolve("spill");
    Spill spill = open(directory, HOUR);
    for (int i = 0; i < 5; i++) {
      Spills.append(spill, i, i + 1, RECORD);
    }
    assertThat(Spills.deliver(spill, 3)).containsExactly(0, 1, 2);
    files.elapse(10_000);
    assertThat(Spills.segments(directory)).hasSize(3);
    assertThat(marked(directory, 0)).as("nothing was forced").isEqualTo(2);
    assertThat(marked(directory, 1)).isEqualTo(2);
    assertThat(sync(spill)).isTrue();
    assertThat(Spills.segments(directory)).hasSize(2);
    assertThat(marked(directory, 0)).isOne();
    assertThat(spill.events()).isEqualTo(2);
    Spills.deliver(spill, 1);
    Path killed = Spills.copy(directory, temp.resolve("killed"));
    Spills.deliverAll(spill);
    spill.close();
    assertThat(directory).doesNotExist();
    try (Spill next = Spills.open(killed, listener)) {
      assertThat(Spills.deliverAll(next)).as("3 was not forced").containsExactly(3, 4);
    }
  }

  /** Each would have to be forced, while the exit waits. */
  @Test
  void shouldNotBeginASegmentForEachRecordOfAnExit() throws Exception {
    Path directory = temp.resolve("spill");
    try (Spill spill = open(directory, HOUR)) {
      spill.exiting();
      for (int i = 0; i < 10; i++) {
        Spills.append(spill, i, i + 1, 0);
        Spills.deliverAll(spill);
      }
      assertThat(sync(spill)).isTrue();
      assertThat(Spills.segments(directory)).hasSize(1);
      assertThat(marked(directory, 0)).isZero();
      assertThat(files.done.stream().filter("force"::equals)).hasSize(1);
    }
    assertThat(directory).doesNotExist();
  }

  /** What is delivered while the destination is being forced is not covered by that force. */
  @Test
  void shouldNotMarkWhatIsDeliveredDuringAForce() throws Exception {
    Path directory = temp.resolve("spill");
    CountDownLatch inForce = new CountDownLatch(1);
    CountDownLatch delivered = new CountDownLatch(1);
    Spill spill =
        open(
            directory,
            HOUR,
            () -> {
              inForce.countDown();
              try {
                return delivered.await(60, TimeUnit.SECONDS);
              } catch (InterruptedException e) {
                return false;
              }
            });
    for (int i = 0; i < 5; i++) {
      Spills.append(spill, i, i + 1, RECORD);
    }
    Spills.deliver(spill, 1);
    Answer answer = new Answer();
    spill.sync(answer, null);
    assertThat(inForce.await(60, TimeUnit.SECONDS)).isTrue();
    Spills.deliver(spill, 2);
    delivered.countDown();
    assertThat(answer.get(60, TimeUnit.SECONDS)).isTrue();
    assertThat(Spills.segments(directory)).hasSize(3);
    assertThat(marked(directory, 0)).isOne();
    assertThat(marked(directory, 1)).isEqualTo(2);
    assertThat(sync(spill)).isTrue();
    assertThat(Spills.segments(directory)).hasSize(2);
    spill.close();
  }

  @Test
  void shouldSyncByItselfAtTheInterval() {
    Path directory = temp.resolve("spill");
    try (Spill spill = open(directory, 1_000_000)) {
      Spills.append(spill, 0, 7, 0);
      await().until(() -> spill.syncedEvents() == 7);
      assertThat(forces.get()).as("nothing was delivered").isZero();
      Spills.deliverAll(spill);
      await().until(() -> forces.get() > 0 && marked(directory, 0) == 0);
    }
    assertThat(directory).doesNotExist();
  }

  @Test
  void shouldNeverTakeAFailedForceForSuccess() throws Exception {
    Path directory = temp.resolve("spill");
    Spill spill = open(directory, HOUR);
    Spills.append(spill, 0, 3, 0);
    assertThat(sync(spill)).isTrue();
    Spills.append(spill, 3, 5, 0);
    files.failing.add("force");
    assertThat(sync(spill)).isFalse();
    files.heal();
    assertThat(spill.syncedEvents()).isEqualTo(3);
    assertThat(listener.failures).contains("sync");
    Spills.append(spill, 5, 9, 0); // in a new segment
    assertThat(Spills.segments(directory)).hasSize(2);
    assertThat(sync(spill)).isTrue();
    assertThat(spill.syncedEvents()).as("3 and 4 never are").isEqualTo(7);
    assertThat(listener.recoveries).contains("sync");
    assertThat(Spills.deliverAll(spill)).isEqualTo(Spills.range(0, 9));
    spill.close();
  }

  /** Whatever force fails: who is told true has had one that covers his event and succeeded. */
  @Test
  void shouldAnswerTrueOnlyBehindAForceThatSucceeded() throws Exception {
    for (int n = 1; n <= 40; n++) {
      FaultyFiles bad = new FaultyFiles();
      AtomicBoolean covered = new AtomicBoolean(); // by a force since the last append
      AtomicInteger operation = new AtomicInteger();
      int failAt = n;
      bad.hook =
          (name, path) -> {
            if (name.startsWith("force") && operation.incrementAndGet() == failAt) {
              throw new IOException("injected into " + name);
            }
            covered.compareAndSet(false, name.equals("force"));
          };
      SpillConfig config =
          new SpillConfig(temp.resolve("n" + n), Spills.CAP, SpillConfig.Kind.BYTES, HOUR, null);
      Spill spill = new Spill(config, bad, listener, () -> true);
      spill.open();
      int refused = 0;
      for (int i = 0; i < 30; i++) {
        covered.set(false);
        Spills.append(spill, i, i + 1, 0);
        if (sync(spill)) {
          assertThat(covered.get()).as("event " + i + ", force " + n).isTrue();
        } else {
          refused++;
        }
      }
      assertThat(refused).as("force " + n).isEqualTo(n <= 31 ? 1 : 0);
      assertThat(Spills.deliverAll(spill)).isEqualTo(Spills.range(0, 30));
      spill.close();
    }
  }

  @Test
  void shouldKeepEverythingOnceTheDestinationHasFailed() throws Exception {
    Path directory = temp.resolve("spill");
    Spill spill = open(directory, HOUR);
    for (int i = 0; i < 5; i++) {
      Spills.append(spill, i, i + 1, RECORD);
    }
    Spills.deliver(spill, 1);
    assertThat(sync(spill)).isTrue();
    destinationWorks.set(false);
    Spills.deliver(spill, 2);
    assertThat(sync(spill)).isFalse();
    destinationWorks.set(true); // too late: what it had was dropped
    assertThat(Spills.deliverAll(spill)).containsExactly(3, 4);
    assertThat(sync(spill)).isFalse();
    assertThat(forces.get()).isEqualTo(2);
    spill.close();
    assertThat(Spills.segments(directory)).hasSize(3);
    try (Spill next = Spills.open(directory, listener)) {
      assertThat(Spills.deliverAll(next)).isEqualTo(Spills.range(1, 5));
    }
  }

  @Test
  void shouldTakeADestinationThatThrowsForOneThatHasFailed() throws Exception {
    Path directory = temp.resolve("spill");
    Spill spill =
        open(
            directory,
            HOUR,
            () -> {
              if (forces.incrementAndGet() == 1) {
                throw new IllegalStateException("injected");
              }
              return true;
            });
    Spills.appendAll(spill, 0, 3);
    Spills.deliverAll(spill);
    assertThat(sync(spill)).isFalse();
    assertThat(sync(spill)).isFalse();
    spill.close();
    assertThat(forces.get()).isOne();
    assertThat(listener.failures).contains("sync");
    try (Spill next = Spills.open(directory, listener)) {
      assertThat(Spills.deliverAll(next)).isEqualTo(Spills.range(0, 3));
    }
  }

  @Test
  void shouldHurryIfDeliveredSegmentsFillTheSpill() {
    Path directory = temp.resolve("spill");
    Spill spill = open(directory, HOUR);
    int appended = 0;
    while (Spills.append(spill, appended, appended + 1, RECORD) != null) {
      appended++;
    }
    assertThat(spill.isFull()).isTrue();
    assertThat(appended).isBetween(30, 42);
    assertThat(Spills.deliver(spill, appended - 1)).hasSize(appended - 1);
    int next = appended;
    await().until(() -> Spills.append(spill, next, next + 1, RECORD) != null);
    Spills.deliverAll(spill);
    spill.close();
    assertThat(directory).doesNotExist();
  }

  @ParameterizedTest
  @ValueSource(longs = {0, 3_600_000_000_000L})
  void shouldAnswerWhoWaitsAtAClose(long syncNanos) throws Exception {
    Spill spill = open(temp.resolve("spill"), syncNanos);
    Answer before = new Answer();
    Answer over = new Answer();
    over.over = true;
    spill.sync(over, null);
    spill.sync(before, null);
    Spills.append(spill, 0, 1, 0);
    spill.close();
    Answer after = new Answer();
    spill.sync(after, null);
    assertThat(after.get(60, TimeUnit.SECONDS)).isFalse();
    assertThat(before.get(60, TimeUnit.SECONDS)).isEqualTo(syncNanos > 0);
  }

  /** A spiller, a deliverer and callers, with the lock as the pipeline holds it. */
  @Test
  void shouldKeepOrderWithThreads() throws Exception {
    int events = 20_000;
    ReentrantLock order = new ReentrantLock(true);
    Path directory = temp.resolve("spill");
    Spill spill = open(directory, 1_000_000);
    Thread spiller =
        new Thread(
            () -> {
              for (int i = 0; i < events; ) {
                order.lock();
                try {
                  i += Spills.append(spill, i, i + 1, i % 100 == 0 ? RECORD : 300) == null ? 0 : 1;
                } finally {
                  order.unlock();
                }
              }
            });
    spiller.start();
    Spill.Payload payload = new Spill.Payload();
    int expected = 0;
    while (expected < events) {
      order.lock();
      Spill.Place place;
      try {
        place = spill.first();
      } finally {
        order.unlock();
      }
      if (place == null) {
        Thread.onSpinWait();
        continue;
      }
      assertThat(spill.read(place, payload)).isEqualTo(Spill.Outcome.OK);
      assertThat(Spills.numbers(payload)).isEqualTo(List.of(expected++));
      order.lock();
      try {
        spill.mark(place, 1);
      } finally {
        order.unlock();
      }
    }
    spiller.join();
    assertThat(sync(spill)).isTrue();
    assertThat(spill.syncedEvents()).isEqualTo(events);
    spill.close();
    assertThat(directory).doesNotExist();
    assertThat(listener.failures).isEmpty();
  }
}
