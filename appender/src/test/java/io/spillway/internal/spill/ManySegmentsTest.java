package io.spillway.internal.spill;

import static io.spillway.internal.spill.SpillFaultTest.deleteRecursively;
import static io.spillway.internal.spill.SpillTesting.append;
import static io.spillway.internal.spill.SpillTesting.config;
import static io.spillway.internal.spill.SpillTesting.deliver;
import static io.spillway.internal.spill.SpillTesting.deliverAll;
import static io.spillway.internal.spill.SpillTesting.segments;
import static io.spillway.internal.spill.SpillTesting.texts;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.spillway.testkit.FaultyDisk;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A spill of gigabytes, as it looks to the process: many files. */
@Timeout(60)
class ManySegmentsTest {
  private static final int SEGMENTS = 100;
  private static final int PER_SEGMENT = 3;
  private static final int EVENTS = SEGMENTS * PER_SEGMENT;

  @TempDir Path temp;

  private final FaultyDisk files = new FaultyDisk();
  private final RecordingListener listener = new RecordingListener();
  private final AtomicLong clock = new AtomicLong();

  @Test
  void shouldHoldAFewDescriptorsHoweverManySegmentsWait() throws IOException {
    Path directory = temp.resolve("spill");
    try (Spill spill = SpillTesting.open(config(directory), listener, files, clock::get)) {
      fill(spill);
      assertThat(segments(directory)).hasSize(SEGMENTS);
      assertThat(descriptors(directory)).isLessThan(40);
      assertThat(deliver(spill, EVENTS / 2)).isEqualTo(texts(0, EVENTS / 2));
      assertThat(descriptors(directory)).isLessThan(40);
      assertThat(deliverAll(spill)).isEqualTo(texts(EVENTS / 2, EVENTS));
      assertThat(listener.lost).hasValue(0);
    }
    assertThat(descriptors(directory)).isZero();
    assertThat(directory).doesNotExist();
  }

  /** Nor do they take room when they are deleted, however long no sync ends. */
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void shouldHoldAFewDescriptorsHoweverManySegmentsAreDeliveredBetweenTwoSyncs(boolean hangs)
      throws Exception {
    Path directory = temp.resolve("spill");
    AtomicBoolean hanging = new AtomicBoolean();
    AtomicBoolean released = new AtomicBoolean(!hangs);
    files.hook(
        (number, operation, path) -> {
          boolean forced = Thread.currentThread().getName().equals("spillway-spill-sync");
          while (forced && operation.equals("sync") && !released.get()) {
            hanging.set(true);
            LockSupport.parkNanos(1_000_000);
          }
        });
    long interval = hangs ? 1_000_000 : TimeUnit.HOURS.toNanos(1);
    SpillConfig config =
        new SpillConfig(directory, 4 << 20, SpillKind.BYTES, interval, null, false);
    try (Spill spill = SpillTesting.open(config, listener, () -> true, files, clock::get)) {
      append(spill, "first");
      await().until(() -> hanging.get() == hangs);
      String text = "x".repeat(40_000);
      for (long bytes = 0; bytes < 20 * (4L << 20); ) {
        while (append(spill, text) == Spill.Append.APPENDED) {
          bytes += text.length();
        }
        assertThat(descriptors(directory)).isLessThan(40);
        await()
            .until(
                () -> {
                  deliverAll(spill);
                  spill.maintain();
                  return append(spill, text) == Spill.Append.APPENDED;
                });
        assertThat(descriptors(directory, " (deleted)")).isLessThanOrEqualTo(hangs ? 1 : 0);
      }
      released.set(true);
    }
    assertThat(descriptors(directory)).isZero();
  }

  /** It cannot be had again without a descriptor, and is counted once that is certain. */
  @Test
  void shouldCountWhatWasInRemovedFilesThatNobodyHadOpen() throws IOException {
    Path directory = temp.resolve("spill");
    try (Spill spill = SpillTesting.open(config(directory), listener, files, clock::get)) {
      fill(spill);
      deleteRecursively(directory);
      clock.addAndGet(1_000_000_000L);
      append(spill, "later");
      assertThat(listener.warnings).anyMatch(warning -> warning.contains("removed"));
      assertThat(listener.told)
          .containsSubsequence("recovered: keep", "warning: " + listener.warnings.get(0));
      List<String> delivered = deliver(spill, EVENTS);
      int seconds = 0;
      for (; !spill.isEmpty(); seconds++) {
        delivered.addAll(deliver(spill, EVENTS));
        clock.addAndGet(1_000_000_000L);
      }
      assertThat(seconds).as("that it waits for all together").isBetween(10, 30);
      assertThat(delivered).startsWith("event-0").endsWith("later");
      assertThat(delivered.size() + listener.lost.get()).isEqualTo(EVENTS + 1);
      assertThat(listener.lost.get()).isPositive();
      spill.maintain();
      clock.addAndGet(2_000_000_000L);
      spill.maintain();
      assertThat(spill.waitingBytes() + spill.setAsideEvents()).isZero();
      assertThat(spill.bytes()).isZero();
    }
    assertThat(descriptors(directory)).isZero();
  }

  /** An open that fails for want of descriptors, perhaps, costs nothing, however long it lasts. */
  @Test
  void shouldWaitForASegmentThatCannotBeOpenedNow() throws IOException {
    Path directory = temp.resolve("spill");
    try (Spill spill = SpillTesting.open(config(directory), listener, files, clock::get)) {
      fill(spill);
      files.failing.add("openForReading");
      List<String> delivered = deliver(spill, EVENTS);
      for (int i = 0; i < 60; i++) {
        clock.addAndGet(1_000_000_000L);
        delivered.addAll(deliver(spill, EVENTS));
      }
      assertThat(delivered.size()).isLessThan(EVENTS);
      files.heal();
      delivered.addAll(deliver(spill, EVENTS));
      assertThat(delivered).isEqualTo(texts(0, EVENTS));
      assertThat(listener.lost).hasValue(0);
    }
  }

  @Test
  void shouldCountNoBytesOfADirectoryThatWasRemoved() throws IOException {
    Path directory = temp.resolve("spill");
    try (Spill spill = SpillTesting.open(config(directory), listener, files, clock::get)) {
      SpillTesting.appendAll(spill, texts(0, 3));
      Path segment = segments(directory).get(0);
      byte[] bytes = Files.readAllBytes(segment);
      bytes[SegmentFormat.SEGMENT_HEADER + SegmentFormat.RECORD_HEADER]++;
      Files.write(segment, bytes);
      assertThat(deliverAll(spill)).isEqualTo(texts(1, 3));
      clock.addAndGet(2_000_000_000L);
      spill.maintain();
      assertThat(spill.bytes()).as("the damaged copy").isPositive().isEqualTo(bytes(directory));
      SpillTesting.appendAll(spill, texts(3, 6));
      deleteRecursively(directory);
      clock.addAndGet(1_000_000_000L);
      SpillTesting.appendAll(spill, texts(6, 9));
      spill.maintain();
      assertThat(spill.bytes()).isEqualTo(bytes(directory));
      assertThat(deliverAll(spill)).isEqualTo(texts(3, 9));
      clock.addAndGet(2_000_000_000L);
      spill.maintain();
      assertThat(spill.bytes()).isZero();
    }
  }

  /** A failed write that cannot be cut back ends a segment. */
  private void fill(Spill spill) {
    for (int segment = 0; segment < SEGMENTS; segment++) {
      int first = segment * PER_SEGMENT;
      SpillTesting.appendAll(spill, texts(first, first + PER_SEGMENT));
      files.failing.addAll(List.of("write", "truncate"));
      assertThat(append(spill, "fails")).isEqualTo(Spill.Append.FAILED);
      files.heal();
    }
  }

  /** Of segments; the lock and the cursor have theirs. */
  private static long descriptors(Path directory) throws IOException {
    return descriptors(directory, "");
  }

  private static long descriptors(Path directory, String ending) throws IOException {
    try (Stream<Path> all = Files.list(Path.of("/proc/self/fd"))) {
      return all.map(ManySegmentsTest::target)
          .filter(file -> file.startsWith(directory + "/") && file.contains(".seg"))
          .filter(file -> file.endsWith(ending))
          .count();
    }
  }

  private static String target(Path descriptor) {
    try {
      return Files.readSymbolicLink(descriptor).toString();
    } catch (IOException closed) {
      return ""; // the one that lists them
    }
  }

  private static long bytes(Path directory) throws IOException {
    try (Stream<Path> all = Files.list(directory)) {
      return all.filter(path -> path.toString().matches(".*\\.(seg|corrupt)"))
          .mapToLong(path -> path.toFile().length())
          .sum();
    }
  }
}
