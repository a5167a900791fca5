package io.spillway.internal.spill;

import static io.spillway.internal.spill.SpillTesting.append;
import static io.spillway.internal.spill.SpillTesting.appendAll;
import static io.spillway.internal.spill.SpillTesting.config;
import static io.spillway.internal.spill.SpillTesting.deliver;
import static io.spillway.internal.spill.SpillTesting.deliverAll;
import static io.spillway.internal.spill.SpillTesting.open;
import static io.spillway.internal.spill.SpillTesting.text;
import static io.spillway.internal.spill.SpillTesting.texts;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.spillway.internal.disk.Disk;
import io.spillway.testkit.FaultyDisk;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What cannot be read or delivered now holds up nobody, and is not lost. */
class SetAsideTest {
  private static final long SECOND = 1_000_000_000L;

  @TempDir Path temp;
  private final AtomicLong clock = new AtomicLong();
  private final RecordingListener listener = new RecordingListener();
  private final FaultyDisk disk = new FaultyDisk();
  private final AtomicBoolean forced = new AtomicBoolean(true);

  private static List<String> deliverSetAside(Spill spill) {
    List<String> texts = new ArrayList<>();
    for (SpillRecord next = spill.readSetAside(); next != null; next = spill.readSetAside()) {
      texts.add(text(next));
      spill.delivered(next);
    }
    return texts;
  }

  private static List<Path> asides(Path directory) throws Exception {
    try (Stream<Path> files = Files.list(directory)) {
      return files.filter(path -> path.toString().endsWith(".aside")).toList();
    }
  }

  private void failToDeliver(Spill spill, String expected) {
    for (int attempt = 0; attempt < 8; attempt++) {
      SpillRecord record = spill.read();
      assertThat(text(record)).as("attempt %d", attempt).isEqualTo(expected);
      spill.undelivered(record, record.skip());
      clock.addAndGet(SECOND / 4);
    }
  }

  @Test
  void shouldTryARecordAgainAndThenDeliverTheOthersWithoutLosingIt() throws Exception {
    Path directory = temp.resolve("spill");
    try (Spill spill = SpillTesting.open(config(directory), listener, new Disk(), clock::get)) {
      appendAll(spill, texts(0, 10));
      assertThat(deliver(spill, 3)).isEqualTo(texts(0, 3));
      failToDeliver(spill, "event-3");
      assertThat(deliverAll(spill)).isEqualTo(texts(4, 10));
      assertThat(spill.isEmpty()).isTrue();
      assertThat(spill.setAsideEvents()).isOne();
      assertThat(spill.readSetAside()).as("not at once").isNull();
      clock.addAndGet(40 * SECOND);
      SpillRecord again = spill.readSetAside();
      assertThat(text(again)).isEqualTo("event-3");
      assertThat(again.leftover()).isFalse();
      spill.undelivered(again, 0);
      assertThat(spill.readSetAside()).isNull();
    }
    assertThat(asides(directory)).hasSize(1);
    try (Spill next = open(directory, listener)) {
      assertThat(deliverAll(next)).isEmpty();
      assertThat(deliverSetAside(next)).containsExactly("event-3");
      assertThat(next.bytes()).isZero();
    }
    assertThat(asides(directory)).isEmpty();
    assertThat(listener.lost).hasValue(0);
    assertThat(listener.warnings).hasSize(1);
  }

  @Test
  void shouldDeliverInThisRunWhatItSetAsideOnceThatWorks() throws Exception {
    Path directory = temp.resolve("spill");
    try (Spill spill = SpillTesting.open(config(directory), listener, new Disk(), clock::get)) {
      appendAll(spill, texts(0, 2));
      failToDeliver(spill, "event-0");
      assertThat(deliverAll(spill)).isEqualTo(texts(1, 2));
      clock.addAndGet(40 * SECOND);
      assertThat(deliverSetAside(spill)).containsExactly("event-0");
      assertThat(spill.waitingBytes() + spill.setAsideEvents()).isZero();
    }
    assertThat(directory).doesNotExist();
  }

  /** The run that has set it aside was killed before its cursor was behind it. */
  @Test
  void shouldSetARecordAsideOnceWhateverWasKilled() throws Exception {
    Path directory = temp.resolve("spill");
    Path killed = temp.resolve("killed");
    try (Spill spill = SpillTesting.open(config(directory), listener, new Disk(), clock::get)) {
      appendAll(spill, texts(0, 10));
      assertThat(deliver(spill, 3)).isEqualTo(texts(0, 3));
      failToDeliver(spill, "event-3");
      assertThat(text(spill.read())).as("in flight").isEqualTo("event-4");
      SpillTesting.copyAsAfterKill(directory, killed);
    }
    assertThat(asides(killed)).hasSize(1);
    try (Spill spill = SpillTesting.open(config(killed), listener, new Disk(), clock::get)) {
      assertThat(deliver(spill, 3)).isEqualTo(texts(0, 3));
      failToDeliver(spill, "event-3");
      assertThat(deliverAll(spill)).isEqualTo(texts(4, 10));
      clock.addAndGet(40 * SECOND);
      assertThat(deliverSetAside(spill)).containsExactly("event-3");
      assertThat(spill.bytes() + spill.setAsideEvents()).isZero();
    }
    assertThat(listener.lost).hasValue(0);
    assertThat(waitsAs()).as("each run tells").hasSize(2);
    assertThat(asides(killed)).isEmpty();
  }

  @Test
  void shouldGoOnBehindALeftoverThatCannotBeReadAndReadItWhenItCan() throws Exception {
    Path directory = temp.resolve("spill");
    SpillConfig small = new SpillConfig(directory, 1 << 20, SpillKind.BYTES, 0, null, false);
    String padding = "x".repeat(40_000);
    try (Spill spill = SpillTesting.open(small, listener)) {
      for (int i = 0; i < 3; i++) {
        append(spill, i + padding);
      }
    }
    assertThat(segments(directory)).hasSize(3);
    FaultyDisk files = new FaultyDisk();
    try (Spill spill = SpillTesting.open(small, listener, files, clock::get)) {
      files.unreadable = segments(directory).get(1).getFileName().toString();
      appendAll(spill, texts(0, 2));
      List<String> delivered = new ArrayList<>();
      for (int turn = 0; turn < 10; turn++) {
        deliverAll(spill).forEach(text -> delivered.add(text.replace(padding, "")));
        clock.addAndGet(SECOND / 4);
      }
      assertThat(delivered).containsExactly("0", "2", "event-0", "event-1");
      assertThat(spill.isEmpty()).isTrue();
      assertThat(asides(directory)).hasSize(1);
      files.heal();
      clock.addAndGet(40 * SECOND);
      assertThat(deliverSetAside(spill)).containsExactly("1" + padding);
    }
    assertThat(asides(directory)).isEmpty();
    assertThat(listener.lost).hasValue(0);
  }

  /** As an inode is that a file system check has to mend; its size is not known either. */
  private void failToLookAt(Path file) {
    disk.hook(
        (number, operation, path) -> {
          if (path.equals(file)
              && (operation.equals("state") || operation.equals("openForReading"))) {
            throw new IOException("Structure needs cleaning");
          }
        });
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void shouldGoOnBehindALeftoverThatCannotBeLookedAt(boolean atFirst) throws Exception {
    Path directory = temp.resolve("spill");
    try (Spill spill = SpillTesting.open(small(directory), listener)) {
      SpillTesting.appendLarge(spill, 6, 20_000, 10);
      deliver(spill, 1);
    }
    assertThat(segments(directory)).hasSize(2);
    failToLookAt(segments(directory).get(0));
    try (Spill spill = SpillTesting.open(small(directory), listener, disk, clock::get)) {
      assertThat(listener.failures).containsOnly("look at");
      append(spill, "new");
      if (atFirst) {
        disk.hook((number, operation, path) -> {});
        assertThat(deliver(spill, 4)).hasSize(4);
        assertThat(spill.leftoverBytes()).isGreaterThan(20_000);
        assertThat(deliverAll(spill)).hasSize(2).endsWith("new");
      } else {
        int delivered = 0;
        for (int turn = 0; turn < 10; turn++) {
          delivered += deliverAll(spill).size();
          clock.addAndGet(SECOND / 4);
        }
        assertThat(delivered).isEqualTo(4);
        assertThat(asides(directory)).hasSize(1);
        disk.hook((number, operation, path) -> {});
        clock.addAndGet(40 * SECOND);
        assertThat(deliverSetAside(spill)).as("but the first").hasSize(2);
      }
      assertThat(spill.isEmpty()).isTrue();
      spill.maintain();
      assertThat(spill.bytes()).as("of the segment of this run").isBetween(0L, 1_000L);
    }
    assertThat(listener.lost).hasValue(0);
    assertThat(segments(directory)).isEmpty();
    assertThat(asides(directory)).isEmpty();
  }

  /** Else its neighbours would not know where they end, nor a start that a later version wrote. */
  @Test
  void shouldReadTheHeaderOfALeftoverThatCouldNotBeLookedAt() throws Exception {
    Path second = segments(fourSegments()).get(1);
    long number = Long.parseLong(second.getFileName().toString().substring(0, 16), 16);
    SlotListing.Leftover unknown =
        new SlotListing.Leftover(second, number, SlotListing.Leftover.UNKNOWN);
    assertThat(SegmentFormat.header(disk, unknown)).isNotNull();
  }

  @Test
  void shouldStartThoughAFileSetAsideCannotBeLookedAt() throws Exception {
    Path directory = fourSegments();
    setSecondAside(directory, 3);
    failToLookAt(asides(directory).get(0));
    try (Spill spill = SpillTesting.open(small(directory), listener, disk, clock::get)) {
      assertThat(deliverAll(spill)).isEmpty();
      assertThat(deliverSetAside(spill)).isEmpty();
      disk.hook((number, operation, path) -> {});
      clock.addAndGet(40 * SECOND);
      assertThat(deliverSetAside(spill)).hasSize(1);
      assertThat(spill.bytes()).isZero();
    }
    assertThat(listener.lost).hasValue(0);
    assertThat(asides(directory)).isEmpty();
  }

  private List<String> waitsAs() {
    return listener.warnings.stream().filter(warning -> warning.contains("waits as")).toList();
  }

  private static List<Long> waiting(Path directory) throws IOException {
    return SpillInspection.inspect(directory, (segment, kind, record, delivered) -> {}).stream()
        .flatMap(slot -> slot.segments().stream())
        .map(SpillInspection.Segment::waiting)
        .filter(waiting -> waiting > 0)
        .toList();
  }

  /** How much of the next one is delivered was known by the one put before it alone. */
  @ParameterizedTest
  @ValueSource(strings = {"the same run", "a stop", "a kill"})
  void shouldRepeatNothingBehindAnUnreadableSegmentThatWasPutBeforeTheOthers(String next)
      throws Exception {
    Path directory = temp.resolve("spill");
    try (Spill spill = open(directory, listener)) {
      appendAll(spill, List.of("old-1", "old-2"));
      appendAll(spill, texts(4, 9));
      deliver(spill, 2);
      assertThat(spill.prepend(SpillRoundTripTest.payloads(texts(2, 4)))).isEqualTo(2);
    }
    Path prepended = segments(directory).get(0);
    disk.unreadableTo = Long.MAX_VALUE;
    disk.hook(
        (number, operation, path) ->
            disk.unreadableFrom =
                path.equals(prepended) ? SegmentFormat.SEGMENT_HEADER : Long.MAX_VALUE);
    Spill spill = SpillTesting.open(config(directory), listener, disk, clock::get);
    try {
      while (asides(directory).isEmpty()) {
        assertThat(spill.read()).isNull();
        clock.addAndGet(SECOND / 4);
      }
      disk.hook((number, operation, path) -> {});
      disk.heal();
      if (!next.equals("the same run")) {
        Path killed = temp.resolve("killed");
        SpillTesting.copyAsAfterKill(directory, killed);
        spill.close();
        Path left = next.equals("a kill") ? killed : directory;
        assertThat(waiting(left)).containsExactly(2L, 5L);
        spill = SpillTesting.open(config(left), listener, disk, clock::get);
      }
      assertThat(deliverAll(spill)).isEqualTo(texts(4, 9));
      clock.addAndGet(40 * SECOND);
      assertThat(deliverSetAside(spill)).isEqualTo(texts(2, 4));
      assertThat(spill.waitingBytes() + spill.setAsideEvents() + spill.bytes()).isZero();
    } finally {
      spill.close();
    }
    assertThat(listener.lost).hasValue(0);
    assertThat(waitsAs()).hasSize(1);
  }

  /** On a disk that a failure has made read-only, say. */
  @Test
  void shouldGoOnBehindALeftoverThatCanNeitherBeReadNorRenamed() throws Exception {
    Path directory = fourSegments();
    try (Spill spill = openWithSecondStuck(directory)) {
      assertThat(listener.failures).contains("set aside");
      assertThat(append(spill, "more")).isEqualTo(Spill.Append.APPENDED);
      assertThat(deliverAll(spill)).containsExactly("more");
    }
    assertThat(segments(directory)).as("nothing behind it counts as delivered").hasSize(4);
    try (Spill spill = SpillTesting.open(small(directory), listener)) {
      assertThat(deliverAll(spill)).as("it, and again what is behind it").hasSize(4);
    }
    assertThat(listener.lost).hasValue(0);
    assertThat(segments(directory)).isEmpty();
  }

  @Test
  void shouldDeliverInThisRunWhatCouldNotBeRenamedOnceItCanBeRead() throws Exception {
    Path directory = fourSegments();
    try (Spill spill = openWithSecondStuck(directory)) {
      disk.heal();
      clock.addAndGet(40 * SECOND);
      assertThat(deliverSetAside(spill)).hasSize(1);
      assertThat(spill.bytes()).isZero();
    }
    assertThat(listener.lost).hasValue(0);
    assertThat(segments(directory)).isEmpty();
    assertThat(asides(directory)).isEmpty();
  }

  @Test
  void shouldRenameLaterWhatCouldNotBeRenamedAtOnce() throws Exception {
    Path directory = fourSegments();
    try (Spill spill = openWithSecondStuck(directory)) {
      disk.failing.clear(); // it can still not be read
      clock.addAndGet(40 * SECOND);
      assertThat(deliverSetAside(spill)).isEmpty();
      assertThat(asides(directory)).hasSize(1);
      spill.maintain();
      assertThat(segments(directory)).as("the cursor has moved on").isEmpty();
    }
    assertThat(asides(directory)).hasSize(1);
    assertThat(listener.lost).hasValue(0);
  }

  /** Its name says where to go on only as long as it can be renamed. */
  @Test
  void shouldRepeatNothingOfAFileSetAsideThatCannotBeRenamedAgain() throws Exception {
    Path directory = temp.resolve("spill");
    try (Spill spill = open(directory, listener)) {
      appendAll(spill, texts(0, 3));
    }
    disk.unreadable = segments(directory).get(0).getFileName().toString();
    try (Spill spill = SpillTesting.open(config(directory), listener, disk, clock::get)) {
      for (int turn = 0; turn < 10; turn++) {
        assertThat(spill.read()).isNull();
        clock.addAndGet(SECOND / 4);
      }
      assertThat(asides(directory)).hasSize(1);
      disk.heal();
      disk.failing.add("replace");
      clock.addAndGet(40 * SECOND);
      SpillRecord first = spill.readSetAside();
      assertThat(text(first)).isEqualTo("event-0");
      spill.delivered(first);
      disk.failing.add("read");
      assertThat(spill.readSetAside()).isNull();
      disk.heal();
      clock.addAndGet(40 * SECOND);
      assertThat(deliverSetAside(spill)).isEqualTo(texts(1, 3));
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void shouldCountOnceWhatIsDamagedInAFileSetAsideThatIsTriedAgain(boolean shortToTell)
      throws Exception {
    Path directory = temp.resolve("spill");
    try (Spill spill = open(directory, listener)) {
      appendAll(spill, texts(0, 3));
    }
    Path segment = segments(directory).get(0);
    byte[] bytes = Files.readAllBytes(segment);
    int second = SegmentFormat.SEGMENT_HEADER + SegmentFormat.RECORD_HEADER + "event-0".length();
    bytes[second + SegmentFormat.RECORD_HEADER + 2] ^= 1;
    Files.write(segment, bytes);
    disk.unreadable = segment.getFileName().toString();
    try (Spill spill = SpillTesting.open(config(directory), listener, disk, clock::get)) {
      for (int turn = 0; turn < 10; turn++) {
        assertThat(spill.read()).isNull();
        clock.addAndGet(SECOND / 4);
      }
      disk.heal();
      clock.addAndGet(40 * SECOND);
      SpillRecord first = spill.readSetAside();
      assertThat(text(first)).isEqualTo("event-0");
      spill.delivered(first);
      if (shortToTell) {
        listener.outOfMemoryAtLosses = 1;
        assertThatThrownBy(spill::readSetAside).isInstanceOf(OutOfMemoryError.class);
      } else {
        spill.undelivered(spill.readSetAside(), 0);
      }
      clock.addAndGet(40 * SECOND);
      assertThat(deliverSetAside(spill)).containsExactly("event-2");
    }
    assertThat(listener.lost).hasValue(1);
    assertThat(asides(directory)).isEmpty();
  }

  /** That it is told again must not make another loss of it, and that of an unknown number. */
  @Test
  void shouldCountOnceTheOnlyRecordOfAFileSetAsideThatIsDamaged() throws Exception {
    Path directory = fourSegments();
    setSecondAside(directory, 3);
    Path aside = asides(directory).get(0);
    byte[] bytes = Files.readAllBytes(aside);
    bytes[bytes.length - 1] ^= 1;
    Files.write(aside, bytes);
    try (Spill spill = SpillTesting.open(small(directory), listener, disk, clock::get)) {
      deliverAll(spill);
      listener.outOfMemoryAtLosses = 1;
      assertThatThrownBy(spill::readSetAside).isInstanceOf(OutOfMemoryError.class);
      clock.addAndGet(40 * SECOND);
      assertThat(deliverSetAside(spill)).isEmpty();
    }
    assertThat(listener.lost).hasValue(10);
  }

  /** All but the second are delivered. */
  private Spill openWithSecondStuck(Path directory) throws IOException {
    return openWithSecondStuck(small(directory), directory);
  }

  private Spill openWithSecondStuck(SpillConfig config, Path directory) throws IOException {
    disk.unreadable = segments(directory).get(1).getFileName().toString();
    disk.failing.add("replace");
    Spill spill = SpillTesting.open(config, listener, forced::get, disk, clock::get);
    int delivered = 0;
    for (int turn = 0; turn < 10; turn++) {
      delivered += deliverAll(spill).size();
      clock.addAndGet(SECOND / 4);
    }
    assertThat(delivered).isEqualTo(3);
    assertThat(spill.hasLeftovers()).isFalse();
    return spill;
  }

  /** The others are readable, and wait for room or for memory. */
  @ParameterizedTest
  @ValueSource(strings = {"No space left on device", "Too many open files", "Permission denied"})
  void shouldLoseNothingIfARecordCannotBeSetAside(String why) throws Exception {
    AtomicBoolean full = new AtomicBoolean(true);
    disk.hook(
        (number, operation, path) -> {
          if (full.get() && operation.equals("create") && path.toString().endsWith(".part")) {
            throw new IOException(why);
          }
        });
    Path directory = temp.resolve("spill");
    try (Spill spill = SpillTesting.open(config(directory), listener, disk, clock::get)) {
      appendAll(spill, texts(0, 3));
      failToDeliver(spill, "event-0");
      for (int attempt = 0; attempt < 20; attempt++) {
        SpillRecord record = spill.read();
        if (record != null) {
          assertThat(text(record)).isEqualTo("event-0");
          spill.undelivered(record, record.skip());
        }
        clock.addAndGet(SECOND);
      }
      assertThat(listener.lost).hasValue(0);
      assertThat(spill.waitingBytes()).isPositive();
      full.set(false);
      assertThat(deliverAll(spill)).isEqualTo(texts(1, 3));
      clock.addAndGet(40 * SECOND);
      assertThat(deliverSetAside(spill)).containsExactly("event-0");
    }
    assertThat(listener.lost).hasValue(0);
  }

  @Test
  void shouldNotSearchASparseLeftoverToItsEndBeforeAnythingElse() throws Exception {
    Path directory = temp.resolve("spill");
    try (Spill spill = open(directory, listener)) {
      appendAll(spill, texts(0, 3));
    }
    extend(segments(directory).get(0), 20L << 30);
    SpillConfig large = new SpillConfig(directory, 1 << 30, SpillKind.BYTES, 0, null, false);
    FaultyDisk files = new FaultyDisk();
    try (Spill spill = SpillTesting.open(large, listener, files, clock::get)) {
      List<String> delivered = new ArrayList<>(deliverAll(spill));
      appendAll(spill, texts(3, 6));
      delivered.addAll(deliverAll(spill));
      assertThat(delivered).isEqualTo(texts(0, 6));
      assertThat(files.bytesRead).hasValueLessThan(100L << 20);
      assertThat(append(spill, "more")).isEqualTo(Spill.Append.APPENDED);
    }
    assertThat(listener.lost).hasValue(0);
  }

  /** How much of what is missing was in the file set aside shows when that has been read. */
  @Test
  void shouldCountOnceWhatIsMissingBehindASparseSegment() throws Exception {
    Path directory = fourSegments();
    List<Path> segments = segments(directory);
    extend(segments.get(1), 70L << 20);
    Files.delete(segments.get(2));
    try (Spill spill = SpillTesting.open(small(directory), listener, new Disk(), clock::get)) {
      assertThat(deliverAll(spill)).hasSize(2);
      clock.addAndGet(SECOND);
      assertThat(deliverAll(spill)).hasSize(1);
      clock.addAndGet(40 * SECOND);
      assertThat(deliverSetAside(spill)).isEmpty();
    }
    assertThat(asides(directory)).isEmpty();
    assertThat(listener.lost).hasValue(10);
  }

  @Test
  void shouldCountOnceWhatIsMissingBehindAnUnreadableSegment() throws Exception {
    Path directory = fourSegments();
    Files.delete(segments(directory).get(2));
    setSecondAside(directory, 2);
    assertThat(listener.lost).as("what the file set aside holds is not known yet").hasValue(0);
    try (Spill spill = SpillTesting.open(small(directory), listener, new Disk(), clock::get)) {
      assertThat(deliverAll(spill)).isEmpty();
      assertThat(deliverSetAside(spill)).hasSize(1);
    }
    assertThat(asides(directory)).isEmpty();
    assertThat(listener.lost).hasValue(10);
  }

  /** By the cursor alone it may have been delivered; the file set aside must not hide it. */
  @Test
  void shouldTellOfWhatGoesMissingBehindWhatAnEarlierRunSetAside() throws Exception {
    Path directory = fourSegments();
    setSecondAside(directory, 1);
    Files.delete(segments(directory).get(0));
    try (Spill spill = SpillTesting.open(small(directory), listener, new Disk(), clock::get)) {
      assertThat(deliverAll(spill)).hasSize(1);
      assertThat(listener.warnings).anyMatch(warning -> warning.contains(": 10 events before ["));
      assertThat(deliverSetAside(spill)).hasSize(1);
    }
    assertThat(listener.lost).hasValue(0);
  }

  @Test
  void shouldCountAllOfASegmentThatIsEmptyWhenItCanBeReadAgain() throws Exception {
    Path directory = fourSegments();
    setSecondAside(directory, 3);
    Path aside = asides(directory).get(0);
    byte[] zeros = Files.readAllBytes(aside);
    Arrays.fill(zeros, SegmentFormat.SEGMENT_HEADER, zeros.length, (byte) 0);
    Files.write(aside, zeros);
    try (Spill spill = SpillTesting.open(small(directory), listener, new Disk(), clock::get)) {
      assertThat(deliverSetAside(spill)).isEmpty();
    }
    assertThat(listener.lost).hasValue(10);
  }

  /** Where its own run ends, no later one tells. */
  @Test
  void shouldCountWhatIsMissingOfTheNextRunBehindASparseSegment() throws Exception {
    Path directory = twoSegmentsOfEachOfTwoRuns();
    List<Path> segments = segments(directory);
    extend(segments.get(1), 70L << 20);
    Files.delete(segments.get(2));
    try (Spill spill = SpillTesting.open(small(directory), listener, new Disk(), clock::get)) {
      assertThat(deliverAll(spill)).hasSize(2);
      assertThat(deliverAll(spill)).hasSize(1);
      clock.addAndGet(40 * SECOND);
      assertThat(deliverSetAside(spill)).isEmpty();
    }
    assertThat(asides(directory)).isEmpty();
    assertThat(listener.lost).hasValue(10);
  }

  /** It was written in one piece and is the only one of its run: its own header tells. */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void shouldCountWhatIsMissingAtTheEndOfASegmentThatWasPutBeforeTheOthers(boolean opened)
      throws Exception {
    Path directory = temp.resolve("spill");
    try (Spill spill = open(directory, listener)) {
      appendAll(spill, texts(2, 4));
      assertThat(spill.prepend(SpillRoundTripTest.payloads(texts(0, 2)))).isEqualTo(2);
    }
    Path prepended = segments(directory).get(0);
    byte[] bytes = Files.readAllBytes(prepended);
    int first = SegmentFormat.SEGMENT_HEADER + SegmentFormat.RECORD_HEADER + "event-0".length();
    Arrays.fill(bytes, first, bytes.length, (byte) 0);
    Files.write(prepended, bytes);
    if (opened) {
      extend(prepended, 70L << 20);
    } else {
      disk.unreadable = prepended.getFileName().toString();
    }
    List<String> delivered = new ArrayList<>();
    try (Spill spill = SpillTesting.open(config(directory), listener, disk, clock::get)) {
      while (asides(directory).isEmpty()) {
        delivered.addAll(deliverAll(spill));
        clock.addAndGet(SECOND / 4);
      }
      disk.heal();
      delivered.addAll(deliverAll(spill));
      clock.addAndGet(40 * SECOND);
      delivered.addAll(deliverSetAside(spill));
    }
    assertThat(delivered).containsExactlyInAnyOrder("event-0", "event-2", "event-3");
    assertThat(asides(directory)).isEmpty();
    assertThat(listener.lost).hasValue(1);
  }

  /** The file has another name already when there is no memory to tell so. */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void shouldSetASegmentAsideOnceThoughThereIsNoMemoryToTell(boolean opened) throws Exception {
    Path directory = fourSegments();
    FaultyDisk files = new FaultyDisk();
    int delivered = 0;
    try (Spill spill = SpillTesting.open(small(directory), listener, files, clock::get)) {
      if (opened) {
        files.unreadableFrom = SegmentFormat.SEGMENT_HEADER;
        files.unreadableTo = Long.MAX_VALUE;
      } else {
        files.unreadable = segments(directory).get(0).getFileName().toString();
      }
      listener.outOfMemory = true;
      for (int turn = 0; turn < 10; turn++) {
        try {
          delivered += deliverAll(spill).size();
        } catch (OutOfMemoryError e) {
          assertThat(asides(directory)).hasSize(1);
        }
        if (!listener.outOfMemory) {
          files.heal();
        }
        clock.addAndGet(SECOND / 4);
      }
      assertThat(listener.outOfMemory).as("it was told").isFalse();
      clock.addAndGet(40 * SECOND);
      delivered += deliverSetAside(spill).size();
      assertThat(spill.bytes()).as("nothing is left").isZero();
    }
    assertThat(delivered).isEqualTo(4);
    assertThat(listener.losses).isEmpty();
  }

  /** Else nothing of this run would go through memory again, and a stop would wait. */
  @Test
  void shouldBeThroughWithTheOnlyLeftoverThoughThereIsNoMemoryToTell() throws Exception {
    Path directory = killed(1);
    try (Spill spill = SpillTesting.open(small(directory), listener, disk, clock::get)) {
      disk.unreadable = segments(directory).get(0).getFileName().toString();
      listener.outOfMemory = true;
      await().until(() -> isRead(spill) && asides(directory).size() == 1);
      disk.heal();
      isRead(spill);
      assertThat(spill.isEmpty()).as("nothing else waits").isTrue();
      clock.addAndGet(40 * SECOND);
      assertThat(deliverSetAside(spill)).hasSize(1);
    }
    assertThat(listener.losses).isEmpty();
  }

  /** Memory is short as the next slot is asked for, when the file has its other name already. */
  @Test
  void shouldSetTheLastOfASlotAsideOnceThoughThereIsNoMemoryToGoOn() throws Exception {
    Path directory = killed(2);
    disk.unreadable = segments(directory).get(1).getFileName().toString();
    try (Spill spill = SpillTesting.open(small(directory), listener, disk, clock::get)) {
      SpillRecord first = spill.read();
      spill.undelivered(first, 0);
      assertThat(segments(directory)).hasSize(2);
    }
    disk.heal();
    Path second = segments(directory).get(1);
    Files.move(second, second.resolveSibling(asideOfAll(second)));
    AtomicInteger opened = new AtomicInteger();
    disk.hook(
        (number, operation, path) -> {
          if (operation.equals("openForReading")
              && path.toString().endsWith(".aside")
              && disk.unreadableFrom == SegmentFormat.SEGMENT_HEADER
              && opened.incrementAndGet() == 2) {
            throw new OutOfMemoryError("injected as the slot is left");
          }
        });
    try (Spill spill = SpillTesting.open(small(directory), listener, disk, clock::get)) {
      disk.unreadableTo = Long.MAX_VALUE;
      disk.unreadableFrom = SegmentFormat.SEGMENT_HEADER;
      await().until(() -> isRead(spill) && opened.get() >= 2);
      disk.heal();
      isRead(spill);
      assertThat(spill.isEmpty()).as("nothing else waits").isTrue();
      clock.addAndGet(40 * SECOND);
      assertThat(deliverSetAside(spill)).hasSize(2);
      assertThat(spill.bytes()).as("nothing is left").isZero();
    }
    assertThat(listener.losses).isEmpty();
  }

  /** So many segments, of which nothing says that there are no more. */
  private Path killed(int segments) throws Exception {
    Path killed = temp.resolve("killed");
    Path live = temp.resolve("live");
    try (Spill spill = SpillTesting.open(small(live), listener)) {
      SpillTesting.appendLarge(spill, segments, 40_000, 10);
      SpillTesting.copyAsAfterKill(live, killed);
    }
    return killed;
  }

  private static String asideOfAll(Path segment) throws Exception {
    long number = Long.parseLong(segment.getFileName().toString().substring(0, 16), 16);
    return SlotListing.Aside.of(
            segment.getParent(),
            number,
            new SlotListing.Rest(SegmentFormat.SEGMENT_HEADER, 0, 0),
            Files.size(segment))
        .path()
        .getFileName()
        .toString();
  }

  /** As the deliverer does, whatever that throws. */
  private boolean isRead(Spill spill) {
    try {
      clock.addAndGet(SECOND / 4);
      return spill.read() == null;
    } catch (OutOfMemoryError injected) {
      return true;
    }
  }

  /** The damage was seen before the file went aside, or before it was put back once more. */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void shouldKeepACopyOfADamagedSegmentThatWasSetAside(boolean earlierRun) throws Exception {
    Path directory = temp.resolve("one");
    SpillConfig large = new SpillConfig(directory, 64 << 20, SpillKind.BYTES, 0, null, false);
    List<String> texts = new ArrayList<>();
    for (int i = 0; i < 8; i++) {
      texts.add(i + "x".repeat(100_000));
    }
    try (Spill spill = SpillTesting.open(large, listener)) {
      appendAll(spill, texts);
    }
    Path segment = segments(directory).get(0);
    byte[] bytes = Files.readAllBytes(segment);
    bytes[SegmentFormat.SEGMENT_HEADER + 3 * bytes.length / 8] ^= 1;
    Files.write(segment, bytes);
    if (earlierRun) { // that had no right to open it
      disk.unreadable = segment.getFileName().toString();
      try (Spill spill = SpillTesting.open(large, listener, disk, clock::get)) {
        await().until(() -> goesAside(spill, directory));
      }
      disk.heal();
    }
    try (Spill spill = SpillTesting.open(large, listener, disk, clock::get)) {
      disk.unreadableFrom = bytes.length * 6 / 8;
      disk.unreadableTo = bytes.length;
      int delivered = 0;
      for (int turn = 0; turn < 10; turn++) {
        delivered += deliverAll(spill).size() + deliverSetAside(spill).size();
        clock.addAndGet(SECOND);
      }
      assertThat(delivered).isBetween(3, 6);
      disk.heal();
      clock.addAndGet(40 * SECOND);
      delivered += deliverAll(spill).size() + deliverSetAside(spill).size();
      assertThat(delivered).isEqualTo(7);
    }
    assertThat(listener.lost).hasValue(1);
    try (Stream<Path> files = Files.list(directory)) {
      assertThat(files.filter(path -> path.toString().endsWith(".corrupt"))).hasSize(1);
    }
  }

  private boolean goesAside(Spill spill, Path directory) throws Exception {
    clock.addAndGet(SECOND / 4);
    return spill.read() == null && asides(directory).size() == 1;
  }

  @Test
  void shouldCountWhatIsMissingBeforeAnUnreadableSegment() throws Exception {
    Path directory = fourSegments();
    List<Path> segments = segments(directory);
    Files.delete(segments.get(1));
    FaultyDisk files = new FaultyDisk();
    try (Spill spill = SpillTesting.open(small(directory), listener, files, clock::get)) {
      files.unreadable = segments.get(2).getFileName().toString();
      int delivered = 0;
      for (int turn = 0; turn < 10; turn++) {
        delivered += deliverAll(spill).size();
        clock.addAndGet(SECOND / 4);
      }
      assertThat(delivered).isEqualTo(2);
      files.heal();
      clock.addAndGet(40 * SECOND);
      assertThat(deliverSetAside(spill)).hasSize(1);
    }
    assertThat(listener.lost).hasValue(10);
  }

  /** Of which run it is shows too late for the number. */
  @Test
  void shouldTellOfWhatIsMissingOfTheNextRunBehindAnUnreadableSegment() throws Exception {
    Path directory = twoSegmentsOfEachOfTwoRuns();
    Files.delete(segments(directory).get(2));
    setSecondAside(directory, 2);
    try (Spill spill = SpillTesting.open(small(directory), listener, new Disk(), clock::get)) {
      assertThat(deliverSetAside(spill)).hasSize(1);
    }
    assertThat(listener.lost).as("at least one").hasValue(1);
    assertThat(listener.losses).singleElement().asString().contains("what followed it is missing");
  }

  /** What follows it is not missing because an earlier run could not read it either. */
  @Test
  void shouldCountNothingBetweenASparseSegmentAndTheNextThatAnEarlierRunSetAside()
      throws Exception {
    Path directory = fourSegments();
    List<Path> segments = segments(directory);
    extend(segments.get(1), 70L << 20);
    Path third = segments.get(2);
    String rest = String.format(".%x.0.aside", SegmentFormat.SEGMENT_HEADER);
    Files.move(third, third.resolveSibling(third.getFileName() + rest));
    try (Spill spill = SpillTesting.open(small(directory), listener, new Disk(), clock::get)) {
      assertThat(deliverAll(spill)).hasSize(2);
      assertThat(deliverAll(spill)).as("behind the one that goes on too long").hasSize(1);
      clock.addAndGet(40 * SECOND);
      assertThat(deliverSetAside(spill)).hasSize(1);
    }
    assertThat(asides(directory)).isEmpty();
    assertThat(listener.lost).hasValue(0);
  }

  /** Whichever neighbours it had, one is set aside when the other is already gone. */
  @ParameterizedTest
  @CsvSource({"1, 2", "1, 3", "2, 1", "2, 3", "3, 1", "3, 2"})
  void shouldCountWhatIsMissingBesideWhatAnEarlierRunSetAside(int aside, int missing)
      throws Exception {
    Path directory = fourSegments();
    List<Path> segments = segments(directory);
    setAsideWithoutEnd(segments.get(aside));
    Files.delete(segments.get(missing));
    try (Spill spill = SpillTesting.open(small(directory), listener, new Disk(), clock::get)) {
      assertThat(deliverAll(spill)).hasSize(2);
      assertThat(deliverSetAside(spill)).hasSize(1);
    }
    assertThat(asides(directory)).isEmpty();
    assertThat(listener.lost).hasValue(10);
  }

  @Test
  void shouldCountWhatIsMissingBetweenTwoThatAnEarlierRunSetAside() throws Exception {
    Path directory = fourSegments();
    List<Path> segments = segments(directory);
    setAsideWithoutEnd(segments.get(1));
    setAsideWithoutEnd(segments.get(3));
    Files.delete(segments.get(2));
    try (Spill spill = SpillTesting.open(small(directory), listener, new Disk(), clock::get)) {
      assertThat(deliverAll(spill)).hasSize(1);
      assertThat(deliverSetAside(spill)).hasSize(2);
    }
    assertThat(asides(directory)).isEmpty();
    assertThat(listener.lost).hasValue(10);
  }

  /** A run that delivers what is in front of it, and ends, takes nothing of this along. */
  @Test
  void shouldCountInALaterRunWhatWasMissingBehindWhatIsSetAside() throws Exception {
    Path directory = fourSegments();
    List<Path> segments = segments(directory);
    setAsideWithoutEnd(segments.get(1));
    Files.delete(segments.get(2));
    try (Spill spill = SpillTesting.open(small(directory), listener, new Disk(), clock::get)) {
      assertThat(deliverAll(spill)).hasSize(2);
    }
    assertThat(listener.lost).hasValue(0);
    try (Spill spill = SpillTesting.open(small(directory), listener, new Disk(), clock::get)) {
      assertThat(deliverSetAside(spill)).hasSize(1);
    }
    assertThat(listener.lost).hasValue(10);
  }

  /** As if the header of the next one could not be read then. */
  private static void setAsideWithoutEnd(Path segment) throws IOException {
    long first = ByteBuffer.wrap(Files.readAllBytes(segment)).getLong(24);
    String rest = String.format(".%x.%x.aside", SegmentFormat.SEGMENT_HEADER, first);
    Files.move(segment, segment.resolveSibling(segment.getFileName() + rest));
  }

  /** With a hole, as somebody's tool or a file system check may leave it. */
  private static void extend(Path segment, long bytes) throws IOException {
    try (RandomAccessFile file = new RandomAccessFile(segment.toFile(), "rw")) {
      file.setLength(bytes);
    }
  }

  private static SpillConfig small(Path directory) {
    return new SpillConfig(directory, 1 << 20, SpillKind.BYTES, 0, null, false);
  }

  /** Of one record of ten events each. */
  private Path twoSegmentsOfEachOfTwoRuns() throws IOException {
    Path directory = temp.resolve("runs");
    for (int run = 0; run < 2; run++) {
      try (Spill spill = SpillTesting.open(small(directory), listener)) {
        SpillTesting.appendLarge(spill, 2, 40_000, 10);
      }
    }
    for (Path segment : SpillTesting.segments(directory)) {
      if (Files.size(segment) == SegmentFormat.SEGMENT_HEADER) {
        Files.delete(segment); // as if killed: nothing tells where the runs end
      }
    }
    return directory;
  }

  /** Those with records in them: behind the last of a run is one without. */
  private static List<Path> segments(Path directory) throws IOException {
    List<Path> filled = new ArrayList<>();
    for (Path segment : SpillTesting.segments(directory)) {
      if (Files.size(segment) > SegmentFormat.SEGMENT_HEADER) {
        filled.add(segment);
      }
    }
    return filled;
  }

  /** Of one record of ten events each. */
  private Path fourSegments() throws Exception {
    Path directory = temp.resolve("four");
    try (Spill spill = SpillTesting.open(small(directory), listener)) {
      SpillTesting.appendLarge(spill, 4, 40_000, 10);
    }
    assertThat(segments(directory)).hasSize(4);
    return directory;
  }

  /** A run that cannot read the second segment, and delivers so many others. */
  private void setSecondAside(Path directory, int deliveries) throws Exception {
    FaultyDisk files = new FaultyDisk();
    try (Spill spill = SpillTesting.open(small(directory), listener, files, clock::get)) {
      files.unreadable = segments(directory).get(1).getFileName().toString();
      int delivered = deliver(spill, 1).size();
      for (int turn = 0; turn < 10 && asides(directory).isEmpty(); turn++) {
        assertThat(spill.read()).isNull();
        clock.addAndGet(SECOND / 4);
      }
      delivered += deliver(spill, deliveries - delivered).size();
      assertThat(delivered).isEqualTo(deliveries);
    }
    assertThat(asides(directory)).hasSize(1);
  }

  private Spill openSynced(Path directory) throws Exception {
    SpillConfig config =
        new SpillConfig(directory, 1 << 20, SpillKind.BYTES, 1_000_000, null, false);
    return SpillTesting.open(config, listener, forced::get, disk, clock::get);
  }

  private List<String> afterPowerCut(Path directory, String name) throws Exception {
    Path cut = temp.resolve(name);
    SpillTesting.copyAsAfterKill(directory, cut);
    try (Spill spill = open(cut, new RecordingListener())) {
      List<String> texts = deliverAll(spill);
      texts.addAll(deliverSetAside(spill));
      return texts;
    }
  }

  @Test
  void shouldKeepARecordUntilTheLogIsForcedThatHasIt() throws Exception {
    Path directory = temp.resolve("spill");
    try (Spill spill = openSynced(directory)) {
      appendAll(spill, texts(0, 2));
      failToDeliver(spill, "event-0");
      assertThat(deliverAll(spill)).isEqualTo(texts(1, 2));
      forced.set(false);
      clock.addAndGet(40 * SECOND);
      assertThat(deliverSetAside(spill)).containsExactly("event-0");
      assertThat(spill.waitingBytes() + spill.setAsideEvents()).isZero();
      spill.maintain();
      assertThat(asides(directory)).hasSize(1);
      assertThat(afterPowerCut(directory, "cut")).contains("event-0");

      forced.set(true);
      await()
          .until(
              () -> {
                spill.maintain();
                return asides(directory).isEmpty();
              });
    }
    assertThat(directory).doesNotExist();
    assertThat(listener.lost).hasValue(0);
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void shouldDeliverAgainAfterAStopWhatIsSetAsideOnlyIfTheLogWasNotForced(boolean forces)
      throws Exception {
    Path directory = temp.resolve("spill");
    try (Spill spill = openSynced(directory)) {
      appendAll(spill, texts(0, 2));
      failToDeliver(spill, "event-0");
      assertThat(deliverAll(spill)).isEqualTo(texts(1, 2));
      spill.maintain();
      forced.set(false);
      clock.addAndGet(40 * SECOND);
      assertThat(deliverSetAside(spill)).containsExactly("event-0");
      forced.set(forces);
    }
    assertThat(Files.exists(directory)).isNotEqualTo(forces);
    if (!forces) {
      assertThat(asides(directory)).hasSize(1);
      assertThat(afterPowerCut(directory, "stopped")).contains("event-0");
    }
  }

  /** The name of a file set aside is its cursor. */
  @Test
  void shouldNotMoveOnInAFileSetAsideBeforeTheLogIsForced() throws Exception {
    Path directory = temp.resolve("spill");
    try (Spill spill = open(directory, listener)) {
      appendAll(spill, texts(0, 5));
    }
    try (Spill spill = openSynced(directory)) {
      forced.set(false);
      assertThat(deliver(spill, 2)).isEqualTo(texts(0, 2));
      failToRead(spill);
      assertThat(asides(directory)).isNotEmpty();
      assertThat(afterPowerCut(directory, "before")).isEqualTo(texts(0, 5));
      clock.addAndGet(40 * SECOND);
      SpillRecord next = spill.readSetAside();
      assertThat(text(next)).isEqualTo("event-2");
      spill.delivered(next);
      assertThat(afterPowerCut(directory, "cut")).isEqualTo(texts(0, 5));
      forced.set(true);
    }
    assertThat(afterPowerCut(directory, "stopped")).isEqualTo(texts(3, 5));
    assertThat(listener.lost).hasValue(0);
  }

  @Test
  void shouldRepeatNothingOfAFileSetAsideAfterAnExitThatLeavesTheRest() throws Exception {
    Path directory = temp.resolve("spill");
    try (Spill spill = open(directory, listener)) {
      appendAll(spill, texts(0, 5));
    }
    SpillConfig config =
        new SpillConfig(
            directory, 1 << 20, SpillKind.BYTES, Long.MAX_VALUE / 4, null, false); // never
    try (Spill spill = SpillTesting.open(config, listener, forced::get, disk, clock::get)) {
      assertThat(deliver(spill, 2)).isEqualTo(texts(0, 2));
      failToRead(spill);
      assertThat(asides(directory)).isNotEmpty();
      clock.addAndGet(40 * SECOND);
      SpillRecord next = spill.readSetAside();
      assertThat(text(next)).isEqualTo("event-2");
      spill.delivered(next);
      spill.endReading();
      assertThat(afterPowerCut(directory, "exited")).isEqualTo(texts(3, 5));
    }
    assertThat(listener.lost).hasValue(0);
  }

  /** What is behind it is not delivered again then. */
  @ParameterizedTest
  @CsvSource({"0, true", "0, false", "never, true", "never, false"})
  void shouldRenameAtAnEndWhatCouldNotBeRenamedBefore(String interval, boolean exits)
      throws Exception {
    Path directory = fourSegments();
    long nanos = interval.equals("never") ? Long.MAX_VALUE / 4 : 0;
    SpillConfig config = new SpillConfig(directory, 1 << 20, SpillKind.BYTES, nanos, null, false);
    Path ended = temp.resolve("ended");
    try (Spill spill = openWithSecondStuck(config, directory)) {
      disk.failing.clear(); // it can still not be read
      if (exits) {
        spill.endReading();
        SpillTesting.copyAsAfterKill(directory, ended);
      }
    }
    try (Spill next = open(exits ? ended : directory, listener)) {
      assertThat(deliverAll(next)).isEmpty();
      assertThat(deliverSetAside(next)).hasSize(1);
    }
    assertThat(listener.lost).hasValue(0);
  }

  private void failToRead(Spill spill) {
    disk.failing.add("read");
    for (int turn = 0; turn < 10; turn++) {
      assertThat(spill.read()).isNull();
      clock.addAndGet(SECOND / 4);
    }
    disk.failing.remove("read");
  }

  /** Though its cursor could not be saved before. */
  @Test
  void shouldForceNothingForADirectoryThatIsGone() throws Exception {
    Path directory = temp.resolve("spill");
    Path taken = directory.resolve("1");
    try (Spill base = SpillTesting.open(small(directory), listener);
        Spill other = SpillTesting.open(small(directory), listener)) {
      assertThat(base.isOpen()).isTrue();
      appendAll(other, texts(0, 3));
    }
    AtomicInteger forces = new AtomicInteger();
    BooleanSupplier counting = () -> forces.incrementAndGet() > 0;
    SpillConfig config =
        new SpillConfig(directory, 1 << 20, SpillKind.BYTES, 1_000_000, null, false);
    int before;
    try (Spill spill = SpillTesting.open(config, listener, counting, disk, clock::get)) {
      disk.hook(
          (number, operation, path) -> {
            if (operation.equals("write") && path.equals(taken.resolve(Cursor.NAME))) {
              throw new IOException("no");
            }
          });
      assertThat(deliver(spill, 1)).isEqualTo(texts(0, 1));
      failToRead(spill);
      clock.addAndGet(40 * SECOND);
      assertThat(deliverSetAside(spill)).isEqualTo(texts(1, 3));
      await()
          .until(
              () -> {
                clock.addAndGet(SECOND);
                spill.maintain();
                return !Files.exists(taken);
              });
      before = forces.get();
    }
    assertThat(forces).as("not at the last turn either").hasValue(before);
  }

  @Test
  void shouldKeepWhatItTookOverFromALowerSlotUntilTheLogIsForced() throws Exception {
    Path directory = temp.resolve("spill");
    Spill old = open(directory, listener);
    appendAll(old, texts(0, 2));
    try (Spill spill = openSynced(directory)) {
      old.close();
      assertThat(spill.adoptLeftovers()).isTrue();
      forced.set(false);
      assertThat(deliverAll(spill)).isEqualTo(texts(0, 2));
      clock.addAndGet(SECOND);
      spill.maintain();
      assertThat(afterPowerCut(directory, "cut")).isEqualTo(texts(0, 2));
      forced.set(true);
      await()
          .until(
              () -> {
                spill.maintain();
                return segments(directory).isEmpty();
              });
    }
  }

  @Test
  void shouldTellOfWhatItTakesOverLaterWhatAStartTells() throws Exception {
    Path directory = temp.resolve("spill");
    RecordingListener later = new RecordingListener();
    Spill old = open(directory, listener);
    appendAll(old, texts(0, 3));
    assertThat(deliver(old, 2)).isEqualTo(texts(0, 2));
    try (Spill spill = open(directory, later)) {
      old.close();
      assertThat(spill.adoptLeftovers()).isTrue();
    }
    RecordingListener atStart = new RecordingListener();
    try (Spill spill = open(directory, atStart)) {
      assertThat(deliverAll(spill)).isEqualTo(texts(2, 3));
    }
    assertThat(later.leftoverBytes).hasValue(atStart.leftoverBytes.get()).hasPositiveValue();
  }

  /** Its cursor is held meanwhile. A force that began before its delivery says nothing of it. */
  @Test
  void shouldKeepWhatCannotBeRenamedUntilAForceThatBeganAfterItsDelivery() throws Exception {
    Path directory = temp.resolve("spill");
    try (Spill base = SpillTesting.open(small(directory), listener);
        Spill other = SpillTesting.open(small(directory), listener)) {
      for (String text : texts(0, 4)) {
        append(base, text + "x".repeat(40_000));
      }
      append(other, "other");
    }
    Semaphore may = new Semaphore(0);
    AtomicInteger begun = new AtomicInteger();
    BooleanSupplier gate =
        () -> {
          begun.incrementAndGet();
          may.acquireUninterruptibly();
          return true;
        };
    disk.unreadable =
        segments(directory).get(2).getFileName().toString(); // the other has none so named
    disk.failing.add("replace");
    SpillConfig config =
        new SpillConfig(directory, 1 << 20, SpillKind.BYTES, 1_000_000, null, false);
    try (Spill spill = SpillTesting.open(config, listener, gate, disk, clock::get)) {
      try {
        int delivered = deliver(spill, 1).size();
        await().until(() -> begun.get() == 1);
        for (int turn = 0; turn < 10; turn++) {
          delivered += deliverAll(spill).size();
          clock.addAndGet(SECOND / 4);
        }
        assertThat(delivered).as("all but one, and the other slot's").isEqualTo(4);
        may.release();
        await().until(() -> begun.get() == 2); // for the other slot
        disk.heal();
        clock.addAndGet(40 * SECOND);
        assertThat(deliverSetAside(spill)).hasSize(1);
        may.release();
        await().until(() -> begun.get() == 3);
        assertThat(afterPowerCut(directory, "cut"))
            .anySatisfy(text -> assertThat(text).startsWith("event-2"));
      } finally {
        may.release(1_000);
      }
    }
    assertThat(segments(directory)).isEmpty();
    assertThat(listener.lost).hasValue(0);
  }

  /** It counts against the size limit as long as it is there. */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void shouldCountAndTellOfADamagedFileSetAsideThatIsKept(boolean sparse) throws Exception {
    Path directory = fourSegments();
    setSecondAside(directory, 3);
    Path aside = asides(directory).get(0);
    byte[] damaged = Files.readAllBytes(aside);
    damaged[sparse ? 5 : damaged.length - 1] ^= 1; // the header, or the record
    Files.write(aside, damaged);
    if (sparse) {
      extend(aside, 70L << 20);
    }
    SpillConfig large = new SpillConfig(directory, 1 << 30, SpillKind.BYTES, 0, null, false);
    long kept;
    try (Spill spill = SpillTesting.open(large, listener, new Disk(), clock::get)) {
      deliverAll(spill);
      for (int turn = 0; turn < 10; turn++) {
        assertThat(deliverSetAside(spill)).isEmpty();
        clock.addAndGet(40 * SECOND);
      }
      kept = spill.bytes();
      assertThat(kept).isPositive();
    }
    try (Spill spill = SpillTesting.open(large, listener, new Disk(), clock::get)) {
      assertThat(spill.bytes()).isEqualTo(kept);
    }
    assertThat(SpillInspection.inspect(directory, (segment, kind, record, delivered) -> {}))
        .flatExtracting(SpillInspection.Slot::segments)
        .extracting(SpillInspection.Segment::state)
        .containsExactly(SpillInspection.State.KEPT);
  }

  @Test
  void shouldCountNothingOfAFileSetAsideOfWhichAllHasMadeRoom() throws Exception {
    Path directory = temp.resolve("spill");
    SpillConfig tagged = new SpillConfig(directory, 1 << 20, SpillKind.BYTES, 0, null, true);
    try (Spill spill = SpillTesting.open(tagged, listener)) {
      appendTagged(spill, 8, 1);
    }
    int dropped;
    try (Spill spill = SpillTesting.open(tagged, listener)) {
      Drops drops = new Drops();
      while (spill.evict(drops)) {}
      dropped = drops.records;
    }
    assertThat(dropped).isPositive();
    disk.unreadable = segments(directory).get(0).getFileName().toString();
    try (Spill spill = SpillTesting.open(tagged, listener, disk, clock::get)) {
      int delivered = 0;
      for (int turn = 0; turn < 10; turn++) {
        delivered += deliverAll(spill).size();
        clock.addAndGet(SECOND / 4);
      }
      assertThat(asides(directory)).hasSize(1);
      disk.heal();
      clock.addAndGet(40 * SECOND);
      assertThat(deliverSetAside(spill)).isEmpty();
      assertThat(asides(directory)).isEmpty();
      assertThat(delivered + dropped).isEqualTo(8);
    }
    assertThat(listener.losses).isEmpty();
  }

  private static void appendTagged(Spill spill, int records, int tag) {
    byte[] payload = new byte[20_000];
    for (int i = 0; i < records; i++) {
      assertThat(spill.append(new Spill.Payload(payload, 0, payload.length, 1, tag)))
          .isEqualTo(Spill.Append.APPENDED);
    }
  }

  private static final class Drops implements Spill.Evictor {
    int records;

    @Override
    public void begin() {}

    @Override
    public boolean drop(SpillRecord record) {
      records += record.tag() > 0 ? 1 : 0;
      return record.tag() > 0;
    }

    @Override
    public void end(boolean leftover) {}
  }

  /** A power cut may undo a name that is not forced: the cursor must not be beyond that then. */
  @ParameterizedTest
  @ValueSource(strings = {"leftover", "adopted", "segment", "record"})
  void shouldHoldTheCursorUntilTheNameOfWhatIsSetAsideIsForced(String what) throws Exception {
    Path directory = temp.resolve("spill");
    List<String> texts = texts(0, 5).stream().map(text -> text + "x".repeat(40_000)).toList();
    boolean ofThisRun = what.equals("segment") || what.equals("record");
    if (!ofThisRun) {
      try (Spill spill = SpillTesting.open(small(directory), listener)) {
        appendAll(spill, texts);
      }
      Path first = segments(directory).get(0);
      if (what.equals("adopted")) {
        setAsideWithoutEnd(first); // and killed then
        disk.failing.add("syncDirectory");
      } else {
        disk.unreadable = first.getFileName().toString();
      }
    }
    try (Spill spill = openSynced(directory)) {
      if (ofThisRun) {
        appendAll(spill, texts);
        awaitSynced(spill);
      }
      disk.failing.add("syncDirectory");
      if (what.equals("record")) {
        failToDeliver(spill, texts.get(0));
      } else if (what.equals("segment")) {
        failToReadUntilSetAside(spill, directory);
      }
      List<String> delivered = new ArrayList<>();
      for (int turn = 0; turn < 10; turn++) {
        delivered.addAll(deliver(spill, 3 - delivered.size()));
        clock.addAndGet(SECOND / 4);
      }
      assertThat(delivered).isEqualTo(texts.subList(1, 4));
      assertThat(asides(directory)).hasSize(1);
    }
    Path aside = asides(directory).get(0);
    if (what.equals("record")) {
      Files.delete(aside);
    } else {
      String name = aside.getFileName().toString();
      Files.move(aside, directory.resolve(name.substring(0, name.indexOf(".seg") + 4)));
    }
    try (Spill spill = open(directory, listener)) {
      assertThat(deliverAll(spill)).contains(texts.get(0));
    }
    assertThat(listener.lost).hasValue(0);
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void shouldSetAsideOnceThoughMemoryIsShortWhenTheNameIsForced(boolean leftover) throws Exception {
    Path directory = temp.resolve("spill");
    List<String> texts = texts(0, 5).stream().map(text -> text + "x".repeat(40_000)).toList();
    if (leftover) {
      try (Spill spill = SpillTesting.open(small(directory), listener)) {
        appendAll(spill, texts);
      }
      disk.unreadable = segments(directory).get(0).getFileName().toString();
    }
    Thread reader = Thread.currentThread();
    AtomicBoolean renamed = new AtomicBoolean();
    AtomicBoolean thrown = new AtomicBoolean();
    disk.hook(
        (number, operation, path) -> {
          if (Thread.currentThread() != reader) {
            return;
          }
          renamed.compareAndSet(false, operation.equals("replace"));
          if (operation.equals("syncDirectory")
              && renamed.get()
              && thrown.compareAndSet(false, true)) {
            throw new OutOfMemoryError("injected");
          }
        });
    List<String> delivered = new ArrayList<>();
    try (Spill spill = openSynced(directory)) {
      if (!leftover) {
        appendAll(spill, texts);
        awaitSynced(spill);
        disk.failing.add("read");
      }
      for (int turn = 0; turn < 100; turn++) {
        try {
          delivered.addAll(deliverAll(spill));
        } catch (OutOfMemoryError e) {
          // comes again
        }
        clock.addAndGet(SECOND / 4);
        if (thrown.get()) {
          disk.failing.remove("read");
        } else if (!leftover) {
          Thread.yield();
          turn = 0; // its forcing may delay it
        }
      }
      disk.heal();
      clock.addAndGet(40 * SECOND);
      delivered.addAll(deliverSetAside(spill));
      assertThat(thrown).isTrue();
      assertThat(delivered.stream().map(text -> text.substring(0, 8)))
          .as("each of them once")
          .containsExactlyInAnyOrder(
              texts(0, 5).stream().map(text -> text + "x").toArray(String[]::new));
      assertThat(spill.waitingBytes() + spill.setAsideEvents()).isZero();
    }
    assertThat(listener.losses).isEmpty();
  }

  private static void awaitSynced(Spill spill) {
    AtomicBoolean synced = new AtomicBoolean();
    spill.whenSynced(synced::set);
    await().untilTrue(synced);
  }

  /** Until a segment of this run is set aside, which its forcing may delay. */
  private void failToReadUntilSetAside(Spill spill, Path directory) {
    disk.failing.add("read");
    await()
        .until(
            () -> {
              assertThat(spill.read()).isNull();
              clock.addAndGet(SECOND);
              return !asides(directory).isEmpty();
            });
    disk.failing.remove("read");
    spill.maintain(); // with which the segment is settled
  }

  @Test
  void shouldKeepASegmentOfThisRunThatIsSetAsideUntilTheLogIsForced() throws Exception {
    Path directory = temp.resolve("spill");
    try (Spill spill = openSynced(directory)) {
      appendAll(spill, texts(0, 5));
      awaitSynced(spill);
      forced.set(false);
      assertThat(deliver(spill, 2)).isEqualTo(texts(0, 2));
      failToReadUntilSetAside(spill, directory);
      assertThat(asides(directory)).hasSize(1);
      assertThat(spill.setAsideEvents()).isEqualTo(3);
      assertThat(afterPowerCut(directory, "before")).isEqualTo(texts(0, 5));
      clock.addAndGet(40 * SECOND);
      assertThat(deliverSetAside(spill)).isEqualTo(texts(2, 5));
      assertThat(spill.waitingBytes() + spill.setAsideEvents()).isZero();
      assertThat(afterPowerCut(directory, "after")).isEqualTo(texts(0, 5));
      forced.set(true);
      await()
          .until(
              () -> {
                spill.maintain();
                return asides(directory).isEmpty() && spill.bytes() == 0;
              });
    }
    assertThat(directory).doesNotExist();
    assertThat(listener.losses).isEmpty();
  }

  /** What has made room is neither waiting nor lost. */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void shouldCountOnlyWhatIsThereOfASegmentOfThisRunThatIsSetAside(boolean restart)
      throws Exception {
    Path directory = temp.resolve("spill");
    SpillConfig tagged = new SpillConfig(directory, 1 << 20, SpillKind.BYTES, 0, null, true);
    try (Spill spill = SpillTesting.open(tagged, listener, disk, clock::get)) {
      for (int i = 0; i < 12; i++) {
        appendTagged(spill, 1, i % 3);
      }
      Drops drops = new Drops();
      while (spill.evict(drops)) {}
      assertThat(drops.records).isPositive();
      int waiting = 12 - drops.records;
      failToReadUntilSetAside(spill, directory);
      assertThat(asides(directory)).hasSize(1);
      int delivered = deliverAll(spill).size();
      assertThat(spill.setAsideEvents()).isEqualTo(waiting - delivered).isPositive();
      if (!restart) {
        clock.addAndGet(40 * SECOND);
        assertThat(deliverSetAside(spill)).hasSize(waiting - delivered);
        assertThat(spill.waitingBytes() + spill.setAsideEvents()).isZero();
      }
      assertThat(asides(directory)).hasSize(restart ? 1 : 0);
    }
    try (Spill spill = SpillTesting.open(tagged, listener, disk, clock::get)) {
      assertThat(deliverAll(spill)).isEmpty();
      assertThat(deliverSetAside(spill).isEmpty()).isEqualTo(!restart);
    }
    assertThat(listener.losses).isEmpty();
  }

  /** As long as records of this run are in it, they count as such. */
  @Test
  void shouldCountWhatMadeRoomInAFileSetAsideNeitherAsWaitingNorAsDelivered() throws Exception {
    Path directory = temp.resolve("spill");
    SpillConfig tagged = new SpillConfig(directory, 1 << 20, SpillKind.BYTES, 0, null, true);
    byte[] payload = new byte[5_000];
    try (Spill spill = SpillTesting.open(tagged, listener, disk, clock::get)) {
      for (int i = 0; i < 60; i++) {
        spill.append(new Spill.Payload(payload, 0, payload.length, 1, i % 3));
      }
      while (spill.evict(new Drops())) {}
      failToReadUntilSetAside(spill, directory);
      long left = spill.setAsideEvents();
      assertThat(left).isGreaterThan(4);
      clock.addAndGet(40 * SECOND);
      for (int i = 0; i < 3; i++) {
        spill.delivered(spill.readSetAside());
        assertThat(spill.setAsideEvents()).isEqualTo(--left);
      }
      spill.undelivered(spill.readSetAside(), 0);
      assertThat(spill.setAsideEvents()).isEqualTo(left);
      clock.addAndGet(40 * SECOND);
      SpillRecord again = spill.readSetAside();
      assertThat(again.leftover()).isFalse();
      spill.delivered(again);
      assertThat(deliverSetAside(spill)).hasSize((int) left - 1);
      assertThat(spill.setAsideEvents()).isZero();
    }
    assertThat(listener.losses).isEmpty();
  }

  @Test
  void shouldCountWhatASegmentOfThisRunHeldThatIsDamagedWhileItIsAside() throws Exception {
    Path directory = temp.resolve("spill");
    try (Spill spill = SpillTesting.open(small(directory), listener, disk, clock::get)) {
      appendAll(spill, texts(0, 3));
      assertThat(deliver(spill, 1)).isEqualTo(texts(0, 1));
      failToReadUntilSetAside(spill, directory);
      assertThat(spill.setAsideEvents()).isEqualTo(2);
      Path aside = asides(directory).get(0);
      byte[] bytes = Files.readAllBytes(aside);
      bytes[20] ^= 1; // of its header
      Files.write(aside, bytes);
      clock.addAndGet(40 * SECOND);
      assertThat(deliverSetAside(spill)).isEmpty();
      assertThat(spill.setAsideEvents()).isZero();
    }
    assertThat(listener.lost).hasValue(2);
    assertThat(listener.lostLeftovers).hasValue(0);
  }

  @Test
  void shouldCountAMissingSegmentOnceThoughThereIsNoMemoryToTell() throws Exception {
    Path directory = fourSegments();
    Files.delete(segments(directory).get(1));
    try (Spill spill = SpillTesting.open(small(directory), listener, disk, clock::get)) {
      listener.outOfMemoryAtLosses = 3;
      int delivered = 0;
      for (int turn = 0; turn < 10; turn++) {
        try {
          delivered += deliver(spill, 1).size();
        } catch (OutOfMemoryError again) {
          clock.addAndGet(SECOND / 4);
        }
      }
      assertThat(delivered).isEqualTo(3);
    }
    assertThat(listener.lost).hasValue(10);
  }

  @Test
  void shouldHaveRoomForWhatItHasPutBeforeTheOthersAlready() throws Exception {
    Path directory = temp.resolve("spill");
    SpillConfig config = new SpillConfig(directory, 300_000, SpillKind.BYTES, 0, null, true);
    byte[] bytes = new byte[120_000];
    List<Spill.Payload> rest = List.of(SpillTesting.payload(bytes, 1));
    AtomicBoolean isShort = new AtomicBoolean();
    try (Spill spill = SpillTesting.open(config, listener, disk, clock::get)) {
      appendAll(spill, List.of("x".repeat(60_000), "y".repeat(60_000), "z".repeat(40_000)));
      deliver(spill, 1);
      clock.addAndGet(SECOND);
      spill.maintain();
      disk.hook(
          (number, operation, path) -> {
            if (path.endsWith(Cursor.NAME) && isShort.compareAndSet(true, false)) {
              throw new OutOfMemoryError("injected as the cursor is saved");
            }
          });
      assertThat(spill.hasRoomFor(rest)).isTrue();
      isShort.set(true);
      assertThatThrownBy(() -> spill.prepend(rest)).isInstanceOf(OutOfMemoryError.class);
      assertThat(spill.hasRoomFor(rest)).as("it is there").isTrue();
      assertThat(spill.prepend(rest)).isOne();
    }
  }
}
