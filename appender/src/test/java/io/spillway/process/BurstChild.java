package io.spillway.process;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.encoder.PatternLayoutEncoder;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.Appender;
import ch.qos.logback.core.FileAppender;
import ch.qos.logback.core.hook.DefaultShutdownHook;
import ch.qos.logback.core.rolling.FixedWindowRollingPolicy;
import ch.qos.logback.core.rolling.SizeBasedTriggeringPolicy;
import ch.qos.logback.core.util.FileSize;
import io.spillway.SpillwayAppender;
import io.spillway.SpillwayRollingFileAppender;
import io.spillway.SpillwaySettings;
import io.spillway.testkit.Subject;
import java.nio.file.Path;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.locks.LockSupport;

/** Logs a burst that takes long to encode, and ends at once. */
public final class BurstChild {
  enum Ending {
    STOP,
    CONTEXT_STOP,
    SYSTEM_EXIT,
    END_OF_MAIN,
    SIGTERM,
    LOGBACK_HOOK
  }

  private BurstChild() {}

  public static void main(String[] arguments) throws Exception {
    Subject.Kind kind = Subject.Kind.valueOf(arguments[0]);
    Path directory = Path.of(arguments[1]);
    Ending ending = Ending.valueOf(arguments[2]);
    int events = Integer.parseInt(arguments[3]);
    long encodeNanos = Long.parseLong(arguments[4]);
    LoggerContext context = Subject.newContext();
    Appender<ILoggingEvent> appender =
        kind == Subject.Kind.WRAPPED
            ? wrapping(context, directory, encodeNanos)
            : own(context, directory, encodeNanos);
    ((SpillwaySettings) appender).setQueueSize("65536");
    ((SpillwaySettings) appender).setSpillDirectory(directory.resolve("spill").toString());
    appender.setContext(context);
    appender.setName(kind.name()); // as who starts next: leftovers have an owner
    appender.start();
    Logger logger = context.getLogger("test");
    logger.addAppender(appender);
    if (ending == Ending.LOGBACK_HOOK) {
      DefaultShutdownHook hook = new DefaultShutdownHook();
      hook.setContext(context);
      Runtime.getRuntime().addShutdownHook(new Thread(hook));
    }
    boolean thrown = encodeNanos == 0;
    for (int i = 0; i < events; i++) {
      if (thrown) {
        logger.info("#0:{}.", i, new IllegalStateException("on purpose", new Exception("why")));
      } else {
        logger.info("#0:{}.", i);
      }
    }
    System.out.println("logged");
    switch (ending) {
      case STOP -> appender.stop();
      case CONTEXT_STOP -> context.stop();
      case SIGTERM -> new CountDownLatch(1).await();
      case END_OF_MAIN -> {}
      default -> new Thread(() -> System.exit(0)).start();
    }
  }

  private static PatternLayoutEncoder encoder(LoggerContext context, long encodeNanos) {
    PatternLayoutEncoder encoder =
        new PatternLayoutEncoder() {
          @Override
          public byte[] encode(ILoggingEvent event) {
            LockSupport.parkNanos(encodeNanos);
            return super.encode(event);
          }
        };
    encoder.setContext(context);
    encoder.setPattern(encodeNanos == 0 ? "%msg%n%ex" : "%msg%n");
    encoder.start();
    return encoder;
  }

  private static SpillwayAppender wrapping(
      LoggerContext context, Path directory, long encodeNanos) {
    FileAppender<ILoggingEvent> file = new FileAppender<>();
    file.setContext(context);
    file.setName("FILE");
    file.setFile(directory.resolve("app.log").toString());
    file.setEncoder(encoder(context, encodeNanos));
    file.start();
    SpillwayAppender appender = new SpillwayAppender();
    appender.addAppender(file);
    return appender;
  }

  private static SpillwayRollingFileAppender<ILoggingEvent> own(
      LoggerContext context, Path directory, long encodeNanos) {
    SpillwayRollingFileAppender<ILoggingEvent> appender = new SpillwayRollingFileAppender<>();
    appender.setFile(directory.resolve("app.log").toString());
    appender.setEncoder(encoder(context, encodeNanos));
    FixedWindowRollingPolicy policy = new FixedWindowRollingPolicy();
    policy.setContext(context);
    policy.setParent(appender);
    policy.setFileNamePattern(directory.resolve("app.%i.log").toString());
    appender.setContext(context);
    appender.setRollingPolicy(policy);
    policy.start();
    SizeBasedTriggeringPolicy<ILoggingEvent> trigger = new SizeBasedTriggeringPolicy<>();
    trigger.setContext(context);
    trigger.setMaxFileSize(FileSize.valueOf("1GB"));
    trigger.start();
    appender.setTriggeringPolicy(trigger);
    return appender;
  }
}
