package io.spillway.internal.spill;

import static io.spillway.internal.spill.SpillTesting.append;
import static io.spillway.internal.spill.SpillTesting.appendAll;
import static io.spillway.internal.spill.SpillTesting.config;
import static io.spillway.internal.spill.SpillTesting.deliver;
import static io.spillway.internal.spill.SpillTesting.deliverAll;
import static io.spillway.internal.spill.SpillTesting.segments;
import static io.spillway.internal.spill.SpillTesting.text;
import static io.spillway.internal.spill.SpillTesting.texts;
import static org.assertj.core.api.Assertions.assertThat;

import io.spillway.internal.disk.Disk;
import io.spillway.testkit.FaultyDisk;
import io.spillway.testkit.InMemory;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class SpillFaultTest {

  @Test
  void shouldTellOnceThatItIsOpenAgain(@TempDir Path place) throws Exception {
    Path parent = place.resolve("parent");
    RecordingListener told = new RecordingListener();
    Files.writeString(parent, "not a directory");
    Spill.Payload payload = new Spill.Payload(new byte[1], 0, 1, 1, 0);
    Spill spill = Spill.of(SpillTesting.config(parent.resolve("spill")), told, () -> true);
    assertThat(spill.prepend(List.of(payload))).isZero();
    Files.delete(parent);
    try (Spill earlier = SpillTesting.open(parent.resolve("spill"), new RecordingListener())) {
      SpillTesting.appendAll(earlier, SpillTesting.texts(0, 3));
    }
    try (spill) {
      assertThat(spill.prepend(List.of(payload))).isOne();
      assertThat(SpillTesting.deliver(spill, 1)).hasSize(1);
    }
    assertThat(told.failures).containsOnly("open");
    assertThat(told.recoveries).containsExactly("open");
  }

  /** Whoever waits for a slow disk sees that it works. */
  @Test
  void shouldTellOfEachRecordThatAStopSaves(@TempDir Path place) throws Exception {
    FaultyDisk files = new FaultyDisk();
    SpillConfig config = SpillTesting.config(place);
    try (Spill spill = SpillTesting.open(config, new SpillListener() {}, files, System::nanoTime)) {
      List<Long> seen = new ArrayList<>();
      files.hook((number, operation, path) -> seen.add(spill.writtenRecords()));
      assertThat(spill.prepend(SpillRoundTripTest.payloads(texts(0, 3)))).isEqualTo(3);
      assertThat(seen).contains(0L, 1L, 2L, 3L);
    }
  }

  /** A stop has nobody who comes again a second later. */
  @Test
  void shouldTryToOpenAgainForWhatAStopSaves(@TempDir Path place) throws Exception {
    Path parent = Files.writeString(place.resolve("parent"), "not a directory");
    SpillListener passing =
        new SpillListener() {
          @Override
          public void onFailure(String operation, Path path, IOException cause) {
            parent.toFile().delete();
          }
        };
    Path directory = parent.resolve("spill");
    try (Spill spill = Spill.of(SpillTesting.config(directory), passing, () -> true)) {
      assertThat(spill.prepend(SpillRoundTripTest.payloads(texts(0, 3)))).isEqualTo(3);
    }
    assertThat(SpillTesting.reopenAndDeliver(directory, passing)).isEqualTo(texts(0, 3));
  }

  /** Small records in 64 KiB segments: a few segments in a few operations. */
  private static final long CAP = 1 << 20;

  @TempDir(factory = InMemory.class)
  Path temp;

  @ParameterizedTest
  @CsvSource({"false, false", "true, false", "false, true", "true, true"})
  void shouldKeepWhatWasAcknowledgedWhicheverOperationFails(boolean forEver, boolean syncs)
      throws Exception {
    Outcome counting = new Outcome(syncs);
    counting.run(temp.resolve("count"));
    assertThat(counting.synced).hasValue(syncs ? 10 : 0);
    long operations = counting.files.operations.get();
    for (long n = 1; n <= operations; n++) {
      Path directory = temp.resolve("n" + n);
      Outcome outcome = new Outcome(syncs);
      outcome.files.failAt(n, forEver);
      outcome.run(directory);
      RecordingListener listener = new RecordingListener();
      Set<String> seen = new LinkedHashSet<>(outcome.delivered);
      seen.addAll(SpillTesting.reopenAndDeliver(directory, listener));
      assertThat(seen).as("operation %d of %d", n, operations).containsAll(outcome.appended);
      assertThat(listener.lost).as("operation %d", n).hasValue(0);
      assertThat(outcome.listener.lost).as("operation %d", n).hasValue(0);
      assertThat(outcome.delivered).as("operation %d", n).doesNotHaveDuplicates();
      assertThat(outcome.unforced).as("synced, operation %d", n).isEmpty();
      if (outcome.appended.size() > outcome.delivered.size() || forEver) {
        assertThat(outcome.listener.failures.size() + outcome.refused).isPositive();
      }
      deleteRecursively(directory);
    }
    assertThat(operations).isGreaterThan(50);
  }

  /** What one run of appending and delivering, over two opens, acknowledged. */
  private static final class Outcome {
    final FaultyDisk files = new FaultyDisk();
    final RecordingListener listener = new RecordingListener();
    final List<String> appended = new ArrayList<>();
    final List<String> delivered = new ArrayList<>();
    final Set<Path> unforced = ConcurrentHashMap.newKeySet(); // although it was said to be synced
    final AtomicInteger synced = new AtomicInteger();
    final boolean syncs;
    int refused;

    Outcome(boolean syncs) {
      this.syncs = syncs;
    }

    void run(Path directory) {
      round(directory, 0, 2);
      round(directory, 8, 20);
    }

    private void round(Path directory, int from, int maxDelivered) {
      AtomicLong clock = new AtomicLong();
      long never = Long.MAX_VALUE / 4; // but when it is asked for
      SpillConfig config =
          new SpillConfig(directory, CAP, SpillKind.BYTES, syncs ? never : 0, null, false);
      try (Spill spill = SpillTesting.open(config, listener, files, clock::get)) {
        int before = appended.size();
        for (int i = from; i < from + 8; i++) {
          String text = i + "-" + "x".repeat(20_000);
          for (int attempt = 0; attempt < 2; attempt++) {
            if (append(spill, text) == Spill.Append.APPENDED) {
              appended.add(text);
              break;
            }
          }
          if (syncs && i % 2 == 1) {
            sync(spill, directory, List.copyOf(appended.subList(before, appended.size())), clock);
          }
        }
        if (syncs) { // once more, as the last one may have failed
          sync(spill, directory, List.copyOf(appended.subList(before, appended.size())), clock);
        }
        for (int attempt = 0; attempt < 3; attempt++) {
          delivered.addAll(deliver(spill, maxDelivered));
          clock.addAndGet(Cursor.MAX_LAG_NANOS);
          spill.maintain();
        }
        spill.endReading(); // with a try to save the cursor that is not the last one
      } catch (IOException e) {
        refused++;
      }
    }

    /** Returns when all is synced, or anything has failed. */
    private void sync(Spill spill, Path directory, List<String> ofThisRound, AtomicLong clock) {
      int failures = listener.failures.size();
      clock.addAndGet(failures == 0 ? 0 : TimeUnit.SECONDS.toNanos(1)); // it is written again then
      AtomicBoolean over = new AtomicBoolean(); // from then on more is written
      spill.whenSynced(
          all -> {
            synchronized (over) {
              if (all && !over.get() && !ofThisRound.isEmpty()) {
                synced.incrementAndGet();
                unforced.addAll(files.unforced());
                unforced.removeIf(path -> !path.equals(directory) && !holds(path, ofThisRound));
              }
              over.set(true);
            }
          });
      while (!over.get() && listener.failures.size() == failures) {
        LockSupport.parkNanos(10_000);
      }
      synchronized (over) {
        over.set(true);
      }
    }

    private static boolean holds(Path path, List<String> texts) {
      try {
        String content = Files.readString(path, StandardCharsets.ISO_8859_1);
        return texts.stream().anyMatch(content::contains);
      } catch (IOException e) {
        return true; // it is looked at
      }
    }
  }

  @Test
  void shouldGoOnInANewSegmentWhenAFailedWriteCannotBeCutBack() throws Exception {
    Path directory = temp.resolve("spill");
    FaultyDisk files = new FaultyDisk();
    RecordingListener listener = new RecordingListener();
    try (Spill spill = SpillTesting.open(config(directory), listener, files, System::nanoTime)) {
      appendAll(spill, texts(0, 3));
      // Written as a whole and yet reported as failed: must not come out beside the retry.
      files.failing.addAll(Set.of("afterWrite", "truncate"));
      assertThat(append(spill, "event-3")).isEqualTo(Spill.Append.FAILED);
      files.heal();
      appendAll(spill, texts(3, 6));
      assertThat(segments(directory)).hasSize(2);
      assertThat(listener.failures).containsExactly("append", "cut back");
      assertThat(listener.recoveries).contains("append");
      SpillRecord first = spill.read();
      assertThat(text(first)).isEqualTo("event-0");
    }
    RecordingListener again = new RecordingListener();
    assertThat(SpillTesting.reopenAndDeliver(directory, again)).isEqualTo(texts(0, 6));
    assertThat(again.lost).hasValue(0);
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void shouldRetryReadsAndSetAnUnreadableSegmentAsideOnlyAfterALongTime(boolean restart)
      throws Exception {
    Path directory = temp.resolve("spill");
    FaultyDisk files = new FaultyDisk();
    RecordingListener listener = new RecordingListener();
    AtomicLong clock = new AtomicLong();
    try (Spill spill = SpillTesting.open(config(directory), listener, files, clock::get)) {
      appendAll(spill, texts(0, 3));
      files.failing.add("read");
      for (int i = 0; i < 100; i++) {
        assertThat(spill.read()).isNull();
      }
      files.heal();
      assertThat(deliver(spill, 1)).isEqualTo(texts(0, 1));
      assertThat(listener.recoveries).contains("read");
      files.failing.add("read");
      for (int i = 0; i < 20; i++) {
        assertThat(spill.read()).isNull();
        clock.addAndGet(1_000_000_000L);
      }
      assertThat(spill.isEmpty()).isTrue();
      assertThat(spill.setAsideEvents()).isEqualTo(2);
      files.heal();
      appendAll(spill, texts(3, 5));
      assertThat(deliverAll(spill)).isEqualTo(texts(3, 5));
      clock.addAndGet(30_000_000_000L);
      if (!restart) {
        assertThat(deliverSetAside(spill)).isEqualTo(texts(1, 3));
        assertThat(spill.waitingBytes() + spill.setAsideEvents()).isZero();
        assertThat(spill.bytes()).isEqualTo(bytes(directory));
      }
    }
    try (Spill spill = SpillTesting.open(directory, listener)) {
      assertThat(deliverAll(spill)).isEmpty();
      assertThat(deliverSetAside(spill)).isEqualTo(restart ? texts(1, 3) : List.of());
    }
    assertThat(listener.losses).isEmpty();
    assertThat(bytes(directory)).isZero();
  }

  /** A bad block, say: what is behind it in the same segment is as good as ever. */
  @Test
  void shouldLoseOnlyTheRecordOfThisRunThatStaysUnreadable() throws Exception {
    Path directory = temp.resolve("spill");
    FaultyDisk files = new FaultyDisk();
    RecordingListener listener = new RecordingListener();
    AtomicLong clock = new AtomicLong();
    try (Spill spill = SpillTesting.open(config(directory), listener, files, clock::get)) {
      List<String> delivered = new ArrayList<>();
      for (String text : texts(100, 150)) {
        if (text.equals("event-120")) {
          files.unreadableFrom = spill.bytes() + SegmentFormat.RECORD_HEADER;
          files.unreadableTo = files.unreadableFrom + 1;
        }
        append(spill, text);
      }
      for (int second = 0; second < 20; second++) {
        delivered.addAll(deliverAll(spill));
        clock.addAndGet(1_000_000_000L);
      }
      List<String> others = new ArrayList<>(texts(100, 150));
      others.remove("event-120");
      assertThat(delivered).isEqualTo(others);
      assertThat(listener.lost).hasValue(1);
      assertThat(spill.waitingBytes() + spill.setAsideEvents()).isZero();
    }
  }

  private static List<String> deliverSetAside(Spill spill) {
    List<String> texts = new ArrayList<>();
    for (SpillRecord next = spill.readSetAside(); next != null; next = spill.readSetAside()) {
      texts.add(text(next));
      spill.delivered(next);
    }
    return texts;
  }

  /** Of the segments and of what is set aside. */
  private static long bytes(Path directory) throws IOException {
    long bytes = 0;
    if (Files.exists(directory)) {
      try (DirectoryStream<Path> all = Files.newDirectoryStream(directory, "*.seg*")) {
        for (Path segment : all) {
          bytes += Files.size(segment);
        }
      }
    }
    return bytes;
  }

  /** An immutable one, say: the spill would fill up behind it. */
  @Test
  void shouldUnlinkTheOthersIfOneFileCannotBeUnlinked() throws Exception {
    Path directory = temp.resolve("spill");
    RecordingListener listener = new RecordingListener();
    SpillConfig config = new SpillConfig(directory, CAP, SpillKind.BYTES, 0, null, false);
    FaultyDisk files = new FaultyDisk();
    AtomicLong clock = new AtomicLong();
    try (Spill spill = SpillTesting.open(config, listener, files, clock::get)) {
      SpillTesting.appendLarge(spill, 6, 40_000, 1);
      List<Path> all = segments(directory);
      Path stuck = all.get(1);
      files.hook(stuck(stuck));
      assertThat(deliverAll(spill)).hasSize(6);
      clock.addAndGet(2_000_000_000L);
      spill.maintain();
      assertThat(segments(directory)).containsExactly(stuck);
      assertThat(spill.bytes()).isEqualTo(Files.size(stuck));
      assertThat(listener.failures).contains("delete");
      assertThat(listener.recoveries).doesNotContain("delete");
      files.hook((number, operation, path) -> {});
      clock.addAndGet(1_000_000_000L);
      spill.maintain();
      assertThat(spill.bytes()).isZero();
      assertThat(listener.recoveries).contains("delete");
    }
    assertThat(directory).doesNotExist();
  }

  private static FaultyDisk.Hook stuck(Path stuck) {
    return (number, operation, path) -> {
      if (operation.equals("delete") && path.equals(stuck)) {
        throw new IOException("Operation not permitted (injected)");
      }
    };
  }

  /** Nor after the clean end of a run that found it delivered. */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void shouldNeverDeliverAgainWhatCannotBeUnlinked(boolean adopted) throws Exception {
    Path directory = temp.resolve("spill");
    RecordingListener listener = new RecordingListener();
    SpillConfig config = new SpillConfig(directory, CAP, SpillKind.BYTES, 0, "owner", false);
    FaultyDisk files = new FaultyDisk();
    Path first;
    try (Spill lower = adopted ? SpillTesting.open(config, listener) : null;
        Spill spill = SpillTesting.open(config, listener, files, System::nanoTime)) {
      SpillTesting.appendLarge(spill, 3, 40_000, 1);
      first = segments(spill.directory()).get(0);
      files.hook(stuck(first));
      assertThat(deliver(spill, 2)).hasSize(2);
      assertThat(lower != null).isEqualTo(adopted);
    }
    for (int waiting : List.of(1, 0, 0)) {
      try (Spill spill = SpillTesting.open(config, listener, files, System::nanoTime)) {
        assertThat(deliverAll(spill)).hasSize(waiting);
      }
      assertThat(segments(first.getParent())).containsExactly(first);
    }
    assertThat(first.resolveSibling(SpillSlot.OWNER)).exists();
    files.hook((number, operation, path) -> {});
    try (Spill spill = SpillTesting.open(config, listener, files, System::nanoTime)) {
      assertThat(deliverAll(spill)).isEmpty();
    }
    assertThat(first.resolveSibling(Cursor.NAME)).as("nothing is left").doesNotExist();
    assertThat(first).doesNotExist();
    assertThat(listener.lost).hasValue(0);
  }

  @Test
  void shouldUnlinkLaterWhatAStartCouldNotUnlink() throws Exception {
    Path directory = temp.resolve("spill");
    RecordingListener listener = new RecordingListener();
    FaultyDisk files = new FaultyDisk();
    AtomicLong clock = new AtomicLong();
    Path segment;
    try (Spill spill = SpillTesting.open(config(directory), listener, files, clock::get)) {
      appendAll(spill, texts(0, 3));
      segment = segments(directory).get(0);
      files.hook(stuck(segment));
      deliverAll(spill);
    }
    try (Spill spill = SpillTesting.open(config(directory), listener, files, clock::get)) {
      assertThat(spill.bytes()).isEqualTo(Files.size(segment));
      files.hook((number, operation, path) -> {});
      clock.addAndGet(1_000_000_000L);
      spill.maintain();
      assertThat(segment).doesNotExist();
      assertThat(spill.bytes()).isZero();
      assertThat(listener.recoveries).contains("delete");
    }
  }

  @Test
  void shouldOpenBesideAnUnfinishedCopyThatCannotBeUnlinked() throws Exception {
    Path directory = temp.resolve("spill");
    RecordingListener listener = new RecordingListener();
    try (Spill spill = SpillTesting.open(directory, listener)) {
      appendAll(spill, texts(0, 3));
    }
    Path part = Files.createFile(directory.resolve("0000000000000010.seg.sync"));
    FaultyDisk files = new FaultyDisk().hook(stuck(part));
    try (Spill spill = SpillTesting.open(config(directory), listener, files, System::nanoTime)) {
      assertThat(deliverAll(spill)).isEqualTo(texts(0, 3));
    }
    assertThat(listener.failures).contains("remove");
  }

  @Test
  void shouldReadNoPayloadAtOpenWhateverTheBacklog() throws Exception {
    Path directory = temp.resolve("spill");
    SpillConfig config = new SpillConfig(directory, 1L << 30, SpillKind.BYTES, 0, null, false);
    byte[] payload = new byte[1 << 20];
    try (Spill spill = SpillTesting.open(config, new RecordingListener())) {
      for (int i = 0; i < 200; i++) {
        assertThat(spill.append(SpillTesting.payload(payload, 1))).isEqualTo(Spill.Append.APPENDED);
      }
    }
    FaultyDisk files = new FaultyDisk();
    RecordingListener listener = new RecordingListener();
    try (Spill spill = SpillTesting.open(config, listener, files, System::nanoTime)) {
      assertThat(files.bytesRead).hasValueLessThan(10 * SegmentFormat.SEGMENT_HEADER);
      assertThat(files.operations).hasValueLessThan(110);
      assertThat(listener.leftoverBytes).hasValueGreaterThan(200L << 20);
      assertThat(spill.leftoverBytes()).isGreaterThan(200L << 20);
      assertThat(deliverAll(spill)).hasSize(200);
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void shouldGoOnWhenTheLiveDirectoryIsDeleted(boolean withParents) throws Exception {
    Path top = temp.resolve("top");
    Path directory = top.resolve("parent").resolve("spill");
    RecordingListener listener = new RecordingListener();
    SpillConfig config = new SpillConfig(directory, CAP, SpillKind.BYTES, 0, null, false);
    try (Spill spill = SpillTesting.open(config, listener, new Disk(), () -> 0)) {
      appendAll(spill, texts(0, 3));
      deleteRecursively(withParents ? top : directory);
      appendAll(spill, texts(3, 6));
      String big = "x".repeat(60_000);
      appendAll(spill, List.of(big, big, big));
      assertThat(listener.recoveries).contains("recreate the spill directory");
      assertThat(segments(directory)).hasSize(2);
      try (Spill other = SpillTesting.open(config, listener)) {
        assertThat(other.directory()).isEqualTo(directory.resolve("1"));
      }
      List<String> expected = new ArrayList<>(texts(0, 6));
      expected.addAll(List.of(big, big, big));
      assertThat(deliverAll(spill)).isEqualTo(expected);
      appendAll(spill, texts(6, 9));
      deliver(spill, 1);
    }
    assertThat(SpillTesting.reopenAndDeliver(directory, listener)).isEqualTo(texts(7, 9));
  }

  @ParameterizedTest
  @CsvSource({
    "false, The spill directory [%s] was removed while in use. It has been created again.",
    "true, The file [%s/lock] was removed while in use. It has been created again."
  })
  void shouldWarnOfWhatWasRemovedAndCreatedAgain(boolean onlyTheLock, String message)
      throws Exception {
    Path directory = temp.resolve("spill");
    RecordingListener listener = new RecordingListener();
    SpillConfig config = new SpillConfig(directory, CAP, SpillKind.BYTES, 0, null, false);
    try (Spill spill = SpillTesting.open(config, listener, new Disk(), () -> 0)) {
      appendAll(spill, texts(0, 3));
      deleteRecursively(onlyTheLock ? directory.resolve(SpillSlot.LOCK) : directory);
      String big = "x".repeat(60_000);
      appendAll(spill, List.of(big, big)); // needs another segment

      assertThat(listener.failures).as("nothing has failed").isEmpty();
      assertThat(listener.recreations)
          .singleElement()
          .asString()
          .startsWith(message.formatted(directory))
          .contains(" To do: ");
    }
  }

  @Test
  void shouldReportAFailureOnlyIfARemovedDirectoryCannotBeCreatedAgain() throws Exception {
    Path parent = Files.createDirectory(temp.resolve("parent"));
    Path directory = parent.resolve("spill");
    List<String> causes = new ArrayList<>();
    SpillListener causing =
        new SpillListener() {
          @Override
          public void onFailure(String operation, Path path, IOException cause) {
            causes.add(operation + " " + path + " " + cause);
          }

          @Override
          public void onRecreation(String topic, String message) {
            causes.add(message);
          }
        };
    SpillConfig config = new SpillConfig(directory, CAP, SpillKind.BYTES, 0, null, false);
    String big = "x".repeat(60_000);
    try (Spill spill = SpillTesting.open(config, causing, new Disk(), () -> 0)) {
      appendAll(spill, texts(0, 3));
      deleteRecursively(parent);
      Files.createFile(parent);
      List<Spill.Payload> payloads = SpillRoundTripTest.payloads(List.of(big, big));
      assertThat(spill.append(payloads.get(0))).isEqualTo(Spill.Append.APPENDED);
      assertThat(spill.append(payloads.get(1))).isEqualTo(Spill.Append.FAILED);
      assertThat(causes)
          .hasSize(2) // the other one is of the segment
          .anyMatch(cause -> cause.matches("recreate the spill directory " + directory + " .*"))
          .noneMatch(cause -> cause.contains("is gone"));
      assertThat(causes).noneMatch(cause -> cause.contains("created again"));

      causes.clear();
      Files.delete(parent);
      appendAll(spill, List.of(big));
      assertThat(causes).singleElement().asString().contains("has been created again.");
    }
  }

  /** Nothing but the lock is gone. */
  @Test
  void shouldNameTheLockIfItIsWhatWasRemoved() throws Exception {
    Path directory = temp.resolve("spill");
    List<Path> failed = new ArrayList<>();
    AtomicLong clock = new AtomicLong();
    SpillListener listener =
        new SpillListener() {
          @Override
          public void onFailure(String operation, Path path, IOException cause) {
            failed.add(path);
          }
        };
    try (Spill spill = SpillTesting.open(config(directory), listener, new Disk(), clock::get)) {
      appendAll(spill, texts(0, 3));
      Files.delete(directory.resolve(SpillSlot.LOCK));
      clock.addAndGet(1_000_000_000L);
      spill.keep();
      assertThat(failed).containsExactly(directory.resolve(SpillSlot.LOCK));
      assertThat(directory.resolve(SpillSlot.LOCK)).exists();
    }
  }

  /** The directory above it is one of events, too. */
  @Test
  void shouldMakeTheDirectoryAboveASubdirectoryAnewForItsOwnerAlone() throws Exception {
    Path parent = temp.resolve("parent");
    Path directory = parent.resolve("spill");
    RecordingListener listener = new RecordingListener();
    AtomicLong clock = new AtomicLong();
    try (Spill first = SpillTesting.open(directory, listener);
        Spill second = SpillTesting.open(config(directory), listener, new Disk(), clock::get)) {
      appendAll(second, texts(0, 3));
      deleteRecursively(parent);
      clock.addAndGet(1_000_000_000L);
      appendAll(second, texts(3, 6));
      assertThat(first.directory()).isEqualTo(directory);
      assertThat(Files.getPosixFilePermissions(directory))
          .isEqualTo(PosixFilePermissions.fromString("rwx------"));
      assertThat(segments(directory.resolve("1"))).hasSize(2);
      assertThat(deliverAll(second)).isEqualTo(texts(0, 6));
    }
    assertThat(listener.lost).hasValue(0);
  }

  @Test
  void shouldWriteAgainWithinASecondWhatWasInARemovedDirectory() throws Exception {
    Path directory = temp.resolve("spill");
    Path killed = temp.resolve("killed");
    RecordingListener listener = new RecordingListener();
    AtomicLong clock = new AtomicLong();
    String big = "x".repeat(60_000);
    SpillConfig config = new SpillConfig(directory, CAP, SpillKind.BYTES, 0, null, false);
    List<String> all = new ArrayList<>(List.of(big, big, "last"));
    try (Spill spill = SpillTesting.open(config, listener, new Disk(), clock::get)) {
      appendAll(spill, all);
      deleteRecursively(directory);
      clock.addAndGet(1_000_000_000L);
      appendAll(spill, texts(0, 3));
      all.addAll(texts(0, 3));
      SpillTesting.copyAsAfterKill(directory, killed);
      assertThat(listener.failures).contains("keep");
      assertThat(listener.recoveries).contains("keep");
      assertThat(deliverAll(spill)).isEqualTo(all);
      assertThat(spill.isEmpty()).isTrue();
    }
    assertThat(SpillTesting.reopenAndDeliver(killed, listener)).isEqualTo(all);
    assertThat(listener.lost).hasValue(0);
  }

  /** What made the directory anew leaves nothing to see at the last segment and the lock. */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void shouldWriteAgainWhatWasRemovedBeforeTheLastSegment(boolean wholeDirectory) throws Exception {
    Path directory = temp.resolve("spill");
    Path killed = temp.resolve("killed");
    RecordingListener listener = new RecordingListener();
    AtomicLong clock = new AtomicLong();
    String big = "x".repeat(60_000);
    SpillConfig config = new SpillConfig(directory, CAP, SpillKind.BYTES, 0, null, false);
    List<String> all = new ArrayList<>(List.of(big + 0, big + 1, big + 2));
    try (Spill spill = SpillTesting.open(config, listener, new Disk(), clock::get)) {
      appendAll(spill, all);
      if (wholeDirectory) {
        deleteRecursively(directory);
      } else {
        Files.delete(segments(directory).get(1));
      }
      appendAll(spill, List.of(big + 3));
      clock.addAndGet(1_000_000_000L);
      appendAll(spill, texts(0, 3));
      all.add(big + 3);
      all.addAll(texts(0, 3));
      SpillTesting.copyAsAfterKill(directory, killed);
      assertThat(listener.recoveries).contains("keep");
    }
    assertThat(SpillTesting.reopenAndDeliver(killed, listener)).isEqualTo(all);
    assertThat(SpillTesting.reopenAndDeliver(directory, listener)).isEqualTo(all);
    assertThat(listener.lost).hasValue(0);
  }

  @Test
  void shouldWriteTheOthersAgainIfOneRemovedSegmentCannotBeRead() throws Exception {
    Path directory = temp.resolve("spill");
    Path killed = temp.resolve("killed");
    FaultyDisk files = new FaultyDisk();
    RecordingListener listener = new RecordingListener();
    AtomicLong clock = new AtomicLong();
    String big = "x".repeat(60_000);
    SpillConfig config = new SpillConfig(directory, CAP, SpillKind.BYTES, 0, null, false);
    List<String> all = List.of(big + 0, big + 1, big + 2);
    try (Spill spill = SpillTesting.open(config, listener, files, clock::get)) {
      appendAll(spill, all);
      Path first = segments(directory).get(0);
      deleteRecursively(directory);
      files.hook(
          (number, operation, path) -> {
            if (operation.equals("read") && path.equals(first)) {
              throw new IOException("Input/output error (injected)");
            }
          });
      clock.addAndGet(1_000_000_000L);
      spill.keep();
      SpillTesting.copyAsAfterKill(directory, killed);
      assertThat(listener.recoveries).doesNotContain("keep");
      files.hook((number, operation, path) -> {});
      clock.addAndGet(1_000_000_000L);
      spill.keep();
      assertThat(listener.recoveries).contains("keep");
    }
    assertThat(SpillTesting.reopenAndDeliver(killed, listener)).isEqualTo(all.subList(1, 3));
    assertThat(SpillTesting.reopenAndDeliver(directory, listener)).isEqualTo(all);
  }

  /** Else it takes its own new lock for that of another process. */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void shouldGoOnInADirectoryMadeAnewWhoseLockCouldNotBeLookedAt(boolean noMemory)
      throws Exception {
    Path directory = temp.resolve("spill");
    RecordingListener listener = new RecordingListener();
    AtomicLong clock = new AtomicLong();
    AtomicBoolean locked = new AtomicBoolean();
    FaultyDisk files = new FaultyDisk();
    SpillConfig config = new SpillConfig(directory, CAP, SpillKind.BYTES, 0, null, false);
    try (Spill spill = SpillTesting.open(config, listener, files, clock::get)) {
      appendAll(spill, texts(0, 3));
      deleteRecursively(directory);
      files.hook(
          (number, operation, path) -> {
            if (operation.equals("lock")) {
              locked.set(true);
            } else if (path.endsWith(SpillSlot.LOCK) && locked.getAndSet(false)) {
              if (noMemory) {
                throw new OutOfMemoryError("injected");
              }
              throw new IOException("Input/output error (injected)");
            }
          });
      clock.addAndGet(1_000_000_000L);
      try {
        spill.keep();
      } catch (OutOfMemoryError e) {
        assertThat(noMemory).isTrue();
      }
      files.hook((number, operation, path) -> {});
      clock.addAndGet(1_000_000_000L);
      appendAll(spill, texts(3, 6));
      assertThat(listener.recoveries).contains("recreate the spill directory", "keep");
    }
    assertThat(SpillTesting.reopenAndDeliver(directory, listener)).isEqualTo(texts(0, 6));
    assertThat(listener.lost).hasValue(0);
  }

  /** It made the directory anew, and so its names may be the same. */
  @Test
  void shouldLeaveAloneASegmentOfAnotherProcess() throws Exception {
    Path directory = temp.resolve("spill");
    RecordingListener listener = new RecordingListener();
    Path segment;
    try (Spill spill = SpillTesting.open(config(directory), listener, new Disk(), () -> 0)) {
      appendAll(spill, texts(0, 3));
      segment = segments(directory).get(0);
      deleteRecursively(directory);
      Files.createDirectory(directory);
      Files.writeString(segment, "of another process");
      assertThat(deliverAll(spill)).isEqualTo(texts(0, 3));
    }
    assertThat(segment).hasContent("of another process");
  }

  @Test
  void shouldLeaveAloneASegmentOfAnotherProcessThatHasTheNameOfALeftover() throws Exception {
    Path directory = temp.resolve("spill");
    RecordingListener listener = new RecordingListener();
    try (Spill spill = SpillTesting.open(directory, listener)) {
      appendAll(spill, texts(0, 3));
    }
    Path segment = segments(directory).get(0);
    try (Spill spill = SpillTesting.open(config(directory), listener, new Disk(), () -> 0)) {
      SpillRecord record = spill.read();
      deleteRecursively(directory);
      Files.createDirectory(directory);
      Files.createFile(directory.resolve(SpillSlot.LOCK));
      Files.writeString(segment, "of another process");
      spill.delivered(record);
      assertThat(deliverAll(spill)).isEqualTo(texts(1, 3));
    }
    assertThat(segment).hasContent("of another process");
  }

  @Test
  void shouldCountEventsAsSyncedOnlyAfterASyncThatSucceeded() throws Exception {
    Path directory = temp.resolve("spill");
    FaultyDisk files = new FaultyDisk();
    RecordingListener listener = new RecordingListener();
    SpillConfig config = new SpillConfig(directory, CAP, SpillKind.BYTES, 1_000_000, null, false);
    files.failing.add("sync");
    try (Spill spill = SpillTesting.open(config, listener, files, System::nanoTime)) {
      appendAll(spill, texts(0, 3));
      await(() -> listener.failures.contains("sync"));
      assertThat(spill.syncedEvents()).isZero();
      appendAll(spill, texts(3, 6));
      assertThat(segments(directory)).hasSize(2);
      long before = files.syncsSucceeded.get();
      Path failed = segments(directory).get(0);
      Object dropped = new Disk().key(failed);
      files.heal();
      await(() -> spill.syncedEvents() == 6);
      assertThat(files.syncsSucceeded.get() - before).isGreaterThanOrEqualTo(2);
      assertThat(new Disk().key(failed)).as("written again").isNotEqualTo(dropped);
    }
    assertThat(SpillTesting.reopenAndDeliver(directory, listener)).isEqualTo(texts(0, 6));
  }

  /** What is counted for want of memory in the middle is not counted twice. */
  @Test
  void shouldCountDamageOnceThoughThereIsNoMemoryToTellOfIt() throws Exception {
    Path directory = temp.resolve("spill");
    SpillConfig config = new SpillConfig(directory, CAP, SpillKind.BYTES, 0, null, false);
    try (Spill spill = SpillTesting.open(config, new RecordingListener())) {
      SpillTesting.appendLarge(spill, 6, 40_000, 7);
    }
    Path damaged = segments(directory).get(2);
    byte[] bytes = Files.readAllBytes(damaged);
    bytes[20_000] ^= 1;
    Files.write(damaged, bytes);
    List<Long> lost = new ArrayList<>();
    SpillListener listener =
        new SpillListener() {
          @Override
          public void recordsLost(long events, Path segment, String why, boolean leftover) {
            lost.add(events);
            if (lost.size() == 1) {
              throw new OutOfMemoryError("injected");
            }
          }
        };
    try (Spill spill = SpillTesting.open(config, listener)) {
      int delivered = 0;
      while (!spill.isEmpty()) {
        try {
          delivered += deliverAll(spill).size();
        } catch (OutOfMemoryError again) {
          delivered += 2; // those before it
        }
      }
      assertThat(delivered).isEqualTo(5);
    }
    assertThat(lost).containsExactly(7L);
  }

  /** Names beyond it are not found by the next start. */
  @Test
  void shouldNotGoOnWhereACursorLeavesNoNumbers() throws Exception {
    Path directory = temp.resolve("spill");
    RecordingListener listener = new RecordingListener();
    Files.createDirectories(directory);
    try (Cursor cursor = Cursor.open(new Disk(), directory, listener, () -> 0)) {
      cursor.advance(new Cursor.Position(SegmentFormat.MAX_NUMBER - 1, 0, 5), 0);
      assertThat(cursor.saveAtOnce()).isTrue();
    }
    try (Spill spill = SpillTesting.open(directory, listener)) {
      appendAll(spill, texts(0, 3));
    }
    assertThat(SpillTesting.reopenAndDeliver(directory, listener)).isEqualTo(texts(0, 3));
  }

  private static void await(java.util.concurrent.Callable<Boolean> condition) {
    org.awaitility.Awaitility.await().until(condition);
  }

  /** The next start takes what is before the cursor for delivered. */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void shouldNotSayThatItSavedWhatTheCursorIsBehind(boolean synced) throws Exception {
    Path directory = temp.resolve("spill");
    FaultyDisk files = new FaultyDisk();
    RecordingListener listener = new RecordingListener();
    AtomicLong clock = new AtomicLong();
    SpillConfig config =
        new SpillConfig(directory, CAP, SpillKind.BYTES, synced ? 1_000_000 : 0, null, false);
    int saved;
    try (Spill spill = SpillTesting.open(config, listener, files, clock::get)) {
      deliverHalf(spill, clock);
      await(() -> Cursor.peek(new Disk(), directory).segment() > 0);
      files.hook(SpillFaultTest::failCursor);
      long waiting = spill.waitingBytes();
      saved = spill.prepend(SpillRoundTripTest.payloads(texts(-3, 0)));
      assertThat(spill.waitingBytes() > waiting).isEqualTo(saved > 0);
    }
    List<String> read = SpillTesting.reopenAndDeliver(directory, listener);
    assertThat(read).containsAll(texts(2, 4));
    assertThat(saved == 0 || read.containsAll(texts(-3, 0)))
        .as("%d saved, %s", saved, read)
        .isTrue();
    assertThat(listener.lost).hasValue(0);
  }

  private static void deliverHalf(Spill spill, AtomicLong clock) {
    appendAll(spill, texts(0, 4));
    assertThat(deliver(spill, 2)).hasSize(2);
    clock.addAndGet(Cursor.MAX_LAG_NANOS);
    spill.maintain();
  }

  private static void failCursor(long number, String operation, Path path) throws IOException {
    if (operation.equals("write") && path.endsWith(Cursor.NAME)) {
      throw new IOException("Input/output error (injected)");
    }
  }

  /** A network file system that lost its session fails each use of what was open before. */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void shouldSaveTheCursorThroughAnotherDescriptorOnceItsOwnIsDead(boolean synced)
      throws Exception {
    Path directory = temp.resolve("spill");
    FaultyDisk files = new FaultyDisk();
    RecordingListener listener = new RecordingListener();
    AtomicLong clock = new AtomicLong();
    SpillConfig config =
        new SpillConfig(directory, CAP, SpillKind.BYTES, synced ? 1_000_000 : 0, null, false);
    try (Spill spill = SpillTesting.open(config, listener, files, clock::get)) {
      Cursor.Position start = Cursor.peek(new Disk(), directory);
      appendAll(spill, texts(0, 4));
      dieUntilOpened(files, directory.resolve(Cursor.NAME));
      assertThat(deliver(spill, 2)).hasSize(2);
      maintainUntil(
          spill,
          clock,
          () -> Cursor.peek(new Disk(), directory).sequence() == start.sequence() + 2);
      assertThat(listener.failures).isNotEmpty();
      dieUntilOpened(files, directory.resolve(Cursor.NAME));
      assertThat(deliverAll(spill)).isEqualTo(texts(2, 4));
      maintainUntil(spill, clock, () -> segments(directory).isEmpty());
    }
    assertThat(SpillTesting.reopenAndDeliver(directory, listener)).isEmpty();
  }

  private static void dieUntilOpened(FaultyDisk files, Path file) {
    AtomicBoolean dead = new AtomicBoolean(true);
    files.hook(
        (number, operation, path) -> {
          if (path.equals(file)) {
            if (operation.equals("openForWriting")) {
              dead.set(false);
            } else if (operation.equals("write") && dead.get()) {
              throw new IOException("Bad file descriptor (injected)");
            }
          }
        });
  }

  /** A save at each step; with a sync interval the syncer does it in its own time. */
  private static void maintainUntil(
      Spill spill, AtomicLong clock, java.util.concurrent.Callable<Boolean> done) {
    await(
        () -> {
          clock.addAndGet(Cursor.MAX_LAG_NANOS);
          spill.maintain();
          return done.call();
        });
  }

  /** It has made the directory anew, and what is behind its cursor is delivered to nobody. */
  @Test
  void shouldLeaveAloneTheCursorOfAnotherProcess() throws Exception {
    Path directory = temp.resolve("spill");
    Path file = directory.resolve(Cursor.NAME);
    FaultyDisk files = new FaultyDisk();
    RecordingListener listener = new RecordingListener();
    Files.createDirectory(directory);
    try (Cursor cursor = Cursor.open(files, directory, listener, () -> 0)) {
      Files.delete(file);
      Files.writeString(file, "of another process");
      files.failing.add("write");
      cursor.advance(new Cursor.Position(1, 0, 5), 0);
      assertThat(cursor.save()).isFalse();
      files.heal();
      cursor.save();
    }
    assertThat(file).hasContent("of another process");
  }

  @Test
  void shouldTryTheCursorAgainForWhatAStopSaves() throws Exception {
    Path directory = temp.resolve("spill");
    FaultyDisk files = new FaultyDisk();
    RecordingListener listener = new RecordingListener();
    AtomicLong clock = new AtomicLong();
    try (Spill spill = SpillTesting.open(config(directory), listener, files, clock::get)) {
      deliverHalf(spill, clock);
      AtomicLong failures = new AtomicLong();
      files.hook(
          (number, operation, path) -> {
            if (failures.get() == 0 && path.endsWith(Cursor.NAME)) {
              failures.incrementAndGet();
              failCursor(number, operation, path);
            }
          });
      assertThat(spill.prepend(SpillRoundTripTest.payloads(texts(-3, 0)))).isEqualTo(3);
    }
    assertThat(SpillTesting.reopenAndDeliver(directory, listener))
        .containsExactly("event--3", "event--2", "event--1", "event-2", "event-3");
    assertThat(listener.lost).hasValue(0);
  }

  /** Without it all comes again. */
  @Test
  void shouldReadTheCursorAgain() throws Exception {
    Path directory = temp.resolve("spill");
    RecordingListener listener = new RecordingListener();
    AtomicLong clock = new AtomicLong();
    try (Spill spill = SpillTesting.open(config(directory), listener, new Disk(), clock::get)) {
      deliverHalf(spill, clock);
    }
    AtomicBoolean once = new AtomicBoolean();
    FaultyDisk files = new FaultyDisk();
    files.hook(
        (number, operation, path) -> {
          if (operation.equals("openForWriting") && path.endsWith(Cursor.NAME)) {
            once.set(true);
          } else if (operation.equals("read") && once.getAndSet(false)) {
            throw new IOException("Input/output error (injected)");
          }
        });
    try (Spill spill = SpillTesting.open(config(directory), listener, files, clock::get)) {
      assertThat(listener.failures).containsExactly("read the cursor");
      assertThat(deliverAll(spill)).isEqualTo(texts(2, 4));
    }
  }

  /** As the thread of a pool that is shut down: else all tries fall into one instant. */
  @Test
  void shouldPauseBeforeItTriesAgainOnAnInterruptedThreadToo() {
    Thread.currentThread().interrupt();
    long since = System.nanoTime();
    assertThat(Spill.triesAgain(1)).isTrue();
    long paused = System.nanoTime() - since;
    assertThat(Thread.interrupted()).as("kept").isTrue();
    assertThat(paused).isGreaterThanOrEqualTo(TimeUnit.MILLISECONDS.toNanos(100));
  }

  @ParameterizedTest
  @ValueSource(strings = {"state", "create", "openForReading", "write"})
  void shouldTryASegmentAgainForWhatAStopSaves(String failing) throws Exception {
    Path directory = temp.resolve("spill");
    FaultyDisk files = new FaultyDisk();
    RecordingListener listener = new RecordingListener();
    AtomicLong clock = new AtomicLong();
    try (Spill spill = SpillTesting.open(config(directory), listener, files, clock::get)) {
      deliverHalf(spill, clock);
      AtomicBoolean once = new AtomicBoolean(true);
      files.hook(
          (number, operation, path) -> {
            if (operation.equals(failing) && once.getAndSet(false)) {
              throw new IOException("Too many open files (injected)");
            }
          });
      assertThat(spill.prepend(SpillRoundTripTest.payloads(texts(-3, 0)))).isEqualTo(3);
      assertThat(once).isFalse();
    }
    assertThat(SpillTesting.reopenAndDeliver(directory, listener))
        .containsExactly("event--3", "event--2", "event--1", "event-2", "event-3");
    assertThat(listener.lost).hasValue(0);
  }

  /** As a file system does that writes each block to a new place. */
  @Test
  void shouldSaveAsMuchAsLeavesRoomForTheCursor() throws Exception {
    Path directory = temp.resolve("spill");
    FaultyDisk files = new FaultyDisk();
    RecordingListener listener = new RecordingListener();
    AtomicLong clock = new AtomicLong();
    try (Spill spill = SpillTesting.open(config(directory), listener, files, clock::get)) {
      deliverHalf(spill, clock);
      files.hook(
          (number, operation, path) -> {
            if (Files.size(segments(directory).get(0)) > 200) {
              failCursor(number, operation, path);
            }
          });
      assertThat(spill.prepend(SpillRoundTripTest.payloads(texts(-4, 0)))).isEqualTo(2);
    }
    assertThat(SpillTesting.reopenAndDeliver(directory, listener))
        .containsExactly("event--4", "event--3", "event-2", "event-3");
    assertThat(listener.lost).hasValue(0);
  }

  static void deleteRecursively(Path path) throws IOException {
    if (Files.isDirectory(path)) {
      try (DirectoryStream<Path> stream = Files.newDirectoryStream(path)) {
        for (Path child : stream) {
          deleteRecursively(child);
        }
      }
    }
    Files.deleteIfExists(path);
  }
}
