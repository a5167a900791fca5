package io.spillway.process;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.encoder.PatternLayoutEncoder;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.util.LogbackMDCAdapter;
import ch.qos.logback.core.status.Status;
import io.spillway.SpillwayRollingFileAppender;
import io.spillway.rolling.FixedWindowRollingPolicy;
import io.spillway.rolling.SizeBasedTriggeringPolicy;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.locks.LockSupport;

/** Logs, rolls over and compresses, and prints what became of it. */
public final class BareRuntimeChild {
  private BareRuntimeChild() {}

  /** The directory is the only argument. */
  public static void main(String[] arguments) {
    System.out.println("jdk.jfr " + (ModuleLayer.boot().findModule("jdk.jfr").isEmpty() ? 0 : 1));
    Path directory = Path.of(arguments[0]);
    LoggerContext context = new LoggerContext();
    context.setMDCAdapter(new LogbackMDCAdapter());
    SpillwayRollingFileAppender<ILoggingEvent> appender = appender(context, directory);
    appender.start();
    Logger logger = context.getLogger("test");
    logger.addAppender(appender);
    for (int i = 0; i < 1_000; i++) {
      logger.info("event {}", i);
    }
    appender.awaitDelivered(Duration.ofSeconds(30));
    appender.rollover();
    logger.info("after");
    appender.awaitDelivered(Duration.ofSeconds(30));
    while (appender.getMetrics().getArchived() == 0) {
      LockSupport.parkNanos(1_000_000); // until the deadline of the fork
    }
    System.out.println("delivered " + appender.getMetrics().getDelivered());
    System.out.println("archived " + appender.getMetrics().getArchived());
    System.out.println("health " + appender.health().status() + appender.health().reason());
    context.stop();
    for (Status status : context.getStatusManager().getCopyOfStatusList()) {
      System.out.println(status.getMessage());
    }
  }

  private static SpillwayRollingFileAppender<ILoggingEvent> appender(
      LoggerContext context, Path directory) {
    SpillwayRollingFileAppender<ILoggingEvent> appender = new SpillwayRollingFileAppender<>();
    appender.setContext(context);
    appender.setName("FILE");
    appender.setFile(directory.resolve("app.log").toString());
    PatternLayoutEncoder encoder = new PatternLayoutEncoder();
    encoder.setContext(context);
    encoder.setPattern("%msg%n");
    encoder.start();
    appender.setEncoder(encoder);
    FixedWindowRollingPolicy rolling = new FixedWindowRollingPolicy();
    rolling.setContext(context);
    rolling.setParent(appender);
    rolling.setFileNamePattern(directory.resolve("app.%i.log.gz").toString());
    appender.setRollingPolicy(rolling);
    rolling.start();
    SizeBasedTriggeringPolicy<ILoggingEvent> triggering = new SizeBasedTriggeringPolicy<>();
    triggering.setContext(context);
    triggering.start();
    appender.setTriggeringPolicy(triggering);
    return appender;
  }
}
