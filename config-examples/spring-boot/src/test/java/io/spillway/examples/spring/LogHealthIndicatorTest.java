package io.spillway.examples.spring;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.spillway.SpillwayAppender;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.LoggerFactory;

/** The names of appenders are the user's. */
class LogHealthIndicatorTest {
  @TempDir Path directory;

  @Test
  void shouldTellOfEveryAppenderWhateverItsName() {
    LoggerContext context = (LoggerContext) LoggerFactory.getILoggerFactory();
    LogHealthIndicator indicator = new LogHealthIndicator();
    assertThat(indicator.health().getDetails()).isEmpty();
    SpillwayAppender renamed = new SpillwayAppender();
    try {
      ListAppender<ILoggingEvent> nested = new ListAppender<>();
      nested.start();
      renamed.setContext(context);
      renamed.setName("RENAMED");
      renamed.setSpillDirectory(directory.toString());
      renamed.addAppender(nested);
      renamed.start();
      context.getLogger(Logger.ROOT_LOGGER_NAME).addAppender(renamed);

      assertThat(indicator.health().getDetails()).containsEntry("RENAMED", "UP");
      assertThat(indicator.health().getStatus().getCode()).isEqualTo("UP");
      renamed.stop();
      assertThat(indicator.health().getStatus().getCode()).as("stopped").isEqualTo("DOWN");
      context.getLogger(Logger.ROOT_LOGGER_NAME).detachAppender(renamed);
      assertThat(indicator.health().getDetails()).as("detached").isEmpty();
    } finally {
      context.getLogger(Logger.ROOT_LOGGER_NAME).detachAppender(renamed);
      renamed.stop();
    }
  }
}
