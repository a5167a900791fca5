package io.spillway.internal.spill;

import static org.assertj.core.api.Assertions.assertThat;

import io.spillway.testkit.InMemory;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.List;
import java.util.stream.Stream;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The spill against a queue in memory: order, events, marks, restarts, kills, eviction. */
class SpillModelTest {
  private static final int APPEND = 0;
  private static final int DELIVER = 1;
  private static final int PART = 2;
  private static final int RESTART = 3;
  private static final int KILL = 4;
  private static final int DROP = 5;
  private static final int ELAPSE = 6;

  @TempDir(factory = InMemory.class)
  Path temp;

  record Step(int kind, int size) {}

  @Provide
  Arbitrary<List<Step>> steps() {
    Arbitrary<Integer> kinds =
        Arbitraries.of(
            APPEND, APPEND, APPEND, APPEND, DELIVER, DELIVER, DELIVER, PART, RESTART, KILL, DROP,
            ELAPSE);
    return kinds
        .flatMap(kind -> Arbitraries.integers().between(1, 40).map(size -> new Step(kind, size)))
        .list()
        .ofMaxSize(60);
  }

  /** What is accepted and not delivered, record by record. */
  private static final class Model {
    final Deque<List<Integer>> records = new ArrayDeque<>();
    int next;

    List<Integer> events() {
      List<Integer> all = new ArrayList<>();
      records.forEach(all::addAll);
      return all;
    }
  }

  @Property(tries = 150)
  void shouldBeAQueue(@ForAll("steps") List<Step> steps) throws IOException {
    Path base = InMemory.create("junit-");
    try {
      new Run(base).all(steps);
    } finally {
      try (Stream<Path> files = Files.walk(base)) {
        files.sorted(Comparator.reverseOrder()).forEach(path -> path.toFile().delete());
      }
    }
  }

  private static final class Run {
    private final Path base;
    private final Model model = new Model();
    private final Listened listener = new Listened();
    private final FaultyFiles files = new FaultyFiles();
    private Path directory;
    private Spill spill;
    private int kills;
    private int unmarked; // events that a kill may double
    private boolean killed;

    Run(Path base) {
      this.base = base;
      directory = base.resolve("0");
      spill = Spills.open(Spills.config(directory, 16L * Spills.MEGABYTE), files, listener);
    }

    void all(List<Step> steps) {
      for (Step step : steps) {
        take(step);
        if (!killed) {
          assertThat(spill.events()).isEqualTo(model.events().size());
        }
        assertThat(spill.bytes() == 0).isEqualTo(model.records.isEmpty());
        assertThat(spill.first() == null).isEqualTo(model.records.isEmpty());
      }
      deliver(Integer.MAX_VALUE);
      assertThat(model.records).isEmpty();
      spill.close();
      assertThat(directory).doesNotExist();
      assertThat(listener.losses).isEmpty();
      assertThat(listener.failures).isEmpty();
    }

    private void take(Step step) {
      switch (step.kind) {
        case APPEND -> {
          int count = step.size % 7 + 1;
          int bytes = step.size % 5 == 0 ? 400_000 : step.size * 500;
          if (Spills.append(spill, model.next, model.next + count, bytes) != null) {
            model.records.add(new ArrayList<>(Spills.range(model.next, model.next + count)));
            model.next += count;
          } else {
            assertThat(spill.isFull()).isTrue();
          }
        }
        case DELIVER -> deliver(step.size);
        case PART -> {
          Spill.Place place = spill.first();
          Spill.Payload payload = new Spill.Payload();
          if (place != null) {
            assertThat(spill.read(place, payload)).isEqualTo(Spill.Outcome.OK);
            List<Integer> expected = model.records.element();
            int more = Math.min(payload.events - payload.done - 1, step.size);
            assertThat(Spills.numbers(payload)).isEqualTo(expected);
            spill.mark(place, payload.done + more);
            expected.subList(0, more).clear();
            unmarked += more;
          }
        }
        case RESTART -> {
          spill.close();
          open();
          unmarked = 0;
        }
        case KILL -> kill();
        case DROP -> drop();
        default -> files.elapse(150);
      }
    }

    private void open() {
      spill = Spills.open(Spills.config(directory, 16L * Spills.MEGABYTE), files, listener);
      assertThat(spill.leftoverEvents()).isEqualTo(spill.events());
    }

    private void deliver(int records) {
      Spill.Payload payload = new Spill.Payload();
      for (int i = 0; i < records && !model.records.isEmpty(); i++) {
        Spill.Place place = spill.first();
        assertThat(spill.read(place, payload)).isEqualTo(Spill.Outcome.OK);
        List<Integer> expected = model.records.remove();
        assertThat(Spills.numbers(payload)).isEqualTo(expected);
        spill.mark(place, payload.events);
        unmarked += expected.size();
      }
    }

    /** A copy is what a kill leaves: it has everything, and some of what was delivered again. */
    private void kill() {
      Path copy = Spills.copy(directory, base.resolve(String.valueOf(++kills)));
      spill.close();
      directory = copy;
      open();
      List<Integer> before = model.events();
      model.records.clear();
      // What comes back is read without a mark, to take it into the model record by record.
      Spill look = new Spill(Spills.config(directory), files, listener, () -> true);
      assertThat(look.open()).as("second owner").isFalse();
      listener.warnings.clear();
      int again = (int) spill.events() - before.size();
      assertThat(again).isBetween(0, Math.min(unmarked, 1024 + 280));
      Path second = Spills.copy(directory, base.resolve("look" + kills));
      Spill copyOf = Spills.open(Spills.config(second), files, listener);
      Spill.Payload payload = new Spill.Payload();
      for (Spill.Place place = copyOf.first(); place != null; place = copyOf.first()) {
        assertThat(copyOf.read(place, payload)).isEqualTo(Spill.Outcome.OK);
        model.records.add(new ArrayList<>(Spills.numbers(payload)));
        copyOf.mark(place, payload.events);
      }
      copyOf.close();
      List<Integer> after = model.events();
      assertThat(after.subList(again, after.size())).isEqualTo(before);
      unmarked = again;
    }

    private void drop() {
      List<Integer> before = model.events();
      long dropped = spill.dropOldest();
      assertThat(spill.events()).isEqualTo(before.size() - dropped);
      if (dropped > 0) { // whole records behind the first segment
        List<List<Integer>> rest = new ArrayList<>(model.records);
        Path second = Spills.copy(directory, base.resolve("dropped" + kills++));
        Spill copyOf = Spills.open(Spills.config(second), files, listener);
        List<Integer> left = Spills.deliverAll(copyOf);
        copyOf.close();
        rest.removeIf(record -> !left.contains(record.get(record.size() - 1)));
        model.records.clear();
        model.records.addAll(rest);
        assertThat(model.events()).hasSize(before.size() - (int) dropped);
      }
    }
  }

  @Test
  void shouldReturnWhatItWasGiven() {
    Path directory = temp.resolve("spill");
    Listened listener = new Listened();
    try (Spill spill = Spills.open(directory, listener)) {
      byte[] large = new byte[3 * Spills.MEGABYTE];
      for (int i = 0; i < large.length; i++) {
        large[i] = (byte) (i * 31);
      }
      assertThat(spill.append(large, large.length, 2)).isNotNull();
      assertThat(spill.append(new byte[0], 0, 0)).isNotNull();
      Spill.Payload payload = new Spill.Payload();
      Spill.Place place = spill.first();
      assertThat(spill.read(place, payload)).isEqualTo(Spill.Outcome.OK);
      assertThat(payload.length).isEqualTo(large.length);
      assertThat(payload.bytes).startsWith(large);
      assertThat(payload.leftover).isFalse();
      spill.mark(place, 2);
      place = spill.first();
      assertThat(spill.read(place, payload)).isEqualTo(Spill.Outcome.OK);
      assertThat(payload.length).isZero();
      assertThat(payload.bytes.length).as("a large record stays in no buffer").isLessThan(100_000);
      spill.mark(place, 0);
      assertThat(spill.first()).isNull();
    }
    assertThat(listener.failures).isEmpty();
  }

  @Test
  void shouldReadTheLastPayloadsFromMemory() {
    FaultyFiles files = new FaultyFiles();
    try (Spill spill = Spills.open(Spills.config(temp.resolve("spill")), files, new Listened())) {
      for (int i = 0; i < 500; i++) { // with one and two records in the tee
        Spills.append(spill, 2 * i, 2 * i + 1, 10_000 + i * 100);
        Spills.append(spill, 2 * i + 1, 2 * i + 2, 64 << 10);
        assertThat(Spills.deliver(spill, 2)).containsExactly(2 * i, 2 * i + 1);
      }
      assertThat(files.done).doesNotContain("read");
      for (int i = 1000; i < 1006; i++) { // more bytes than it keeps
        Spills.append(spill, i, i + 1, 200 << 10);
      }
      assertThat(Spills.deliverAll(spill)).isEqualTo(Spills.range(1000, 1006));
      assertThat(files.done).contains("read");
      files.done.clear();
      Spills.appendAll(spill, 1000, 6000); // each takes more than its bytes
      assertThat(Spills.deliverAll(spill)).isEqualTo(Spills.range(1000, 6000));
      assertThat(files.done).contains("read");
    }
  }

  @Test
  void shouldMarkEach512EventsAndEach200Millis() throws IOException {
    FaultyFiles files = new FaultyFiles();
    Path directory = temp.resolve("spill");
    Listened listener = new Listened();
    try (Spill spill = Spills.open(Spills.config(directory), files, listener)) {
      Spills.appendAll(spill, 0, 5000);
      files.elapse(200);
      Spills.deliver(spill, 1);
      assertThat(rest(directory, "a")).isEqualTo(4999);
      Spills.deliver(spill, 511);
      assertThat(rest(directory, "b")).isEqualTo(4999);
      Spills.deliver(spill, 1);
      assertThat(rest(directory, "c")).isEqualTo(5000 - 513);
      Spills.deliver(spill, 10);
      files.elapse(200);
      Spills.deliver(spill, 1);
      assertThat(rest(directory, "d")).isEqualTo(5000 - 524);
      Spills.deliverAll(spill);
      assertThat(rest(directory, "e")).as("an empty spill doubles nothing").isZero();
    }
  }

  private long rest(Path directory, String name) {
    try (Spill copy = Spills.open(Spills.copy(directory, temp.resolve(name)), new Listened())) {
      return copy.events();
    }
  }

  @Test
  void shouldLeaveNothingWhenTheJvmExits() {
    Path directory = temp.resolve("spill");
    Listened listener = new Listened();
    try (Spill spill = Spills.open(directory, listener)) {
      Spills.appendAll(spill, 0, 10);
      Spills.deliver(spill, 3);
      spill.exiting();
      assertThat(rest(directory, "a")).isEqualTo(7);
      Spills.deliver(spill, 1);
      assertThat(rest(directory, "b")).isEqualTo(6);
      Spills.deliverAll(spill);
      assertThat(directory).doesNotExist();
      Spills.appendAll(spill, 10, 12);
      assertThat(rest(directory, "c")).isEqualTo(2);
      assertThat(Spills.deliverAll(spill)).containsExactly(10, 11);
      assertThat(directory).doesNotExist();
    }
    assertThat(listener.warnings).isEmpty();
    assertThat(listener.failures).isEmpty();
  }
}
