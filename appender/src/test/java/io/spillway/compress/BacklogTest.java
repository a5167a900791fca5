package io.spillway.compress;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What is put off, and for how long. */
@Tag("shared")
class BacklogTest {
  private static final long SECOND = TimeUnit.SECONDS.toNanos(1);
  private static final Path A = Path.of("a");
  private static final Path B = Path.of("b");

  @TempDir Path directory;

  private long clock = Long.MAX_VALUE - SECOND / 2; // nanoTime may wrap
  private final Backlog backlog = new Backlog(() -> clock);

  @Test
  void shouldBeReadyUnlessPutOff() {
    assertThat(backlog.isReady(A)).isTrue();
    backlog.add(A, 3 * SECOND);
    backlog.add(B, 0);
    assertThat(backlog.isReady(A)).isFalse();
    assertThat(backlog.isReady(B)).isTrue();
    long lookBegan = backlog.now();
    assertThat(backlog.untilReadyNanos(lookBegan)).isEqualTo(3 * SECOND);
    clock += 3 * SECOND;
    assertThat(backlog.isReady(A)).isTrue();
    assertThat(backlog.untilReadyNanos(lookBegan)).as("became ready during the look").isZero();
    assertThat(backlog.untilReadyNanos(backlog.now())).isEqualTo(Long.MAX_VALUE);
  }

  @Test
  void shouldDoubleThePauseUpToAMinute() {
    long[] seconds = {1, 2, 4, 8, 16, 32, 60, 60, 60};
    for (long expected : seconds) {
      assertThat(backlog.failed(A)).isEqualTo(expected * SECOND);
      clock += expected * SECOND - 1;
      assertThat(backlog.isReady(A)).isFalse();
      clock++;
      assertThat(backlog.isReady(A)).isTrue();
    }
  }

  @Test
  void shouldKeepThePauseWhenTheFileIsMoved() {
    backlog.failed(A);
    backlog.moved(A, B);
    assertThat(backlog.isReady(B)).isFalse();
    assertThat(backlog.isReady(A)).isTrue();
    assertThat(backlog.failed(B)).isEqualTo(2 * SECOND);
    backlog.found(B, 100);
    assertThat(backlog.isReady(B)).as("found again by a sweep").isFalse();
    backlog.moved(Path.of("unknown"), A);
    assertThat(backlog.files()).isEqualTo(1);
  }

  @Test
  void shouldCountFilesAndBytes() throws IOException {
    Path there = Files.write(directory.resolve("there"), new byte[10]);
    Path gone = directory.resolve("gone");
    backlog.add(there, 0);
    backlog.add(gone, 0);
    backlog.found(A, 500);
    assertThat(backlog.files()).isEqualTo(3);
    assertThat(backlog.bytes()).isEqualTo(500);
    backlog.measure(new RealArchiveFiles(), new ReentrantLock());
    assertThat(backlog.files()).isEqualTo(2);
    assertThat(backlog.bytes()).isEqualTo(510);
    backlog.prune(new RealArchiveFiles(), new ReentrantLock());
    assertThat(backlog.bytes()).isEqualTo(10);
    backlog.forget(there);
    assertThat(backlog.files()).isZero();
  }
}
