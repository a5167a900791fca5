package io.spillway.stress.record;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class SecondSumsTest {
  private static final long SECOND = 1_000_000_000L;

  private final SecondSums sums = new SecondSums();

  @Test
  void shouldShareAWaitAmongTheSecondsItTouches() {
    sums.add(SECOND / 2, 2 * SECOND);
    sums.add(2 * SECOND, SECOND / 4);
    assertThat(sums.seconds(3)).containsExactly(0.5, 1.0, 0.75);
  }

  @Test
  void shouldCountAWaitThatBeganBeforeTheStartFromTheStart() {
    sums.add(-3 * SECOND, SECOND / 2);
    assertThat(sums.seconds(1)).containsExactly(0.5);
  }

  @Test
  void shouldAddUpSumsAndCutThemToTheLoad() {
    sums.add(0, SECOND / 2);
    SecondSums other = new SecondSums();
    other.add(SECOND / 4, SECOND);
    sums.add(other);
    assertThat(sums.seconds(3)).containsExactly(1.25, 0.25, 0.0);
    assertThat(sums.seconds(1)).containsExactly(1.25);
  }
}
