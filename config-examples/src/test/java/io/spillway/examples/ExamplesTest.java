package io.spillway.examples;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import io.spillway.SpillwayAppender;
import io.spillway.SpillwayRollingFileAppender;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Every example works as a user would paste it. */
class ExamplesTest {
  private static final int EVENTS = 50_000;

  @TempDir Path logs;

  @Test
  void shouldReplaceAsyncAppender() throws Exception {
    try (Example example = new Example("async-drop-in", logs)) {
      Logger logger = example.logger("ROOT");
      SpillwayAppender appender = (SpillwayAppender) logger.getAppender("SPILLWAY");
      log(logger, appender::awaitDelivered);
    }
    assertComplete("app.log");
  }

  @Test
  void shouldReplaceRollingFileAppender() throws Exception {
    try (Example example = new Example("rolling-file-drop-in", logs)) {
      Logger logger = example.logger("ROOT");
      log(logger, file(logger, "FILE")::awaitDelivered);
    }
    assertComplete("app.log");
  }

  @Test
  void shouldKeepAnAuditLogThroughTheSpill() throws Exception {
    SpillwayRollingFileAppender<ILoggingEvent> audit;
    try (Example example = new Example("audit-log", logs)) {
      Logger logger = example.logger("audit");
      audit = file(logger, "AUDIT");
      log(logger, audit::awaitDelivered);
    }
    assertThat(audit.getMetrics().getSpilled()).isEqualTo(EVENTS);
    assertComplete("audit.log");
  }

  private static SpillwayRollingFileAppender<ILoggingEvent> file(Logger logger, String name) {
    return (SpillwayRollingFileAppender<ILoggingEvent>) logger.getAppender(name);
  }

  /** In bursts that fit into the ring: this is about the configuration, not about saturation. */
  private static void log(Logger logger, Predicate<Duration> awaitDelivered) {
    for (int i = 0; i < EVENTS; i++) {
      logger.info("event {}", i);
      if (i % 10_000 == 9_999) {
        assertThat(awaitDelivered.test(Duration.ofSeconds(30))).isTrue();
      }
    }
  }

  /** Every event once, in order, and nothing left behind. */
  private void assertComplete(String file) throws Exception {
    List<String> lines = Files.readAllLines(logs.resolve(file));
    assertThat(lines).hasSize(EVENTS);
    for (int i = 0; i < EVENTS; i++) {
      assertThat(lines.get(i)).endsWith(" event " + i);
    }
    try (Stream<Path> left = Files.list(logs)) {
      assertThat(left).containsExactly(logs.resolve(file));
    }
  }
}
