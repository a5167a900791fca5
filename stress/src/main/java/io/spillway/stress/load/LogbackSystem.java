package io.spillway.stress.load;

import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.Appender;
import ch.qos.logback.core.FileAppender;
import ch.qos.logback.core.rolling.RollingFileAppender;
import ch.qos.logback.core.rolling.TimeBasedRollingPolicy;
import ch.qos.logback.core.rolling.helper.DateTokenConverter;
import ch.qos.logback.core.rolling.helper.FileNamePattern;
import ch.qos.logback.core.rolling.helper.RollingCalendar;
import ch.qos.logback.core.status.Status;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.TimeZone;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Stream;

/** Logback, configured by SLF4J's first call. */
final class LogbackSystem implements LoggingSystem {

  private static final int PROBLEMS_SHOWN = 20;

  private final LoggerContext context;

  LogbackSystem(LoggerContext context) {
    this.context = context;
  }

  @Override
  public List<String> errors() {
    return statuses(Status.ERROR);
  }

  @Override
  public String elsewhere(LoadSpec.Target target) {
    List<FileAppender<?>> files = new ArrayList<>();
    for (Appender<?> appender : Appenders.of(context)) {
      if (appender instanceof FileAppender<?> file && file.isStarted()) {
        files.add(file);
      }
    }
    if (files.isEmpty() || files.stream().anyMatch(file -> belongsTo(target, file))) {
      return null;
    }
    return String.format(
        "the log file [%s] of the look at the configuration is called otherwise in the trial: %s;"
            + " its name must not change from one JVM to the next",
        target.named() ? target.activeFile() : target.fileNamePattern(),
        files.stream().map(FileAppender::getFile).toList());
  }

  private static boolean belongsTo(LoadSpec.Target target, FileAppender<?> file) {
    String pattern =
        file instanceof RollingFileAppender<?> rolling
            ? Appenders.fileNamePattern(rolling.getRollingPolicy())
            : null;
    return (!target.named() || target.activeFile().equals(file.getFile()))
        && (target.fileNamePattern() == null || target.fileNamePattern().equals(pattern));
  }

  @Override
  public List<String> problems() {
    return statuses(Status.WARN);
  }

  @Override
  public void stop() {
    context.stop();
  }

  private List<String> statuses(int level) {
    return context.getStatusManager().getCopyOfStatusList().stream()
        .filter(status -> status.getEffectiveLevel() >= level)
        .limit(PROBLEMS_SHOWN)
        .map(status -> status.toString() + cause(status))
        .toList();
  }

  private static String cause(Status status) {
    return status.getThrowable() == null ? "" : ": " + status.getThrowable();
  }

  /**
   * Returns an action that rolls over a file which would do so only by the clock, hours later. It
   * sets the clock of Logback's time based policy to the start of the next period, so that the next
   * event triggers the rollover as at midnight. A later time would make the policy delete archives
   * as too old. For any other policy, the action calls the appender's rollover.
   */
  @Override
  public Runnable rollover(LoadSpec.Target target) {
    String name = target.rolledAppender();
    return Appenders.of(context).stream()
        .filter(appender -> name != null && name.equals(appender.getName()))
        .flatMap(LogbackSystem::rolling)
        .findFirst()
        .map(LogbackSystem::once)
        .orElse(() -> {});
  }

  private static Stream<RollingFileAppender<ILoggingEvent>> rolling(
      Appender<ILoggingEvent> appender) {
    return appender instanceof RollingFileAppender<ILoggingEvent> rolling
        ? Stream.of(rolling)
        : Stream.empty();
  }

  private static Runnable once(RollingFileAppender<ILoggingEvent> appender) {
    AtomicBoolean done = new AtomicBoolean();
    return () -> {
      if (done.compareAndSet(false, true)) {
        rollOver(appender);
      }
    };
  }

  private static void rollOver(RollingFileAppender<ILoggingEvent> appender) {
    if (appender.getRollingPolicy() instanceof TimeBasedRollingPolicy<?> timeBased) {
      timeBased
          .getTimeBasedFileNamingAndTriggeringPolicy()
          .setCurrentTime(nextPeriod(timeBased).toEpochMilli());
    } else {
      // The rollover may compress the file, and the calling thread must continue to watch the
      // files.
      Thread roller = new Thread(appender::rollover, "rollover");
      roller.setDaemon(true);
      roller.start();
    }
  }

  private static Instant nextPeriod(TimeBasedRollingPolicy<?> policy) {
    DateTokenConverter<?> date =
        new FileNamePattern(policy.getFileNamePattern(), policy.getContext())
            .getPrimaryDateTokenConverter();
    TimeZone zone =
        date.getZoneId() == null ? TimeZone.getDefault() : TimeZone.getTimeZone(date.getZoneId());
    return new RollingCalendar(date.getDatePattern(), zone, Locale.getDefault())
        .getNextTriggeringDate(Instant.now());
  }
}
