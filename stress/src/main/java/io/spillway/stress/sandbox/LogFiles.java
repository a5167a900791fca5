package io.spillway.stress.sandbox;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.spi.LoggingEvent;
import ch.qos.logback.core.Appender;
import ch.qos.logback.core.FileAppender;
import ch.qos.logback.core.rolling.RollingFileAppender;
import ch.qos.logback.core.rolling.RollingPolicy;
import ch.qos.logback.core.rolling.TimeBasedRollingPolicy;
import ch.qos.logback.core.rolling.TriggeringPolicy;
import ch.qos.logback.core.sift.SiftingAppenderBase;
import ch.qos.logback.core.util.FileSize;
import io.spillway.stress.load.Appenders;
import io.spillway.stress.load.ThreadContext;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;

/** Finds the files that events of a logger reach, also through other appenders. */
final class LogFiles {
  private final SandboxSession session;
  private final List<Findings.LogFile> files = new ArrayList<>();

  private LogFiles(SandboxSession session) {
    this.session = session;
  }

  /** Finds the files of a logger and, as far as it is additive, of its ancestors. */
  static LogFiles of(Logger logger, SandboxSession session) {
    List<Logger> loggers = new ArrayList<>();
    Logger each = logger;
    while (each != null) {
      loggers.add(each);
      boolean root = each.getName().equals(org.slf4j.Logger.ROOT_LOGGER_NAME);
      each = root || !each.isAdditive() ? null : parent(each);
    }
    LogFiles found = new LogFiles(session);
    Appenders.of(loggers).forEach(found::sift);
    Appenders.of(loggers).forEach(found::add);
    return found;
  }

  /** Returns the files that were found. */
  List<Findings.LogFile> files() {
    return List.copyOf(files);
  }

  private static Logger parent(Logger logger) {
    int dot = logger.getName().lastIndexOf('.');
    String name = dot < 0 ? org.slf4j.Logger.ROOT_LOGGER_NAME : logger.getName().substring(0, dot);
    return logger.getLoggerContext().getLogger(name);
  }

  /**
   * Creates the appender that a SiftingAppender has for the load's threads, as the first event
   * would, so that it is found before any event.
   */
  private void sift(Appender<ILoggingEvent> appender) {
    if (!(appender instanceof SiftingAppenderBase<ILoggingEvent> sifting) || !sifting.isStarted()) {
      return;
    }
    LoggingEvent event = new LoggingEvent();
    event.setMDCPropertyMap(ThreadContext.mdc());
    String value;
    try {
      value = sifting.getDiscriminator().getDiscriminatingValue(event);
    } catch (RuntimeException e) {
      session.note("the discriminator of " + appender.getName() + " fails: " + e);
      return;
    }
    if (value != null) {
      sifting.getAppenderTracker().getOrCreate(value, System.currentTimeMillis());
      session.note(
          appender.getName()
              + " sifts by "
              + sifting.getDiscriminatorKey()
              + ", watched for ["
              + value
              + "] (--mdc "
              + sifting.getDiscriminatorKey()
              + "=VALUE for another)");
    }
  }

  private void add(Appender<ILoggingEvent> appender) {
    if (!appender.isStarted()) {
      return; // Logback reports the reason
    }
    if (appender instanceof RollingFileAppender<ILoggingEvent> rolling) {
      if (rolling.getRollingPolicy() != null) { // else Logback reports the error
        files.add(rolling(rolling));
      }
    } else if (appender instanceof FileAppender<ILoggingEvent> plain) {
      files.add(
          new Findings.LogFile(
              plain.getName(),
              plain.getClass().getName(),
              plain.getFile(),
              true,
              null,
              Findings.Trigger.NONE,
              0));
    }
  }

  private Findings.LogFile rolling(RollingFileAppender<ILoggingEvent> appender) {
    RollingPolicy rolling = appender.getRollingPolicy();
    String pattern = Appenders.fileNamePattern(rolling);
    String size = maxFileSize(rolling, appender.getTriggeringPolicy());
    return new Findings.LogFile(
        appender.getName(),
        appender.getClass().getName(),
        appender.getFile(),
        appender.rawFileProperty() != null,
        pattern,
        size == null ? Findings.Trigger.CLOCK : Findings.Trigger.SIZE,
        size == null ? 0 : FileSize.valueOf(size).getSize());
  }

  /** Returns the size as configured; Logback's size and time based policy has no getter for it. */
  private String maxFileSize(RollingPolicy rolling, TriggeringPolicy<ILoggingEvent> triggering) {
    Object naming =
        rolling instanceof TimeBasedRollingPolicy<?> timeBased
            ? timeBased.getTimeBasedFileNamingAndTriggeringPolicy()
            : null;
    return Arrays.asList(triggering, rolling, naming).stream()
        .filter(Objects::nonNull)
        .flatMap(policy -> Stream.ofNullable(session.maxFileSizeOf(policy)))
        .findFirst()
        .orElse(null);
  }
}
