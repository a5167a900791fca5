package io.spillway.stress.record;

import static org.assertj.core.api.Assertions.assertThat;

import io.spillway.stress.report.Control;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

class HiccupsTest {
  private static final long MILLI = 1_000_000;
  private static final List<Double> IDLE = List.of(0.0, 0.0, 0.0, 0.0);

  private final Hiccups hiccups = new Hiccups();

  @Test
  void shouldCountSecondsFromTheBeginningOfTheLoad() {
    hiccups.woke(905 * MILLI, 9_000);
    hiccups.woke(75 * MILLI, 10_600);
    hiccups.woke(5 * MILLI + 60_000, 11_600); // as any sleep is
    hiccups.woke(905 * MILLI, 19_500);

    Control control = hiccups.figures(9_500 * MILLI, IDLE, 2);

    assertThat(control.lateMillisBySecond()).containsExactly(0.0, 70.0, 0.0, 0.0);
    assertThat(control.maxMillis()).isEqualTo(70);
  }

  /** Its sleep ends in the last of them only. */
  @Test
  void shouldBlameTheMachineForEachSecondOfALongStall() {
    hiccups.woke(2_005 * MILLI, 12_300);

    assertThat(hiccups.figures(10_000 * MILLI, IDLE, 2).lateMillisBySecond())
        .containsExactly(2_000.0, 2_000.0, 2_000.0, 0.0);
  }

  @Test
  void shouldNotBlameTheMachineForSecondsInWhichTheTrialTakesTheProcessors() {
    hiccups.woke(105 * MILLI, 10_500);
    hiccups.woke(25 * MILLI, 11_500);

    Control control = hiccups.figures(10_000 * MILLI, List.of(1.6, 1.4), 2);

    assertThat(control.lateMillisBySecond()).containsExactly(0.0, 20.0);
    assertThat(control.maxMillis()).isEqualTo(100);
    assertThat(control.isLate(0)).isFalse();
    assertThat(control.isLate(1)).isTrue();
    assertThat(control.isLate(2)).as("whose calls make up for it").isTrue();
    assertThat(control.isLate(3)).isFalse();
  }

  @Test
  @Timeout(60)
  void shouldMeasureByItself() {
    long now = System.currentTimeMillis() * MILLI;
    try (Hiccups measured = Hiccups.start()) {
      while (measured.figures(now, IDLE, 2).maxMillis() == 0) {
        Thread.onSpinWait(); // on a shared machine a sleep is a millisecond late soon
      }
    }
  }
}
