package io.spillway.internal.compress;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The share holds whatever the pieces are; clocks are the test's. */
class PacerTest {
  private static final long MILLI = 1_000_000;

  private long cpu;
  private long clock = Long.MAX_VALUE - 5 * MILLI; // nanoTime may wrap
  private final Compressor.Pacer pacer = new Compressor.Pacer(() -> cpu, () -> clock);

  private void work(long cpuNanos, long waitNanos, double share) {
    pacer.begin();
    cpu += cpuNanos;
    clock += cpuNanos + waitNanos;
    pacer.charge(share);
  }

  @ParameterizedTest
  @ValueSource(doubles = {0.01, 0.1, 0.25, 0.5, 0.9, 1.0})
  void shouldUseTheShareAndNoMore(double share) {
    long start = clock;
    for (int i = 0; i < 10_000; i++) {
      work((1 + i % 7) * MILLI, 0, share);
      clock += Math.max(0, pacer.restNanos()) + (i % 3) * MILLI / 10; // rests a little too long
    }
    double used = (double) cpu / (clock - start);
    assertThat(used).isLessThanOrEqualTo(share * 1.001 + 0.0001).isGreaterThan(share * 0.95);
  }

  @Test
  void shouldCountWaitingAsRest() {
    work(3 * MILLI, 3 * MILLI, 0.5);
    assertThat(pacer.restNanos()).isLessThanOrEqualTo(0);
  }

  @Test
  void shouldNotSaveUpIdleTime() {
    work(MILLI, 0, 0.5);
    clock += 3_600_000 * MILLI;
    work(100 * MILLI, 0, 0.5);
    assertThat(pacer.restNanos()).isBetween(79 * MILLI, 100 * MILLI);
  }

  @Test
  void shouldNotChargeWhatIsNotToBePaced() {
    pacer.begin();
    cpu += 1_000 * MILLI;
    clock += 1_000 * MILLI;
    pacer.begin();
    pacer.charge(0.5);
    assertThat(pacer.restNanos()).isLessThanOrEqualTo(0);
  }
}
