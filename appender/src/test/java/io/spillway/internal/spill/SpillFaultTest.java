package io.spillway.internal.spill;

import static org.assertj.core.api.Assertions.assertThat;

import io.spillway.internal.disk.SpillFiles;
import io.spillway.testkit.InMemory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Promise 12: the Nth operation fails, for all N, once and for ever. What was accepted is read or
 * counted as lost, in order, unaltered, and at most the events of a lagging mark come twice.
 */
class SpillFaultTest {
  private static final int RECORD = 350_000; // two in a segment
  private static final int BATCH = 5;
  private static final int RECORDS = 8;

  @TempDir(factory = InMemory.class)
  Path temp;

  /** One life of a spill on bad files, the next on good ones. */
  private static final class Lives {
    final Path directory;
    final FaultyFiles files = new FaultyFiles();
    final Listened listener = new Listened();
    final SpillConfig config;
    final List<Integer> delivered = new ArrayList<>();
    int accepted;

    Lives(Path directory, long syncNanos) {
      this.directory = directory;
      config =
          new SpillConfig(directory, 16 * Spills.MEGABYTE, SpillConfig.Kind.BYTES, syncNanos, null);
    }

    void run(boolean close) {
      Spill spill = new Spill(config, files, listener, () -> true);
      for (int i = 0; i < RECORDS; i++) {
        if (!spill.isOpen() && !spill.open()) {
          files.elapse(1000);
        }
        // What is not accepted stays in the ring, and is tried again.
        if (Spills.append(spill, accepted, accepted + BATCH, RECORD) != null) {
          accepted += BATCH;
        } else {
          files.elapse(1000);
        }
        if (i % 3 == 1) {
          delivered.addAll(Spills.deliver(spill, 2));
        }
        files.elapse(50);
      }
      if (close) {
        spill.close();
      } else {
        kill(spill);
      }
    }

    /** The files are as they are, the lock is given back. */
    private void kill(Spill spill) {
      Path copy = directory.resolveSibling(directory.getFileName() + "-killed");
      if (Files.exists(directory)) {
        Spills.copy(directory, copy);
      }
      spill.close();
      for (Path path : Files.exists(directory) ? Spills.segments(directory) : List.<Path>of()) {
        path.toFile().delete();
      }
      if (Files.exists(copy)) {
        Spills.copy(copy, directory);
      }
    }

    void runAgain() {
      files.heal();
      try (Spill spill = Spills.open(config, new SpillFiles(), listener)) {
        delivered.addAll(Spills.deliverAll(spill));
      }
    }

    /** Returns how many events came twice. */
    int check(String what) {
      Set<Integer> distinct = new LinkedHashSet<>(delivered);
      assertThat(distinct.size() + listener.lost.get())
          .as(what + ": read " + distinct + " and lost " + listener.losses)
          .isEqualTo(accepted);
      List<Integer> inOrder = new ArrayList<>(distinct);
      inOrder.sort(null);
      assertThat(new ArrayList<>(distinct)).as(what).isEqualTo(inOrder);
      return delivered.size() - distinct.size();
    }
  }

  private long operations(boolean close, long syncNanos) {
    Lives lives = new Lives(temp.resolve("count" + close), syncNanos);
    lives.run(close);
    long operations = lives.files.operations.get();
    lives.runAgain();
    lives.check("without a failure");
    assertThat(lives.listener.failures).isEmpty();
    assertThat(lives.accepted).isEqualTo(RECORDS * BATCH);
    assertThat(operations).isGreaterThan(30);
    return operations;
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void shouldLoseNothingIfOneOperationFails(boolean close) {
    long operations = operations(close, 0);
    for (long n = 1; n <= operations; n++) {
      Lives lives = new Lives(temp.resolve("once" + n), 0);
      lives.files.failAt(n, false);
      lives.run(close);
      lives.runAgain();
      int twice = lives.check("operation " + n);
      assertThat(lives.listener.lost.get()).as("lost at operation " + n).isZero();
      assertThat(twice).as("twice at operation " + n).isLessThanOrEqualTo(close ? 0 : 10);
      // One failed write is made good at once, one failed open after a second.
      assertThat(lives.accepted).as("accepted").isGreaterThanOrEqualTo((RECORDS - 1) * BATCH);
      assertThat(lives.listener.failures).as("told of operation " + n).isNotEmpty();
      assertThat(lives.directory).as("what is left, operation " + n).doesNotExist();
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void shouldLoseNothingIfAllOperationsFail(boolean close) {
    long operations = operations(close, 0);
    for (long n = 1; n <= operations; n++) {
      Lives lives = new Lives(temp.resolve("forever" + n), 0);
      lives.files.failAt(n, true);
      lives.run(close);
      lives.runAgain();
      lives.check("from operation " + n);
      assertThat(lives.listener.lost.get()).as("lost from operation " + n).isZero();
    }
  }

  @Test
  void shouldLoseNothingIfOneOperationFailsWithSyncs() {
    long operations = operations(true, 1_000_000);
    for (long n = 1; n <= operations; n++) { // the syncer's operations fall between the others'
      Lives lives = new Lives(temp.resolve("sync" + n), 1_000_000);
      lives.files.failAt(n, n % 2 == 0);
      lives.run(true);
      lives.runAgain();
      lives.check("with syncs, operation " + n);
      assertThat(lives.listener.lost.get()).as("lost at operation " + n).isZero();
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"write", "afterWrite", "truncate", "mark", "delete", "create", "close"})
  void shouldLoseNothingIfOneKindOfOperationFails(String kind) {
    Lives lives = new Lives(temp.resolve("kind"), 0);
    lives.files.hook =
        (operation, path) -> {
          if (lives.accepted >= 2 * BATCH) {
            lives.files.failing.add(kind);
            if (kind.equals("truncate")) {
              lives.files.failing.add("write");
            }
          }
        };
    lives.run(true);
    lives.files.hook = (operation, path) -> {};
    lives.runAgain();
    int twice = lives.check(kind);
    assertThat(lives.listener.lost.get()).isZero();
    // Neither mark nor delete: up to the whole segment comes again, as GUARANTEES says.
    assertThat(twice).isLessThanOrEqualTo(kind.equals("mark") ? 5 : 0);
    assertThat(lives.listener.failures).isNotEmpty();
  }

  @Test
  void shouldNotReadATornRecordThatCouldNotBeCut() throws Exception {
    FaultyFiles files = new FaultyFiles();
    Listened listener = new Listened();
    Path directory = temp.resolve("spill");
    Spill spill = Spills.open(Spills.config(directory), files, listener);
    Spills.append(spill, 0, 3, 100);
    files.failing.addAll(List.of("truncate", "afterWrite")); // a whole record behind the last one
    files.hook =
        (operation, path) -> {
          if (operation.equals("truncate")) {
            files.failing.add("write"); // no seal goes over it
          }
        };
    assertThat(Spills.append(spill, 3, 6, 100)).isNull();
    assertThat(spill.events()).isEqualTo(3);
    assertThat(listener.failures).contains("cut", "seal");
    files.heal();
    files.hook = (operation, path) -> {};
    assertThat(Spills.append(spill, 3, 6, 100)).as("in the pause").isNull();
    files.elapse(1000);
    assertThat(Spills.append(spill, 3, 6, 100)).isNotNull();
    Path killed = Spills.copy(directory, temp.resolve("killed"));
    assertThat(Spills.segments(killed)).hasSize(2);
    spill.close();
    try (Spill next = Spills.open(killed, listener)) {
      assertThat(next.events()).isEqualTo(6);
      assertThat(Spills.deliverAll(next)).isEqualTo(Spills.range(0, 6));
    }
    assertThat(listener.losses).isEmpty();
  }

  @Test
  void shouldMakeAFailedWriteGoodAtOnce() {
    FaultyFiles files = new FaultyFiles();
    Listened listener = new Listened();
    try (Spill spill = Spills.open(Spills.config(temp.resolve("spill")), files, listener)) {
      Spills.append(spill, 0, 1, 500);
      files.failAt(files.operations.get() + 1, false);
      assertThat(Spills.append(spill, 1, 2, 500)).isNotNull();
      assertThat(listener.failures).containsExactly("append to");
      assertThat(listener.recoveries).containsExactly("append to");
      assertThat(Spills.deliverAll(spill)).containsExactly(0, 1);
    }
  }

  @Test
  void shouldPauseASecondAfterAFullDisk() {
    FaultyFiles files = new FaultyFiles();
    Listened listener = new Listened();
    try (Spill spill = Spills.open(Spills.config(temp.resolve("spill")), files, listener)) {
      Spills.append(spill, 0, 1, 100);
      files.text = "No space left on device";
      files.failing.add("write");
      assertThat(Spills.append(spill, 1, 2, 100)).isNull();
      assertThat(listener.failures).containsOnlyOnce("append to");
      files.heal();
      long operations = files.operations.get();
      files.elapse(999);
      assertThat(Spills.append(spill, 1, 2, 100)).isNull();
      assertThat(files.operations.get()).as("the log goes first").isEqualTo(operations);
      assertThat(spill.isFull()).isFalse();
      files.elapse(1);
      assertThat(Spills.append(spill, 1, 2, 100)).isNotNull();
      assertThat(listener.recoveries).contains("append to");
      assertThat(Spills.deliverAll(spill)).containsExactly(0, 1);
    }
  }

  @Test
  void shouldKeepSpaceFreeForTheLogOnTheSameDisk() {
    FaultyFiles files = new FaultyFiles();
    Listened listener = new Listened();
    Path directory = temp.resolve("spill");
    SpillConfig beside =
        new SpillConfig(directory, Spills.CAP, SpillConfig.Kind.BYTES, 0, temp.resolve("app.log"));
    try (Spill spill = Spills.open(beside, files, listener)) {
      files.usable = SpillConfig.RESERVE_BYTES + 1000;
      assertThat(Spills.append(spill, 0, 1, 2000)).isNull();
      assertThat(listener.failures).containsExactly("append to");
      files.usable = SpillConfig.RESERVE_BYTES + 3000;
      files.elapse(1000);
      assertThat(Spills.append(spill, 0, 1, 2000)).isNotNull();
      files.usable = 0;
      for (int i = 1; i < 5; i++) { // looks again after 256 KB
        assertThat(Spills.append(spill, i, i + 1, 60_000)).isNotNull();
      }
      assertThat(Spills.append(spill, 5, 6, 60_000)).isNull();
      assertThat(Spills.deliverAll(spill)).isEqualTo(Spills.range(0, 5));
    }
    SpillConfig apart = new SpillConfig(directory, Spills.CAP, SpillConfig.Kind.BYTES, 0, null);
    try (Spill spill = Spills.open(apart, files, listener)) {
      assertThat(Spills.append(spill, 0, 1, 2000)).isNotNull();
      Spills.deliverAll(spill);
    }
  }

  @Test
  void shouldPassByASegmentThatCannotBeReadForTenSeconds() {
    FaultyFiles files = new FaultyFiles();
    Listened listener = new Listened();
    Path directory = temp.resolve("spill");
    Spill spill = Spills.open(Spills.config(directory, 16 * Spills.MEGABYTE), files, listener);
    for (int i = 0; i < 6; i++) {
      Spills.append(spill, i, i + 1, RECORD);
    }
    Path bad = Spills.segments(directory).get(0);
    files.hook =
        (operation, path) -> {
          if (operation.equals("read") && path.equals(bad)) {
            files.failing.add("read");
          } else {
            files.failing.remove("read");
          }
        };
    Spill.Place place = spill.first();
    Spill.Payload payload = new Spill.Payload();
    assertThat(spill.read(place, payload)).isEqualTo(Spill.Outcome.FAILED);
    files.elapse(9_999);
    assertThat(spill.read(place, payload)).isEqualTo(Spill.Outcome.FAILED);
    files.elapse(1);
    assertThat(spill.read(place, payload)).isEqualTo(Spill.Outcome.DAMAGED);
    spill.pass(place, null);
    assertThat(listener.warnings).singleElement().asString().startsWith("unreadable");
    assertThat(Spills.deliverAll(spill)).containsExactly(2, 3, 4, 5);
    assertThat(listener.lost.get()).isZero();
    assertThat(spill.events()).as("they wait for the next start").isEqualTo(2);
    spill.close();
    try (Spill next = Spills.open(directory, listener)) {
      assertThat(Spills.deliverAll(next)).containsExactly(0, 1);
    }
  }
}
