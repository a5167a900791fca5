package io.spillway.internal.spill;

import static org.assertj.core.api.Assertions.assertThat;

import io.spillway.testkit.InMemory;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Promise 10: no altered event is delivered; damage costs at most the rest of its segment, is
 * counted, and a copy is kept.
 */
class SpillDamageTest {
  private static final int EVENTS = 7; // in records of 2, 2, 2 and 1
  private static final int FOLLOWING = 3;

  @TempDir(factory = InMemory.class)
  Path temp;

  private int copies;

  /** How the damaged segment ended, and what is behind it. */
  enum Ending {
    SEALED(true, false),
    SEALED_AND_FOLLOWED(true, true),
    KILLED(false, false),
    KILLED_AND_FOLLOWED(false, true); // its seal could not be written

    final boolean sealed;
    final boolean followed;

    Ending(boolean sealed, boolean followed) {
      this.sealed = sealed;
      this.followed = followed;
    }
  }

  private record Original(List<Path> paths, List<byte[]> contents, int[] ends) {
    byte[] first() {
      return contents.get(0);
    }
  }

  private Original original(Ending ending) throws IOException {
    Path directory = temp.resolve("original");
    FaultyFiles files = new FaultyFiles();
    int[] ends = new int[4];
    List<Path> paths;
    List<byte[]> contents = new ArrayList<>();
    Spill spill = Spills.open(Spills.config(directory), files, new Listened());
    try {
      for (int i = 0; i < ends.length; i++) {
        Spills.append(spill, 2 * i, Math.min(EVENTS, 2 * i + 2), 20);
        ends[i] = (int) Files.size(Spills.segments(directory).get(0));
      }
      if (ending.followed) { // a failed write ends a segment
        files.failing.add("write");
        files.hook =
            (operation, path) -> {
              if (ending.sealed && operation.equals("truncate")) {
                files.failing.clear();
              }
            };
        if (Spills.append(spill, EVENTS, EVENTS + FOLLOWING, 20) == null) {
          files.heal();
          files.elapse(1000);
          Spills.append(spill, EVENTS, EVENTS + FOLLOWING, 20);
        }
      }
      paths = Spills.segments(directory);
      if (ending.sealed && !ending.followed) {
        spill.close();
      }
      for (Path path : paths) {
        contents.add(Files.readAllBytes(path));
      }
    } finally {
      spill.close();
    }
    assertThat(paths).hasSize(ending.followed ? 2 : 1);
    long sealed = ends[3] + (ending.sealed ? SegmentFormat.RECORD_BYTES : 0);
    assertThat(contents.get(0)).hasSize((int) sealed);
    return new Original(paths, contents, ends);
  }

  /** What a start makes of it. */
  private record Found(List<Integer> read, Listened listener, Path directory) {
    long lost() {
      return listener.lost.get();
    }

    List<Path> kept() {
      return Files.exists(directory) ? Spills.files(directory, "*.corrupt") : List.of();
    }
  }

  private Found read(Original original, byte[] damaged) throws IOException {
    Path directory = Files.createDirectories(temp.resolve("copy" + copies++));
    for (int i = 0; i < original.paths.size(); i++) {
      Path path = directory.resolve(original.paths.get(i).getFileName());
      Files.write(path, i == 0 ? damaged : original.contents.get(i));
    }
    Listened listener = new Listened();
    List<Integer> read;
    try (Spill spill = Spills.open(directory, listener)) {
      read = Spills.deliverAll(spill);
      assertThat(spill.events()).as("figures after all was read").isZero();
      assertThat(spill.bytes()).isZero();
      assertThat(spill.leftoverEvents()).isZero();
    }
    assertThat(listener.lostLeftovers.get()).isEqualTo(listener.lost.get());
    assertThat(listener.failures).isEmpty();
    return new Found(read, listener, directory);
  }

  private static List<Integer> following(Ending ending) {
    return ending.followed ? Spills.range(EVENTS, EVENTS + FOLLOWING) : List.of();
  }

  @ParameterizedTest
  @EnumSource
  void shouldReadWhatIsLeftOfATruncatedSegment(Ending ending) throws IOException {
    Original original = original(ending);
    for (int size = 0; size <= original.first().length; size++) {
      Found found = read(original, Arrays.copyOf(original.first(), size));
      int whole = 0;
      for (int end : original.ends) {
        whole += end <= size ? 1 : 0;
      }
      int events = Math.min(EVENTS, 2 * whole);
      List<Integer> expected = Spills.range(0, events);
      expected.addAll(following(ending));
      assertThat(found.read).as("cut at " + size).isEqualTo(expected);
      if (size > 0 && size < SegmentFormat.HEADER_BYTES) {
        assertThat(found.lost()).as("cut at " + size).isOne();
        assertThat(found.kept()).hasSize(1);
      } else if (size > 0) { // without anything behind it, a cut looks like a kill
        long lost = ending.followed ? EVENTS - events : 0;
        assertThat(found.lost()).as("cut at " + size).isEqualTo(lost);
        assertThat(found.kept()).hasSize(lost > 0 ? 1 : 0);
      }
    }
  }

  @ParameterizedTest
  @EnumSource
  void shouldDeliverNoAlteredEventWhicheverBitIsFlipped(Ending ending) throws IOException {
    Original original = original(ending);
    int step = ending.followed ? Byte.SIZE + 1 : 1; // a short form for what differs little
    for (int bit = 0; bit < original.first().length * Byte.SIZE; bit += step) {
      byte[] damaged = original.first().clone();
      int at = bit / Byte.SIZE;
      damaged[at] ^= (byte) (1 << bit % Byte.SIZE);
      Found found = read(original, damaged);
      String what = "bit " + bit + ", byte " + at + ": " + found.listener.losses;
      int record = 0;
      while (record < original.ends.length && at >= original.ends[record]) {
        record++;
      }
      List<Integer> expected = Spills.range(0, EVENTS);
      long lost = 0;
      boolean kept = true;
      if (at < SegmentFormat.MARK_AT - 12) { // the header
        expected.clear();
        lost = 1; // at least
      } else if (at < SegmentFormat.HEADER_BYTES) {
        kept = false; // a bad mark: from the start
      } else if (record < original.ends.length) {
        int start = record == 0 ? SegmentFormat.HEADER_BYTES : original.ends[record - 1];
        int first = 2 * record;
        int end = Math.min(EVENTS, first + 2);
        if (at - start < SegmentFormat.RECORD_BYTES) {
          expected.removeIf(event -> event >= first);
          lost = ending == Ending.KILLED ? 1 : EVENTS - first;
        } else {
          expected.removeIf(event -> event >= first && event < end);
          lost = end - first;
        }
      }
      expected.addAll(following(ending));
      assertThat(found.read).as(what).isEqualTo(expected);
      assertThat(found.lost()).as(what).isEqualTo(lost);
      if (record < original.ends.length) {
        assertThat(found.kept()).as(what).hasSize(kept ? 1 : 0);
      }
    }
  }

  @Test
  void shouldKeepTheNewestFourDamagedSegments() throws IOException {
    Path directory = temp.resolve("spill");
    for (int run = 1; run <= 6; run++) {
      try (Spill spill = Spills.open(directory, new Listened())) {
        Spills.appendAll(spill, 0, 3);
      }
      Path segment = Spills.segments(directory).get(0);
      byte[] bytes = Files.readAllBytes(segment);
      bytes[SegmentFormat.HEADER_BYTES + SegmentFormat.RECORD_BYTES] ^= 1;
      Files.write(segment, bytes);
      Listened listener = new Listened();
      try (Spill spill = Spills.open(directory, listener)) {
        assertThat(Spills.deliverAll(spill)).containsExactly(1, 2);
      }
      assertThat(listener.losses).containsExactly("bad payload");
      List<Path> kept = Spills.files(directory, "*.corrupt");
      assertThat(kept).hasSize(Math.min(run, 4));
      assertThat(Files.readAllBytes(kept.get(kept.size() - 1))).startsWith(bytes[0]);
    }
    assertThat(Spills.files(directory, "*.corrupt").get(0).getFileName())
        .hasToString("000003-000000.bytes.corrupt");
  }

  @Test
  void shouldKeepOneThatTheCodecRefuses() {
    Path directory = temp.resolve("spill");
    Listened listener = new Listened();
    try (Spill spill = Spills.open(directory, listener)) {
      Spills.append(spill, 0, 5, 0);
      Spills.append(spill, 5, 7, 0);
      Spill.Place place = spill.first();
      assertThat(spill.read(place, new Spill.Payload())).isEqualTo(Spill.Outcome.OK);
      spill.mark(place, 2);
      spill.pass(spill.first(), "unknown class");
      assertThat(listener.lost.get()).as("two were delivered").isEqualTo(3);
      assertThat(listener.losses).containsExactly("unknown class");
      assertThat(listener.lostLeftovers.get()).isZero();
      assertThat(spill.events()).isEqualTo(2);
      assertThat(Spills.deliverAll(spill)).containsExactly(5, 6);
    }
    assertThat(Spills.files(directory, "*.corrupt")).hasSize(1);
  }

  @Test
  void shouldEndAnActiveSegmentWithABadHeader() throws IOException {
    Path directory = temp.resolve("spill");
    Listened listener = new Listened();
    try (Spill spill = Spills.open(directory, listener)) {
      for (int i = 0; i < 5; i++) { // more than the tee keeps
        Spills.append(spill, i, i + 1, 200_000);
      }
      Path path = Spills.segments(directory).get(0);
      byte[] bytes = Files.readAllBytes(path);
      bytes[SegmentFormat.HEADER_BYTES + 2 * (SegmentFormat.RECORD_BYTES + 200_000)] ^= 1;
      Files.write(path, bytes);
      assertThat(Spills.deliver(spill, 2)).containsExactly(0, 1);
      assertThat(Spills.deliver(spill, 1)).isEmpty();
      assertThat(listener.lost.get()).isEqualTo(3);
      assertThat(spill.events()).isZero();
      Spills.append(spill, 5, 6, 0);
      assertThat(Spills.deliverAll(spill)).containsExactly(5);
    }
    assertThat(Spills.files(directory, "*.corrupt")).hasSize(1);
  }

  @Test
  void shouldNotTakeZerosBehindAPowerCutForDamage() throws IOException {
    Original original = original(Ending.KILLED);
    byte[] zeros = Arrays.copyOf(original.first(), original.first().length + 5000);
    Found found = read(original, zeros);
    assertThat(found.read).isEqualTo(Spills.range(0, EVENTS));
    assertThat(found.lost()).isZero();
    zeros[zeros.length - 1] = 1;
    found = read(original, zeros);
    assertThat(found.read).isEqualTo(Spills.range(0, EVENTS));
    assertThat(found.lost()).isOne();
  }
}
