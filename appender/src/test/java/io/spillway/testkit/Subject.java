package io.spillway.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.encoder.PatternLayoutEncoder;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.util.LogbackMDCAdapter;
import ch.qos.logback.core.Appender;
import ch.qos.logback.core.FileAppender;
import ch.qos.logback.core.rolling.FixedWindowRollingPolicy;
import ch.qos.logback.core.rolling.TriggeringPolicyBase;
import io.spillway.SpillwayAppender;
import io.spillway.SpillwayRollingFileAppender;
import io.spillway.SpillwaySettings;
import io.spillway.metrics.SpillwayMetrics;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;

/** Either appender over one log file behind a {@link Gate}, for what both promise. */
public final class Subject implements AutoCloseable {
  /** Which appender. */
  public enum Kind {
    /** SpillwayAppender over Logback's FileAppender; the gate stands before each event. */
    WRAPPED,
    /** SpillwayRollingFileAppender; the gate stands before each batch, in its triggering policy. */
    OWN_FILE
  }

  private static final Duration PATIENCE = Duration.ofSeconds(120);

  public final Gate gate = new Gate();
  public final Logger logger;

  /** Events that got as far as the appender. */
  public final AtomicLong attempts = new AtomicLong();

  private final Kind kind;
  private final LoggerContext context;
  private final Path directory;
  private GatedFile nested; // of the wrapping one
  private final SpillwayAppender wrapping;
  private final SpillwayRollingFileAppender<ILoggingEvent> own;

  /** In a context of its own; set what the test needs, then start it. */
  public Subject(Kind kind, Path directory) {
    this(kind, directory, newContext());
  }

  /** In a context that may have had other appenders before. */
  public Subject(Kind kind, Path directory, LoggerContext context) {
    this.kind = kind;
    this.directory = directory;
    this.context = context;
    logger = context.getLogger("test");
    wrapping = kind == Kind.WRAPPED ? wrapping() : null;
    own = kind == Kind.OWN_FILE ? own() : null;
    appender().setContext(context);
    appender().setName(kind.name());
    settings().setSpillDirectory(directory.resolve("spill").toString());
    settings().setMaxFlushTime("60 seconds");
  }

  public static LoggerContext newContext() {
    LoggerContext context = new LoggerContext();
    context.setName("subject");
    context.setMDCAdapter(new LogbackMDCAdapter());
    return context;
  }

  private SpillwayAppender wrapping() {
    GatedFile file = new GatedFile(gate);
    nested = file;
    file.setContext(context);
    file.setName("FILE");
    file.setFile(logFile().toString());
    file.setEncoder(encoder());
    file.start();
    SpillwayAppender appender =
        new SpillwayAppender() {
          @Override
          protected void append(ILoggingEvent event) {
            attempts.incrementAndGet();
            super.append(event);
          }
        };
    appender.addAppender(file);
    return appender;
  }

  private SpillwayRollingFileAppender<ILoggingEvent> own() {
    SpillwayRollingFileAppender<ILoggingEvent> appender =
        new SpillwayRollingFileAppender<>() {
          @Override
          protected void append(ILoggingEvent event) {
            attempts.incrementAndGet();
            super.append(event);
          }
        };
    appender.setFile(logFile().toString());
    appender.setEncoder(encoder());
    FixedWindowRollingPolicy never = new FixedWindowRollingPolicy();
    never.setContext(context);
    never.setParent(appender);
    never.setFileNamePattern(directory.resolve("app.%i.log").toString());
    appender.setContext(context);
    appender.setRollingPolicy(never);
    never.start();
    GatedTrigger trigger = new GatedTrigger(gate);
    trigger.start();
    appender.setTriggeringPolicy(trigger);
    return appender;
  }

  private PatternLayoutEncoder encoder() {
    PatternLayoutEncoder encoder = new PatternLayoutEncoder();
    encoder.setContext(context);
    encoder.setPattern("%msg%n");
    encoder.start();
    return encoder;
  }

  private static final class GatedFile extends FileAppender<ILoggingEvent> {
    private final Gate gate;

    GatedFile(Gate gate) {
      this.gate = gate;
    }

    @Override
    protected void append(ILoggingEvent event) {
      gate.pass();
      super.append(event);
    }
  }

  private static final class GatedTrigger extends TriggeringPolicyBase<ILoggingEvent> {
    private final Gate gate;

    GatedTrigger(Gate gate) {
      this.gate = gate;
    }

    @Override
    public boolean isTriggeringEvent(File activeFile, ILoggingEvent event) {
      gate.pass();
      return false;
    }
  }

  /** The nested appender writes when its buffer is full, or when it is stopped. */
  public void bufferNested() {
    ((FileAppender<?>) wrapping.getAppender("FILE")).setImmediateFlush(false);
  }

  public Path logFile() {
    return directory.resolve("app.log");
  }

  public Path spillDirectory() {
    return directory.resolve("spill");
  }

  public LoggerContext context() {
    return context;
  }

  public Appender<ILoggingEvent> appender() {
    return kind == Kind.WRAPPED ? wrapping : own;
  }

  public SpillwaySettings settings() {
    return kind == Kind.WRAPPED ? wrapping : own;
  }

  public SpillwayMetrics metrics() {
    return kind == Kind.WRAPPED ? wrapping.getMetrics() : own.getMetrics();
  }

  /** Starts the appender and attaches it. */
  public Subject start() {
    appender().start();
    assertThat(appender().isStarted())
        .as(() -> "started; " + context.getStatusManager().getCopyOfStatusList())
        .isTrue();
    logger.addAppender(appender());
    return this;
  }

  /** Tries to start an appender of its own file again, with its policies, after a stop. */
  public void restart() {
    own.getRollingPolicy().start();
    own.getTriggeringPolicy().start();
    own.start();
  }

  /** After a stop: that of the nested appender; or an own file can be had again, and is. */
  public boolean isSinkClosed() {
    if (kind == Kind.WRAPPED) {
      return !nested.isStarted();
    }
    restart();
    return own.isStarted();
  }

  /** Waits so long at most. */
  public boolean isDelivered(Duration timeout) {
    return kind == Kind.WRAPPED ? wrapping.awaitDelivered(timeout) : own.awaitDelivered(timeout);
  }

  /** Waits until everything is delivered. */
  public void awaitDelivered() {
    boolean done =
        kind == Kind.WRAPPED ? wrapping.awaitDelivered(PATIENCE) : own.awaitDelivered(PATIENCE);
    assertThat(done).as("delivered in time").isTrue();
  }

  /** Logs "#prefix:number." from one number up to another. */
  public void log(String prefix, int from, int to) {
    for (int i = from; i < to; i++) {
      logger.info("#{}:{}.", prefix, i);
    }
  }

  /** The log file's lines. */
  public List<String> lines() {
    try {
      return Files.readAllLines(logFile());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Stops the appender and its context. */
  @Override
  public void close() {
    gate.open();
    context.stop();
    if (nested != null) {
      nested.stop(); // an exit leaves it open
    }
  }
}
