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
    assertThat(sums.seconds()).containsExactly(0.5, 1.0, 0.75);
  }

  @Test
  void shouldCountAWaitThatBeganBeforeTheStartFromTheStart() {
    sums.add(-3 * SECOND, SECOND / 2);
    assertThat(sums.seconds()).containsExactly(0.5);
  }

  @Test
  void shouldKnowTheSecondOfAWaitWithoutLength() {
    sums.add(SECOND, 0);
    assertThat(sums.length()).isEqualTo(2);
  }

  @Test
  void shouldLeaveTheOriginalAsItIs() {
    sums.add(0, SECOND / 2);
    new SecondSums(sums).add(0, SECOND / 2);
    assertThat(sums.seconds()).containsExactly(0.5);
  }
}
