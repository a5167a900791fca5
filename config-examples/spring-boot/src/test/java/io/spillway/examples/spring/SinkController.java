package io.spillway.examples.spring;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import io.spillway.SpillwayRollingFileAppender;
import io.spillway.examples.testkit.SinkGate;
import org.slf4j.LoggerFactory;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RestController;

/**
 * Holds up the log file from outside, or logs a fault. The application's component scan finds it, because tests are
 * on the class path.
 */
@RestController
class SinkController {
  private final SinkGate<ILoggingEvent> gate = SinkGate.before(appender());

  private static SpillwayRollingFileAppender<ILoggingEvent> appender() {
    Logger root = (Logger) LoggerFactory.getLogger(Logger.ROOT_LOGGER_NAME);
    return (SpillwayRollingFileAppender<ILoggingEvent>) root.getAppender("FILE");
  }

  @PostMapping("/sink/shut")
  void shut() {
    gate.shut();
  }

  @PostMapping("/sink/open")
  void open() {
    gate.open();
  }

  @PostMapping("/fault")
  void fail() {
    throw new IllegalStateException("a fault");
  }
}
