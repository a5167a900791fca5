package io.spillway.internal.sink;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.spi.LoggingEvent;
import ch.qos.logback.classic.util.LogbackMDCAdapter;
import ch.qos.logback.core.spi.AppenderAttachableImpl;
import ch.qos.logback.core.spi.ContextAwareBase;
import io.spillway.internal.metrics.Counters;
import io.spillway.internal.metrics.Reports;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Timeout;

/** A sink over nested appenders, and what it counts and says. */
@Timeout(60)
abstract class SinkRig {
  final LoggerContext context = new LoggerContext();
  final AppenderAttachableImpl<ILoggingEvent> nested = new AppenderAttachableImpl<>();
  final Counters counters = new Counters();
  final Batch batch = Batch.ofEvents();

  SinkRig() {
    context.setMDCAdapter(new LogbackMDCAdapter());
  }

  @AfterEach
  void stop() {
    context.stop();
  }

  NestedAppenderSink sink() {
    ContextAwareBase origin = new ContextAwareBase();
    origin.setContext(context);
    return new NestedAppenderSink(nested, counters, new Reports(origin));
  }

  LoggingEvent event(String message) {
    LoggingEvent event =
        new LoggingEvent("", context.getLogger("a"), Level.INFO, message, null, null);
    event.prepareForDeferredProcessing();
    return event;
  }

  void deliver(NestedAppenderSink sink, Object... events) {
    batch.fill(null, 0, events, events.length, 0, false);
    sink.deliver(batch);
  }

  String statuses() {
    Reports.flush(context);
    return context.getStatusManager().getCopyOfStatusList().toString();
  }
}
