package io.spillway.stress.record;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.spillway.stress.report.LatencyFigures;
import org.junit.jupiter.api.Test;

class LatencyRecorderTest {

  private static final long MILLI = 1_000_000;

  @Test
  void shouldCountACallToTheRotationAsSoonAsItOverlapsIt() {
    RotationWindow rotation = new RotationWindow();
    LatencyRecorder latency = new LatencyRecorder(10 * MILLI, rotation);
    latency.record(MILLI, MILLI, 5 * MILLI);
    latency.record(20 * MILLI, 20 * MILLI, 21 * MILLI);
    rotation.begin(100 * MILLI);
    latency.record(90 * MILLI, 90 * MILLI, 150 * MILLI);
    rotation.end(200 * MILLI);
    latency.record(190 * MILLI, 210 * MILLI, 212 * MILLI);
    latency.record(300 * MILLI, 300 * MILLI, 303 * MILLI);
    latency.endOfSecond();

    LatencyFigures figures = latency.figures();

    assertThat(figures.warmUpService().count()).isEqualTo(1);
    assertThat(figures.outsideService().count()).isEqualTo(3);
    assertThat(figures.outsideService().maxMicros()).isEqualTo(3000, within(5.0));
    assertThat(figures.rotationService().count()).isEqualTo(1);
    assertThat(figures.rotationService().maxMicros()).isEqualTo(60_000, within(60.0));
    assertThat(figures.rotationResponse().count()).isEqualTo(2);
    assertThat(figures.outsideResponse().count()).isEqualTo(2);
    assertThat(latency.seconds()).hasSize(1);
    assertThat(latency.seconds().get(0).calls()).isEqualTo(5);
  }
}
