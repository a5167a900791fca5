package io.spillway.internal.spill;

import static io.spillway.internal.spill.SpillTesting.append;
import static io.spillway.internal.spill.SpillTesting.appendAll;
import static io.spillway.internal.spill.SpillTesting.deliver;
import static io.spillway.internal.spill.SpillTesting.deliverAll;
import static io.spillway.internal.spill.SpillTesting.segments;
import static io.spillway.internal.spill.SpillTesting.texts;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.spillway.internal.disk.Disk;
import io.spillway.testkit.FaultyDisk;
import io.spillway.testkit.Gate;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What a sync interval promises, short of a power cut. */
class SpillSyncTest {
  private static final long CAP = 1 << 20;
  private static final long INTERVAL_NANOS = 1_000_000;
  private static final long NEVER_NANOS = Long.MAX_VALUE / 4;
  private static final String THREAD = "spillway-spill-sync";

  @TempDir Path temp;

  private final FaultyDisk files = new FaultyDisk();
  private final RecordingListener listener = new RecordingListener();
  private final AtomicBoolean destination = new AtomicBoolean(true);

  private Spill open(Path directory, long intervalNanos) throws IOException {
    SpillConfig config =
        new SpillConfig(directory, CAP, SpillKind.BYTES, intervalNanos, null, false);
    LongSupplier fast = () -> System.nanoTime() * 1_000; // no pause lasts
    return SpillTesting.open(config, listener, destination::get, files, fast);
  }

  /** Each fills most of a segment. */
  private static List<String> large(int from, int to) {
    return texts(from, to).stream().map(text -> text + "x".repeat(40_000)).toList();
  }

  @Test
  void shouldForceAtOnceForWhoWaitsAndTellOnlyAfterASyncThatSucceeded() throws Exception {
    List<Boolean> told = new CopyOnWriteArrayList<>();
    try (Spill spill = open(temp.resolve("spill"), 50_000_000)) {
      append(spill, "first");
      spill.whenSynced(told::add);
      await().until(() -> told.equals(List.of(true)));
      assertThat(spill.syncedEvents()).isEqualTo(1);

      files.failing.add("sync");
      append(spill, "second");
      spill.whenSynced(told::add);
      long failed = files.operations.get();
      await().until(() -> files.operations.get() > failed + 5); // tried, and tried again
      assertThat(told).as("while no sync succeeds").hasSize(1);

      files.heal();
      await()
          .until(
              () -> {
                append(spill, "more"); // a segment that is not to be written again yet is sealed
                return told.size() == 2;
              });
      assertThat(told).containsExactly(true, true);
      assertThat(spill.syncedEvents()).isGreaterThanOrEqualTo(2);
    }
  }

  @Test
  void shouldTellWhoWaitsAtAnEndWithoutASync() throws Exception {
    List<Boolean> told = new CopyOnWriteArrayList<>();
    try (Spill spill = open(temp.resolve("spill"), NEVER_NANOS)) {
      append(spill, "first");
      files.failing.add("sync");
      spill.whenSynced(told::add);
    }
    assertThat(told).containsExactly(false);
  }

  /** Over only if it is asked by one thread, so that it is that one which has to look. */
  private record Waiting(String thread, List<Boolean> told) implements Spill.AwaitsSync {
    @Override
    public boolean isOver() {
      return Thread.currentThread().getName().equals(thread);
    }

    @Override
    public void synced(boolean all) {
      told.add(all);
    }
  }

  /** Else they pile up for as long as syncs fail, each with a thread that is gone, too. */
  @Test
  void shouldForgetWhoNoLongerWaitsWhileSyncsFail() throws Exception {
    List<Boolean> told = new CopyOnWriteArrayList<>();
    Waiting gone = new Waiting(THREAD, new CopyOnWriteArrayList<>());
    files.failing.add("sync");
    try (Spill spill = open(temp.resolve("spill"), INTERVAL_NANOS)) {
      append(spill, "event");
      spill.whenSynced(gone);
      spill.whenSynced(told::add);
      int failures = listener.failures.size();
      await().until(() -> listener.failures.size() > failures + 2);
    }
    assertThat(gone.told).isEmpty();
    assertThat(told).containsExactly(false);
  }

  /** While the thread that syncs does nothing, whoever comes next does. */
  @Test
  void shouldForgetWhoNoLongerWaitsWhileASyncHangs() throws Exception {
    List<Boolean> told = new CopyOnWriteArrayList<>();
    Waiting gone = new Waiting(Thread.currentThread().getName(), new CopyOnWriteArrayList<>());
    Gate gate = new Gate();
    gate.shut();
    files.hook(
        (number, operation, path) -> {
          boolean syncs = Thread.currentThread().getName().equals(THREAD);
          if (syncs && operation.equals("sync")) {
            gate.pass();
          }
        });
    try (Spill spill = open(temp.resolve("spill"), INTERVAL_NANOS)) {
      append(spill, "first");
      await().until(gate::isHolding);
      append(spill, "second");
      spill.whenSynced(gone);
      spill.whenSynced(told::add);
      gate.open();
      await().until(() -> told.equals(List.of(true)));
      assertThat(gone.told).isEmpty();
    } finally {
      gate.open();
    }
  }

  @Test
  void shouldKeepWhatIsDeliveredUntilItsDestinationIsForced() throws Exception {
    Path directory = temp.resolve("spill");
    destination.set(false);
    List<String> all = large(0, 6);
    try (Spill spill = open(directory, INTERVAL_NANOS)) {
      appendAll(spill, all);
      assertThat(deliverAll(spill)).isEqualTo(all);
      assertThat(spill.isEmpty()).as("delivered, so that memory may be used again").isTrue();
      await().until(() -> spill.syncedEvents() == 6);
      spill.maintain();
      assertThat(segments(directory)).hasSize(6);
      Path cut = temp.resolve("cut");
      SpillTesting.copyAsAfterKill(directory, cut);
      assertThat(SpillTesting.reopenAndDeliver(cut, listener)).as("come again").isEqualTo(all);

      destination.set(true);
      await()
          .until(
              () -> {
                spill.maintain();
                return segments(directory).size() <= 1;
              });
      SpillTesting.copyAsAfterKill(directory, temp.resolve("forced"));
      assertThat(SpillTesting.reopenAndDeliver(temp.resolve("forced"), listener)).isEmpty();
    }
    assertThat(directory).doesNotExist();
    assertThat(listener.lost).hasValue(0);
  }

  /** It may be missing in what was forced. */
  @Test
  void shouldNotTakeForForcedWhatIsDeliveredWhileItsDestinationIsBeingForced() throws Exception {
    Path directory = temp.resolve("spill");
    Path cut = temp.resolve("cut");
    AtomicReference<Spill> delivering = new AtomicReference<>();
    BooleanSupplier forcing =
        () -> {
          Spill spill = delivering.getAndSet(null);
          return spill == null || deliver(spill, 1).size() == 1;
        };
    SpillConfig config = new SpillConfig(directory, CAP, SpillKind.BYTES, NEVER_NANOS, null, false);
    try (Spill spill = SpillTesting.open(config, listener, forcing, files, System::nanoTime)) {
      appendAll(spill, texts(0, 4));
      deliver(spill, 1);
      delivering.set(spill);
      spill.endReading();
      SpillTesting.copyAsAfterKill(directory, cut);
    }
    assertThat(delivering).hasValue(null);
    assertThat(SpillTesting.reopenAndDeliver(cut, listener)).isEqualTo(texts(1, 4));
  }

  @Test
  void shouldLetGoAtACleanStopWhatTheLastTurnForced() throws Exception {
    Path directory = temp.resolve("spill");
    try (Spill spill = open(directory, NEVER_NANOS)) {
      appendAll(spill, large(0, 6));
      deliverAll(spill);
    }
    assertThat(directory).doesNotExist();
  }

  @Test
  void shouldRepeatNothingAfterAnExitThatLeavesTheRestToTheNextStart() throws Exception {
    Path directory = temp.resolve("spill");
    Path exited = temp.resolve("exited");
    try (Spill spill = open(directory, NEVER_NANOS)) {
      appendAll(spill, texts(0, 6));
      deliver(spill, 3);
      spill.endReading();
      SpillTesting.copyAsAfterKill(directory, exited);
    }
    assertThat(listener.notices).isEmpty();
    assertThat(SpillTesting.reopenAndDeliver(exited, listener)).isEqualTo(texts(3, 6));
    assertThat(listener.lost).hasValue(0);
  }

  /** It is tried once: a log that has lost something fails until a restart. */
  @Test
  void shouldTellOnceAtAnExitThatTheLogCouldNotBeForced() throws Exception {
    Path directory = temp.resolve("spill");
    Path exited = temp.resolve("exited");
    destination.set(false);
    try (Spill spill = open(directory, NEVER_NANOS)) {
      appendAll(spill, texts(0, 4));
      deliver(spill, 2);
      spill.bypassed();
      appendAll(spill, texts(5, 6));
      assertThat(spill.prepend(payloads(texts(4, 5)))).isEqualTo(1);
      spill.endReading();
      spill.endReading();
      SpillTesting.copyAsAfterKill(directory, exited);
    }
    assertThat(SpillTesting.reopenAndDeliver(exited, new RecordingListener()))
        .containsAll(texts(0, 6));
    assertThat(listener.notices)
        .filteredOn(notice -> notice.contains("could not be forced"))
        .hasSize(1);
  }

  @Test
  void shouldForceAtOnceWhenWhatIsDeliveredTakesTheRoom() throws Exception {
    Path directory = temp.resolve("spill");
    try (Spill spill = open(directory, NEVER_NANOS)) {
      String text = "x".repeat(40_000);
      int appended = 0;
      while (append(spill, text) == Spill.Append.APPENDED) {
        appended++;
      }
      assertThat(deliverAll(spill)).hasSize(appended);
      await()
          .until(
              () -> {
                spill.maintain();
                return append(spill, text) == Spill.Append.APPENDED;
              });
      assertThat(deliverAll(spill)).hasSize(1);
    }
  }

  /** Whatever was delivered may be missing in the log, and comes again, before what is newer. */
  @ParameterizedTest
  @ValueSource(ints = {0, 40_000}) // in one segment, or one for each
  void shouldComeBackInOrderAfterAStopWhoseDestinationCouldNotBeForced(int padding)
      throws Exception {
    Path directory = temp.resolve("spill");
    List<String> all = texts(0, 8).stream().map(text -> text + "x".repeat(padding)).toList();
    destination.set(false);
    try (Spill spill = open(directory, INTERVAL_NANOS)) {
      appendAll(spill, all.subList(0, 4));
      deliver(spill, 4);
      spill.bypassed();
      appendAll(spill, all.subList(6, 8));
      assertThat(spill.prepend(payloads(all.subList(4, 6)))).isEqualTo(2);
    }
    assertThat(comeBack(directory)).isEqualTo(all);
    assertThat(listener.notices).anyMatch(notice -> notice.contains("could not be forced"));
  }

  private List<String> comeBack(Path directory) throws IOException {
    RecordingListener again = new RecordingListener();
    List<String> texts = SpillTesting.reopenAndDeliver(directory, again);
    assertThat(again.lost).hasValue(0);
    assertThat(again.warnings).isEmpty();
    assertThat(segments(directory)).isEmpty();
    return texts;
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 40_000})
  void shouldKeepWhatIsNotForcedInFrontOfWhatIsSavedAtAStopIfNothingWaits(int padding)
      throws Exception {
    Path directory = temp.resolve("spill");
    List<String> all = texts(0, 6).stream().map(text -> text + "x".repeat(padding)).toList();
    destination.set(false);
    try (Spill spill = open(directory, INTERVAL_NANOS)) {
      appendAll(spill, all.subList(0, 4));
      deliver(spill, 4);
      assertThat(spill.prepend(payloads(all.subList(4, 6)))).isEqualTo(2);
      spill.endReading();
      assertThat(append(spill, "late")).isEqualTo(Spill.Append.APPENDED);
    }
    List<String> expected = new ArrayList<>(all);
    expected.add("late");
    assertThat(comeBack(directory)).isEqualTo(expected);
  }

  /** Where they share a segment, no place is left between them. */
  @ParameterizedTest
  @ValueSource(ints = {4, 5}) // the first segment, or one more
  void shouldKeepWhatIsNotForcedBehindWhatIsSavedAtAStopIfItSharesASegmentWithWhatWaits(
      int delivered) throws Exception {
    Path directory = temp.resolve("spill");
    List<String> first = delivered == 4 ? List.of() : List.of("x".repeat(70_000));
    destination.set(false);
    try (Spill spill = open(directory, INTERVAL_NANOS)) {
      appendAll(spill, first);
      appendAll(spill, texts(0, 4));
      deliver(spill, delivered);
      appendAll(spill, texts(6, 8));
      assertThat(spill.prepend(payloads(texts(4, 6)))).isEqualTo(2);
    }
    List<String> expected = new ArrayList<>(first);
    expected.addAll(texts(4, 6));
    expected.addAll(texts(0, 4));
    expected.addAll(texts(6, 8));
    assertThat(comeBack(directory)).isEqualTo(expected);
  }

  /** By the last turn, say. */
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void shouldRepeatNothingIfItIsForcedAfterAll(boolean waits) throws Exception {
    Path directory = temp.resolve("spill");
    destination.set(false);
    try (Spill spill = open(directory, INTERVAL_NANOS)) {
      appendAll(spill, texts(0, 4));
      deliver(spill, 4);
      spill.bypassed();
      appendAll(spill, texts(6, waits ? 8 : 6));
      assertThat(spill.prepend(payloads(texts(4, 6)))).isEqualTo(2);
      destination.set(true);
    }
    assertThat(comeBack(directory)).isEqualTo(texts(4, waits ? 8 : 6));
  }

  private static List<Spill.Payload> payloads(List<String> texts) {
    List<Spill.Payload> payloads = new ArrayList<>();
    for (String text : texts) {
      byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
      payloads.add(SpillTesting.payload(bytes, 1));
    }
    return payloads;
  }

  /** A log that has lost something stays so until a restart. */
  @Test
  void shouldNotBeginASegmentEachSecondWhileNoneCanGo() throws Exception {
    Path directory = temp.resolve("spill");
    AtomicLong clock = new AtomicLong();
    destination.set(false);
    SpillConfig config =
        new SpillConfig(directory, CAP, SpillKind.BYTES, INTERVAL_NANOS, null, false);
    try (Spill spill = SpillTesting.open(config, listener, destination::get, files, clock::get)) {
      for (int second = 0; second < 6; second++) {
        append(spill, "event");
        deliverAll(spill);
        clock.addAndGet(TimeUnit.SECONDS.toNanos(2));
        spill.maintain();
      }
      assertThat(segments(directory)).hasSize(1);

      destination.set(true);
      await()
          .until(
              () -> {
                spill.maintain();
                return segments(directory).isEmpty();
              });
    }
    assertThat(directory).doesNotExist();
  }

  @Test
  void shouldForceTheNameOfWhatIsSavedAtAStop() throws Exception {
    Path directory = temp.resolve("spill");
    try (Spill spill = open(directory, NEVER_NANOS)) {
      appendAll(spill, texts(1, 2));
      files.failing.add("syncDirectory");
      assertThat(spill.prepend(payloads(texts(0, 1)))).as("without it").isZero();
      files.heal();
      assertThat(spill.prepend(payloads(texts(0, 1)))).isEqualTo(1);
    }
    assertThat(SpillTesting.reopenAndDeliver(directory, listener)).isEqualTo(texts(0, 2));
  }

  @ParameterizedTest
  @ValueSource(strings = {"sync", "syncDirectory"})
  void shouldForceAgainWhatIsSavedAtAStop(String failing) throws Exception {
    Path directory = temp.resolve("spill");
    try (Spill spill = open(directory, NEVER_NANOS)) {
      appendAll(spill, texts(1, 2));
      AtomicBoolean once = new AtomicBoolean(true);
      files.hook(
          (number, operation, path) -> {
            boolean saves = !path.endsWith(Cursor.NAME);
            if (operation.equals(failing) && saves && once.getAndSet(false)) {
              throw new IOException("Input/output error (injected)");
            }
          });
      assertThat(spill.prepend(payloads(texts(0, 1)))).isEqualTo(1);
      assertThat(once).isFalse();
    }
    assertThat(SpillTesting.reopenAndDeliver(directory, listener)).isEqualTo(texts(0, 2));
  }

  @Test
  void shouldCountAsSyncedOnlyWhatHasAForcedName() throws Exception {
    Path directory = temp.resolve("spill");
    try (Spill spill = open(directory, INTERVAL_NANOS)) {
      files.failing.add("syncDirectory");
      appendAll(spill, texts(0, 3));
      await().until(() -> listener.failures.contains("sync"));
      assertThat(spill.syncedEvents()).isZero();
      files.heal();
      await().until(() -> spill.syncedEvents() == 3);
    }
  }

  /** That it was made is on the disk with the name of the directory alone. */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void shouldCountAsSyncedOnlyWhatIsInADirectoryWithAForcedName(boolean mayNotRead)
      throws Exception {
    Path directory = temp.resolve("spill");
    AtomicBoolean away = new AtomicBoolean(true);
    files.hook(
        (number, operation, path) -> {
          if (operation.equals("syncDirectory") && path.equals(temp) && away.get()) {
            throw mayNotRead
                ? new AccessDeniedException(path.toString())
                : new IOException("Input/output error (injected)");
          }
        });
    try (Spill spill = open(directory, INTERVAL_NANOS)) {
      appendAll(spill, texts(0, 3));
      if (!mayNotRead) {
        await().until(() -> listener.failures.contains("sync") || spill.syncedEvents() > 0);
        assertThat(spill.syncedEvents()).isZero();
        away.set(false);
      }
      await().until(() -> spill.syncedEvents() == 3);
    }
    assertThat(listener.warnings).hasSize(mayNotRead ? 1 : 0);
  }

  /** Each is as large as its segment, and takes what the log needs to come back. */
  @Test
  void shouldNotWriteASegmentAgainAtEachIntervalWhileSyncsFail() throws Exception {
    Path directory = temp.resolve("spill");
    AtomicLong now = new AtomicLong();
    AtomicLong turns = new AtomicLong();
    AtomicLong copies = new AtomicLong();
    LongSupplier clock =
        () -> {
          if (Thread.currentThread().getName().equals(THREAD)) {
            turns.incrementAndGet();
          }
          return now.get();
        };
    files.hook(
        (number, operation, path) -> {
          if (operation.equals("create") && path.toString().endsWith(SlotListing.SYNC_ENDING)) {
            copies.incrementAndGet();
          }
        });
    files.failing.add("sync");
    SpillConfig config =
        new SpillConfig(directory, CAP, SpillKind.BYTES, INTERVAL_NANOS, null, false);
    try (Spill spill = SpillTesting.open(config, listener, destination::get, files, clock)) {
      appendAll(spill, texts(0, 3));
      await().until(() -> copies.get() > 3 || turns.get() > 10);
      assertThat(copies).hasValue(1);
      now.addAndGet(TimeUnit.SECONDS.toNanos(1));
      await().until(() -> copies.get() == 2);
      files.heal();
    }
    assertThat(SpillTesting.reopenAndDeliver(directory, listener)).isEqualTo(texts(0, 3));
  }

  @Test
  void shouldForceTheNameOfADirectoryThatIsMadeAnewBeforeItsEventsCountAsSynced() throws Exception {
    Path directory = temp.resolve("spill");
    List<Path> forced = new CopyOnWriteArrayList<>();
    try (Spill spill = open(directory, INTERVAL_NANOS)) {
      appendAll(spill, texts(0, 1));
      await().until(() -> spill.syncedEvents() == 1);
      assertThat(SpillTesting.deliverAll(spill)).isEqualTo(texts(0, 1));
      files.hook(
          (number, operation, path) -> {
            if (operation.equals("syncDirectory")) {
              forced.add(path);
            }
          });
      SpillFaultTest.deleteRecursively(directory);
      spill.bypassed();
      appendAll(spill, texts(1, 2));
      await().until(() -> spill.syncedEvents() == 2);
      assertThat(forced).contains(directory.getParent());
    }
  }

  /** The file of one that is delivered is closed while its name waits for the log to be forced. */
  @Test
  void shouldWriteAgainWhatIsRemovedBehindWhatWaitsForTheLog() throws Exception {
    Path directory = temp.resolve("spill");
    Path killed = temp.resolve("killed");
    destination.set(false);
    AtomicLong clock = new AtomicLong();
    SpillConfig config =
        new SpillConfig(directory, CAP, SpillKind.BYTES, INTERVAL_NANOS, null, false);
    List<String> all = large(0, 4);
    try (Spill spill = SpillTesting.open(config, listener, destination::get, files, clock::get)) {
      appendAll(spill, all);
      assertThat(deliver(spill, 2)).isEqualTo(all.subList(0, 2));
      assertThat(spill.read()).isNotNull(); // so that the second is through
      await().until(() -> spill.syncedEvents() == 4);
      SpillFaultTest.deleteRecursively(directory);
      clock.addAndGet(1_000_000_000L);
      spill.keep();
      assertThat(listener.recoveries).contains("keep");
      assertThat(listener.warnings).isEmpty();
      SpillTesting.copyAsAfterKill(directory, killed);
    }
    assertThat(SpillTesting.reopenAndDeliver(killed, listener)).isEqualTo(all.subList(2, 4));
  }

  /** Else another owner could take them after a power cut. */
  @Test
  void shouldForceWhoseTheEventsAreBeforeTheyCountAsSynced() throws Exception {
    Path directory = temp.resolve("spill");
    List<String> forced = new CopyOnWriteArrayList<>();
    files.hook(
        (number, operation, path) -> {
          if (operation.equals("sync")) {
            forced.add(path.getFileName().toString());
          }
        });
    SpillConfig config =
        new SpillConfig(directory, CAP, SpillKind.BYTES, INTERVAL_NANOS, "the owner", false);
    try (Spill spill =
        SpillTesting.open(config, listener, destination::get, files, System::nanoTime)) {
      appendAll(spill, texts(0, 3));
      await().until(() -> spill.syncedEvents() == 3);
      String segment = segments(directory).get(0).getFileName().toString();
      assertThat(forced).contains(SpillSlot.OWNER, segment);
      assertThat(forced.indexOf(SpillSlot.OWNER)).isLessThan(forced.indexOf(segment));
    }
  }

  /** Whoever reads the copy could not use any of it. */
  @Test
  void shouldNotPublishACopyWhoseHeaderDoesNotReadAsItWasWritten() throws Exception {
    Path directory = temp.resolve("spill");
    AtomicBoolean spoils = new AtomicBoolean();
    files.hook(
        (number, operation, path) -> { // before a copy is begun, which has read nothing yet
          if (operation.equals("create") && spoils.compareAndSet(true, false)) {
            flip(segments(directory).get(0), SegmentFormat.SEGMENT_HEADER - 1);
            files.heal();
          }
        });
    try (Spill spill = open(directory, INTERVAL_NANOS)) {
      files.failing.add("sync");
      appendAll(spill, texts(0, 3));
      await().until(() -> listener.failures.contains("sync"));
      Path segment = segments(directory).get(0);
      Object written = new Disk().key(segment);
      spoils.set(true);
      await().until(() -> !spoils.get());
      int failures = listener.failures.size();
      await().until(() -> listener.failures.size() > failures + 1);
      assertThat(spill.syncedEvents()).isZero();
      assertThat(new Disk().key(segment)).isEqualTo(written);
      flip(segment, SegmentFormat.SEGMENT_HEADER - 1);
      await().until(() -> spill.syncedEvents() == 3);
    }
    assertThat(SpillTesting.reopenAndDeliver(directory, listener)).isEqualTo(texts(0, 3));
    assertThat(listener.lost).hasValue(0);
  }

  private static void flip(Path segment, int at) throws IOException {
    try (RandomAccessFile file = new RandomAccessFile(segment.toFile(), "rw")) {
      file.seek(at);
      int was = file.read();
      file.seek(at);
      file.write(was ^ 1);
    }
  }

  @Test
  void shouldNotCountAsSyncedWhatCannotBeReadBackAfterAFailedSync() throws Exception {
    Path directory = temp.resolve("spill");
    List<String> all = texts(0, 5);
    AtomicBoolean spoils = new AtomicBoolean();
    files.hook(
        (number, operation, path) -> { // before a copy is begun, which has read nothing yet
          if (operation.equals("create") && spoils.compareAndSet(true, false)) {
            spoil(segments(directory).get(0), "event-0");
            files.heal();
          }
        });
    List<Boolean> told = new CopyOnWriteArrayList<>();
    try (Spill spill = open(directory, INTERVAL_NANOS)) {
      files.failing.add("sync");
      appendAll(spill, all);
      spill.whenSynced(told::add);
      await().until(() -> listener.failures.contains("sync"));
      spoils.set(true);
      await().until(() -> !told.isEmpty());
      assertThat(told).as("whoever waits for all of them").containsExactly(false);
      assertThat(spill.syncedEvents()).as("all but the broken one").isEqualTo(4);
      assertThat(listener.failures.get(listener.failures.size() - 1)).isEqualTo("read back");
    }
    RecordingListener again = new RecordingListener();
    assertThat(SpillTesting.reopenAndDeliver(directory, again))
        .containsExactly("event-1", "event-2", "event-3", "event-4");
    assertThat(again.lost).as("counted where it is lost").hasValue(1);
  }

  @Test
  void shouldNotTakeASegmentThatWasWrittenAgainForARemovedOne() throws Exception {
    Path directory = temp.resolve("spill");
    AtomicLong clock = new AtomicLong();
    SpillConfig config =
        new SpillConfig(directory, CAP, SpillKind.BYTES, INTERVAL_NANOS, null, false);
    try (Spill spill = SpillTesting.open(config, listener, destination::get, files, clock::get)) {
      files.failing.add("sync");
      appendAll(spill, texts(0, 3));
      await().until(() -> listener.failures.contains("sync"));
      files.heal();
      clock.addAndGet(TimeUnit.SECONDS.toNanos(1));
      await().until(() -> spill.syncedEvents() == 3);
      clock.addAndGet(TimeUnit.SECONDS.toNanos(2));
      spill.keep();
    }
    assertThat(listener.failures).containsOnly("sync");
  }

  @Test
  void shouldTakeNothingOnFromTheThreadThatStartsIt() throws Exception {
    ClassLoader own = Thread.currentThread().getContextClassLoader();
    try (URLClassLoader application = new URLClassLoader(new URL[0], own)) {
      Thread.currentThread().setContextClassLoader(application);
      try (Spill spill = open(temp.resolve("spill"), INTERVAL_NANOS)) {
        assertThat(spill.isOpen()).isTrue();
        assertThat(Thread.getAllStackTraces().keySet())
            .filteredOn(thread -> thread.getName().matches("spillway-(spill|log)-sync"))
            .hasSizeGreaterThanOrEqualTo(2)
            .extracting(Thread::getContextClassLoader)
            .doesNotContain(application);
      }
    } finally {
      Thread.currentThread().setContextClassLoader(own);
    }
  }

  @Test
  void shouldGiveUpOnlyWhatStaysUnreadableInASegmentThatIsWrittenAgain() throws Exception {
    Path directory = temp.resolve("spill");
    try (Spill spill = open(directory, INTERVAL_NANOS)) {
      files.failing.addAll(Set.of("sync", "read"));
      appendAll(spill, texts(0, 3));
      await().until(() -> listener.failures.size() > 3);
      files.heal();
      await().until(() -> spill.syncedEvents() == 3);
    }
    assertThat(SpillTesting.reopenAndDeliver(directory, listener)).isEqualTo(texts(0, 3));
    assertThat(listener.lost).hasValue(0);
  }

  private static void spoil(Path segment, String text) throws IOException {
    try (RandomAccessFile file = new RandomAccessFile(segment.toFile(), "rw")) {
      byte[] bytes = new byte[(int) file.length()];
      file.readFully(bytes);
      int at = new String(bytes, StandardCharsets.ISO_8859_1).indexOf(text);
      file.seek(at);
      file.write('X');
    }
  }

  @Test
  void shouldForceADirectoryWhoeverInterrupts() throws Exception {
    List<Throwable> failures = new ArrayList<>();
    Thread forcing =
        new Thread(
            () -> {
              for (int i = 0; i < 20; i++) {
                try {
                  new Disk().syncDirectory(temp);
                } catch (IOException e) {
                  failures.add(e);
                }
              }
            });
    forcing.start();
    while (forcing.isAlive()) {
      forcing.interrupt();
    }
    forcing.join();
    assertThat(failures).isEmpty();
  }
}
