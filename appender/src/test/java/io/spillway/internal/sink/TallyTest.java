package io.spillway.internal.sink;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.spi.LoggingEvent;
import io.spillway.internal.metrics.Counters;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Which level an event counts as, and so which is dropped for room. */
class TallyTest {
  private static final int WARN = Counters.LEVELS.indexOf("WARN");

  private static LoggingEvent event(Level level) {
    LoggingEvent event = new LoggingEvent();
    event.setLevel(level);
    return event;
  }

  static Stream<Level> levels() {
    return Stream.of(Level.TRACE, Level.DEBUG, Level.INFO, Level.WARN, Level.ERROR);
  }

  private static boolean isDroppable(Object event) {
    return new DropPolicy(true, false, WARN, 0).isDroppable(event);
  }

  @ParameterizedTest
  @MethodSource("levels")
  void shouldKeepALevelAndThoseAbove(Level level) {
    assertThat(Counters.LEVELS.get(Tally.levelOf(event(level)))).isEqualTo(level.toString());
    assertThat(isDroppable(event(level))).isEqualTo(level.toInt() < Level.WARN_INT);
  }

  /** As SETTINGS says: else the threads of an HTTP server would wait for room. */
  @Test
  void shouldTakeWhatHasNoLevelForInfo() {
    Object access = new Object();
    assertThat(Counters.LEVELS.get(Tally.levelOf(access))).isEqualTo("INFO");
    assertThat(isDroppable(access)).isTrue();
    assertThat(Tally.of(access).levels()).containsExactly(0, 0, 1, 0, 0);
  }

  @Test
  void shouldKeepWhatCannotTellItsLevel() {
    LoggingEvent none = new LoggingEvent(); // null
    LoggingEvent throwing =
        new LoggingEvent() {
          @Override
          public Level getLevel() {
            throw new IllegalStateException("on purpose");
          }
        };
    for (LoggingEvent event : new LoggingEvent[] {none, throwing}) {
      assertThat(Counters.LEVELS.get(Tally.levelOf(event))).isEqualTo("ERROR");
      assertThat(isDroppable(event)).isFalse();
    }
  }
}
