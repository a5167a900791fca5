package io.spillway.stress.service;

import static org.assertj.core.api.Assertions.assertThat;

import io.spillway.stress.watch.WatchFigures;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class ServiceTrialTest {

  /** As taskset and the kernel write them. */
  @Test
  void shouldReadNumbersAndRangesOfProcessors() {
    assertThat(ServiceTrial.processors("0")).containsExactly(0);
    assertThat(ServiceTrial.processors("4,0-2")).containsExactly(0, 1, 2, 4);
    assertThat(ServiceTrial.processors("\t0-1,3")).containsExactly(0, 1, 3);
  }

  /** A second for a recorder to start, or a tenth of what is measured. */
  @Test
  void shouldDoubtATrialWhoseBeginningWasNotWatched() {
    assertThat(doubts(-500, 6)).isEmpty();
    assertThat(doubts(1_000, 6)).isEmpty();
    assertThat(doubts(1_500, 6)).containsExactly("its threads were not watched in the first 1.5 s");
    assertThat(doubts(5_900, 60)).isEmpty();
    assertThat(doubts(6_100, 60))
        .containsExactly("its threads were not watched in the first 6.1 s");
  }

  private static List<String> doubts(long lateMillis, double seconds) {
    Instant measuring = Instant.parse("2026-01-01T00:00:00.123Z");
    WatchFigures watched =
        new WatchFigures(
            WatchFigures.SCHEMA,
            1,
            "",
            measuring.plusMillis(lateMillis).toString(),
            seconds,
            true,
            List.of(),
            Map.of(),
            List.of(),
            List.of(),
            null);
    List<String> doubts = new ArrayList<>();
    ServiceRun.doubt(watched, measuring.toEpochMilli(), seconds, doubts);
    return doubts;
  }
}
