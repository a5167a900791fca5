package io.spillway.internal.spill;

import static org.assertj.core.api.Assertions.assertThat;

import io.spillway.testkit.Fork;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Whatever a spill directory holds: reading it ends, in a small heap, and gives what was written or
 * says what is missing.
 *
 * <p>A failing case is told with its seed. {@code -Dspillway.test.fuzz.seed=SEED} begins with that
 * case, {@code -Dspillway.test.fuzz.minutes=N} sets the time of the long form, 10 by default.
 */
@Timeout(7_200)
class SpillFuzzTest {

  private static final Duration SHORT = Duration.ofSeconds(8);

  /** A child must end well within its deadline. */
  private static final Duration SLICE = Duration.ofMinutes(5);

  @TempDir Path directory;

  @Test
  void shouldSurviveWhateverASpillDirectoryHolds() throws Exception {
    long seed = Long.getLong("spillway.test.fuzz.seed", new Random().nextInt());
    run(seed, SHORT);
  }

  @Tag("full")
  @Test
  void shouldSurviveWhateverASpillDirectoryHoldsForLong() throws Exception {
    long seed = Long.getLong("spillway.test.fuzz.seed", new Random().nextInt());
    Duration left = Duration.ofMinutes(Long.getLong("spillway.test.fuzz.minutes", 10));
    while (left.compareTo(Duration.ZERO) > 0) {
      seed += run(seed, left.compareTo(SLICE) < 0 ? left : SLICE);
      left = left.minus(SLICE);
    }
  }

  private long run(long seed, Duration time) {
    System.out.println("fuzzing the spill from seed " + seed);
    // An error in memory is a finding with a seed, not an end without one.
    List<String> options = List.of("-Xmx64m", "-XX:-ExitOnOutOfMemoryError");
    try (Fork child = Fork.start(SpillFuzzChild.class, options, directory, seed, time.toMillis())) {
      child.awaitEnd(0);
      System.out.println("cases " + child.number("cases"));
      assertThat(child.number("cases")).isPositive();
      assertThat(child.number("damaged")).isPositive();
      return child.number("cases");
    }
  }
}
