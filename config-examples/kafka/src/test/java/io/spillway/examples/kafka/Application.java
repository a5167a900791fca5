package io.spillway.examples.kafka;

import ch.qos.logback.classic.LoggerContext;
import io.spillway.SpillwayAppender;
import java.time.Duration;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** An application that logs numbered events and ends. */
public final class Application {
  /** What it waits for before it ends. */
  enum Ending {
    /** Nothing. */
    AT_ONCE,
    /** That Kafka has all events. */
    DELIVERED
  }

  private Application() {}

  /** Name of the events, first number, number after the last, ending. */
  public static void main(String[] arguments) {
    Logger logger = LoggerFactory.getLogger(Application.class);
    for (int i = Integer.parseInt(arguments[1]); i < Integer.parseInt(arguments[2]); i++) {
      logger.info("{} {}", arguments[0], i);
    }
    if (Ending.valueOf(arguments[3]) == Ending.DELIVERED
        && !appender().awaitDelivered(Duration.ofMinutes(2))) {
      throw new IllegalStateException("not delivered");
    }
  }

  private static SpillwayAppender appender() {
    LoggerContext context = (LoggerContext) LoggerFactory.getILoggerFactory();
    return (SpillwayAppender) context.getLogger(Logger.ROOT_LOGGER_NAME).getAppender("SPILLWAY");
  }
}
