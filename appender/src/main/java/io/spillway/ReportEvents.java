package io.spillway;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.spi.LoggingEvent;
import ch.qos.logback.core.spi.ContextAware;
import java.util.function.Function;

/** Makes log events of Spillway's own: level WARN, logger {@code io.spillway}. */
final class ReportEvents {
  private static final String LOGGER = "io.spillway";

  private ReportEvents() {}

  /** Null if they are not wanted, or cannot be had because other things than log events pass. */
  static Function<String, ILoggingEvent> of(ContextAware appender, Settings.Checked settings) {
    if (!settings.reportEpisodes()) {
      return null;
    }
    if (appender.getContext() instanceof LoggerContext context) {
      Logger logger = context.getLogger(LOGGER);
      return text -> event(logger, text);
    }
    appender.addWarn(
        "Setting [reportEpisodes] has no effect: the events of this appender are not log events of"
            + " Logback classic.");
    return null;
  }

  private static ILoggingEvent event(Logger logger, String text) {
    LoggingEvent event =
        new LoggingEvent(ReportEvents.class.getName(), logger, Level.WARN, text, null, null);
    event.prepareForDeferredProcessing();
    return event;
  }
}
