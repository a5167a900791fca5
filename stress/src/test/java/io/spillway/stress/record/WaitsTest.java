package io.spillway.stress.record;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.spillway.stress.report.TrialResult;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("shared")
class WaitsTest {

  private static final long SECOND = 1_000_000_000L;
  private static final long START = 1_000 * SECOND;

  private final Waits waits = new Waits(START);

  @Test
  void shouldAddUpWaitsByKindFrameAndSecond() {
    waits.add("park", "a", START + SECOND / 2, SECOND);
    waits.add("park", "b", START + SECOND / 2, 3 * SECOND);
    waits.add("enter", "b", START, SECOND / 4);

    TrialResult.Parks figures = waits.figures(true);

    assertThat(figures.events()).isEqualTo(3);
    assertThat(figures.threadSeconds()).isEqualTo(4.25, within(1e-9));
    assertThat(figures.maxSeconds()).isEqualTo(3);
    assertThat(figures.eventsByKind()).containsEntry("park", 2L).containsEntry("enter", 1L);
    assertThat(figures.threadSecondsByKind()).isEqualTo(Map.of("park", 4.0, "enter", 0.25));
    assertThat(figures.byFrame())
        .containsExactly(
            new TrialResult.Parks.Frame("b", 2, 3.25), new TrialResult.Parks.Frame("a", 1, 1.0));
    assertThat(figures.threadSecondsBySecond()).containsExactly(1.25, 1.5, 1.0, 0.5);
    assertThat(figures.threadsAtOnceBySecond()).containsExactly(2, 2, 1, 1);
  }

  @Test
  void shouldFindTheMostThreadsWaitingAtOnce() {
    waits.add("park", "a", START, 10);
    waits.add("park", "a", START + 10, 10);
    waits.add("park", "a", START + 5, 10);
    waits.add("park", "a", START + 12, 2);
    waits.add("park", "a", START + 100, 10);

    assertThat(waits.figures(true).threadsAtOnce()).isEqualTo(3);
  }

  @Test
  void shouldFindTheMostThreadsWaitingAtOnceInEachSecond() {
    waits.add("park", "a", START - 5, 10);
    waits.add("park", "a", START + SECOND / 2, 3 * SECOND);
    waits.add("park", "a", START + SECOND / 2, SECOND / 2);
    waits.add("park", "a", START + 2 * SECOND, SECOND / 2);
    waits.add("park", "a", START + 5 * SECOND, 10);

    assertThat(waits.figures(true).threadsAtOnceBySecond()).containsExactly(2, 1, 2, 1, 0, 1);
  }

  @Test
  void shouldTellLoggingFramesFromTheHarness() {
    assertThat(LoggingFrames.isLogging("ch.qos.logback.core.AsyncAppenderBase")).isTrue();
    assertThat(LoggingFrames.isLogging("io.spillway.SpillwayAppender")).isTrue();
    assertThat(LoggingFrames.isLogging("org.apache.logging.log4j.core.async.AsyncLogger")).isTrue();
    assertThat(LoggingFrames.isLogging("io.spillway.stress.calibrate.CalibrationAppender"))
        .isTrue();
    assertThat(LoggingFrames.isLogging("io.spillway.stress.load.Sender")).isFalse();
    assertThat(LoggingFrames.isLogging("java.util.concurrent.locks.LockSupport")).isFalse();
  }
}
