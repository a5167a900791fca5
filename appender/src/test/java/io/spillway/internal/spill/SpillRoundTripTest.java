package io.spillway.internal.spill;

import static io.spillway.internal.spill.SpillTesting.append;
import static io.spillway.internal.spill.SpillTesting.appendAll;
import static io.spillway.internal.spill.SpillTesting.deliver;
import static io.spillway.internal.spill.SpillTesting.deliverAll;
import static io.spillway.internal.spill.SpillTesting.open;
import static io.spillway.internal.spill.SpillTesting.reopenAndDeliver;
import static io.spillway.internal.spill.SpillTesting.segments;
import static io.spillway.internal.spill.SpillTesting.text;
import static io.spillway.internal.spill.SpillTesting.texts;
import static org.assertj.core.api.Assertions.assertThat;

import io.spillway.internal.disk.Disk;
import io.spillway.internal.disk.DiskFile;
import io.spillway.testkit.FaultyDisk;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SpillRoundTripTest {

  /** The application goes on delivering. */
  @Test
  void shouldInspectASegmentThatIsUnlinkedMeanwhile(@TempDir Path place) throws Exception {
    Path directory = place.resolve("inspected");
    try (Spill spill = SpillTesting.open(directory, new RecordingListener())) {
      SpillTesting.appendAll(spill, SpillTesting.texts(0, 3));
    }
    assertThat(
            SpillInspection.inspect(
                directory, (segment, kind, record, delivered) -> Files.deleteIfExists(segment)))
        .flatExtracting(SpillInspection.Slot::segments)
        .extracting(SpillInspection.Segment::events)
        .contains(3L);
  }

  /** The application makes room, which replaces a segment, or says anew that it is the owner. */
  @ParameterizedTest
  @ValueSource(strings = {".seg", "owner"})
  void shouldInspectWhatIsReplacedWhileItIsOpened(String ending, @TempDir Path place)
      throws Exception {
    Path directory = place.resolve("inspected");
    try (Spill spill = SpillTesting.open(directory, new RecordingListener())) {
      SpillTesting.appendAll(spill, SpillTesting.texts(0, 3));
    }
    Path owner = directory.resolve("owner");
    Files.writeString(owner, "the application");
    AtomicInteger replaced = new AtomicInteger();
    Disk beside =
        new SpillInspection.Retrying() {
          private int looks; // of one opening: the first precedes it, the second follows it

          @Override
          public DiskFile openForReading(Path path) throws IOException {
            looks = 0;
            return super.openForReading(path);
          }

          @Override
          public State state(Path path) throws IOException {
            looks++;
            if (looks == 2 && path.toString().endsWith(ending)) {
              Path copy = Files.copy(path, place.resolve("copy"));
              Files.move(copy, path, StandardCopyOption.ATOMIC_MOVE);
              replaced.incrementAndGet();
            }
            return super.state(path);
          }
        };
    List<SpillInspection.Slot> slots =
        SpillInspection.inspect(beside, directory, (segment, kind, record, delivered) -> {});
    assertThat(replaced).hasPositiveValue();
    assertThat(slots).extracting(SpillInspection.Slot::owner).containsExactly("the application");
    assertThat(slots)
        .flatExtracting(SpillInspection.Slot::segments)
        .extracting(SpillInspection.Segment::events)
        .contains(3L);
  }

  @TempDir Path temp;
  private Path directory;
  private final RecordingListener listener = new RecordingListener();

  @BeforeEach
  void inSubdirectory() {
    directory = temp.resolve("spill");
  }

  @Test
  void shouldGiveBackWhatWasAppendedAndLeaveNothing() throws Exception {
    try (Spill spill = open(directory, listener)) {
      assertThat(spill.isEmpty()).isTrue();
      appendAll(spill, texts(0, 1000));
      assertThat(spill.isEmpty()).isFalse();
      assertThat(deliverAll(spill)).isEqualTo(texts(0, 1000));
      assertThat(spill.isEmpty()).isTrue();
    }
    assertThat(directory).doesNotExist();
    assertThat(listener.failures).isEmpty();
    assertThat(listener.lost).hasValue(0);
  }

  @Test
  void shouldTakeRecordsOfAnySize() throws Exception {
    try (Spill spill = open(directory, listener)) {
      int[] sizes = {0, 1, 65_535, 65_536, 1 << 20, (1 << 20) + 1, 6 << 20};
      for (int size : sizes) {
        byte[] payload = new byte[size + 2];
        payload[size] = 1;
        assertThat(spill.append(new Spill.Payload(payload, 1, size, 7, 0)))
            .isEqualTo(Spill.Append.APPENDED);
      }
      for (int size : sizes) {
        SpillRecord record = spill.read();
        assertThat(record.payload()).hasSize(size);
        assertThat(record.events()).isEqualTo(7);
        assertThat(record.leftover()).isFalse();
        if (size > 0) {
          assertThat(record.payload()[size - 1]).isEqualTo((byte) 1);
        }
        spill.delivered(record);
      }
      assertThat(spill.isEmpty()).isTrue();
    }
  }

  @Test
  void shouldPassRecordsBetweenThreadsInOrder() throws Exception {
    int count = 100_000;
    SpillConfig small = new SpillConfig(directory, 1 << 20, SpillKind.BYTES, 0, null, false);
    try (Spill spill = SpillTesting.open(small, listener)) {
      CompletableFuture<Void> writer =
          CompletableFuture.runAsync(
              () -> {
                for (int i = 0; i < count; ) {
                  i += append(spill, "event-" + i) == Spill.Append.APPENDED ? 1 : 0;
                }
              });
      int expected = 0;
      long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
      while (expected < count && System.nanoTime() - deadline < 0) {
        SpillRecord record = spill.read();
        if (record == null) {
          spill.maintain();
          continue;
        }
        assertThat(text(record)).isEqualTo("event-" + expected++);
        spill.beforeDelivery(record);
        spill.delivered(record);
        assertThat(spill.bytes()).isLessThanOrEqualTo(1 << 20);
      }
      writer.get(10, TimeUnit.SECONDS);
      assertThat(expected).isEqualTo(count);
      assertThat(spill.isEmpty()).isTrue();
    }
    assertThat(listener.failures).isEmpty();
    assertThat(listener.lost).hasValue(0);
    assertThat(directory).doesNotExist();
  }

  @Test
  void shouldDeliverLeftoversOfSeveralRunsInOrderBeforeNewRecords() throws Exception {
    for (int run = 0; run < 3; run++) {
      try (Spill spill = open(directory, listener)) {
        appendAll(spill, texts(run * 10, run * 10 + 10));
      }
    }
    try (Spill spill = open(directory, listener)) {
      assertThat(spill.isEmpty()).isFalse();
      assertThat(spill.leftoverBytes()).isPositive();
      appendAll(spill, texts(30, 40));
      SpillRecord first = spill.read();
      assertThat(first.leftover()).isTrue();
      spill.delivered(first);
      List<String> rest = deliverAll(spill);
      assertThat(rest).isEqualTo(texts(1, 40));
      assertThat(spill.leftoverBytes()).isZero();
      assertThat(spill.isEmpty()).isTrue();
    }
    assertThat(segments(directory)).isEmpty();
    assertThat(listener.lost).hasValue(0);
  }

  @Test
  void shouldRepeatNothingAfterCleanClose() throws Exception {
    try (Spill spill = open(directory, listener)) {
      appendAll(spill, texts(0, 100));
      assertThat(deliver(spill, 37)).hasSize(37);
      spill.read(); // in flight at the stop
    }
    assertThat(reopenAndDeliver(directory, listener)).isEqualTo(texts(37, 100));
  }

  @Test
  void shouldRepeatAtMostTheCursorLagAfterKill() throws Exception {
    AtomicLong clock = new AtomicLong();
    Path killed = temp.resolve("killed");
    try (Spill spill =
        SpillTesting.open(SpillTesting.config(directory), listener, new Disk(), clock::get)) {
      appendAll(spill, texts(0, 6000));
      deliver(spill, 5000);
      SpillTesting.copyAsAfterKill(directory, killed);
    }
    List<String> again = reopenAndDeliver(killed, listener);
    assertThat(again).isEqualTo(texts(6000 - again.size(), 6000));
    assertThat(again).hasSizeBetween(1000, 1000 + 1024);
  }

  @Test
  void shouldSaveTheCursorAfterTwoHundredMillisecondsWithoutTraffic() throws Exception {
    AtomicLong clock = new AtomicLong();
    Path killed = temp.resolve("killed");
    try (Spill spill =
        SpillTesting.open(SpillTesting.config(directory), listener, new Disk(), clock::get)) {
      appendAll(spill, texts(0, 10));
      deliver(spill, 5);
      clock.addAndGet(200_000_000);
      spill.maintain();
      SpillTesting.copyAsAfterKill(directory, killed);
    }
    assertThat(reopenAndDeliver(killed, listener)).isEqualTo(texts(5, 10));
  }

  @Test
  void shouldTellWhenNothingBecomesDueByTheTimeAlone() throws Exception {
    AtomicLong clock = new AtomicLong();
    try (Spill spill =
        SpillTesting.open(SpillTesting.config(directory), listener, new Disk(), clock::get)) {
      assertThat(spill.maintain()).isTrue();
      appendAll(spill, texts(0, 10));
      assertThat(spill.maintain()).as("events wait").isFalse();
      deliver(spill, 10);
      assertThat(spill.read()).isNull();
      assertThat(spill.maintain()).as("the cursor is behind").isFalse();
      clock.addAndGet(200_000_000);
      assertThat(spill.maintain()).as("the drained segment goes after a second").isFalse();
      clock.addAndGet(1_000_000_000);
      assertThat(spill.maintain()).isTrue();
      assertThat(directory).isDirectoryNotContaining("glob:**.seg");
    }
  }

  @Test
  void shouldPutPrependedRecordsBeforeWhatWaitsAndAfterLeftovers() throws Exception {
    try (Spill spill = open(directory, listener)) {
      appendAll(spill, texts(0, 3));
    }
    try (Spill spill = open(directory, listener)) {
      appendAll(spill, texts(6, 9));
      assertThat(spill.prepend(payloads(texts(3, 6)))).isEqualTo(3);
    }
    assertThat(reopenAndDeliver(directory, listener)).isEqualTo(texts(0, 9));
    assertThat(listener.lost).hasValue(0);
  }

  @Test
  void shouldPrependInTheMiddleOfASegmentWithoutRepeatingWhatWasDelivered() throws Exception {
    try (Spill spill = open(directory, listener)) {
      appendAll(spill, List.of("old-1", "old-2"));
      appendAll(spill, texts(4, 9));
      deliver(spill, 2);
      spill.read(); // in flight
      assertThat(spill.prepend(payloads(texts(2, 4)))).isEqualTo(2);
      assertThat(spill.prepend(payloads(texts(0, 2)))).isEqualTo(2);
    }
    assertThat(reopenAndDeliver(directory, listener)).isEqualTo(texts(0, 9));
    assertThat(listener.lost).hasValue(0);
  }

  /**
   * Where to go on in the segment behind is said by the one that was put before it, also while the
   * cursor is at the end of that: another file, which cannot be unlinked, had it saved just then.
   */
  @Test
  void shouldRepeatNothingAfterAKillAtTheEndOfWhatWasPutBeforeTheOthers() throws Exception {
    try (Spill spill = open(directory, listener)) {
      appendAll(spill, List.of("old-1", "old-2"));
      appendAll(spill, texts(4, 9));
      deliver(spill, 2);
      assertThat(spill.prepend(payloads(texts(2, 4)))).isEqualTo(2);
    }
    Path stays = Files.write(SlotListing.segmentPath(directory, 5), new byte[100]);
    FaultyDisk disk = new FaultyDisk();
    disk.hook(
        (number, operation, path) -> {
          if (operation.equals("delete") && path.endsWith(stays.getFileName())) {
            throw new IOException("Operation not permitted (injected)");
          }
        });
    AtomicLong clock = new AtomicLong();
    Path killed = temp.resolve("killed");
    try (Spill spill =
        SpillTesting.open(SpillTesting.config(directory), listener, disk, clock::get)) {
      assertThat(deliver(spill, 1)).isEqualTo(texts(2, 3));
      clock.addAndGet(Cursor.MAX_LAG_NANOS);
      assertThat(deliver(spill, 1)).isEqualTo(texts(3, 4));
      SpillTesting.copyAsAfterKill(directory, killed);
    }
    assertThat(reopenAndDeliver(killed, listener)).isEqualTo(texts(4, 9));
    assertThat(listener.lost).hasValue(0);
    assertThat(segments(killed)).isEmpty();
  }

  @Test
  void shouldPrependToAnEmptySpill() throws Exception {
    try (Spill spill = open(directory, listener)) {
      appendAll(spill, List.of("old"));
      deliverAll(spill);
      assertThat(spill.prepend(payloads(texts(0, 4)))).isEqualTo(4);
      assertThat(spill.isEmpty()).isFalse();
    }
    assertThat(reopenAndDeliver(directory, listener)).isEqualTo(texts(0, 4));
    assertThat(listener.lost).hasValue(0);
  }

  @Test
  void shouldPrependAsManyAsHaveRoomTheOldestFirst() throws Exception {
    byte[] bytes = new byte[400_000];
    List<Spill.Payload> older = new ArrayList<>();
    for (int i = 0; i < 4; i++) {
      older.add(new Spill.Payload(bytes, 0, bytes.length - i, 1, 0));
    }
    SpillConfig small = new SpillConfig(directory, 1 << 20, SpillKind.BYTES, 0, null, false);
    try (Spill spill = SpillTesting.open(small, listener)) {
      assertThat(spill.append(new Spill.Payload(bytes, 0, 100, 1, 0)))
          .isEqualTo(Spill.Append.APPENDED);
      assertThat(spill.prepend(older)).isEqualTo(2);
    }
    List<Integer> lengths = new ArrayList<>();
    try (Spill spill = SpillTesting.open(small, listener)) {
      for (SpillRecord record = spill.read(); record != null; record = spill.read()) {
        lengths.add(record.payload().length);
        spill.delivered(record);
      }
    }
    assertThat(lengths).containsExactly(400_000, 399_999, 100);
    assertThat(listener.lost).as("counted by whoever saves").hasValue(0);
  }

  @Test
  void shouldUnlinkADrainedSegmentWhenIdle() throws Exception {
    AtomicLong clock = new AtomicLong();
    try (Spill spill =
        SpillTesting.open(SpillTesting.config(directory), listener, new Disk(), clock::get)) {
      appendAll(spill, texts(0, 10));
      deliverAll(spill);
      clock.addAndGet(TimeUnit.SECONDS.toNanos(2));
      spill.maintain();
      assertThat(segments(directory)).isEmpty();
      assertThat(spill.bytes()).isZero();
      appendAll(spill, texts(10, 20));
      assertThat(deliverAll(spill)).isEqualTo(texts(10, 20));
    }
    assertThat(Files.exists(directory)).isFalse();
  }

  @Test
  void shouldReadAheadAndSettleInOrder() throws Exception {
    SpillConfig small = new SpillConfig(directory, 1 << 20, SpillKind.BYTES, 0, null, false);
    try (Spill spill = SpillTesting.open(small, listener)) {
      byte[] payload = new byte[40_000];
      List<SpillRecord> read = new ArrayList<>();
      for (int i = 0; i < 8; i++) {
        assertThat(spill.append(SpillTesting.payload(payload, 1))).isEqualTo(Spill.Append.APPENDED);
        read.add(spill.read());
      }
      assertThat(segments(directory)).hasSize(8);
      long waiting = spill.waitingBytes();
      read.subList(0, 4).forEach(spill::delivered);
      assertThat(spill.waitingBytes()).isEqualTo(waiting / 2);
    }
    try (Spill spill = SpillTesting.open(small, listener)) {
      assertThat(deliverAll(spill)).hasSize(4);
    }
  }

  @Test
  void shouldTouchNothingAfterClose() throws Exception {
    Spill spill = open(directory, listener);
    appendAll(spill, texts(0, 3));
    SpillRecord late = spill.read();
    spill.close();
    assertThat(reopenAndDeliver(directory, listener)).isEqualTo(texts(0, 3));
    spill.beforeDelivery(late);
    spill.delivered(late);
    spill.maintain();
    assertThat(spill.read()).isNull();
    assertThat(append(spill, "late")).isEqualTo(Spill.Append.FAILED);
    spill.close();
    assertThat(Files.exists(directory.resolve(Cursor.NAME))).isFalse();
    assertThat(listener.failures).isEmpty();
  }

  static List<Spill.Payload> payloads(List<String> texts) {
    return texts.stream()
        .map(text -> text.getBytes(StandardCharsets.UTF_8))
        .map(bytes -> SpillTesting.payload(bytes, 1))
        .toList();
  }
}
