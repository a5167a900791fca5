package io.spillway.stress.plan;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.spillway.stress.plan.Calibration.Injected;
import java.util.Map;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

class CalibrationTest {
  private static final int THREADS = 20;
  private static final double PER_THREAD = 100;
  private static final long STALL_MILLIS = 1_200;
  private static final double ONE_PERCENT = 80; // of the calls of four seconds

  @Test
  void shouldExpectOfAllThreadsTheStallLessTheTimeInWhichTheSlowestCallsAreDue() {
    assertThat(waits(0).leastOfSlowest(ONE_PERCENT, PER_THREAD))
        .isCloseTo(1.2 - 0.01 * 4, within(1e-9));
  }

  /** As on a busy machine: the 99th percentile is still that of the others. */
  @Test
  void shouldNotTakeAThreadThatIsLetGoLateForAll() {
    double late = waits(100).leastOfSlowest(ONE_PERCENT, PER_THREAD);
    assertThat(late).isCloseTo(1.2 - 0.01 * 4 + 0.1 / THREADS, within(1e-9));
    assertThat(waits(100).longestSeconds()).isCloseTo(1.3, within(1e-9));
  }

  @Test
  void shouldTakeFewCallsFromTheThreadThatWaitedLongest() {
    assertThat(waits(100).leastOfSlowest(5, PER_THREAD)).isCloseTo(1.25, within(1e-9));
  }

  @Test
  void shouldExpectNoWaitOfMoreCallsThanWaited() {
    assertThat(waits(0).leastOfSlowest(1e6, PER_THREAD)).isZero();
  }

  /** Of all threads, until the same moment, but for one that is let go later. */
  private static Injected waits(long lateMillis) {
    return new Injected(
        Map.of(),
        LongStream.range(0, THREADS)
            .map(thread -> STALL_MILLIS + (thread == 7 ? lateMillis : 0))
            .mapToObj(millis -> new Injected.Wait(Injected.PARK, 0, millis * 1_000_000))
            .toList());
  }
}
