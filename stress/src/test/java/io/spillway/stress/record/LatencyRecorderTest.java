package io.spillway.stress.record;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.spillway.stress.report.LoadFigures;
import java.util.Comparator;
import java.util.List;
import org.junit.jupiter.api.Test;

class LatencyRecorderTest {

  private static final long MILLI = 1_000_000;

  @Test
  void shouldCountACallToTheRotationAsSoonAsItOverlapsIt() {
    RotationWindow rotation = new RotationWindow();
    LatencyRecorder latency = new LatencyRecorder(10 * MILLI, rotation, true);
    latency.record(MILLI, MILLI, 5 * MILLI);
    latency.record(20 * MILLI, 20 * MILLI, 21 * MILLI);
    rotation.begin(100 * MILLI);
    latency.record(90 * MILLI, 90 * MILLI, 150 * MILLI);
    rotation.end(200 * MILLI);
    latency.record(190 * MILLI, 210 * MILLI, 212 * MILLI);
    latency.record(300 * MILLI, 300 * MILLI, 303 * MILLI);
    latency.endOfSecond();

    LoadFigures.Latency figures = latency.figures();

    assertThat(figures.warmUpService().count()).isEqualTo(1);
    assertThat(figures.outsideService().count()).isEqualTo(3);
    assertThat(figures.outsideService().maxMicros()).isEqualTo(3000, within(5.0));
    assertThat(figures.rotationService().count()).isEqualTo(1);
    assertThat(figures.rotationService().maxMicros()).isEqualTo(60_000, within(60.0));
    assertThat(figures.rotationResponse().count()).isEqualTo(2);
    assertThat(figures.outsideResponse().count()).isEqualTo(2);
    assertThat(figures.rotationService().curve())
        .containsOnly(
            new LoadFigures.Calls.Point(50, figures.rotationService().maxMicros()),
            new LoadFigures.Calls.Point(100, figures.rotationService().maxMicros()));
    assertThat(latency.seconds()).hasSize(1);
    assertThat(latency.seconds().get(0).calls()).isEqualTo(5);
  }

  @Test
  void shouldHaveNoPercentileOfTooFewCalls() {
    assertThat(of(1).p50Micros()).isNull();
    assertThat(of(2).p50Micros()).isNotNull();
    assertThat(of(99).p99Micros()).isNull();
    assertThat(of(100).p99Micros()).isNotNull();
    assertThat(of(999).p999Micros()).isNull();
    assertThat(of(1_000).p999Micros()).isNotNull();
    assertThat(of(999).maxMicros()).isEqualTo(1_000, within(1.0));
  }

  private static LoadFigures.Calls of(int calls) {
    LatencyRecorder latency = new LatencyRecorder(0, new RotationWindow(), true);
    for (int i = 0; i < calls; i++) {
      latency.record(0, 0, MILLI);
    }
    latency.endOfSecond();
    return latency.figures().service();
  }

  @Test
  void shouldShowAStallWhileItLasts() {
    LatencyRecorder latency = new LatencyRecorder(0, new RotationWindow(), true);
    latency.underWay(700 * MILLI);
    latency.underWay(900 * MILLI);
    latency.endOfSecond();
    latency.underWay(1_900 * MILLI);
    latency.endOfSecond();
    latency.record(0, 0, 2_000 * MILLI);
    latency.endOfSecond();

    assertThat(latency.seconds())
        .extracting(LoadFigures.Second::underWayMaxMicros)
        .containsExactly(900_000.0, 1_900_000.0, 0.0);
    assertThat(latency.seconds().get(1).calls()).isZero();
  }

  /** Held up, a thread must not get away with calls that it did not make. */
  @Test
  void shouldCountACallThatIsNotMadeAsWaitingUntilThen() {
    LatencyRecorder latency = new LatencyRecorder(0, new RotationWindow(), true);
    latency.unmade(MILLI, 501 * MILLI);
    latency.endOfSecond();

    assertThat(latency.figures().response().count()).isEqualTo(1);
    assertThat(latency.figures().response().maxMicros()).isEqualTo(500_000, within(500.0));
    assertThat(latency.figures().service().count()).isZero();
  }

  @Test
  void shouldDrawTheWholeDistributionFromTheMedianToTheWorst() {
    LatencyRecorder latency = new LatencyRecorder(0, new RotationWindow(), true);
    for (int i = 1; i <= 100_000; i++) {
      latency.record(0, 0, i * 1_000L);
    }
    latency.endOfSecond();

    List<LoadFigures.Calls.Point> curve = latency.figures().outsideService().curve();

    assertThat(curve.get(0).percentile()).isEqualTo(50);
    assertThat(curve.get(0).micros()).isEqualTo(50_000, within(50.0));
    assertThat(curve.get(curve.size() - 1).percentile()).isEqualTo(100);
    assertThat(curve.get(curve.size() - 1).micros()).isEqualTo(100_000, within(100.0));
    assertThat(curve)
        .isSortedAccordingTo(Comparator.comparingDouble(LoadFigures.Calls.Point::micros));
    assertThat(curve).hasSizeBetween(40, 100);
    assertThat(latency.figures().warmUpService().curve()).isEmpty();
  }
}
