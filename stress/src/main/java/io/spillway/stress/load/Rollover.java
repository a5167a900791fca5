package io.spillway.stress.load;

import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.Appender;
import ch.qos.logback.core.rolling.RollingFileAppender;
import ch.qos.logback.core.rolling.TimeBasedRollingPolicy;
import ch.qos.logback.core.rolling.helper.DateTokenConverter;
import ch.qos.logback.core.rolling.helper.FileNamePattern;
import ch.qos.logback.core.rolling.helper.RollingCalendar;
import java.time.Instant;
import java.util.Locale;
import java.util.TimeZone;
import java.util.stream.Stream;

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
    String name = target.rolledAppender();
    return Appenders.of(context).stream()
        .filter(appender -> name != null && name.equals(appender.getName()))
        .flatMap(Rollover::rolling)
        .findFirst()
        .map(Rollover::new)
        .orElseGet(Rollover::none);
  }

  private static Stream<RollingFileAppender<ILoggingEvent>> rolling(
      Appender<ILoggingEvent> appender) {
    return appender instanceof RollingFileAppender<ILoggingEvent> rolling
        ? Stream.of(rolling)
        : Stream.empty();
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
      // It may compress meanwhile, and whoever calls this watches the files.
      Thread roller = new Thread(appender::rollover, "rollover");
      roller.setDaemon(true);
      roller.start();
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
