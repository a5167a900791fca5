package io.spillway.internal.compress;

import static org.assertj.core.api.Assertions.assertThat;

import io.spillway.internal.disk.Disk;
import io.spillway.internal.disk.Disk.State;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What is put off, and for how long. */
class BacklogTest {
  private static final long SECOND = TimeUnit.SECONDS.toNanos(1);
  private static final Path A = Path.of("a");
  private static final Path B = Path.of("b");

  @TempDir Path directory;

  private long clock = Long.MAX_VALUE - SECOND / 2; // nanoTime may wrap
  private final Backlog backlog = new Backlog(() -> clock);

  private boolean isReady(Path file) {
    return backlog.next(backlog.now(), file::equals) != null;
  }

  private static State state(long bytes) {
    return new State(true, false, "key", bytes, FileTime.fromMillis(bytes), null);
  }

  @Test
  void shouldTakeTheOldestFirst() {
    backlog.add(A, true, 0);
    backlog.add(B, false, 0);
    Path newer = Path.of("newer");
    Path older = Path.of("older");
    backlog.found(newer, true, state(2));
    backlog.found(older, true, state(1));
    for (Path next : new Path[] {older, newer, A, null}) {
      assertThat(backlog.next(backlog.now(), file -> true)).isEqualTo(next);
      backlog.forget(next == null ? B : next);
    }
    backlog.add(B, false, 0);
    assertThat(backlog.next(backlog.now(), file -> true)).as("without a raw name").isNull();
    backlog.moved(B, A);
    assertThat(backlog.next(backlog.now(), file -> true)).isEqualTo(A);
  }

  @Test
  void shouldBeReadyUnlessPutOff() {
    backlog.add(A, true, 3 * SECOND);
    backlog.add(B, true, 0);
    assertThat(isReady(A)).isFalse();
    assertThat(isReady(B)).isTrue();
    assertThat(backlog.readyFiles(backlog.now())).isEqualTo(1);
    long lookBegan = backlog.now();
    assertThat(backlog.untilReadyNanos(lookBegan)).isEqualTo(3 * SECOND);
    clock += 3 * SECOND;
    assertThat(isReady(A)).isTrue();
    assertThat(backlog.readyFiles(backlog.now())).isEqualTo(2);
    assertThat(backlog.untilReadyNanos(lookBegan)).as("became ready during the look").isZero();
    assertThat(backlog.untilReadyNanos(backlog.now())).isEqualTo(Long.MAX_VALUE);
  }

  @Test
  void shouldCountAsDueWhatNoDelayPutsOff() {
    backlog.add(A, true, 3 * SECOND);
    backlog.add(B, true, 0);
    assertThat(backlog.metrics(null).backlogFiles()).isEqualTo(2);
    assertThat(backlog.metrics(null).dueFiles()).isEqualTo(1);
    clock += 3 * SECOND;
    assertThat(backlog.metrics(null).dueFiles()).isEqualTo(2);
  }

  @Test
  void shouldTellWhatFailsAgainAndAgain() {
    backlog.add(A, true, 0);
    backlog.add(B, false, 3 * SECOND);
    backlog.putOff(A);
    backlog.failed(A);
    backlog.putOff(A);
    backlog.notPlaced();
    assertThat(backlog.failing()).as("once, and put off").isNull();
    backlog.notPlaced();
    assertThat(backlog.failing()).isEqualTo(B);
    Path raw = Path.of("raw");
    backlog.moved(B, raw);
    assertThat(backlog.failing()).as("that step is done").isNull();
    backlog.failed(A);
    assertThat(backlog.failing()).isEqualTo(A);
    backlog.moved(A, B);
    assertThat(backlog.failing()).as("only shifted").isEqualTo(B);
    backlog.forget(B);
    assertThat(backlog.failing()).isNull();
  }

  @Test
  void shouldDoubleThePauseUpToAMinute() {
    backlog.add(A, true, 0);
    long[] seconds = {1, 2, 4, 8, 16, 32, 60, 60, 60};
    for (long expected : seconds) {
      assertThat(backlog.failed(A)).isEqualTo(expected * SECOND);
      clock += expected * SECOND - 1;
      assertThat(isReady(A)).isFalse();
      clock++;
      assertThat(isReady(A)).isTrue();
    }
  }

  @Test
  void shouldKeepThePauseWhenTheFileIsMoved() {
    backlog.add(A, true, 0);
    backlog.failed(A);
    backlog.moved(A, B);
    assertThat(isReady(B)).isFalse();
    assertThat(backlog.failed(B)).isEqualTo(2 * SECOND);
    backlog.found(B, true, state(100));
    assertThat(isReady(B)).as("found again by a sweep").isFalse();
    backlog.moved(Path.of("unknown"), A);
    assertThat(backlog.metrics("").backlogFiles()).isEqualTo(1);
  }

  @Test
  void shouldCountFilesAndBytes() throws IOException {
    Path there = Files.write(directory.resolve("there"), new byte[10]);
    Path gone = directory.resolve("gone");
    backlog.add(there, true, 0);
    backlog.add(gone, true, 0);
    backlog.found(A, true, state(500));
    assertThat(backlog.metrics("").backlogFiles()).isEqualTo(3);
    assertThat(backlog.metrics("").backlogBytes()).isEqualTo(500);
    backlog.measure(new Disk(), false);
    assertThat(backlog.metrics("").backlogFiles()).isEqualTo(2);
    assertThat(backlog.metrics("").backlogBytes()).isEqualTo(510);
    assertThat(backlog.readyBytes(backlog.now())).isEqualTo(510);
    backlog.measure(new Disk(), true);
    assertThat(backlog.metrics("").backlogBytes()).isEqualTo(10);
    backlog.forget(there);
    assertThat(backlog.metrics("").backlogFiles()).isZero();
  }
}
