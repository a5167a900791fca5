package io.spillway.process;

import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.encoder.PatternLayoutEncoder;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.rolling.FixedWindowRollingPolicy;
import ch.qos.logback.core.rolling.SizeBasedTriggeringPolicy;
import io.spillway.SpillwayRollingFileAppender;
import io.spillway.testkit.Subject;
import java.nio.file.Path;
import java.util.concurrent.locks.LockSupport;

/** Plain Java, nothing but the appender: logs on a disk that has become full, and ends. */
public final class FullDiskChild {
  private static final int EVENTS = 1_000;

  private FullDiskChild() {}

  public static void main(String[] arguments) {
    Path directory = Path.of(arguments[0]);
    LoggerContext context = Subject.newContext();
    SpillwayRollingFileAppender<ILoggingEvent> appender = new SpillwayRollingFileAppender<>();
    appender.setContext(context);
    appender.setName("AUDIT");
    appender.setFile(directory.resolve("audit.log").toString());
    PatternLayoutEncoder encoder = new PatternLayoutEncoder();
    encoder.setContext(context);
    encoder.setPattern("%msg%n");
    encoder.start();
    appender.setEncoder(encoder);
    FixedWindowRollingPolicy policy = new FixedWindowRollingPolicy();
    policy.setContext(context);
    policy.setParent(appender);
    policy.setFileNamePattern(directory.resolve("audit.%i.log").toString());
    appender.setRollingPolicy(policy);
    policy.start();
    SizeBasedTriggeringPolicy<ILoggingEvent> trigger = new SizeBasedTriggeringPolicy<>();
    trigger.setContext(context);
    trigger.start();
    appender.setTriggeringPolicy(trigger);
    appender.start();
    context.getLogger("test").addAppender(appender);
    System.out.println("ready");
    while (directory.toFile().getUsableSpace() > 0) {
      LockSupport.parkNanos(1_000_000);
    }
    String text = "x".repeat(1_000);
    for (int i = 0; i < EVENTS; i++) {
      context.getLogger("test").info("{} {}", i, text);
    }
  }
}
