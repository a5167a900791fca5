package io.spillway.stress.load;

import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.Appender;
import ch.qos.logback.core.AsyncAppenderBase;
import io.spillway.SpillwayAppender;
import io.spillway.SpillwayRollingFileAppender;
import io.spillway.metrics.SpillwayMetrics;
import io.spillway.stress.report.LoadFigures;
import java.util.ArrayList;
import java.util.List;

/**
 * Finds the buffers of a Logback configuration: Spillway's by their metrics, AsyncAppender's by its
 * getters; other appenders are not known to have any.
 */
final class LogbackBuffers {

  private final List<BufferWatch.Buffer> buffers = new ArrayList<>();

  private LogbackBuffers() {}

  /** Of all appenders, also those within others. */
  static BufferWatch of(LoggerContext context) {
    LogbackBuffers found = new LogbackBuffers();
    Appenders.of(context).forEach(found::add);
    return new BufferWatch(found.buffers);
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
                  new LoadFigures.Buffer.Sample(
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
                  new LoadFigures.Buffer.Sample(
                      at,
                      metrics.getRingUsed(),
                      metrics.getMemoryBytes(),
                      metrics.getSpillBytes(),
                      metrics.getArchiveBacklogFiles())));
    }
  }
}
