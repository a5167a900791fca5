package io.spillway.internal.spill;

import static io.spillway.internal.spill.SpillTesting.copyAsAfterKill;
import static io.spillway.internal.spill.SpillTesting.segments;
import static io.spillway.internal.spill.SpillTesting.text;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.spillway.internal.disk.Disk;
import io.spillway.testkit.FaultyDisk;
import io.spillway.testkit.InMemory;
import io.spillway.testkit.Tmpfs;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Records make room for others; what is kept stays in order, and nothing is taken for damage. */
@Tag("slow")
class EvictionTest {
  private static final long CAP = 1 << 20; // segments of 64 KiB
  private static final int KEPT = 1;
  private static final int DROPPABLE = 2;
  private static final int MOST_FILES = 2 * 16 + 4; // a copy that is half full gets no more

  @TempDir(factory = InMemory.class)
  Path temp;

  private final RecordingListener listener = new RecordingListener();
  private final Dropping dropping = new Dropping();
  private Path directory;

  @BeforeEach
  void nameDirectory() {
    directory = temp.resolve("spill");
  }

  /** Drops what may go, and knows what is gone. */
  private static final class Dropping implements Spill.Evictor {
    final List<String> gone = new ArrayList<>();
    private final List<String> chosen = new ArrayList<>();

    @Override
    public void begin() {
      chosen.clear();
    }

    @Override
    public boolean drop(SpillRecord record) {
      if (record.tag() == DROPPABLE) {
        chosen.add(text(record));
      }
      return record.tag() == DROPPABLE;
    }

    @Override
    public void end(boolean leftover) {
      gone.addAll(chosen);
    }
  }

  private static Spill open(Path directory, SpillListener listener, Disk files, long syncNanos)
      throws IOException {
    SpillConfig config = new SpillConfig(directory, CAP, SpillKind.BYTES, syncNanos, null, true);
    return SpillTesting.open(config, listener, files, System::nanoTime);
  }

  private static Spill open(Path directory, SpillListener listener) throws IOException {
    return open(directory, listener, new Disk(), 0);
  }

  private Spill open() throws IOException {
    return open(directory, listener);
  }

  /** Appends this many of one tag, which all fit. */
  private static void append(Spill spill, int count) {
    for (int i = 0; i < count; i++) {
      append(spill, i, DROPPABLE, 10_000);
    }
  }

  private void evictAll(Spill spill) {
    while (spill.evict(dropping)) {}
  }

  private static String record(int number, int length) {
    return number + "-" + "x".repeat(length);
  }

  private static int events(int number) {
    return number % 3 + 1;
  }

  private static Spill.Append append(Spill spill, int number, int tag, int length) {
    byte[] bytes = record(number, length).getBytes(UTF_8);
    return spill.append(new Spill.Payload(bytes, 0, bytes.length, events(number), tag));
  }

  /** Every fifth is kept. */
  private static int tag(int number) {
    return number % 5 == 0 ? KEPT : DROPPABLE;
  }

  /** Makes room where it has to. What is being forced just now can be had a moment later. */
  private void appendAll(Spill spill, int from, int to) {
    for (int i = from; i < to; i++) {
      while (append(spill, i, tag(i), 10_000) == Spill.Append.FULL) {
        await("room for " + i)
            .pollInSameThread() // the writer's
            .pollDelay(Duration.ZERO)
            .until(() -> spill.evict(dropping));
      }
    }
  }

  private static List<String> deliverAll(Spill spill) {
    return SpillTesting.deliverAll(spill);
  }

  /** All of so many records but those that are gone. */
  private static List<String> all(int count, List<String> gone) {
    List<String> left = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      left.add(record(i, 10_000));
    }
    left.removeAll(gone);
    return left;
  }

  @ParameterizedTest
  @ValueSource(longs = {0, 1_000_000})
  void shouldDropTheOldestAndKeepTheRestInOrder(long syncNanos) throws Exception {
    try (Spill spill = open(directory, listener, new Disk(), syncNanos)) {
      appendAll(spill, 0, 300);
      assertThat(segments(directory)).hasSizeLessThan(MOST_FILES);
      assertThat(spill.bytes()).isLessThanOrEqualTo(CAP);

      List<String> read = deliverAll(spill);

      assertThat(read)
          .isEqualTo(all(300, dropping.gone))
          .doesNotContainAnyElementsOf(dropping.gone);
      assertThat(dropping.gone).hasSizeGreaterThan(100).doesNotHaveDuplicates();
      assertThat(spill.isEmpty()).isTrue();
    }
    assertThat(listener.lost).hasValue(0);
    assertThat(listener.failures).isEmpty();
    assertThat(directory).as("a clean stop leaves nothing").doesNotExist();
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void shouldDropWhatAnEarlierRunLeft(boolean killed) throws Exception {
    try (Spill spill = open()) {
      appendAll(spill, 0, 150);
      if (killed) {
        Path first = directory;
        directory = temp.resolve("killed");
        copyAsAfterKill(first, directory);
      }
    }
    try (Spill spill = open()) {
      appendAll(spill, 150, 300);
      assertThat(segments(directory)).hasSizeLessThan(MOST_FILES);
      assertThat(spill.leftoverBytes()).isPositive();

      assertThat(deliverAll(spill)).isEqualTo(all(300, dropping.gone));
      assertThat(spill.isEmpty()).isTrue();
      assertThat(spill.leftoverBytes()).isZero();
      assertThat(spill.waitingBytes() + spill.setAsideEvents()).isZero();
    }
    assertThat(listener.lost).hasValue(0);
    assertThat(directory).isEmptyDirectory();
  }

  @Test
  void shouldLeaveWhatTheReaderHasBegunAndFindNothingMoreToDrop() throws Exception {
    try (Spill spill = open()) {
      append(spill, 12);
      SpillRecord inDelivery = spill.read();
      evictAll(spill);

      assertThat(dropping.gone).isNotEmpty().doesNotContain(record(0, 10_000), record(1, 10_000));
      spill.delivered(inDelivery);
      assertThat(deliverAll(spill))
          .isEqualTo(all(12, dropping.gone).subList(1, 12 - dropping.gone.size()));
      for (int i = 0; append(spill, i, KEPT, 10_000) == Spill.Append.APPENDED; i++) {
        assertThat(i).isLessThan(200);
      }
      assertThat(spill.evict(dropping)).as("nothing but kept ones").isFalse();
    }
    assertThat(listener.lost).hasValue(0);
  }

  @Test
  void shouldLeaveASegmentWithDamageToTheReader() throws Exception {
    try (Spill spill = open()) {
      append(spill, 30);
      Path damaged = segments(directory).get(1);
      byte[] bytes = Files.readAllBytes(damaged);
      bytes[SegmentFormat.SEGMENT_HEADER + SegmentFormat.RECORD_HEADER + 5_000] ^= 1;
      Files.write(damaged, bytes);
      evictAll(spill);

      List<String> read = deliverAll(spill);
      assertThat(read).hasSizeBetween(4, 6); // the others of the damaged one
      assertThat(read.size() + dropping.gone.size()).isEqualTo(29);
    }
    assertThat(listener.lost).hasPositiveValue();
  }

  /** What is missing in it would be missing in the copy, and nobody would know. */
  @Test
  void shouldNotMergeALeftoverThatWasCut() throws Exception {
    try (Spill spill = open()) {
      append(spill, 30);
    }
    Path cut = segments(directory).get(1);
    try (FileChannel channel = FileChannel.open(cut, StandardOpenOption.WRITE)) {
      channel.truncate(12_000);
    }
    try (Spill spill = open()) {
      evictAll(spill);
      List<String> read = deliverAll(spill);
      assertThat(listener.lost.get() + eventsOf(read) + eventsOf(dropping.gone))
          .isEqualTo(eventsOf(all(30, List.of())));
    }
  }

  @Test
  void shouldCountOnceWhatMadeRoomInACopyThatIsCutWhileInUse() throws Exception {
    try (Spill spill = open()) {
      for (int i = 0; i < 30; i++) {
        append(spill, i, tag(i), 10_000);
      }
      evictAll(spill);
      int first = record(0, 10_000).length();
      try (FileChannel channel =
          FileChannel.open(segments(directory).get(0), StandardOpenOption.WRITE)) {
        channel.truncate(SegmentFormat.SEGMENT_HEADER + SegmentFormat.RECORD_HEADER + first);
      }
      List<String> read = deliverAll(spill);
      assertThat(listener.lost.get() + eventsOf(read) + eventsOf(dropping.gone))
          .isEqualTo(eventsOf(all(30, List.of())));
    }
    assertThat(listener.lost).hasPositiveValue();
  }

  /** What is missing in between is counted by nobody else. */
  @Test
  void shouldNotMergeLeftoversBetweenWhichOneIsMissing() throws Exception {
    try (Spill spill = open()) {
      append(spill, 30);
    }
    Files.delete(segments(directory).get(1));
    try (Spill spill = open()) {
      evictAll(spill);
      List<String> read = deliverAll(spill);
      assertThat(listener.lost.get() + eventsOf(read) + eventsOf(dropping.gone))
          .isEqualTo(eventsOf(all(30, List.of())));
    }
  }

  @ParameterizedTest
  @CsvSource({"delete, 0, false", "delete, 0, true", "syncDirectory, 1000000, true"})
  void shouldUnlinkLaterWhatCouldNotBeUnlinkedWhenItWasMerged(
      String step, long syncNanos, boolean leftovers) throws Exception {
    FaultyDisk files = new FaultyDisk();
    Path killed = temp.resolve("killed");
    Thread writer = Thread.currentThread(); // the syncer has its own failures
    Spill spill = open(directory, listener, files, syncNanos);
    try {
      for (int i = 0; i < 40; i++) {
        append(spill, i, tag(i), 10_000);
      }
      if (leftovers) {
        spill.close();
        spill = open(directory, listener, files, syncNanos);
      }
      files.hook(
          (number, operation, path) -> {
            if (operation.equals(step)
                && Thread.currentThread() == writer
                && (path.equals(directory) || path.toString().endsWith(SlotListing.SUFFIX))) {
              throw new IOException("Operation not permitted (injected)");
            }
          });
      evictAll(spill);
      copyAsAfterKill(directory, killed);
      files.hook((number, operation, path) -> {});
      int stuck = segments(directory).size();
      spill.maintain();
      assertThat(segments(directory)).hasSizeLessThan(stuck);
      assertThat(spill.bytes()).isEqualTo(bytes(segments(directory)));
      assertThat(deliverAll(spill)).isEqualTo(all(40, dropping.gone));
    } finally {
      spill.close();
    }
    assertThat(directory.resolve(Cursor.NAME)).as("nothing is left").doesNotExist();
    assertThat(SpillTesting.reopenAndDeliver(directory, listener)).isEmpty();
    List<String> waiting = new ArrayList<>();
    SpillInspection.inspect(
        killed,
        (segment, kind, record, delivered) -> waiting.add(new String(record.payload(), UTF_8)));
    assertThat(waiting).isEqualTo(all(40, dropping.gone));
    assertThat(listener.lost).hasValue(0);
  }

  /** The segment that told where it ends is no file of its own any more. */
  @ParameterizedTest
  @ValueSource(strings = {"afterWrite", "write"})
  void shouldNotReadWhatAFailedWriteLeftBeforeSegmentsThatWereMerged(String failed)
      throws Exception {
    FaultyDisk files = new FaultyDisk();
    try (Spill spill = open(directory, listener, files, 0)) {
      for (int i = 0; i < 3; i++) {
        append(spill, i, KEPT, 10_000);
      }
      files.failing.addAll(List.of(failed, "truncate"));
      assertThat(append(spill, 3, KEPT, 10_000)).isEqualTo(Spill.Append.FAILED);
      files.heal();
      for (int i = 3; i < 40; i++) {
        append(spill, i, i == 3 ? KEPT : tag(i), 10_000);
      }
      int segments = segments(directory).size();
      evictAll(spill);
      assertThat(segments(directory)).hasSizeLessThan(segments);
    }
    assertThat(SpillTesting.reopenAndDeliver(directory, listener))
        .isEqualTo(all(40, dropping.gone));
    assertThat(listener.lost).hasValue(0);
  }

  /** One huge record must not keep all others from making room. */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void shouldMakeRoomElsewhereIfThereIsNoMemoryForARecord(boolean leftovers) throws Exception {
    FaultyDisk files = new FaultyDisk();
    AtomicLong clock = new AtomicLong();
    SpillConfig config = new SpillConfig(directory, CAP, SpillKind.BYTES, 0, null, true);
    Spill spill = SpillTesting.open(config, listener, files, clock::get);
    try {
      append(spill, 12);
      if (leftovers) {
        spill.close();
        spill = SpillTesting.open(config, listener, files, clock::get);
      }
      Path first = segments(directory).get(0);
      AtomicLong headers = new AtomicLong(leftovers ? 2 : 0); // of the file
      files.hook(
          (number, operation, path) -> {
            if (operation.equals("read") && path.equals(first) && headers.decrementAndGet() < 0) {
              throw new OutOfMemoryError("injected");
            }
          });
      assertThat(spill.evict(dropping)).as("by the second").isTrue();
      assertThat(dropping.gone).isNotEmpty().doesNotContain(record(0, 10_000));
      assertThat(listener.failures).containsExactly("make room in");
      files.hook((number, operation, path) -> {});
      assertThat(spill.evict(dropping)).isTrue();
      assertThat(dropping.gone).contains(record(0, 10_000));
      assertThat(deliverAll(spill)).isEqualTo(all(12, dropping.gone));
    } finally {
      spill.close();
    }
    assertThat(listener.lost).hasValue(0);
  }

  /** How much of it is delivered is said by what a stop has put before it. */
  @Test
  void shouldLeaveAloneWhatWasDeliveredInPartBeforeAFileSetAside() throws Exception {
    byte[] older = record(100, 10).getBytes(UTF_8);
    try (Spill spill = open()) {
      append(spill, 6);
      assertThat(SpillTesting.deliver(spill, 2)).hasSize(2);
      Spill.Payload payload = new Spill.Payload(older, 0, older.length, 1, KEPT);
      assertThat(spill.prepend(List.of(payload))).isOne();
    }
    Path prepended = segments(directory).get(0);
    Disk files = new Disk();
    SegmentFormat.SegmentHeader header =
        SegmentFormat.header(
            files,
            new SlotListing.Leftover(
                prepended, SegmentFormat.NUMBER_STEP - 1, Files.size(prepended)));
    long end = header.endSequence(null);
    SlotListing.Rest rest =
        new SlotListing.Rest(SegmentFormat.SEGMENT_HEADER, header.firstSequence(), end);
    files.rename(
        prepended, SlotListing.Aside.of(directory, header.number(), rest, 0).path()); // not saved
    try (Spill spill = open()) {
      assertThat(spill.evict(dropping)).isFalse();
      assertThat(deliverAll(spill))
          .isEqualTo(IntStream.range(2, 6).mapToObj(i -> record(i, 10_000)).toList());
      assertThat(text(spill.readSetAside())).isEqualTo(record(100, 10));
    }
    assertThat(listener.lost).hasValue(0);
  }

  private static long bytes(List<Path> paths) throws IOException {
    long bytes = 0;
    for (Path path : paths) {
      bytes += Files.size(path);
    }
    return bytes;
  }

  @Test
  void shouldMakeRoomInALeftoverOnceItsCopyCanBeRenamed() throws Exception {
    try (Spill spill = open()) {
      append(spill, 12);
    }
    FaultyDisk files = new FaultyDisk();
    AtomicLong clock = new AtomicLong();
    SpillConfig config = new SpillConfig(directory, CAP, SpillKind.BYTES, 0, null, true);
    try (Spill spill = SpillTesting.open(config, listener, files, clock::get)) {
      files.failing.add("replace");
      assertThat(spill.evict(dropping)).isFalse();
      files.heal();
      clock.addAndGet(Duration.ofSeconds(2).toNanos());
      assertThat(spill.evict(dropping)).isTrue();
      evictAll(spill);
      assertThat(deliverAll(spill)).isEqualTo(all(12, dropping.gone));
    }
    assertThat(listener.lost).hasValue(0);
  }

  /** One more may have been read that is not delivered. */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void shouldLoseOnlyWhatWaitedInARemovedCopy(boolean ahead) throws Exception {
    FaultyDisk files = new FaultyDisk();
    try (Spill spill = open(directory, listener, files, 0)) {
      for (int i = 0; i < 30; i++) {
        append(spill, i, tag(i), 10_000);
      }
      evictAll(spill);
      List<String> waiting = all(30, dropping.gone);
      waiting.removeAll(SpillTesting.deliver(spill, 2));
      if (ahead) {
        assertThat(text(spill.read())).isEqualTo(waiting.get(0));
      }
      for (Path file : SlotListing.entries(new Disk(), directory)) {
        Files.delete(file);
      }
      Files.delete(directory);
      files.failing.addAll(List.of("createDirectory", "create"));
      assertThat(spill.loseRemoved()).isEqualTo(eventsOf(waiting));
    }
  }

  /** As other segments: what is held open is written again. */
  @Test
  void shouldLoseNothingOfACopyWhoseDirectoryIsRemoved() throws Exception {
    AtomicLong clock = new AtomicLong();
    SpillConfig config = new SpillConfig(directory, CAP, SpillKind.BYTES, 0, null, true);
    try (Spill spill = SpillTesting.open(config, listener, new Disk(), clock::get)) {
      for (int i = 0; i < 30; i++) {
        append(spill, i, tag(i), 10_000);
      }
      evictAll(spill);
      for (Path file : SlotListing.entries(new Disk(), directory)) {
        Files.delete(file);
      }
      Files.delete(directory);
      clock.addAndGet(10_000_000_000L);
      spill.keep();

      assertThat(deliverAll(spill)).isEqualTo(all(30, dropping.gone));
      assertThat(spill.waitingBytes()).isZero();
    }
    assertThat(listener.lost).hasValue(0);
    assertThat(listener.warnings).isEmpty();
  }

  /** A copy takes room itself: the first that is small enough is made. */
  @Test
  void shouldMakeRoomOnAFullDiskWhereTheCopyFits() throws Exception {
    try (Tmpfs disk = new Tmpfs(temp.resolve("disk"), "size=512k")) {
      directory = disk.directory().resolve("spill");
      disk.ballast("spare", 4_096);
      List<String> appended = new ArrayList<>();
      try (Spill spill = open()) {
        Spill.Append done;
        int number = 0;
        while ((done = append(spill, number, number < 20 ? tag(number) : DROPPABLE, 10_000))
            == Spill.Append.APPENDED) {
          appended.add(record(number++, 10_000));
        }
        assertThat(done).isEqualTo(Spill.Append.DISK_FULL);
        disk.drop("spare");
        assertThat(spill.evict(dropping)).as("room is made").isTrue();
        assertThat(append(spill, number, KEPT, 10_000)).isEqualTo(Spill.Append.APPENDED);
        appended.add(record(number, 10_000));
        appended.removeAll(dropping.gone);
        assertThat(deliverAll(spill)).isEqualTo(appended);
        assertThat(spill.waitingBytes() + spill.setAsideEvents()).isZero();
      }
      assertThat(listener.lost).hasValue(0);
    }
  }

  /** Whatever bit of it flips: what made room is counted once. */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void shouldCountOnceWhatMadeRoomIfItsMarkerIsDamaged(boolean leftover) throws Exception {
    Path whole = temp.resolve("whole");
    List<String> appended = new ArrayList<>();
    try (Spill spill = open()) {
      makeRoomTwice(spill, dropping, appended);
      copyAsAfterKill(directory, whole);
    }
    appended.removeAll(dropping.gone);
    int flipped = 0;
    for (Path segment : segments(whole)) {
      for (int marker : markers(segment)) {
        for (int at = marker; at < marker + SegmentFormat.RECORD_HEADER; at++) {
          RecordingListener told = new RecordingListener();
          directory = temp.resolve("flipped" + flipped++);
          if (leftover) {
            copyAsAfterKill(whole, directory);
            flip(directory.resolve(segment.getFileName()), at);
          }
          try (Spill spill = open(directory, told)) {
            if (!leftover) {
              makeRoomTwice(spill, new Dropping(), new ArrayList<>());
              flip(directory.resolve(segment.getFileName()), at);
            }
            assertThat(deliverAll(spill)).as("byte %d of %s", at, segment).isEqualTo(appended);
            assertThat(spill.waitingBytes() + spill.setAsideEvents()).isZero();
          }
          assertThat(told.lost).as("byte %d of the marker at %d", at - marker, marker).hasValue(0);
        }
      }
    }
    assertThat(flipped).isGreaterThan(6 * SegmentFormat.RECORD_HEADER);
  }

  private static void flip(Path file, int at) throws IOException {
    byte[] bytes = Files.readAllBytes(file);
    bytes[at] ^= 4;
    Files.write(file, bytes);
  }

  /** Where they are in a segment. */
  private static List<Integer> markers(Path segment) throws IOException {
    byte[] bytes = Files.readAllBytes(segment);
    String name = segment.getFileName().toString();
    long number = Long.parseLong(name.substring(0, name.indexOf('.')), 16);
    long salt = SegmentFormat.SegmentHeader.decode(bytes, number).salt();
    List<Integer> markers = new ArrayList<>();
    SegmentFormat.RecordHeader record;
    for (int at = SegmentFormat.SEGMENT_HEADER;
        at < bytes.length;
        at += SegmentFormat.RECORD_HEADER + record.length()) {
      record = SegmentFormat.RecordHeader.decode(bytes, at, salt, at);
      if (record.isEvicted()) {
        markers.add(at);
      }
    }
    return markers;
  }

  private static long eventsOf(List<String> texts) {
    return texts.stream().mapToLong(text -> events(number(text))).sum();
  }

  /** Two rounds of making room, the second of which goes on with the copies of the first. */
  private static void makeRoomTwice(Spill spill, Dropping dropping, List<String> appended) {
    for (int i = 0; i < 40; i++) {
      if (append(spill, i, tag(i), 10_000) == Spill.Append.APPENDED) {
        appended.add(record(i, 10_000));
      }
      if (i % 20 == 19) {
        spill.evict(dropping);
        spill.evict(dropping);
      }
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void shouldLoseNothingWhicheverOperationFails(boolean forEver) throws Exception {
    FaultyDisk counting = new FaultyDisk();
    fail(temp.resolve("count"), counting);
    long operations = counting.operations.get();
    assertThat(operations).isGreaterThan(150);
    for (long n = 1; n <= operations; n++) {
      FaultyDisk files = new FaultyDisk();
      files.failAt(n, forEver);
      fail(temp.resolve("n" + n), files);
    }
  }

  private static void fail(Path failing, FaultyDisk files) throws Exception {
    Dropping before = new Dropping();
    RecordingListener told = new RecordingListener();
    List<String> appended = new ArrayList<>();
    List<String> seen = new ArrayList<>();
    long n = files.operations.get();
    try (Spill spill = open(failing, told, files, 0)) {
      makeRoomTwice(spill, before, appended);
      seen.addAll(SpillTesting.deliver(spill, 3));
    } catch (IOException e) {
      n = 0; // it could not be opened
    }
    Dropping again = new Dropping();
    try (Spill spill = open(failing, told)) {
      while (spill.evict(again)) {}
      seen.addAll(deliverAll(spill));
    }
    appended.removeAll(before.gone);
    appended.removeAll(again.gone);
    List<String> once = seen.stream().distinct().toList(); // delivered before the cursor failed
    assertThat(without(appended, once)).as("operation %d", n).isEmpty();
    assertThat(without(once, without(once, before.gone))).as("gone").isEmpty();
    assertThat(told.lost).as("operation %d of %s", n, failing).hasValue(0);
  }

  @ParameterizedTest
  @Tag("gate")
  @ValueSource(booleans = {false, true})
  void shouldLoseNothingWhenItIsKilledAtAnyStep(boolean leftovers) throws Exception {
    FaultyDisk files = new FaultyDisk();
    List<Path> killed = new ArrayList<>();
    List<List<String>> goneThen = new ArrayList<>();
    List<String> appended = new ArrayList<>();
    Spill first = open(directory, new RecordingListener(), files, 0);
    Spill spill = first;
    for (int i = 0; i < 40; i++) {
      append(first, i, tag(i), 10_000);
      appended.add(record(i, 10_000));
    }
    if (leftovers) {
      first.close();
      spill = open(directory, new RecordingListener(), files, 0);
    }
    files.hook(
        (number, operation, path) -> {
          Path copy = temp.resolve("killed" + killed.size() + "-" + operation);
          copyAsAfterKill(directory, copy);
          killed.add(copy);
          goneThen.add(List.copyOf(dropping.gone));
        });
    for (int rounds = 0; rounds < 4; rounds++) {
      spill.evict(dropping);
    }
    files.hook((number, operation, path) -> {});
    spill.close();

    assertThat(killed).hasSizeGreaterThan(80);
    assertThat(killed).anyMatch(path -> path.toString().contains("delete"));
    for (int i = 0; i < killed.size(); i++) {
      RecordingListener told = new RecordingListener();
      List<String> read;
      try (Spill after = open(killed.get(i), told)) {
        read = deliverAll(after);
        assertThat(after.isEmpty()).isTrue();
      }
      assertThat(read).as("%s", killed.get(i)).isSubsetOf(appended).doesNotHaveDuplicates();
      List<String> kept = new ArrayList<>(appended);
      kept.removeIf(text -> tag(Integer.parseInt(text.split("-")[0])) == DROPPABLE);
      assertThat(without(kept, read)).isEmpty();
      assertThat(read).isSortedAccordingTo((a, b) -> number(a) - number(b));
      List<String> others = new ArrayList<>(appended);
      others.removeAll(dropping.gone);
      assertThat(without(others, read)).isEmpty();
      assertThat(without(read, without(read, goneThen.get(i)))).as("gone").isEmpty();
      assertThat(told.lost).as("%s", killed.get(i)).hasValue(0);
      assertThat(killed.get(i)).isEmptyDirectory();
    }
  }

  private static List<String> without(List<String> all, List<String> some) {
    List<String> rest = new ArrayList<>(all);
    rest.removeAll(some);
    return rest;
  }

  private static int number(String text) {
    return Integer.parseInt(text.substring(0, text.indexOf('-')));
  }

  /** Any order of appending, delivering, making room, stopping and being killed. */
  @Test
  void shouldKeepToTheModel() throws Exception {
    for (long seed = 1; seed <= 60; seed++) {
      new Model(temp.resolve("seed" + seed), seed).run();
    }
  }

  private final class Model {
    private final Random random;
    private final Path base;
    private final long seed;
    private final List<String> waiting = new ArrayList<>();
    private Spill spill;
    private int runs;
    private int next;

    Model(Path base, long seed) throws IOException {
      this.base = base;
      this.seed = seed;
      random = new Random(seed);
      directory = base.resolve("run0");
      spill = open();
    }

    void run() throws Exception {
      for (int step = 0; step < 400; step++) {
        int dice = random.nextInt(100);
        if (dice < 70) {
          add();
        } else if (dice < 85) {
          deliver(random.nextInt(6));
        } else if (dice < 96) {
          evict();
        } else if (dice < 98) {
          spill.close();
          spill = open();
        } else {
          kill();
        }
      }
      deliver(Integer.MAX_VALUE);
      assertThat(waiting).as("seed %d", seed).isEmpty();
      assertThat(spill.isEmpty()).isTrue();
      assertThat(spill.waitingBytes() + spill.setAsideEvents()).isZero();
      spill.close();
      assertThat(listener.lost).as("seed %d", seed).hasValue(0);
      assertThat(listener.failures).isEmpty();
      assertThat(directory).isEmptyDirectory();
    }

    private void add() {
      int tag = random.nextInt(4) == 0 ? KEPT : DROPPABLE;
      int length = 5_000 + random.nextInt(20_000);
      if (append(spill, next, tag, length) == Spill.Append.APPENDED) {
        waiting.add(record(next, length));
      }
      next++;
    }

    private void evict() {
      dropping.gone.clear();
      spill.evict(dropping);
      assertThat(without(dropping.gone, waiting)).as("seed %d", seed).isEmpty();
      waiting.removeAll(dropping.gone);
    }

    private void deliver(int most) {
      Iterator<String> expected = List.copyOf(waiting).iterator();
      for (String read : SpillTesting.deliver(spill, most)) {
        assertThat(read).as("seed %d", seed).isEqualTo(expected.next());
        waiting.remove(0);
      }
    }

    /** What was delivered last may come again, before the rest. */
    private void kill() throws IOException {
      Path killed = base.resolve("run" + ++runs);
      copyAsAfterKill(directory, killed);
      spill.close();
      directory = killed;
      spill = open();
      List<String> read = SpillTesting.deliver(spill, Integer.MAX_VALUE);
      assertThat(read.subList(read.size() - waiting.size(), read.size()))
          .as("seed %d", seed)
          .isEqualTo(waiting);
      waiting.clear();
    }
  }

  /** What has made room, or damage, is between it and the record before. */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void shouldGoOnWithinARecordThatFollowsAGap(boolean damaged) throws Exception {
    try (Spill spill = open()) {
      append(spill, 0, KEPT, 60_000);
      spill.delivered(spill.read());
      for (int number : new int[] {3, 1, 2}) {
        append(spill, number, number == 1 && !damaged ? DROPPABLE : KEPT, 10_000);
      }
      append(spill, 4, KEPT, 60_000);
      if (damaged) {
        Path segment = segments(directory).get(segments(directory).size() - 2);
        byte[] bytes = Files.readAllBytes(segment);
        int second = SegmentFormat.SEGMENT_HEADER + SegmentFormat.RECORD_HEADER + 10_002;
        bytes[second + SegmentFormat.RECORD_HEADER + 5_000] ^= 1;
        Files.write(segment, bytes);
      } else {
        assertThat(spill.evict(dropping)).isTrue();
      }
      SpillRecord record = spill.read();
      assertThat(text(record)).isEqualTo(record(3, 10_000));
      spill.delivered(record);
      record = spill.read();
      assertThat(text(record)).isEqualTo(record(2, 10_000));
      spill.deliveredPart(record, 1);
    }
    try (Spill next = open()) {
      SpillRecord rest = next.read();
      assertThat(text(rest)).isEqualTo(record(2, 10_000));
      assertThat(rest.skip()).isOne();
    }
  }
}
