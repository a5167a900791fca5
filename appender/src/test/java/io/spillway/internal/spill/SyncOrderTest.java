package io.spillway.internal.spill;

import static io.spillway.internal.spill.SpillTesting.append;
import static io.spillway.internal.spill.SpillTesting.appendAll;
import static io.spillway.internal.spill.SpillTesting.deliver;
import static io.spillway.internal.spill.SpillTesting.segments;
import static io.spillway.internal.spill.SpillTesting.texts;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.spillway.testkit.FaultyDisk;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * What is forced by the time somebody relies on it. A power cut on ext4 does not show all of this,
 * as an fsync there forces all names, and a rename the bytes of a file that replaces another.
 */
class SyncOrderTest {
  private static final long CAP = 1 << 20; // segments of 64 KiB
  private static final long NEVER_NANOS = Long.MAX_VALUE / 4;

  @TempDir Path temp;

  private final FaultyDisk files = new FaultyDisk();
  private final RecordingListener listener = new RecordingListener();
  private final AtomicLong clock = new AtomicLong();
  private Path directory;

  @BeforeEach
  void nameDirectory() {
    directory = temp.resolve("spill");
  }

  /** Forces only when it is asked to. */
  private Spill open() throws IOException {
    return open(NEVER_NANOS, null, false);
  }

  private Spill open(long syncNanos, String owner, boolean tagged) throws IOException {
    SpillConfig config = new SpillConfig(directory, CAP, SpillKind.BYTES, syncNanos, owner, tagged);
    return SpillTesting.open(config, listener, files, clock::get);
  }

  /** What is not forced in the moment in which all that is appended counts as synced. */
  private Set<Path> unforcedOnceSynced(Spill spill) throws Exception {
    CompletableFuture<Set<Path>> unforced = new CompletableFuture<>();
    CompletableFuture<Boolean> synced = new CompletableFuture<>();
    spill.whenSynced(
        all -> {
          unforced.complete(files.unforced());
          synced.complete(all);
        });
    assertThat(synced.get(60, TimeUnit.SECONDS)).isTrue();
    return unforced.get();
  }

  @Test
  void shouldForceWhereTheSpillIsBeforeAnythingInItCountsAsSynced() throws Exception {
    try (Spill spill = open()) {
      appendAll(spill, texts(0, 3));
      assertThat(unforcedOnceSynced(spill)).isEmpty();
    }
  }

  @Test
  void shouldForceWhereTheSpillIsAlthoughThatHasFailed() throws Exception {
    files.failing.add("syncDirectory");
    try (Spill spill = open()) {
      appendAll(spill, texts(0, 3));
      spill.whenSynced(all -> {});
      await().until(() -> listener.failures.contains("sync"));
      files.heal();
      assertThat(unforcedOnceSynced(spill)).isEmpty();
    }
  }

  /** Another owner has made it, who may force nothing. */
  @Test
  void shouldForceTheDirectoryAboveItsOwnAsWell() throws Exception {
    try (Spill first = open(0, null, false);
        Spill spill = open()) {
      assertThat(spill.directory().getParent()).isEqualTo(first.directory());
      appendAll(spill, texts(0, 3));
      assertThat(unforcedOnceSynced(spill)).doesNotContain(first.directory(), spill.directory());
    }
  }

  @Test
  void shouldForceWhatAStopSavesOfMemory() throws Exception {
    try (Spill spill = open()) {
      assertThat(spill.prepend(SpillRoundTripTest.payloads(texts(0, 3)))).isEqualTo(3);
      assertThat(files.unforced()).isEmpty();
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void shouldForceWhatIsWrittenAgainForWhatWasRemoved(boolean failsAtFirst) throws Exception {
    try (Spill spill = open()) {
      appendAll(spill, texts(0, 3));
      unforcedOnceSynced(spill);
      SpillFaultTest.deleteRecursively(directory);
      if (failsAtFirst) {
        files.failing.add("syncDirectory");
        clock.addAndGet(TimeUnit.SECONDS.toNanos(2));
        spill.keep();
        files.heal();
      }
      clock.addAndGet(TimeUnit.SECONDS.toNanos(2));
      spill.keep();
      assertThat(segments(directory)).hasSize(1);
      assertThat(files.unforced()).isEmpty();
    }
  }

  /** Else the old file has the name, which the system has dropped some bytes of. */
  @Test
  void shouldForceTheNameOfWhatIsWrittenAgainForALaterSyncThatFailed() throws Exception {
    try (Spill spill = open()) {
      append(spill, "first");
      assertThat(unforcedOnceSynced(spill)).isEmpty();
      append(spill, "second");
      files.failing.add("sync");
      spill.whenSynced(all -> {});
      await().until(() -> listener.failures.contains("sync"));
      files.heal();
      assertThat(unforcedOnceSynced(spill)).isEmpty();
    }
  }

  @Test
  void shouldForceWhatIsKeptBeforeItReplacesWhatMakesRoom() throws Exception {
    try (Spill spill = open(NEVER_NANOS, null, true)) {
      byte[] bytes = new byte[10_000];
      for (int i = 0; i < 20; i++) {
        spill.append(new Spill.Payload(bytes, 0, bytes.length, 1, i % 2 * SpillOriginal.DROPPABLE));
      }
      assertThat(unforcedOnceSynced(spill)).isEmpty();
      assertThat(spill.evict(new SpillOriginal.Dropping())).isTrue();
      assertThat(files.unforced())
          .as("its name may wait: a power cut gives the file of before")
          .isSubsetOf(segments(directory));
    }
  }

  @Test
  void shouldForceARecordThatIsSetAsideBeforeTheCursorMovesOn() throws Exception {
    try (Spill spill = open()) {
      appendAll(spill, texts(0, 2));
      unforcedOnceSynced(spill);
      for (int attempt = 0; spill.setAsideEvents() == 0; attempt++) {
        assertThat(attempt).isLessThan(100);
        SpillRecord record = spill.read();
        if (spill.setAsideEvents() == 0) {
          spill.undelivered(record, 0);
        }
        clock.addAndGet(TimeUnit.SECONDS.toNanos(1));
      }
      assertThat(files.unforced()).isEmpty();
    }
  }

  /** Else another owner could take them after a power cut. */
  @Test
  void shouldForceTheOwnerThatARunWithoutSyncsHasWritten() throws Exception {
    try (Spill spill = open(0, "the owner", false)) {
      appendAll(spill, texts(0, 2));
    }
    Path owner = directory.resolve(SpillSlot.OWNER);
    assertThat(files.unforced()).contains(owner);
    try (Spill spill = open(NEVER_NANOS, "the owner", false)) {
      appendAll(spill, texts(2, 4));
      assertThat(unforcedOnceSynced(spill)).doesNotContain(owner);
    }
  }

  @Test
  void shouldForceThePositionBeforeWhatIsInFrontOfItIsUnlinked() throws Exception {
    try (Spill spill = open()) {
      appendAll(spill, texts(0, 4));
      unforcedOnceSynced(spill);
      deliver(spill, 2);
      spill.endReading();
      assertThat(files.unforced()).doesNotContain(directory.resolve(Cursor.NAME));
    }
  }

  @Test
  void shouldForceTheMarkOfTheEndWithItsName() throws Exception {
    try (Spill spill = open()) {
      appendAll(spill, texts(0, 2));
      unforcedOnceSynced(spill);
      spill.endReading();
      assertThat(segments(directory)).as("and the mark").hasSize(2);
      assertThat(files.unforced()).isEmpty();
    }
  }
}
