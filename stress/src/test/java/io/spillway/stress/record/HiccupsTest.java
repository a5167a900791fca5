package io.spillway.stress.record;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.spillway.stress.report.TrialResult;
import java.util.List;
import org.junit.jupiter.api.Test;

class HiccupsTest {
  private static final long MILLI = 1_000_000;

  @Test
  void shouldTellAStallOnceForEachSleepThatItTookThePlaceOf() {
    Hiccups hiccups = new Hiccups();
    for (int i = 0; i < 1_000; i++) {
      hiccups.woke(5 * MILLI + 60_000, 10_000 + 5 * i);
    }
    hiccups.woke(105 * MILLI, 15_100);
    TrialResult.Control figures = hiccups.figures(9_000_000_000L, 0, 7, List.of(), 2);
    assertThat(figures.p50Micros()).isCloseTo(60, within(1.0));
    assertThat(figures.maxMicros()).isCloseTo(100_000, within(200.0));
    assertThat(figures.p999Micros()).as("twenty of 1,020").isGreaterThan(90_000);
    assertThat(figures.maxMicrosBySecond()).hasSize(7);
    assertThat(figures.maxMicrosBySecond().get(0)).as("before the first sleep").isZero();
    assertThat(figures.maxMicrosBySecond().get(1)).isCloseTo(60, within(1.0));
    assertThat(figures.maxMicrosBySecond().get(6)).isCloseTo(100_000, within(1.0));
  }

  @Test
  void shouldCountSecondsFromTheBeginningOfTheLoad() {
    Hiccups hiccups = new Hiccups();
    for (int i = 0; i < 400; i++) {
      hiccups.woke(5 * MILLI + (i == 20 ? 70_000 : 0), 10_000 + 5 * i);
    }
    assertThat(hiccups.figures(9_500_000_000L, 0, 3, List.of(), 2).maxMicrosBySecond())
        .containsExactly(70.0, 0.0, 0.0);
  }

  /** Its sleep ends in the last of them only. */
  @Test
  void shouldBlameTheMachineForEachSecondOfALongStall() {
    Hiccups hiccups = new Hiccups();
    hiccups.woke(4_005 * MILLI, 19_300);
    List<Double> own = List.of(0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 2.0);

    TrialResult.Control figures = hiccups.figures(10_000_000_000L, 0, 11, own, 2);

    double late = 4_000_000;
    assertThat(figures.maxMicrosBySecond())
        .containsExactly(0.0, 0.0, 0.0, 0.0, 0.0, late, late, late, late, late, 0.0);
    assertThat(figures.machineMaxMicrosBySecond())
        .containsExactly(0.0, 0.0, 0.0, 0.0, 0.0, late, late, 0.0, late, late, 0.0);
    assertThat(hiccups.figures(18_000_000_000L, 0, 2, own, 2).maxMicrosBySecond())
        .as("it began before the load")
        .containsExactly(late, late);
  }

  /** What comes before the load and after it is none of it. */
  @Test
  void shouldMeasureTheLoadAlone() {
    Hiccups hiccups = new Hiccups();
    hiccups.woke(905 * MILLI, 9_000);
    hiccups.woke(5 * MILLI + 70_000, 10_500);
    hiccups.woke(905 * MILLI, 12_500);

    TrialResult.Control figures = hiccups.figures(10_000_000_000L, 0, 2, List.of(), 2);

    assertThat(figures.maxMicros()).isCloseTo(70, within(1.0));
    assertThat(figures.p999Micros()).isCloseTo(70, within(1.0));
  }

  /** Nothing of the load is judged there. */
  @Test
  void shouldLeaveTheWarmUpOut() {
    Hiccups hiccups = new Hiccups();
    hiccups.wereBusy(1, 11_500);
    hiccups.woke(105 * MILLI, 11_500);
    hiccups.woke(5 * MILLI + 70_000, 13_500);
    hiccups.wereBusy(0.5, 14_000);

    TrialResult.Control figures =
        hiccups.figures(10_000_000_000L, 3, 5, List.of(2.0, 0.0, 0.0, 0.4, 0.4), 2);

    assertThat(figures.machineP999Micros()).isCloseTo(70, within(1.0));
    assertThat(figures.p999Micros()).isCloseTo(70, within(1.0));
    assertThat(figures.maxMicros()).isCloseTo(70, within(1.0));
    assertThat(figures.othersShare()).isCloseTo(0.5 - 0.2, within(1e-9));
    assertThat(figures.maxMicrosBySecond()).containsExactly(0.0, 100_000.0, 0.0, 70.0, 0.0);
  }

  @Test
  void shouldNotBlameTheMachineForSecondsInWhichTheTrialTakesTheProcessors() {
    Hiccups hiccups = new Hiccups();
    hiccups.woke(105 * MILLI, 10_500);
    hiccups.woke(15 * MILLI, 11_500);

    TrialResult.Control idle = hiccups.figures(10_000_000_000L, 0, 2, List.of(1.4, 1.4), 2);
    TrialResult.Control busy = hiccups.figures(10_000_000_000L, 0, 2, List.of(1.6, 1.4), 2);

    assertThat(idle.machineP999Micros()).isCloseTo(100_000, within(200.0));
    assertThat(busy.machineP999Micros()).isCloseTo(10_000, within(20.0));
    assertThat(busy.p999Micros()).isCloseTo(100_000, within(200.0));
    assertThat(busy.maxMicrosBySecond()).containsExactly(100_000.0, 10_000.0);
    assertThat(busy.machineMaxMicrosBySecond()).containsExactly(0.0, 10_000.0);
  }

  @Test
  void shouldTellWhatOthersTookOfTheProcessors() {
    Hiccups hiccups = new Hiccups();
    hiccups.wereBusy(1, 10_000);
    hiccups.wereBusy(0.9, 11_500);
    hiccups.wereBusy(0.7, 12_000);
    hiccups.wereBusy(1, 12_500);

    TrialResult.Control figures = hiccups.figures(10_000_000_000L, 0, 2, List.of(0.5, 0.7), 2);

    assertThat(figures.othersShare()).isCloseTo(0.8 - 0.3, within(1e-9));
  }

  @Test
  void shouldTakeAnEarlyWakeUpForNoStall() {
    Hiccups hiccups = new Hiccups();
    hiccups.woke(1, 0);
    assertThat(hiccups.figures(0, 0, 1, List.of(), 2).maxMicros()).isZero();
  }

  @Test
  void shouldMeasureByItself() throws InterruptedException {
    long now = System.currentTimeMillis() * MILLI;
    try (Hiccups hiccups = Hiccups.start()) {
      while (hiccups.figures(now, 0, 60, List.of(), 2).maxMicros() == 0) {
        Thread.onSpinWait();
      }
    }
  }
}
