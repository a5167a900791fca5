package io.spillway.stress.load;

import ch.qos.logback.classic.LoggerContext;
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

/** Logback, configured by SLF4J's first call. */
record LogbackSystem(LoggerContext context) implements LoggingSystem {

  @Override
  public List<String> problems(boolean warnings) {
    return context.getStatusManager().getCopyOfStatusList().stream()
        .filter(status -> status.getEffectiveLevel() >= (warnings ? Status.WARN : Status.ERROR))
        .limit(PROBLEMS_SHOWN)
        .map(status -> status + (status.getThrowable() == null ? "" : ": " + status.getThrowable()))
        .toList();
  }

  @Override
  public String elsewhere(LoadSpec.Target target) {
    List<FileAppender<?>> files = files().stream().filter(FileAppender::isStarted).toList();
    if (files.isEmpty() || files.stream().anyMatch(file -> belongsTo(target, file))) {
      return null;
    }
    return String.format(
        "the log file [%s] of the look at the configuration is called otherwise in the trial: %s;"
            + " its name must not change from one JVM to the next",
        target.named() ? target.activeFile() : target.fileNamePattern(),
        files.stream().map(FileAppender::getFile).toList());
  }

  @Override
  public void stop() {
    context.stop();
  }

  private List<FileAppender<?>> files() {
    List<FileAppender<?>> files = new ArrayList<>();
    for (Appender<?> appender : Appenders.of(context)) {
      if (appender instanceof FileAppender<?> file) {
        files.add(file);
      }
    }
    return files;
  }

  private static boolean belongsTo(LoadSpec.Target target, FileAppender<?> file) {
    String pattern =
        file instanceof RollingFileAppender<?> rolling
            ? Appenders.fileNamePattern(rolling.getRollingPolicy())
            : null;
    return (!target.named() || target.activeFile().equals(file.getFile()))
        && (target.fileNamePattern() == null || target.fileNamePattern().equals(pattern));
  }

  /**
   * Returns an action that rolls over a file which would do so only by the clock, hours later. It
   * sets the clock of Logback's time based policy to the start of the next period, so that the next
   * event triggers the rollover as at midnight. A later time would make the policy delete archives
   * as too old. For any other policy, the action calls the appender's rollover, in a thread of its
   * own, because that may compress the file.
   */
  @Override
  public Runnable rollover(LoadSpec.Target target) {
    String name = target.rolledAppender();
    for (FileAppender<?> file : files()) {
      if (name != null
          && name.equals(file.getName())
          && file instanceof RollingFileAppender<?> rolling) {
        return () -> rollOver(rolling);
      }
    }
    return () -> {};
  }

  private static void rollOver(RollingFileAppender<?> appender) {
    if (appender.getRollingPolicy() instanceof TimeBasedRollingPolicy<?> timeBased) {
      timeBased
          .getTimeBasedFileNamingAndTriggeringPolicy()
          .setCurrentTime(nextPeriod(timeBased).toEpochMilli());
    } else {
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
