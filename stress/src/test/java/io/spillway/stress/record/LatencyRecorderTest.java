package io.spillway.stress.record;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.spillway.stress.report.Control;
import io.spillway.stress.report.Latency;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class LatencyRecorderTest {

  private static final long MILLI = 1_000_000;
  private static final Control ON_TIME = new Control(0, List.of());

  @TempDir Path directory;

  @Test
  void shouldCountACallToTheRotationAsSoonAsItOverlapsIt() throws Exception {
    RotationWindow rotation = new RotationWindow();
    LatencyRecorder recorder = new LatencyRecorder(file(), 10 * MILLI, rotation);
    recorder.record(MILLI, MILLI, 5 * MILLI); // in the warm-up
    recorder.record(20 * MILLI, 20 * MILLI, 21 * MILLI);
    rotation.begin(100 * MILLI);
    recorder.record(90 * MILLI, 90 * MILLI, 150 * MILLI);
    rotation.end(200 * MILLI);
    recorder.record(190 * MILLI, 210 * MILLI, 212 * MILLI);
    recorder.record(300 * MILLI, 300 * MILLI, 303 * MILLI);

    Latency latency = ended(recorder, ON_TIME);

    assertThat(latency.callOutside().count()).isEqualTo(3);
    assertThat(latency.callOutside().maxMicros()).isCloseTo(3_000, within(5.0));
    assertThat(latency.callRotating().count()).isEqualTo(1);
    assertThat(latency.callRotating().maxMicros()).isCloseTo(60_000, within(60.0));
    assertThat(latency.responseRotating().count()).isEqualTo(2);
    assertThat(latency.responseOutside().count()).isEqualTo(2);
    assertThat(latency.responseWhole().count()).isEqualTo(4);
  }

  @Test
  void shouldHaveNoPercentileOfTooFewCalls() throws Exception {
    assertThat(of(1).p50Micros()).isNull();
    assertThat(of(2).p50Micros()).isCloseTo(1_000, within(1.0));
    assertThat(of(99).p99Micros()).isNull();
    assertThat(of(100).p99Micros()).isCloseTo(1_000, within(1.0));
    assertThat(of(999).p999Micros()).isNull();
    assertThat(of(1_000).p999Micros()).isCloseTo(1_000, within(1.0));
    assertThat(of(999).maxMicros()).isCloseTo(1_000, within(1.0));
  }

  /** Held up, a thread must not get away with calls that it did not make. */
  @Test
  void shouldCountACallThatIsNotMadeAsWaitingUntilThen() throws Exception {
    LatencyRecorder recorder = new LatencyRecorder(file(), 0, new RotationWindow());
    recorder.response(MILLI, 501 * MILLI);

    Latency latency = ended(recorder, ON_TIME);

    assertThat(latency.responseWhole().maxMicros()).isCloseTo(500_000, within(500.0));
    assertThat(latency.callOutside().count()).isZero();
  }

  /** The second after counts as late as well: calls make up for the delay there. */
  @Test
  void shouldTellPercentilesWithoutTheSecondsInWhichTheMachineWasLate() throws Exception {
    LatencyRecorder recorder = new LatencyRecorder(file(), 0, new RotationWindow());
    record(recorder, 1_000, MILLI);
    recorder.endOfSecond();
    record(recorder, 1_000, 90 * MILLI);
    recorder.endOfSecond();
    record(recorder, 1_000, 80 * MILLI);

    Latency.Times times = ended(recorder, new Control(50, List.of(0.0, 50.0, 0.0))).responseWhole();

    assertThat(times.count()).isEqualTo(3_000);
    assertThat(times.p999Micros()).isCloseTo(90_000, within(90.0));
    assertThat(times.onTimeP999Micros()).isCloseTo(1_000, within(1.0));
  }

  private Latency.Times of(int calls) throws IOException {
    LatencyRecorder recorder = new LatencyRecorder(file(), 0, new RotationWindow());
    record(recorder, calls, MILLI);
    return ended(recorder, ON_TIME).callOutside();
  }

  private static void record(LatencyRecorder recorder, int calls, long nanos) {
    for (int i = 0; i < calls; i++) {
      recorder.record(0, 0, nanos);
    }
  }

  private Path file() {
    return directory.resolve("latency.hlog");
  }

  private Latency ended(LatencyRecorder recorder, Control control) throws IOException {
    recorder.endOfSecond();
    recorder.close();
    return LatencyRecorder.read(file(), control);
  }
}
