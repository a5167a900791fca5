package io.spillway.process;

import ch.qos.logback.classic.AsyncAppender;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.util.LogbackMDCAdapter;
import ch.qos.logback.core.Appender;
import ch.qos.logback.core.encoder.EchoEncoder;
import ch.qos.logback.core.rolling.RollingFileAppender;
import ch.qos.logback.core.rolling.TimeBasedRollingPolicy;
import ch.qos.logback.core.spi.AppenderAttachable;
import ch.qos.logback.core.status.Status;
import ch.qos.logback.core.util.FileSize;
import io.spillway.SpillwayAppender;
import io.spillway.SpillwayRollingFileAppender;
import io.spillway.rolling.SizeAndTimeBasedRollingPolicy;
import java.util.Iterator;
import org.slf4j.ILoggerFactory;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * An application that asks for a logger, logs, and prints what Logback tells. Runs on any Logback;
 * the configuration is where Logback's system property says, or made here, without Logback's own
 * search for one, which fails where logback-core and logback-classic do not fit.
 */
public final class EnvironmentChild {
  static final int EVENTS = 1_000;

  private EnvironmentChild() {}

  /**
   * No arguments, or to configure in Java: a directory, and "stock" for Logback's appenders alone.
   */
  public static void main(String[] arguments) {
    if (arguments.length == 0) {
      log(LoggerFactory.getLogger("shop"));
      ILoggerFactory factory = LoggerFactory.getILoggerFactory();
      if (factory instanceof LoggerContext) {
        tell((LoggerContext) factory);
        ((LoggerContext) factory).stop();
      }
    } else {
      LoggerContext context = new LoggerContext();
      setMdcAdapter(context);
      configure(context, new Files(context, arguments[0], "stock"), new AsyncAppender());
      if (arguments.length == 1) {
        configure(context, new Files(context, arguments[0], "own"), new SpillwayAppender());
      }
      log(context.getLogger("shop"));
      tell(context);
      context.getLogger("ROOT").detachAndStopAllAppenders(); // some contexts cannot be stopped
    }
    System.out.println("ended");
  }

  private static void setMdcAdapter(LoggerContext context) {
    try {
      context.setMDCAdapter(new LogbackMDCAdapter());
    } catch (LinkageError older) {
      System.out.println("The MDC needs no adapter: " + older);
    }
  }

  private static void log(Logger logger) {
    for (int i = 0; i < EVENTS; i++) {
      if (i % 100 == 0) {
        logger.warn("event {}", i, new IllegalStateException("broken", new Exception("cause")));
      } else {
        logger.info("event {}", i);
      }
    }
    logger.info("{}", new Talking(logger));
    System.out.println("logged");
  }

  /** Logs while it is formatted. */
  private static final class Talking {
    private final Logger logger;

    Talking(Logger logger) {
      this.logger = logger;
    }

    @Override
    public String toString() {
      logger.info("from within an argument");
      return "an argument";
    }
  }

  /** One of each kind. */
  private static <T extends Appender<ILoggingEvent> & AppenderAttachable<ILoggingEvent>>
      void configure(LoggerContext context, Files files, T wrapping) {
    RollingFileAppender<ILoggingEvent> rolling =
        wrapping instanceof SpillwayAppender
            ? new SpillwayRollingFileAppender<>()
            : new RollingFileAppender<>();
    files.start(rolling, "java", wrapping instanceof SpillwayAppender);
    RollingFileAppender<ILoggingEvent> nested = new RollingFileAppender<>();
    files.start(nested, "wrapped", wrapping instanceof SpillwayAppender);
    wrapping.setContext(context);
    wrapping.setName(files.prefix + "-wrapping");
    wrapping.addAppender(nested);
    if (wrapping instanceof AsyncAppender) {
      ((AsyncAppender) wrapping).setDiscardingThreshold(0);
    }
    wrapping.start();
    context.getLogger("ROOT").addAppender(rolling);
    context.getLogger("ROOT").addAppender(wrapping);
  }

  /** Starts appenders that roll their files. */
  private static final class Files {
    private final LoggerContext context;
    private final String directory;
    private final String prefix;

    Files(LoggerContext context, String directory, String prefix) {
      this.context = context;
      this.directory = directory;
      this.prefix = prefix;
    }

    void start(RollingFileAppender<ILoggingEvent> file, String name, boolean ownPolicy) {
      String path = directory + "/" + prefix + "-" + name;
      EchoEncoder<ILoggingEvent> encoder = new EchoEncoder<>(); // needs logback-core alone
      encoder.setContext(context);
      encoder.start();
      file.setContext(context);
      file.setName(prefix + "-" + name);
      file.setFile(path + ".log");
      file.setEncoder(encoder);
      if (ownPolicy) {
        SizeAndTimeBasedRollingPolicy<ILoggingEvent> policy = new SizeAndTimeBasedRollingPolicy<>();
        policy.setContext(context);
        policy.setParent(file);
        policy.setFileNamePattern(path + ".%d.%i.log.gz");
        policy.setMaxFileSize(FileSize.valueOf("8KB"));
        policy.start();
        file.setRollingPolicy(policy);
      } else {
        TimeBasedRollingPolicy<ILoggingEvent> policy = new TimeBasedRollingPolicy<>();
        policy.setContext(context);
        policy.setParent(file);
        policy.setFileNamePattern(path + ".%d.log.gz");
        policy.start();
        file.setRollingPolicy(policy);
      }
      file.start();
    }
  }

  private static void tell(LoggerContext context) {
    Iterator<Appender<ILoggingEvent>> all = context.getLogger("ROOT").iteratorForAppenders();
    while (all.hasNext()) {
      Appender<ILoggingEvent> appender = all.next();
      System.out.println((appender.isStarted() ? "started " : "not ") + appender.getName());
    }
    for (Status status : context.getStatusManager().getCopyOfStatusList()) {
      String level = status.getLevel() == Status.ERROR ? "error " : "status ";
      System.out.println(level + status.getMessage() + " " + status.getThrowable());
    }
  }
}
