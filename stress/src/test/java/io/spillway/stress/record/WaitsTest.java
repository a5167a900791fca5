package io.spillway.stress.record;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.spillway.stress.report.TrialResult;
import java.util.Arrays;
import java.util.Map;
import org.junit.jupiter.api.Test;

class WaitsTest {

  private static final long SECOND = 1_000_000_000L;
  private static final long START = 1_000 * SECOND;

  private final Waits waits = new Waits(START, START);

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

  /** By the rule that latencies have: a wait is of the warm-up if it ends there. */
  @Test
  void shouldNotCountWhatEndsInTheWarmUp() {
    Waits measured = new Waits(START, START + SECOND);
    measured.add("park", "a", START, SECOND - 1);
    measured.add("park", "a", START, SECOND / 2);
    measured.add("park", "b", START + SECOND / 2, SECOND);

    TrialResult.Parks figures = measured.figures(true);

    assertThat(figures.events()).isEqualTo(1);
    assertThat(figures.threadSeconds()).isEqualTo(1, within(1e-9));
    assertThat(figures.warmUpThreadSeconds()).isEqualTo(1.5, within(1e-6));
    assertThat(figures.maxSeconds()).isEqualTo(1);
    assertThat(figures.threadsAtOnce()).isEqualTo(1);
    assertThat(figures.byFrame()).hasSize(1);
    assertThat(figures.threadSecondsByKind()).isEqualTo(Map.of("park", 1.0));
    assertThat(figures.threadsAtOnceBySecond()).as("seconds show all").containsExactly(2, 1);
  }

  @Test
  void shouldNameTheOwnMethodOfWhoeverWaits() {
    assertThat(
            nearest(
                "java.lang.Thread.yield",
                "com.acme.Ours.spin",
                "com.acme.Ours.append",
                "ch.qos.logback.core.AppenderBase.doAppend",
                "io.spillway.stress.load.Sender.send"))
        .isEqualTo("com.acme.Ours.spin");
    assertThat(
            nearest(
                "jdk.internal.misc.Unsafe.park",
                "com.lmax.disruptor.Sequencer.next",
                "net.logstash.logback.appender.AsyncDisruptorAppender.append"))
        .isEqualTo("net.logstash.logback.appender.AsyncDisruptorAppender.append");
    assertThat(nearest("ch.qos.logback.core.AsyncAppenderBase.put"))
        .isEqualTo("ch.qos.logback.core.AsyncAppenderBase.put");
  }

  private static String nearest(String... frames) {
    return LoggingFrames.nearest(
        Arrays.stream(frames)
            .map(
                frame -> {
                  int dot = frame.lastIndexOf('.');
                  return new StackTraceElement(
                      frame.substring(0, dot), frame.substring(dot + 1), null, -1);
                })
            .toArray(StackTraceElement[]::new));
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
