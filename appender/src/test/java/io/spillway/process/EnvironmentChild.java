package io.spillway.process;

import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.Appender;
import ch.qos.logback.core.status.Status;
import java.util.Iterator;
import org.slf4j.ILoggerFactory;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * An application that asks for a logger, logs, and prints what Logback tells. Runs on any Logback;
 * the configuration is where Logback's system property says.
 */
public final class EnvironmentChild {
  static final int EVENTS = 1_000;

  private EnvironmentChild() {}

  /** No arguments. */
  public static void main(String[] arguments) {
    Logger logger = LoggerFactory.getLogger("shop");
    for (int i = 0; i < EVENTS; i++) {
      if (i % 100 == 0) {
        logger.warn("event {}", i, new IllegalStateException("broken", new Exception("cause")));
      } else {
        logger.info("event {}", i);
      }
    }
    System.out.println("logged");
    ILoggerFactory factory = LoggerFactory.getILoggerFactory();
    if (factory instanceof LoggerContext) {
      end((LoggerContext) factory);
    }
    System.out.println("ended");
  }

  private static void end(LoggerContext context) {
    Iterator<Appender<ILoggingEvent>> all = context.getLogger("ROOT").iteratorForAppenders();
    while (all.hasNext()) {
      Appender<ILoggingEvent> appender = all.next();
      System.out.println((appender.isStarted() ? "started " : "not ") + appender.getName());
    }
    for (Status status : context.getStatusManager().getCopyOfStatusList()) {
      String level = status.getLevel() == Status.ERROR ? "error " : "status ";
      System.out.println(level + status.getMessage() + " " + status.getThrowable());
    }
    context.stop();
  }
}
