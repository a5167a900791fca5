package io.spillway.internal.spill;

import static org.assertj.core.api.Assertions.assertThat;

import io.spillway.testkit.FaultyDisk;
import io.spillway.testkit.InMemory;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * An OutOfMemoryError out of any one operation on files, look at the clock or message, also of
 * those that follow a failure of the disk: what threw is tried again, as writer and reader of the
 * spill do it, and then everything is delivered, once, in order, and accounted for.
 */
@Tag("slow")
class ShortMemoryTest {
  private static final int RECORDS = 8;
  private static final int MOST_TRIES = 1_000;

  @TempDir(factory = InMemory.class)
  Path temp;

  private FaultyDisk files;
  private AtomicLong clock;

  static IntStream behindFailures() {
    return Boolean.getBoolean("spillway.test.full")
        ? IntStream.rangeClosed(0, 13)
        : IntStream.of(0, 1, 2, 5);
  }

  @ParameterizedTest(name = "{0} operations after a failure")
  @MethodSource("behindFailures")
  void shouldLoseNothingIfMemoryIsShortForAMoment(int behindFailure) throws Exception {
    long operations = run(temp.resolve("all"), 0, 0);
    for (long n = 1; n <= operations; n++) {
      Path directory = temp.resolve("n" + n);
      run(directory, n, behindFailure);
    }
    assertThat(operations).isGreaterThan(150);
  }

  @Test
  void shouldTakeOverWhatEarlierOwnersLeaveThoughMemoryIsShort() throws Exception {
    long operations = 1;
    for (long n = 0; n < operations; n++) {
      Path directory = temp.resolve("adopted" + n);
      files = new FaultyDisk();
      clock = new AtomicLong();
      RecordingListener listener = new RecordingListener();
      Spill earlier = SpillTesting.open(directory, listener);
      Spill other = SpillTesting.open(directory, listener);
      SpillTesting.appendAll(earlier, SpillTesting.texts(0, 3));
      SpillTesting.appendAll(other, SpillTesting.texts(3, 6));
      try (Spill spill = open(directory, listener)) {
        earlier.close();
        other.close();
        long before = files.operations.get();
        files.shortAt(before + n);
        retry(spill::adoptLeftovers);
        operations = Math.max(operations, files.operations.get() - before + 1);
        files.shortAt(0);
        assertThat(SpillTesting.deliverAll(spill)).as("%d", n).isEqualTo(SpillTesting.texts(0, 6));
        assertThat(spill.isEmpty()).as("%d", n).isTrue();
      }
      assertThat(directory.resolve(Cursor.NAME)).as("%d", n).doesNotExist();
      assertThat(listener.lost).hasValue(0);
    }
    assertThat(operations).isGreaterThan(10);
  }

  private long run(Path directory, long shortAt, int behindFailure) throws Exception {
    files = new FaultyDisk();
    clock = new AtomicLong();
    files.shortAt(shortAt);
    if (behindFailure > 0) {
      files.failAt(shortAt - behindFailure, false);
    }
    RecordingListener listener = new RecordingListener();
    List<String> delivered = new ArrayList<>();
    round(directory, listener, 0, 3, delivered); // leaves five, which come first in the next round
    files.shortAt(shortAt);
    round(directory, listener, RECORDS, 2 * RECORDS, delivered);
    assertThat(delivered.stream().map(text -> text.split("-")[0]))
        .as("operation %d", shortAt)
        .isEqualTo(IntStream.range(0, 2 * RECORDS).mapToObj(String::valueOf).toList());
    long operations = files.operations.get();
    assertThat(SpillTesting.reopenAndDeliver(directory, listener)).isEmpty();
    assertThat(listener.lost).as("lost, operation %d", shortAt).hasValue(0);
    return operations;
  }

  private void round(
      Path directory, RecordingListener listener, int from, int most, List<String> delivered)
      throws Exception {
    try (Spill spill = open(directory, listener)) {
      for (int i = from; i < from + RECORDS; i++) {
        append(spill, i);
      }
      while (most > 0) {
        SpillRecord record = read(spill);
        most -= record == null ? 0 : 1;
        if (record == null) {
          break;
        }
        delivered.add(new String(record.payload(), StandardCharsets.UTF_8));
        retry(() -> spill.delivered(record));
      }
      clock.addAndGet(Cursor.MAX_LAG_NANOS);
      retry(spill::maintain);
      if (most > 0) {
        assertThat(spill.isEmpty()).as("all is delivered").isTrue();
        assertThat(spill.waitingBytes() + spill.setAsideEvents()).isZero();
      }
      files.shortAt(0); // closing is done once
    }
  }

  /** Counts first, and may have no memory for the message. */
  private SpillListener telling(RecordingListener listener) {
    return new SpillListener() {
      @Override
      public void leftoversFound(int segments, long bytes) {
        files.operation("leftoversFound");
      }

      @Override
      public void recordsLost(long events, Path segment, String why, boolean leftover) {
        listener.recordsLost(events, segment, why, leftover);
        files.operation("recordsLost");
      }

      @Override
      public void onFailure(String operation, Path path, IOException cause) {
        files.operation("failed");
      }

      @Override
      public void onRecovery(String operation) {
        files.operation("recovered");
      }

      @Override
      public void warning(String topic, String message) {
        files.operation("warning");
      }

      @Override
      public void notice(String topic, String message) {
        files.operation("notice");
      }
    };
  }

  /** An application would have no spill if this throws. */
  private Spill open(Path directory, RecordingListener listener) throws IOException {
    SpillConfig config = new SpillConfig(directory, 1 << 20, SpillKind.BYTES, 0, null, false);
    for (int i = 0; ; i++) {
      try {
        return SpillTesting.open(config, telling(listener), files, this::now);
      } catch (IOException | OutOfMemoryError e) {
        assertThat(i).isLessThan(3);
      }
    }
  }

  private long now() {
    files.operation("clock");
    return clock.get();
  }

  private void append(Spill spill, int number) {
    byte[] payload = (number + "-" + "x".repeat(20_000)).getBytes(StandardCharsets.UTF_8);
    for (int i = 0; i < MOST_TRIES; i++) {
      try {
        if (spill.append(SpillTesting.payload(payload, 1)) == Spill.Append.APPENDED) {
          return;
        }
      } catch (OutOfMemoryError again) {
        continue;
      }
    }
    throw new AssertionError("never appended");
  }

  private SpillRecord read(Spill spill) {
    for (int i = 0; i < MOST_TRIES; i++) {
      try {
        SpillRecord record = spill.read();
        if (record != null || spill.isEmpty()) {
          return record;
        }
        spill.maintain();
        clock.addAndGet(1_000_000);
      } catch (OutOfMemoryError again) {
        continue;
      }
    }
    throw new AssertionError("never read and never empty");
  }

  private static void retry(Runnable step) {
    for (int i = 0; i < MOST_TRIES; i++) {
      try {
        step.run();
        return;
      } catch (OutOfMemoryError again) {
        continue;
      }
    }
    throw new AssertionError("throws for ever");
  }
}
