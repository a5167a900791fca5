package io.spillway.stress.load;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.Appender;
import ch.qos.logback.core.rolling.RollingPolicy;
import ch.qos.logback.core.rolling.RollingPolicyBase;
import ch.qos.logback.core.sift.SiftingAppenderBase;
import ch.qos.logback.core.spi.AppenderAttachable;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;

/** Finds appenders, including nested ones; each appears once, outer appenders first. */
public final class Appenders {

  private Appenders() {}

  /** Returns the appenders of all loggers of a context. */
  public static List<Appender<ILoggingEvent>> of(LoggerContext context) {
    return of(context.getLoggerList());
  }

  /** Returns the appenders of the given loggers. */
  public static List<Appender<ILoggingEvent>> of(List<Logger> loggers) {
    List<Appender<ILoggingEvent>> found = new ArrayList<>();
    loggers.forEach(logger -> add(found, logger.iteratorForAppenders()));
    return found;
  }

  /** Returns the file name pattern of a policy's archives, or null if it has none. */
  public static String fileNamePattern(RollingPolicy rolling) {
    return rolling instanceof RollingPolicyBase base ? base.getFileNamePattern() : null;
  }

  @SuppressWarnings("unchecked") // an appender of these events holds appenders of these events
  private static void add(
      List<Appender<ILoggingEvent>> found, Iterator<Appender<ILoggingEvent>> appenders) {
    while (appenders.hasNext()) {
      Appender<ILoggingEvent> appender = appenders.next();
      if (found.stream().noneMatch(known -> known == appender)) {
        found.add(appender);
        if (appender instanceof AppenderAttachable<?> parent) {
          add(found, ((AppenderAttachable<ILoggingEvent>) parent).iteratorForAppenders());
        } else if (appender instanceof SiftingAppenderBase<ILoggingEvent> sifting
            && sifting.isStarted()) {
          add(found, sifting.getAppenderTracker().allComponents().iterator());
        }
      }
    }
  }
}
