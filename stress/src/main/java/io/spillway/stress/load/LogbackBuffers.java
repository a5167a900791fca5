package io.spillway.stress.load;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.Appender;
import ch.qos.logback.core.AsyncAppenderBase;
import ch.qos.logback.core.spi.AppenderAttachable;
import io.spillway.SpillwayAppender;
import io.spillway.SpillwayRollingFileAppender;
import io.spillway.metrics.SpillwayMetrics;
import io.spillway.stress.report.BufferFigures;
import java.util.ArrayList;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Set;

/**
 * Finds the buffers of a Logback configuration: Spillway's by their metrics, AsyncAppender's by its
 * getters; other appenders are not known to have any.
 */
final class LogbackBuffers {

  private final List<BufferWatch.Buffer> buffers = new ArrayList<>();
  private final Set<Appender<ILoggingEvent>> seen =
      Collections.newSetFromMap(new IdentityHashMap<>());

  private LogbackBuffers() {}

  /** Of all appenders, also those within others. */
  static BufferWatch of(LoggerContext context) {
    LogbackBuffers found = new LogbackBuffers();
    for (Logger logger : context.getLoggerList()) {
      found.add(logger.iteratorForAppenders());
    }
    return new BufferWatch(found.buffers);
  }

  private void add(Iterator<Appender<ILoggingEvent>> appenders) {
    while (appenders.hasNext()) {
      Appender<ILoggingEvent> appender = appenders.next();
      if (seen.add(appender)) {
        add(appender);
        if (appender instanceof AppenderAttachable<?>) {
          add(nested(appender));
        }
      }
    }
  }

  private void add(Appender<ILoggingEvent> appender) {
    if (appender instanceof SpillwayAppender spillway) {
      addSpillway(appender, spillway.getMetrics());
    } else if (appender instanceof SpillwayRollingFileAppender<?> spillway) {
      addSpillway(appender, spillway.getMetrics());
    } else if (appender instanceof AsyncAppenderBase<?> async && async.isStarted()) {
      buffers.add(
          new BufferWatch.Buffer(
              appender.getName(),
              appender.getClass().getName(),
              async.getQueueSize(),
              null,
              null,
              at ->
                  new BufferFigures.Sample(
                      at, async.getNumberOfElementsInQueue(), null, null, null)));
    }
  }

  /** Metrics are null if the appender was never started. */
  private void addSpillway(Appender<ILoggingEvent> appender, SpillwayMetrics metrics) {
    if (metrics != null) {
      buffers.add(
          new BufferWatch.Buffer(
              appender.getName(),
              appender.getClass().getName(),
              metrics.getRingCapacity(),
              metrics.getMemoryCapacityBytes(),
              metrics.getSpillCapacityBytes(),
              at ->
                  new BufferFigures.Sample(
                      at,
                      metrics.getRingUsed(),
                      metrics.getMemoryBytes(),
                      metrics.getSpillBytes(),
                      metrics.getArchiveBacklogFiles())));
    }
  }

  @SuppressWarnings("unchecked") // what takes these events holds appenders of these events
  private static Iterator<Appender<ILoggingEvent>> nested(Appender<ILoggingEvent> appender) {
    return ((AppenderAttachable<ILoggingEvent>) appender).iteratorForAppenders();
  }
}
