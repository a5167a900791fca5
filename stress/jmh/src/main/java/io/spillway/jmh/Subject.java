package io.spillway.jmh;

import ch.qos.logback.classic.AsyncAppender;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.Appender;
import ch.qos.logback.core.rolling.RollingFileAppender;
import io.spillway.SpillwayAppender;
import io.spillway.SpillwayRollingFileAppender;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import net.logstash.logback.appender.LoggingEventAsyncDisruptorAppender;
import net.logstash.logback.appender.listener.AppenderListener;

/**
 * One appender under test in a separate logger context and directory. {@link #close} stops the
 * appender and fails if its file has not exactly the lines of the events that were not dropped.
 */
final class Subject implements AutoCloseable {
  private static final Duration PATIENCE = Duration.ofMinutes(5);
  private static final long POLL_NANOS = 20_000;

  private final AppenderKind kind;
  private final WorkDirectory directory;
  private final LoggerContext context = Contexts.create();
  private final Path file;
  private final Appender<ILoggingEvent> appender;
  private FencedFileAppender fenced; // only behind a queue of Logback or logstash
  private boolean fenceDropped;
  private long calls;
  private long dropped;
  private long spilled;

  /**
   * The results of the calls since the last settlement.
   *
   * @param dropped calls whose event was lost
   * @param spilled calls whose event went through the disk
   */
  record Settlement(long dropped, long spilled) {}

  Subject(AppenderKind kind) throws IOException {
    this.kind = kind;
    directory = WorkDirectory.create();
    file = directory.path().resolve("app.log");
    appender =
        switch (kind) {
          case ROLLING_FILE -> Contexts.file(new RollingFileAppender<>(), context, file);
          case ASYNC_8192 -> async(8192, false);
          case ASYNC_131072 -> async(131_072, false);
          case ASYNC_NEVER_BLOCK -> async(8192, true);
          case LOGSTASH_BLOCK -> logstash(-1);
          case LOGSTASH_DROP -> logstash(0);
          case SPILLWAY -> spillway();
          case SPILLWAY_FILE -> spillwayFile();
        };
    Contexts.attach(context, appender);
  }

  private AsyncAppender async(int queueSize, boolean neverBlock) {
    fenced = Contexts.file(new FencedFileAppender(), context, file);
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

  private LoggingEventAsyncDisruptorAppender logstash(long timeoutMillis) {
    fenced = Contexts.file(new FencedFileAppender(), context, file);
    LoggingEventAsyncDisruptorAppender logstash = new LoggingEventAsyncDisruptorAppender();
    logstash.setContext(context);
    logstash.setName("LOGSTASH");
    logstash.setAppendTimeout(ch.qos.logback.core.util.Duration.buildByMilliseconds(timeoutMillis));
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
    spillway.addAppender(Contexts.file(new RollingFileAppender<>(), context, file));
    spillway.start();
    return spillway;
  }

  private SpillwayRollingFileAppender<ILoggingEvent> spillwayFile() {
    SpillwayRollingFileAppender<ILoggingEvent> spillway = new SpillwayRollingFileAppender<>();
    spillway.setMaxSpillSize("8 GB");
    spillway.setMaxFlushTime("0");
    return Contexts.file(spillway, context, file);
  }

  Logger logger() {
    return context.getLogger("io.spillway.jmh.Service");
  }

  /**
   * Waits until the appender has processed every call so far; no thread may log meanwhile.
   *
   * @param callsSoFar number of calls since the start
   * @return the results of the calls since the last settlement
   */
  Settlement settle(long callsSoFar) throws InterruptedException {
    if (callsSoFar == calls) {
      return new Settlement(0, 0); // another thread has settled, and may have stopped the appender
    }
    long droppedBefore = dropped;
    long spilledBefore = spilled;
    calls = callsSoFar;
    if (fenced != null) {
      logFence();
      dropped = calls - fenced.awaitFence(PATIENCE);
    } else if (appender instanceof SpillwayAppender spillway) {
      settled(spillway.awaitDelivered(PATIENCE));
      spilled = spillway.getMetrics().getSpilled();
    } else if (appender instanceof SpillwayRollingFileAppender<?> spillway) {
      settled(spillway.awaitDelivered(PATIENCE));
      spilled = spillway.getMetrics().getSpilled();
    }
    return new Settlement(dropped - droppedBefore, spilled - spilledBefore);
  }

  /** Logs a fence, again if a full queue dropped it. */
  private void logFence() {
    while (appender instanceof AsyncAppender async && async.getRemainingCapacity() == 0) {
      LockSupport.parkNanos(POLL_NANOS);
    }
    logger().info(FencedFileAppender.FENCE);
    while (fenceDropped) {
      LockSupport.parkNanos(POLL_NANOS);
      fenceDropped = false;
      logger().info(FencedFileAppender.FENCE);
    }
  }

  /** Notes that the queue dropped a fence; called in the thread that logs. */
  private final class FenceWatch implements AppenderListener<ILoggingEvent> {
    @Override
    public void eventAppendFailed(
        Appender<ILoggingEvent> appender, ILoggingEvent event, Throwable reason) {
      fenceDropped |= FencedFileAppender.FENCE.equals(event.getMessage());
    }
  }

  private static void settled(boolean delivered) {
    if (!delivered) {
      throw new IllegalStateException("Not delivered within " + PATIENCE + ".");
    }
  }

  /** Stops the appender, as an application does at its end. */
  void stop() {
    context.stop();
  }

  @Override
  public void close() throws IOException {
    stop();
    long lines = lines();
    directory.close();
    if (lines != calls - dropped || (dropped > 0 && !kind.mayDrop())) {
      throw new IllegalStateException(
          kind
              + ": "
              + calls
              + " log calls, "
              + dropped
              + " dropped, "
              + lines
              + " lines in the file; a figure of an appender that loses events compares with none");
    }
  }

  private long lines() throws IOException {
    long lines = 0;
    byte[] chunk = new byte[1 << 16];
    try (InputStream in = Files.newInputStream(file)) {
      for (int count = in.read(chunk); count >= 0; count = in.read(chunk)) {
        for (int i = 0; i < count; i++) {
          lines += chunk[i] == '\n' ? 1 : 0;
        }
      }
    }
    return lines;
  }
}
