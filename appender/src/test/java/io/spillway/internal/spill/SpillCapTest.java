package io.spillway.internal.spill;

import static org.assertj.core.api.Assertions.assertThat;

import io.spillway.internal.disk.SpillFiles;
import io.spillway.testkit.Fork;
import io.spillway.testkit.InMemory;
import io.spillway.testkit.Tmpfs;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Promises 9, 11 and 20: the spill is bounded in bytes, on a full disk too, its start in heap. */
class SpillCapTest {
  private static final int RECORD = 250_000; // four in a segment of 1 MB

  @TempDir(factory = InMemory.class)
  Path temp;

  private final Listened listener = new Listened();

  private static long size(Path directory) {
    long size = 0;
    for (Path path : Spills.files(directory, "*")) {
      try {
        size += Files.size(path);
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
    return size;
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 3, 16, 40})
  void shouldStayBelowItsCap(int megabytes) {
    Path directory = temp.resolve("spill");
    long cap = (long) megabytes * Spills.MEGABYTE;
    Spill spill = Spills.open(Spills.config(directory, cap), new SpillFiles(), listener);
    int next = 0;
    List<Integer> delivered = new ArrayList<>();
    for (int round = 0; round < 5; round++) {
      while (Spills.append(spill, next, next + 1, RECORD) != null) {
        next++;
        assertThat(size(directory)).isLessThanOrEqualTo(cap);
      }
      assertThat(spill.isFull()).isTrue();
      assertThat(spill.bytes()).isGreaterThan(round == 0 ? cap / 2 : 0);
      delivered.addAll(Spills.deliver(spill, round % 2 == 0 ? Integer.MAX_VALUE : next / 3));
    }
    spill.close();
    long left = spill.events();
    spill = Spills.open(Spills.config(directory, cap), new SpillFiles(), listener);
    assertThat(spill.leftoverEvents()).isEqualTo(left);
    while (Spills.append(spill, next, next + 1, RECORD) != null) { // leftovers count
      next++;
      assertThat(size(directory)).isLessThanOrEqualTo(cap);
    }
    delivered.addAll(Spills.deliverAll(spill));
    spill.close();
    assertThat(delivered).isEqualTo(Spills.range(0, next));
    assertThat(listener.failures).isEmpty();
    assertThat(directory).doesNotExist();
  }

  @Test
  void shouldDropTheOldestWholeSegmentThatIsNotRead() {
    Path directory = temp.resolve("spill");
    SpillConfig config = Spills.config(directory, 16 * Spills.MEGABYTE);
    Spill spill = Spills.open(config, new SpillFiles(), listener);
    int next = 0;
    while (Spills.append(spill, next, next + 1, RECORD) != null) {
      next++;
    }
    Spill.Place reading = spill.first();
    assertThat(spill.dropOldest()).isEqualTo(4);
    assertThat(listener.evicted.get()).isEqualTo(4);
    assertThat(spill.events()).isEqualTo(next - 4);
    for (int i = 0; i < 4; i++) {
      assertThat(Spills.append(spill, next, next + 1, RECORD)).isNotNull();
      next++;
    }
    assertThat(spill.read(reading, new Spill.Payload())).isEqualTo(Spill.Outcome.OK);
    List<Integer> expected = Spills.range(0, next);
    expected.removeAll(Spills.range(4, 8));
    assertThat(Spills.deliverAll(spill)).isEqualTo(expected);
    assertThat(spill.dropOldest()).isZero();
    spill.close();
    assertThat(listener.losses).isEmpty();
  }

  @Test
  void shouldNotDropTheOneBeingReadNorTheOneBeingWritten() {
    FaultyFiles files = new FaultyFiles();
    SpillConfig config = Spills.config(temp.resolve("spill"), 16 * Spills.MEGABYTE);
    Spill spill = Spills.open(config, files, listener);
    assertThat(spill.dropOldest()).isZero();
    for (int i = 0; i < 6; i++) {
      Spills.append(spill, i, i + 1, RECORD);
      assertThat(spill.dropOldest()).isZero();
    }
    for (int i = 6; i < 9; i++) {
      Spills.append(spill, i, i + 1, RECORD);
    }
    files.failing.add("delete"); // then it makes no room either
    assertThat(spill.dropOldest()).isZero();
    assertThat(listener.evicted.get()).isZero();
    files.heal();
    assertThat(Spills.deliverAll(spill)).isEqualTo(Spills.range(0, 9));
    spill.close();
  }

  @Test
  void shouldGoOnWhenAFullDiskHasRoomAgain() throws Exception {
    try (Tmpfs disk = new Tmpfs(Files.createTempDirectory("junit-").resolve("disk"), "size=4m")) {
      FaultyFiles files = new FaultyFiles();
      disk.ballast("ballast", 2 << 20);
      Path directory = disk.directory().resolve("spill");
      Spill spill = Spills.open(Spills.config(directory, 16 * Spills.MEGABYTE), files, listener);
      int next = 0;
      while (Spills.append(spill, next, next + 1, RECORD) != null) {
        next++;
      }
      assertThat(spill.isFull()).isFalse();
      assertThat(listener.failures).contains("append to");
      assertThat(next).isBetween(3, 8);
      disk.drop("ballast");
      files.elapse(1000);
      assertThat(Spills.append(spill, next, next + 1, RECORD)).isNotNull();
      Path killed = Spills.copy(directory, temp.resolve("killed"));
      assertThat(Spills.deliverAll(spill)).isEqualTo(Spills.range(0, next + 1));
      spill.close();
      try (Spill after = Spills.open(killed, listener)) { // no torn record is in the way
        assertThat(Spills.deliverAll(after)).isEqualTo(Spills.range(0, next + 1));
      }
      assertThat(listener.losses).isEmpty();
    }
  }

  /** Opens and delivers what it finds, with little heap. */
  public static final class SmallHeap {
    private SmallHeap() {}

    public static void main(String[] arguments) {
      long start = System.nanoTime();
      SpillConfig config = Spills.config(Path.of(arguments[0]), 2L << 30);
      Spill spill = Spills.open(config, new SpillFiles(), new Listened());
      System.out.println("opened " + (System.nanoTime() - start) / 1_000_000);
      System.out.println("waiting " + spill.leftoverEvents());
      Spill.Payload payload = new Spill.Payload();
      long count = 0;
      for (Spill.Place place = spill.first(); place != null; place = spill.first()) {
        count += spill.read(place, payload) == Spill.Outcome.OK ? payload.events : 0;
        spill.mark(place, payload.events);
      }
      spill.close();
      System.out.println("delivered " + count);
    }
  }

  @Test
  void shouldOpenAGigabyteInASmallHeap() throws IOException {
    Path disk = Files.createTempDirectory("junit-"); // not in memory
    Path directory = disk.resolve("spill");
    SpillConfig config = Spills.config(directory, 2L << 30);
    Spill spill = Spills.open(config, new SpillFiles(), listener);
    byte[] payload = new byte[64 << 10];
    long records = (1 << 30) / payload.length;
    for (int i = 0; i < records; i++) {
      assertThat(spill.append(payload, payload.length, 100)).isNotNull();
    }
    spill.close();
    try (Fork child = Fork.start(SmallHeap.class, List.of("-Xmx24m"), directory)) {
      child.awaitEnd(0);
      assertThat(child.number("waiting")).isEqualTo(records * 100);
      assertThat(child.number("delivered")).isEqualTo(records * 100);
      assertThat(child.number("opened")).as("milliseconds").isLessThan(5_000);
    }
    assertThat(directory).doesNotExist();
    Files.delete(disk);
  }
}
