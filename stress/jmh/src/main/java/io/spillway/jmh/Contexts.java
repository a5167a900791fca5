package io.spillway.jmh;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.encoder.PatternLayoutEncoder;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.util.LogbackMDCAdapter;
import ch.qos.logback.core.Appender;
import ch.qos.logback.core.rolling.FixedWindowRollingPolicy;
import ch.qos.logback.core.rolling.RollingFileAppender;
import ch.qos.logback.core.rolling.SizeBasedTriggeringPolicy;
import ch.qos.logback.core.status.Status;
import ch.qos.logback.core.util.FileSize;
import java.nio.file.Path;
import java.util.List;

/** Creates separate logger contexts, and the parts that benchmarks configure in the same way. */
final class Contexts {
  /**
   * The pattern of {@code stress}, without caller data or anything that costs more than the
   * appender.
   */
  static final String PATTERN = "%d [%t] %-5p %c{20} - %m%n";

  private static final long NEVER_BYTES = 1000L << 30;

  private Contexts() {}

  /** Creates a context that no other benchmark uses. */
  static LoggerContext create() {
    LoggerContext context = new LoggerContext();
    context.setName("jmh");
    context.setMDCAdapter(new LogbackMDCAdapter());
    return context;
  }

  /** Creates and starts an encoder with {@link #PATTERN}. */
  static PatternLayoutEncoder patternEncoder(LoggerContext context) {
    PatternLayoutEncoder encoder = new PatternLayoutEncoder();
    encoder.setContext(context);
    encoder.setPattern(PATTERN);
    encoder.start();
    return encoder;
  }

  /** Configures and starts a file appender that never rolls over; Logback's is buffered. */
  static <A extends RollingFileAppender<ILoggingEvent>> A file(
      A appender, LoggerContext context, Path file) {
    appender.setContext(context);
    appender.setName("FILE");
    appender.setFile(file.toString());
    appender.setImmediateFlush(false);
    appender.setEncoder(patternEncoder(context));
    FixedWindowRollingPolicy rolling = new FixedWindowRollingPolicy();
    rolling.setContext(context);
    rolling.setParent(appender);
    rolling.setFileNamePattern(file + ".%i.gz");
    rolling.start();
    appender.setRollingPolicy(rolling);
    SizeBasedTriggeringPolicy<ILoggingEvent> size = new SizeBasedTriggeringPolicy<>();
    size.setContext(context);
    size.setMaxFileSize(new FileSize(NEVER_BYTES));
    size.start();
    appender.setTriggeringPolicy(size);
    appender.start();
    return appender;
  }

  /** Attaches a started appender to the root logger, as the only one. */
  static void attach(LoggerContext context, Appender<ILoggingEvent> appender) {
    ch.qos.logback.classic.Logger root = context.getLogger(org.slf4j.Logger.ROOT_LOGGER_NAME);
    root.setLevel(Level.INFO);
    root.addAppender(appender);
    failOnComplaints(context);
  }

  /** Fails on a warning or error of Logback or Spillway, which would invalidate a comparison. */
  static void failOnComplaints(LoggerContext context) {
    List<Status> complaints =
        context.getStatusManager().getCopyOfStatusList().stream()
            .filter(status -> status.getEffectiveLevel() > Status.INFO)
            .toList();
    if (!complaints.isEmpty()) {
      throw new IllegalStateException("Not to be measured: " + complaints);
    }
  }
}
