package io.spillway;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.spillway.testkit.Subject;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Who called is known in the calling thread only: it has to be asked there, if it is wanted. */
class CallerDataTest {
  @TempDir Path directory;

  @ParameterizedTest
  @ValueSource(strings = {"OVERFLOW", "ALWAYS"}) // through memory, through the spill
  void shouldHandOnWhoCalledIfToldTo(String spillMode) {
    ILoggingEvent event = delivered("true", spillMode).get(0);

    assertThat(event.getCallerData()[0].getClassName()).isEqualTo(getClass().getName());
    assertThat(event.getCallerData()[0].getMethodName()).isEqualTo("delivered");
  }

  @ParameterizedTest
  @ValueSource(strings = {"OVERFLOW", "ALWAYS"})
  void shouldNotLookByDefault(String spillMode) {
    assertThat(delivered("false", spillMode).get(0).hasCallerData()).isFalse();
  }

  private List<ILoggingEvent> delivered(String includeCallerData, String spillMode) {
    LoggerContext context = Subject.newContext();
    ListAppender<ILoggingEvent> list = new ListAppender<>();
    list.start();
    SpillwayAppender appender = new SpillwayAppender();
    appender.setContext(context);
    appender.setName("CALLER");
    appender.setIncludeCallerData(includeCallerData);
    appender.setSpillMode(spillMode);
    appender.setSpillDirectory(directory.resolve("spill").toString());
    appender.addAppender(list);
    appender.start();
    Logger logger = context.getLogger("test");
    logger.addAppender(appender);
    logger.info("who?");
    assertThat(appender.awaitDelivered(Duration.ofSeconds(30))).isTrue();
    context.stop();
    return list.list;
  }
}
