package io.spillway.internal.spill;

import static io.spillway.internal.spill.SpillTesting.appendAll;
import static io.spillway.internal.spill.SpillTesting.appendLarge;
import static io.spillway.internal.spill.SpillTesting.deliver;
import static io.spillway.internal.spill.SpillTesting.deliverAll;
import static io.spillway.internal.spill.SpillTesting.open;
import static io.spillway.internal.spill.SpillTesting.segments;
import static io.spillway.internal.spill.SpillTesting.texts;
import static org.assertj.core.api.Assertions.assertThat;

import io.spillway.internal.disk.Disk;
import io.spillway.testkit.FaultyDisk;
import io.spillway.testkit.InMemory;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class SpillDamageTest {

  private static final int COUNT = 3;

  @TempDir(factory = InMemory.class)
  Path temp;

  private Path original;
  private byte[] segment;
  private final AtomicInteger copies = new AtomicInteger();

  @BeforeEach
  void writeOneSegment() throws Exception {
    original = temp.resolve("original");
    try (Spill spill = open(original, new RecordingListener())) {
      appendAll(spill, texts(0, COUNT));
    }
    segment = Files.readAllBytes(segments(original).get(0));
  }

  private Path withSegment(byte[] bytes) throws Exception {
    Path copy = temp.resolve("copy-" + copies.incrementAndGet());
    Files.createDirectory(copy);
    Files.copy(original.resolve(Cursor.NAME), copy.resolve(Cursor.NAME));
    Files.write(copy.resolve(segments(original).get(0).getFileName()), bytes);
    return copy;
  }

  @Test
  void shouldDeliverAPrefixWhereverTheFileIsCut() throws Exception {
    for (int length = 0; length < segment.length; length++) {
      RecordingListener listener = new RecordingListener();
      Path copy = withSegment(Arrays.copyOf(segment, length));
      List<String> delivered = SpillTesting.reopenAndDeliver(copy, listener);
      assertThat(delivered).isEqualTo(texts(0, delivered.size()));
      assertThat(delivered.size()).isLessThan(COUNT);
      assertThat(listener.failures).as("cut at %d", length).isEmpty();
      if (length >= SegmentFormat.SEGMENT_HEADER) {
        assertThat(listener.lost).as("torn tail at %d", length).hasValue(0);
        assertThat(segments(copy)).isEmpty();
      }
    }
  }

  /** The same cut after a clean stop is damage, wherever the cursor stands. */
  @ParameterizedTest
  @ValueSource(ints = {0, 1, 2})
  void shouldCountWhatIsCutFromTheLastSegmentOfACleanStop(int deliveredBefore) throws Exception {
    Path stopped = temp.resolve("stopped");
    try (Spill spill = open(stopped, new RecordingListener())) {
      appendAll(spill, texts(0, COUNT));
      assertThat(deliver(spill, deliveredBefore)).hasSize(deliveredBefore);
    }
    assertCutsAreCounted(stopped, 0, texts(deliveredBefore, COUNT));
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1, COUNT})
  void shouldCountWhatIsCutFromASegmentThatAStopPutBeforeTheOthers(int deliveredBefore)
      throws Exception {
    Path stopped = temp.resolve("stopped");
    try (Spill spill = open(stopped, new RecordingListener())) {
      appendAll(spill, texts(COUNT, 2 * COUNT));
      assertThat(deliver(spill, deliveredBefore)).hasSize(deliveredBefore);
      assertThat(spill.prepend(payloads(texts(0, COUNT)))).isEqualTo(COUNT);
    }
    List<String> waiting = new ArrayList<>(texts(0, COUNT));
    waiting.addAll(texts(COUNT + deliveredBefore, 2 * COUNT));
    int prepended = deliveredBefore == COUNT ? 1 : 0;
    assertCutsAreCounted(stopped, prepended, waiting);
  }

  /** Not forced when the power was cut, unlike the cursor. */
  @Test
  void shouldCountWhatWasPutBeforeTheOthersIfNothingIsLeftOfIt() throws Exception {
    Path stopped = temp.resolve("stopped");
    try (Spill spill = open(stopped, new RecordingListener())) {
      appendAll(spill, texts(COUNT, 2 * COUNT));
      assertThat(deliver(spill, 2)).hasSize(2);
      assertThat(spill.prepend(payloads(texts(0, COUNT)))).isEqualTo(COUNT);
    }
    Path cut = temp.resolve("cut");
    AtomicLong clock = new AtomicLong();
    try (Spill spill =
        SpillTesting.open(
            SpillTesting.config(stopped), new RecordingListener(), new Disk(), clock::get)) {
      assertThat(deliver(spill, 1)).isEqualTo(texts(0, 1));
      clock.addAndGet(Cursor.MAX_LAG_NANOS);
      spill.maintain();
      SpillTesting.copyAsAfterKill(stopped, cut);
    }
    Path name = segments(cut).get(0);
    Files.write(name, new byte[0]);
    RecordingListener listener = new RecordingListener();
    assertThat(SpillTesting.reopenAndDeliver(cut, listener)).contains("event-5");
    assertThat(listener.lost).hasPositiveValue();
    assertThat(cut.resolve(name.getFileName() + ".corrupt")).exists();
    assertThat(segments(cut)).isEmpty();
  }

  /** Where to go on is said of that one, not of whatever is there instead. */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void shouldLoseNothingBehindTheSegmentThatAnotherOneWasPutBefore(boolean removed)
      throws Exception {
    Path many = temp.resolve("many");
    String padding = "x".repeat(10_000);
    try (Spill spill = SpillTesting.open(small(many), new RecordingListener())) {
      appendAll(spill, texts(1, 13).stream().map(text -> text + padding).toList());
      assertThat(deliver(spill, 2)).hasSize(2);
      assertThat(spill.prepend(payloads(texts(0, 1)))).isOne();
    }
    assertThat(segments(many)).as("the last is empty").hasSize(4);
    Path resumed = segments(many).get(1);
    if (removed) {
      Files.delete(resumed);
    } else {
      byte[] damaged = Files.readAllBytes(resumed);
      damaged[20] ^= 1;
      Files.write(resumed, damaged);
    }
    long waiting =
        SpillInspection.inspect(many, (segment, kind, record, delivered) -> {}).stream()
            .flatMap(slot -> slot.segments().stream())
            .mapToLong(SpillInspection.Segment::waiting)
            .sum();
    assertThat(waiting).isEqualTo(7);
    List<String> expected = new ArrayList<>(texts(0, 1));
    expected.addAll(texts(7, 13));
    RecordingListener listener = new RecordingListener();
    try (Spill spill = SpillTesting.open(small(many), listener)) {
      List<String> delivered = deliverAll(spill);
      assertThat(delivered.stream().map(text -> text.replace(padding, ""))).isEqualTo(expected);
    }
    assertThat(listener.lost).as("%s", listener.losses).hasValue(4);
  }

  private static List<Spill.Payload> payloads(List<String> texts) {
    return texts.stream()
        .map(text -> text.getBytes(StandardCharsets.UTF_8))
        .map(bytes -> SpillTesting.payload(bytes, 1))
        .toList();
  }

  private void assertCutsAreCounted(Path stopped, int index, List<String> waiting)
      throws Exception {
    Path name = segments(stopped).get(index).getFileName();
    byte[] whole = Files.readAllBytes(stopped.resolve(name));
    for (int length = SegmentFormat.SEGMENT_HEADER; length < whole.length; length++) {
      Path copy = temp.resolve("copy-" + copies.incrementAndGet());
      SpillTesting.copyAsAfterKill(stopped, copy);
      byte[] left = Arrays.copyOf(whole, length);
      Files.write(copy.resolve(name), left);
      RecordingListener listener = new RecordingListener();
      List<String> delivered = SpillTesting.reopenAndDeliver(copy, listener);
      assertThat(delivered)
          .as("cut at %d", length)
          .isEqualTo(waiting.stream().filter(delivered::contains).toList());
      assertThat(delivered).as("cut at %d", length).doesNotHaveDuplicates();
      assertThat(listener.lost)
          .as("cut at %d, %s", length, delivered)
          .hasValue(waiting.size() - delivered.size())
          .hasPositiveValue();
      assertThat(Files.readAllBytes(copy.resolve(name + ".corrupt"))).isEqualTo(left);
      assertThat(segments(copy)).isEmpty();
    }
    for (int length = 0; length < SegmentFormat.SEGMENT_HEADER; length++) {
      Path copy = temp.resolve("copy-" + copies.incrementAndGet());
      SpillTesting.copyAsAfterKill(stopped, copy);
      Files.write(copy.resolve(name), Arrays.copyOf(whole, length));
      RecordingListener listener = new RecordingListener();
      SpillTesting.reopenAndDeliver(copy, listener);
      assertThat(listener.lost).as("without a header, %d bytes", length).hasPositiveValue();
    }
  }

  @Test
  void shouldCountNothingWhenMoreIsBehindTheLastRecordOfACleanStop() throws Exception {
    Path stopped = temp.resolve("stopped");
    try (Spill spill = open(stopped, new RecordingListener())) {
      appendAll(spill, texts(COUNT, 2 * COUNT));
      spill.prepend(payloads(texts(0, COUNT)));
    }
    List<Path> files = segments(stopped);
    for (Path file : files.subList(0, 2)) {
      Files.write(file, new byte[] {1, 2, 3, 4}, StandardOpenOption.APPEND);
      Files.write(file, new byte[500], StandardOpenOption.APPEND);
    }
    RecordingListener listener = new RecordingListener();
    assertThat(SpillTesting.reopenAndDeliver(stopped, listener))
        .containsExactlyElementsOf(texts(0, 2 * COUNT));
    assertThat(listener.lost).hasValue(0);
    assertThat(listener.warnings)
        .filteredOn(warning -> warning.contains("nothing is missing"))
        .hasSize(2);
    assertThat(segments(stopped)).isEmpty();
  }

  /** What is logged while the JVM exits. */
  @Test
  void shouldKeepWhatIsAppendedAfterTheEndOfReading() throws Exception {
    Path exited = temp.resolve("exited");
    Path killed = temp.resolve("killed");
    try (Spill spill = open(exited, new RecordingListener())) {
      appendAll(spill, texts(0, COUNT));
      spill.endReading();
      SpillTesting.copyAsAfterKill(exited, killed);
      appendAll(spill, texts(COUNT, 2 * COUNT));
    }
    RecordingListener listener = new RecordingListener();
    assertThat(SpillTesting.reopenAndDeliver(exited, listener))
        .containsExactlyElementsOf(texts(0, 2 * COUNT));
    assertThat(listener.lost).hasValue(0);
    assertCutsAreCounted(killed, 0, texts(0, COUNT));
  }

  @Test
  void shouldLoseOnlyTheRecordThatABitFlipsIn() throws Exception {
    List<String> all = texts(0, COUNT);
    for (int bit = 0; bit < segment.length * 8; bit++) {
      byte[] flipped = segment.clone();
      flipped[bit / 8] ^= (byte) (1 << bit % 8);
      RecordingListener listener = new RecordingListener();
      List<String> delivered = SpillTesting.reopenAndDeliver(withSegment(flipped), listener);
      List<String> inOrder = all.stream().filter(delivered::contains).toList();
      assertThat(delivered).as("bit %d", bit).isEqualTo(inOrder);
      if (bit / 8 >= SegmentFormat.SEGMENT_HEADER) {
        assertThat(delivered.size() + listener.lost.get()).as("bit %d", bit).isEqualTo(COUNT);
        assertThat(listener.lost).hasValue(1);
      } else {
        assertThat(delivered).isEmpty();
        assertThat(listener.lost.get()).isPositive();
      }
    }
  }

  @Test
  void shouldKeepACopyOfADamagedSegment() throws Exception {
    byte[] flipped = segment.clone();
    flipped[SegmentFormat.SEGMENT_HEADER + 3] ^= 1;
    Path copy = withSegment(flipped);
    SpillTesting.reopenAndDeliver(copy, new RecordingListener());
    Path kept = copy.resolve(segments(original).get(0).getFileName() + ".corrupt");
    assertThat(Files.readAllBytes(kept)).isEqualTo(flipped);
    assertThat(segments(copy)).isEmpty();
  }

  /**
   * A power cut in the middle of an fsync: of what that had not covered yet, a later page is on the
   * disk and an earlier one is not. Whether these bytes had been synced is not known, so it is
   * told.
   */
  @Test
  void shouldTellOfAHoleBetweenRecordsAndDeliverWhatIsBehindIt() throws Exception {
    int page = 4_096;
    int all = 500;
    Path live = temp.resolve("live");
    Path cut = temp.resolve("cut");
    try (Spill spill = open(live, new RecordingListener())) {
      appendAll(spill, texts(0, all));
      SpillTesting.copyAsAfterKill(live, cut);
    }
    Path file = segments(cut).get(0);
    byte[] holed = Files.readAllBytes(file);
    assertThat(holed.length).isGreaterThan(3 * page);
    assertThat(SegmentScan.of(cut)).singleElement().matches(SegmentScan.Segment::whole);
    Arrays.fill(holed, page, 2 * page, (byte) 0);
    Files.write(file, holed);
    SegmentScan.Segment scanned = SegmentScan.of(cut).get(0);
    RecordingListener listener = new RecordingListener();
    List<String> delivered = SpillTesting.reopenAndDeliver(cut, listener);
    int before = (int) (scanned.upTo() - scanned.first());
    int lost = all - delivered.size();
    List<String> expected = new ArrayList<>(texts(0, before));
    expected.addAll(texts(before + lost, all));
    assertThat(scanned.whole()).isFalse();
    assertThat(delivered).isEqualTo(expected).hasSizeGreaterThan(2 * before);
    assertThat(listener.lost).hasValue(lost).hasPositiveValue();
    assertThat(Files.readAllBytes(cut.resolve(file.getFileName() + ".corrupt"))).isEqualTo(holed);
    assertThat(segments(cut)).isEmpty();
  }

  @Test
  void shouldNotFindARecordForgedInsideAMessage() throws Exception {
    Path forged = temp.resolve("forged");
    byte[] message = new byte[1000];
    int at = SegmentFormat.SEGMENT_HEADER + SegmentFormat.RECORD_HEADER;
    // A record of another segment, and one made for the very place it will have, salt unknown.
    System.arraycopy(segment, SegmentFormat.SEGMENT_HEADER, message, 0, 100);
    byte[] made = new byte[SegmentFormat.RECORD_HEADER];
    int crc = SegmentFormat.payloadCrc(0, message, 232, 5);
    new SegmentFormat.RecordHeader(5, 1, 1L << 35, crc, 0).encode(made, 0, 0, at + 200);
    System.arraycopy(made, 0, message, 200, made.length);
    try (Spill spill = open(forged, new RecordingListener())) {
      spill.append(SpillTesting.payload(message, 1));
      appendAll(spill, List.of("after"));
    }
    Path file = segments(forged).get(0);
    byte[] bytes = Files.readAllBytes(file);
    // A copy of a record of this very segment, in another place.
    System.arraycopy(bytes, at + message.length, bytes, at + 500, 37);
    bytes[SegmentFormat.SEGMENT_HEADER] ^= 1;
    Files.write(file, bytes);
    RecordingListener listener = new RecordingListener();
    assertThat(SpillTesting.reopenAndDeliver(forged, listener)).containsExactly("after");
    assertThat(listener.lost).hasValue(1);
  }

  @Test
  void shouldCountAMissingSegmentBetweenOthers() throws Exception {
    Path many = temp.resolve("many");
    SpillConfig small = small(many);
    try (Spill spill = SpillTesting.open(small, new RecordingListener())) {
      appendLarge(spill, 6, 40_000, 10);
    }
    Files.delete(segments(many).get(2));
    byte[] badHeader = Files.readAllBytes(segments(many).get(3));
    badHeader[20] ^= 1;
    Files.write(segments(many).get(3), badHeader);
    RecordingListener listener = new RecordingListener();
    try (Spill spill = SpillTesting.open(small, listener)) {
      assertThat(deliverAll(spill)).hasSize(4);
      assertThat(spill.isEmpty()).isTrue();
    }
    assertThat(listener.lost).hasValue(20);
  }

  /** After a power cut unlinked files may be gone and the cursor as it was long before. */
  @Test
  void shouldNotCountAsLostWhatWasDeliveredBehindAStaleCursor() throws Exception {
    Path many = temp.resolve("many");
    Path cut = temp.resolve("cut");
    SpillConfig small = small(many);
    try (Spill spill = SpillTesting.open(small, new RecordingListener())) {
      byte[] fresh = Files.readAllBytes(many.resolve(Cursor.NAME));
      appendLarge(spill, 12, 20_000, 10);
      int all = segments(many).size();
      assertThat(deliver(spill, 8)).hasSize(8);
      assertThat(segments(many)).hasSizeLessThan(all);
      SpillTesting.copyAsAfterKill(many, cut);
      Files.write(cut.resolve(Cursor.NAME), fresh);
    }
    RecordingListener listener = new RecordingListener();
    SpillConfig again = small(cut);
    int left;
    try (Spill spill = SpillTesting.open(again, listener)) {
      left = deliverAll(spill).size();
      assertThat(spill.isEmpty()).isTrue();
    }
    assertThat(left).as("what is there comes, some of it again").isBetween(4, 6);
    assertThat(listener.lost).as("delivered long ago").hasValue(0);
    assertThat(listener.warnings).anyMatch(warning -> warning.contains("were delivered before"));
  }

  /** The directory was emptied since then, with its cursor, and numbers began anew. */
  @Test
  void shouldReadWhatIsNewerThanACursorThatABackupBringsBack() throws Exception {
    Path directory = temp.resolve("spill");
    Path backup = temp.resolve("backup");
    Path restored = temp.resolve("restored");
    SpillConfig config = small(directory);
    try (Spill spill = SpillTesting.open(config, new RecordingListener())) {
      appendLarge(spill, 12, 20_000, Cursor.MAX_LAG_EVENTS); // each has the cursor saved before it
      assertThat(deliverAll(spill)).hasSize(12);
      Files.copy(directory.resolve(Cursor.NAME), backup);
    }
    assertThat(directory).doesNotExist();
    try (Spill spill = SpillTesting.open(config, new RecordingListener())) {
      appendAll(spill, texts(0, COUNT));
      SpillTesting.copyAsAfterKill(directory, restored);
    }
    Files.copy(backup, restored.resolve(Cursor.NAME), StandardCopyOption.REPLACE_EXISTING);
    RecordingListener listener = new RecordingListener();
    try (Spill spill = SpillTesting.open(small(restored), listener)) {
      assertThat(deliverAll(spill)).isEqualTo(texts(0, COUNT));
      assertThat(spill.isEmpty()).isTrue();
    }
    assertThat(listener.lost).hasValue(0);
    assertThat(segments(restored)).isEmpty();
  }

  @Test
  void shouldCountAMissingSegmentBehindTheOneOfTheCursor() throws Exception {
    Path many = temp.resolve("many");
    Path cut = temp.resolve("cut");
    SpillConfig small = small(many);
    try (Spill spill = SpillTesting.open(small, new RecordingListener())) {
      appendLarge(spill, 12, 20_000, 10);
      Path first = segments(many).get(0);
      Path whole = temp.resolve("whole");
      Files.copy(first, whole);
      assertThat(deliver(spill, 3)).hasSize(3); // all of the first, which the cursor says
      SpillTesting.copyAsAfterKill(many, cut);
      Files.copy(whole, cut.resolve(first.getFileName())); // killed before it was unlinked
    }
    Files.delete(segments(cut).get(1));
    RecordingListener listener = new RecordingListener();
    SpillConfig again = small(cut);
    try (Spill spill = SpillTesting.open(again, listener)) {
      assertThat(deliverAll(spill)).hasSize(6);
    }
    assertThat(listener.lost).hasValue(30);
    assertThat(listener.losses).singleElement().asString().endsWith(" missing");
  }

  @Test
  void shouldNameASegmentThatIsMissingBetweenOthersOrReplaced() throws Exception {
    Path many = temp.resolve("many");
    SpillConfig small = small(many);
    try (Spill spill = SpillTesting.open(small, new RecordingListener())) {
      appendLarge(spill, 6, 40_000, 10);
    }
    Path missing = segments(many).get(2);
    Path moved = temp.resolve("moved");
    Files.move(missing, moved);
    Files.createSymbolicLink(missing, moved);
    RecordingListener listener = new RecordingListener();
    try (Spill spill = SpillTesting.open(small, listener)) {
      assertThat(deliverAll(spill)).hasSize(5);
      appendLarge(spill, 1, 100, 1); // so that the cursor, which is behind it, stays
    }
    assertThat(listener.lost).hasValue(10);
    assertThat(listener.losses).containsExactly(missing.getFileName() + " missing");
    String told = missing + " is not a regular file";
    String advice = listener.warnings.stream().filter(text -> text.contains(told)).findAny().get();
    Files.delete(missing);
    Files.move(moved, many.resolve(advice.replaceAll(".*put it back as \\[(.*?)].*", "$1")));
    try (Spill spill = SpillTesting.open(small, listener)) {
      assertThat(deliverAll(spill)).hasSize(1);
      assertThat(spill.readSetAside().events()).isEqualTo(10);
    }
  }

  @Test
  void shouldCountDamageInTheLiveSegment() throws Exception {
    Path live = temp.resolve("live");
    RecordingListener listener = new RecordingListener();
    try (Spill spill = open(live, listener)) {
      appendAll(spill, texts(0, 10));
      Path file = segments(live).get(0);
      byte[] bytes = Files.readAllBytes(file);
      bytes[bytes.length - 1] ^= 1;
      bytes[SegmentFormat.SEGMENT_HEADER + 1] ^= 1;
      Files.write(file, bytes);
      assertThat(deliverAll(spill)).isEqualTo(texts(1, 9));
      assertThat(spill.isEmpty()).isTrue();
      assertThat(spill.waitingBytes() + spill.setAsideEvents()).isZero();
      appendAll(spill, texts(10, 12));
      assertThat(deliverAll(spill)).isEqualTo(texts(10, 12));
    }
    assertThat(listener.lost).hasValue(2);
  }

  @Test
  void shouldNotSettleDamageBeforeAnEarlierRecordIsDelivered() throws Exception {
    Path live = temp.resolve("live");
    Path killed = temp.resolve("killed");
    SpillConfig small = small(live);
    try (Spill spill = SpillTesting.open(small, new RecordingListener())) {
      appendLarge(spill, 3, 60_000, 1);
      long waiting = spill.waitingBytes();
      Path second = segments(live).get(1);
      byte[] bytes = Files.readAllBytes(second);
      bytes[bytes.length - 1] ^= 1;
      Files.write(second, bytes);
      assertThat(spill.read()).isNotNull();
      assertThat(spill.read()).isNotNull();
      assertThat(spill.read()).isNull();
      assertThat(spill.waitingBytes()).isEqualTo(waiting);
      SpillTesting.copyAsAfterKill(live, killed);
    }
    SpillConfig again = small(killed);
    try (Spill spill = SpillTesting.open(again, new RecordingListener())) {
      assertThat(deliverAll(spill)).hasSize(2);
    }
  }

  @Test
  void shouldReplayEverythingWhenBothCursorSlotsAreBad() throws Exception {
    for (byte[] garbage : List.of(new byte[0], new byte[5], new byte[500])) {
      Path copy = withSegment(segment);
      try (Spill spill = open(copy, new RecordingListener())) {
        assertThat(deliver(spill, 2)).hasSize(2);
      }
      Files.write(copy.resolve(Cursor.NAME), garbage);
      RecordingListener listener = new RecordingListener();
      assertThat(SpillTesting.reopenAndDeliver(copy, listener)).isEqualTo(texts(0, COUNT));
      assertThat(listener.lost).hasValue(0);
    }
  }

  @Test
  void shouldFallBackToTheOlderCursorSlot() throws Exception {
    Path copy = withSegment(segment);
    try (Spill spill = open(copy, new RecordingListener())) {
      deliver(spill, 2);
    }
    byte[] cursor = Files.readAllBytes(copy.resolve(Cursor.NAME));
    HashSet<List<String>> outcomes = new HashSet<>();
    for (int slot = 0; slot < 2; slot++) {
      byte[] torn = cursor.clone();
      torn[slot * Cursor.FILE_BYTES / 2 + 20] ^= 1;
      Path again = withSegment(segment);
      Files.write(again.resolve(Cursor.NAME), torn);
      List<String> delivered = SpillTesting.reopenAndDeliver(again, new RecordingListener());
      outcomes.add(delivered);
    }
    assertThat(outcomes).containsExactlyInAnyOrder(texts(0, COUNT), texts(2, COUNT));
  }

  @Test
  void shouldTellOfWhatIsBehindACountedLossAtTheEnd() throws Exception {
    byte[] shifted = new byte[segment.length - 1];
    int cut = SegmentFormat.SEGMENT_HEADER + SegmentFormat.RECORD_HEADER + 2;
    System.arraycopy(segment, 0, shifted, 0, cut);
    System.arraycopy(segment, cut + 1, shifted, cut, shifted.length - cut);
    RecordingListener listener = new RecordingListener();
    assertThat(SpillTesting.reopenAndDeliver(withSegment(shifted), listener)).isEmpty();
    assertThat(listener.lost).as("one by its number, and at least one").hasValue(2);
  }

  @Test
  void shouldTellOfDamageBehindZerosAtTheEnd() throws Exception {
    byte[] damaged = segment.clone();
    int record = segment.length - SegmentFormat.SEGMENT_HEADER;
    int second = SegmentFormat.SEGMENT_HEADER + record / COUNT;
    Arrays.fill(damaged, second, second + SegmentFormat.RECORD_HEADER, (byte) 0);
    damaged[segment.length - record / COUNT] ^= 1;
    RecordingListener listener = new RecordingListener();
    assertThat(SpillTesting.reopenAndDeliver(withSegment(damaged), listener))
        .isEqualTo(texts(0, 1));
    assertThat(listener.lost).as("at least one").hasValue(1);
  }

  @Test
  void shouldCountWhatIsDamagedBeforeATornRecord() throws Exception {
    byte[] torn = Arrays.copyOf(segment, segment.length - 1);
    int record = (segment.length - SegmentFormat.SEGMENT_HEADER) / COUNT;
    Arrays.fill(torn, SegmentFormat.SEGMENT_HEADER, segment.length - record, (byte) 1);
    RecordingListener listener = new RecordingListener();
    assertThat(SpillTesting.reopenAndDeliver(withSegment(torn), listener)).isEmpty();
    assertThat(listener.lost).as("all but the last").hasValue(COUNT - 1);
  }

  @Test
  void shouldReadWhatIsBehindARecordOfAWrongLength() throws Exception {
    for (int length : new int[] {Integer.MAX_VALUE, segment.length - 200, 1}) {
      RecordingListener listener = new RecordingListener();
      Path copy = withSegment(forged(segment, Integer.BYTES, length));
      assertThat(SpillTesting.reopenAndDeliver(copy, listener)).isEqualTo(texts(1, COUNT));
      assertThat(listener.lost).hasValue(1);
    }
  }

  @Test
  void shouldLeaveNothingOutBehindARecordOfAWrongSequence() throws Exception {
    Path copy = withSegment(forged(segment, 16, 1 << 20));
    assertThat(SpillTesting.reopenAndDeliver(copy, new RecordingListener()))
        .isEqualTo(texts(0, COUNT));
  }

  /** Who can write a file knows its salt, and may have many headers claim the same bytes. */
  @ParameterizedTest
  @CsvSource({"65536, true", "1048577, true", "2147483647, true", "0, false"})
  void shouldReadAFileAFewTimesAtMostWhateverItsHeadersClaim(int length, boolean ofThisSegment)
      throws Exception {
    byte[] nested = nested(length, ofThisSegment);
    Path copy = withSegment(nested);
    try (Spill spill = open(copy, new RecordingListener())) {
      appendAll(spill, texts(COUNT, 2 * COUNT));
    }
    FaultyDisk disk = new FaultyDisk();
    RecordingListener listener = new RecordingListener();
    try (Spill spill =
        SpillTesting.open(SpillTesting.config(copy), listener, disk, new AtomicLong()::get)) {
      assertThat(deliverAll(spill)).isEqualTo(texts(0, 2 * COUNT));
    }
    assertThat(disk.bytesRead.get()).isLessThan(20L * nested.length);
    assertThat(listener.lost).hasPositiveValue();
  }

  /** The segment, and behind its records headers that fit, of records that do not. */
  private byte[] nested(int length, boolean ofThisSegment) {
    int headers = 1_000;
    int payload = length == Integer.MAX_VALUE ? 0 : length; // beyond the end of the file
    byte[] bytes =
        Arrays.copyOf(segment, segment.length + headers * SegmentFormat.RECORD_HEADER + payload);
    ByteBuffer header = ByteBuffer.wrap(segment);
    long sequence = ofThisSegment ? header.getLong(24) + COUNT : 0;
    for (int i = 0; i < headers; i++) {
      int at = segment.length + i * SegmentFormat.RECORD_HEADER;
      new SegmentFormat.RecordHeader(length, 1, sequence, 0, 0)
          .encode(bytes, at, header.getLong(8), at);
    }
    return bytes;
  }

  /** The cursor has the wrong number then, and its place is right. */
  @Test
  void shouldSkipNothingBehindARecordOfAWrongNumberOfEvents() throws Exception {
    Path copy = withSegment(forged(segment, 8, 1 << 20));
    try (Spill spill = open(copy, new RecordingListener())) {
      assertThat(deliver(spill, 1)).isEqualTo(texts(0, 1));
    }
    try (Spill spill = open(copy, new RecordingListener())) {
      SpillRecord second = spill.read();
      assertThat(SpillTesting.text(second)).isEqualTo("event-1");
      assertThat(second.skip()).isZero();
    }
  }

  /** The segment behind tells where this one ends, and by that number it is read already. */
  @Test
  void shouldLeaveNothingOutBehindARecordOfAWrongNumberOfEvents() throws Exception {
    Path many = temp.resolve("many");
    try (Spill spill = SpillTesting.open(small(many), new RecordingListener())) {
      appendLarge(spill, 6, 20_000, 10);
    }
    assertThat(segments(many)).hasSizeBetween(2, 3);
    Path first = segments(many).get(0);
    Files.write(first, forged(Files.readAllBytes(first), 8, 1 << 20));
    try (Spill spill = SpillTesting.open(small(many), new RecordingListener())) {
      assertThat(deliverAll(spill)).hasSize(6);
    }
  }

  /** The first record's header with another number in it, and a checksum that fits. */
  private static byte[] forged(byte[] whole, int field, int value) {
    byte[] bytes = whole.clone();
    int at = SegmentFormat.SEGMENT_HEADER;
    ByteBuffer buffer = ByteBuffer.wrap(bytes);
    buffer.putInt(at + field, value);
    CRC32C crc = SegmentFormat.salted(buffer.getLong(8));
    crc.update(ByteBuffer.allocate(Long.BYTES).putLong(0, at));
    crc.update(bytes, at, SegmentFormat.RECORD_HEADER - Integer.BYTES);
    buffer.putInt(at + SegmentFormat.RECORD_HEADER - Integer.BYTES, (int) crc.getValue());
    return bytes;
  }

  @Test
  void shouldNotCountASegmentAsLostThatAnEarlierRunSetAside() throws Exception {
    Path many = threeSegments();
    Path second = segments(many).get(1);
    long sequence = ByteBuffer.wrap(Files.readAllBytes(second)).getLong(24);
    String aside = String.format("%s.48.%x.aside", second.getFileName(), sequence);
    Files.move(second, second.resolveSibling(aside));
    RecordingListener listener = new RecordingListener();
    try (Spill spill = SpillTesting.open(small(many), listener)) {
      assertThat(deliverAll(spill)).hasSize(2);
      SpillRecord last = spill.readSetAside();
      assertThat(last.events()).isEqualTo(10);
      spill.delivered(last);
    }
    assertThat(listener.lost).hasValue(0);
  }

  @Test
  void shouldTellOfARecordSetAsideThatIsDamaged() throws Exception {
    Path many = threeSegments();
    Path first = segments(many).get(0);
    byte[] zeros = Files.readAllBytes(first);
    long sequence = ByteBuffer.wrap(zeros).getLong(24);
    Arrays.fill(zeros, SegmentFormat.SEGMENT_HEADER, zeros.length, (byte) 0);
    Files.write(
        first.resolveSibling(String.format("%s.48.%x.aside", first.getFileName(), sequence)),
        zeros);
    Files.delete(first);
    RecordingListener listener = new RecordingListener();
    try (Spill spill = SpillTesting.open(small(many), listener)) {
      assertThat(deliverAll(spill)).hasSize(2);
      assertThat(spill.readSetAside()).isNull();
    }
    assertThat(listener.lost).as("up to the next segment").hasValue(10);
  }

  /**
   * A copy has the salt and the place of its record in the segment, so that only numbers differ.
   */
  @Test
  void shouldNotDeliverOutOfAFileSetAsideWhatIsNotOfIt() throws Exception {
    byte[] aside = segment.clone();
    ByteBuffer buffer = ByteBuffer.wrap(aside);
    long first = buffer.getLong(24);
    buffer.putLong(24, first + COUNT);
    buffer.putInt(68, SegmentFormat.crc(aside, 0, 68));
    Path copy = withSegment(segment);
    Path of = segments(copy).get(0);
    Files.write(
        of.resolveSibling(String.format("%s.48.%x.aside", of.getFileName(), first + COUNT)), aside);
    RecordingListener listener = new RecordingListener();
    try (Spill spill = SpillTesting.open(small(copy), listener)) {
      assertThat(deliverAll(spill)).isEqualTo(texts(0, COUNT));
      assertThat(spill.readSetAside()).isNull();
    }
    assertThat(listener.lost).as("at least one").hasValue(1);
  }

  /** As many as were delivered are put before the others: both begin with the same number. */
  @Test
  void shouldReadAllOfWhatWasPutBeforeASegmentHoweverManyEventsItHas() throws Exception {
    Path many = temp.resolve("prepended");
    byte[] older = new byte[60_000];
    try (Spill spill = SpillTesting.open(small(many), new RecordingListener())) {
      appendLarge(spill, 3, 40_000, 10);
      assertThat(deliver(spill, 2)).hasSize(2);
      List<Spill.Payload> records =
          List.of(SpillTesting.payload(older, 10), SpillTesting.payload(older, 10));
      assertThat(spill.prepend(records)).isEqualTo(2);
    }
    RecordingListener listener = new RecordingListener();
    try (Spill spill = SpillTesting.open(small(many), listener)) {
      assertThat(deliverAll(spill)).hasSize(3);
    }
    assertThat(listener.lost).hasValue(0);
  }

  private static SpillConfig small(Path directory) {
    return new SpillConfig(directory, 1 << 20, SpillKind.BYTES, 0, null, false);
  }

  private Path threeSegments() throws Exception {
    Path many = temp.resolve("three");
    try (Spill spill = SpillTesting.open(small(many), new RecordingListener())) {
      appendLarge(spill, 3, 40_000, 10);
    }
    return many;
  }
}
