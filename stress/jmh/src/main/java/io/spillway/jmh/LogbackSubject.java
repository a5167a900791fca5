package io.spillway.jmh;

import ch.qos.logback.classic.AsyncAppender;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.Appender;
import ch.qos.logback.core.rolling.RollingFileAppender;
import ch.qos.logback.core.util.Duration;
import io.spillway.SpillwayAppender;
import io.spillway.SpillwayRollingFileAppender;
import java.io.IOException;
import java.util.concurrent.locks.LockSupport;
import net.logstash.logback.appender.LoggingEventAsyncDisruptorAppender;
import net.logstash.logback.appender.listener.AppenderListener;

/** An appender of Logback's kind, in a logger context of its own. */
final class LogbackSubject extends Subject {
  private static final Duration FOR_EVER = Duration.buildByMilliseconds(-1);
  private static final Duration AT_ONCE = Duration.buildByMilliseconds(0);

  private final LoggerContext context = Contexts.create();
  private final Appender<ILoggingEvent> appender;
  private FencedFileAppender fenced; // behind a queue of Logback's or logstash's only
  private boolean fenceDropped; // told to the thread that logged it

  LogbackSubject(AppenderKind kind) throws IOException {
    super(kind);
    appender =
        switch (kind) {
          case ROLLING_FILE -> Contexts.file(new RollingFileAppender<>(), context, file());
          case ASYNC_512 -> async(512, false);
          case ASYNC_8192 -> async(8192, false);
          case ASYNC_NEVER_BLOCK -> async(8192, true);
          case LOGSTASH_BLOCK -> logstash(FOR_EVER);
          case LOGSTASH_DROP -> logstash(AT_ONCE);
          case SPILLWAY -> spillway();
          case SPILLWAY_FILE -> spillwayFile();
          case LOG4J2_ASYNC -> throw new IllegalArgumentException("not Logback's: " + kind);
        };
    Contexts.attach(context, appender);
  }

  private AsyncAppender async(int queueSize, boolean neverBlock) {
    fenced = Contexts.file(new FencedFileAppender(), context, file());
    AsyncAppender async = new AsyncAppender();
    async.setContext(context);
    async.setName("ASYNC");
    async.setQueueSize(queueSize);
    async.setDiscardingThreshold(0);
    async.setNeverBlock(neverBlock);
    async.setMaxFlushTime(0);
    async.addAppender(fenced);
    async.start();
    return async;
  }

  private LoggingEventAsyncDisruptorAppender logstash(Duration appendTimeout) {
    fenced = Contexts.file(new FencedFileAppender(), context, file());
    LoggingEventAsyncDisruptorAppender logstash = new LoggingEventAsyncDisruptorAppender();
    logstash.setContext(context);
    logstash.setName("LOGSTASH");
    logstash.setAppendTimeout(appendTimeout);
    logstash.addListener(new FenceWatch());
    logstash.addAppender(fenced);
    logstash.start();
    return logstash;
  }

  private SpillwayAppender spillway() {
    SpillwayAppender spillway = new SpillwayAppender();
    spillway.setContext(context);
    spillway.setName("SPILLWAY");
    spillway.setMaxSpillSize("8 GB");
    spillway.setMaxFlushTime("0");
    spillway.addAppender(Contexts.file(new RollingFileAppender<>(), context, file()));
    spillway.start();
    return spillway;
  }

  private SpillwayRollingFileAppender<ILoggingEvent> spillwayFile() {
    SpillwayRollingFileAppender<ILoggingEvent> spillway = new SpillwayRollingFileAppender<>();
    spillway.setMaxSpillSize("8 GB");
    spillway.setMaxFlushTime("0");
    return Contexts.file(spillway, context, file());
  }

  /** Whether a queue that drops has dropped a fence. */
  private final class FenceWatch implements AppenderListener<ILoggingEvent> {
    @Override
    public void eventAppendFailed(
        Appender<ILoggingEvent> appender, ILoggingEvent event, Throwable reason) {
      if (FencedFileAppender.FENCE.equals(event.getMessage())) {
        fenceDropped = true;
      }
    }
  }

  LoggerContext context() {
    return context;
  }

  @Override
  LogCall logger() {
    return context.getLogger(LOGGER)::info;
  }

  @Override
  Settlement awaitIdle(long callsSoFar) throws InterruptedException {
    if (fenced != null) {
      logFence();
      return new Settlement(callsSoFar - fenced.awaitFence(PATIENCE), 0);
    } else if (appender instanceof SpillwayAppender spillway) {
      settled(spillway.awaitDelivered(PATIENCE));
      return new Settlement(0, spillway.getMetrics().getSpilled());
    } else if (appender instanceof SpillwayRollingFileAppender<?> spillway) {
      settled(spillway.awaitDelivered(PATIENCE));
      return new Settlement(0, spillway.getMetrics().getSpilled());
    }
    return new Settlement(0, 0);
  }

  /** The fence must not be dropped. */
  private void logFence() {
    while (appender instanceof AsyncAppender async && async.getRemainingCapacity() == 0) {
      LockSupport.parkNanos(POLL_NANOS);
    }
    context.getLogger(LOGGER).info(FencedFileAppender.FENCE);
    while (fenceDropped) {
      LockSupport.parkNanos(POLL_NANOS);
      fenceDropped = false;
      context.getLogger(LOGGER).info(FencedFileAppender.FENCE);
    }
  }

  private static void settled(boolean delivered) {
    if (!delivered) {
      throw new IllegalStateException("Not delivered within " + PATIENCE + ".");
    }
  }

  @Override
  void stop() {
    context.stop();
  }
}
