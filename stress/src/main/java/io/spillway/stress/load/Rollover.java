package io.spillway.stress.load;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.Appender;
import ch.qos.logback.core.rolling.RollingFileAppender;
import ch.qos.logback.core.rolling.TimeBasedRollingPolicy;
import ch.qos.logback.core.rolling.helper.DateTokenConverter;
import ch.qos.logback.core.rolling.helper.FileNamePattern;
import ch.qos.logback.core.rolling.helper.RollingCalendar;
import ch.qos.logback.core.spi.AppenderAttachable;
import java.time.Instant;
import java.util.Iterator;
import java.util.Locale;
import java.util.TimeZone;

/**
 * Lets a file roll over that would do so by the clock alone, hours later. Logback's time based
 * policy is told that its next period has begun, and no more than that, lest it deletes archives as
 * too old; so the next event triggers the rollover as it does at midnight. Any other appender is
 * asked to roll over.
 */
final class Rollover {
  private final RollingFileAppender<ILoggingEvent> appender;
  private boolean done;

  private Rollover(RollingFileAppender<ILoggingEvent> appender) {
    this.appender = appender;
    done = appender == null;
  }

  /** For what rolls over by itself. */
  static Rollover none() {
    return new Rollover(null);
  }

  /** For the appender that the target names, if any. */
  static Rollover of(LoadTarget target, LoggerContext context) {
    RollingFileAppender<ILoggingEvent> found = null;
    if (target.rolledAppender() != null) {
      for (Logger logger : context.getLoggerList()) {
        found =
            found == null ? find(target.rolledAppender(), logger.iteratorForAppenders()) : found;
      }
    }
    return new Rollover(found);
  }

  @SuppressWarnings("unchecked") // an appender of logging events holds such
  private static RollingFileAppender<ILoggingEvent> find(
      String name, Iterator<Appender<ILoggingEvent>> appenders) {
    RollingFileAppender<ILoggingEvent> found = null;
    while (appenders.hasNext() && found == null) {
      Appender<ILoggingEvent> each = appenders.next();
      if (each instanceof RollingFileAppender<ILoggingEvent> rolling
          && name.equals(each.getName())) {
        found = rolling;
      } else if (each instanceof AppenderAttachable<?> parent) {
        found = find(name, ((AppenderAttachable<ILoggingEvent>) parent).iteratorForAppenders());
      }
    }
    return found;
  }

  /** Rolls over, the first time it is called. */
  void due() {
    if (done) {
      return;
    }
    done = true;
    if (appender.getRollingPolicy() instanceof TimeBasedRollingPolicy<?> timeBased) {
      timeBased
          .getTimeBasedFileNamingAndTriggeringPolicy()
          .setCurrentTime(nextPeriod(timeBased).toEpochMilli());
    } else {
      appender.rollover();
    }
  }

  private Instant nextPeriod(TimeBasedRollingPolicy<?> policy) {
    DateTokenConverter<?> date =
        new FileNamePattern(policy.getFileNamePattern(), appender.getContext())
            .getPrimaryDateTokenConverter();
    TimeZone zone =
        date.getZoneId() == null ? TimeZone.getDefault() : TimeZone.getTimeZone(date.getZoneId());
    return new RollingCalendar(date.getDatePattern(), zone, Locale.getDefault())
        .getNextTriggeringDate(Instant.now());
  }
}
