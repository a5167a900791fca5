package io.spillway.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.encoder.PatternLayoutEncoder;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.util.LogbackMDCAdapter;
import ch.qos.logback.core.status.Status;
import io.spillway.SpillwayRollingFileAppender;
import io.spillway.internal.metrics.Reports;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.function.BooleanSupplier;

/** A logger context with one SpillwayRollingFileAppender. Close it to stop. */
public final class FileRig implements AutoCloseable {
  public static final Duration PATIENCE = Duration.ofSeconds(60);

  public final LoggerContext context = new LoggerContext();
  public final Logger logger = context.getLogger("test");
  public final GatedPolicy<ILoggingEvent> policy = new GatedPolicy<>();
  public final SpillwayRollingFileAppender<ILoggingEvent> appender =
      new SpillwayRollingFileAppender<>();
  private int logged;

  /** Not started: set what the test needs, then call {@link #start}. */
  public FileRig(Path file) {
    context.setName("rig");
    context.setMDCAdapter(new LogbackMDCAdapter());
    appender.setContext(context);
    appender.setName("FILE");
    appender.setFile(file.toString());
    appender.setMaxFlushTime("5000");
    PatternLayoutEncoder encoder = new PatternLayoutEncoder();
    encoder.setContext(context);
    encoder.setPattern("%msg%n");
    encoder.start();
    appender.setEncoder(encoder);
    policy.setParent(appender);
    policy.start();
    appender.setRollingPolicy(policy);
  }

  /** Starts the appender and attaches it to the logger. */
  public FileRig start() {
    appender.start();
    assertThat(appender.isStarted()).as(() -> "started; status: " + statuses()).isTrue();
    logger.addAppender(appender);
    return this;
  }

  /** Logs the next so many numbered messages; see {@link Numbered}. */
  public void log(int count) {
    for (int end = logged + count; logged < end; logged++) {
      logger.info(Numbered.message(logged));
    }
  }

  /** Waits for delivery of everything. */
  public void awaitDelivered() {
    assertThat(appender.awaitDelivered(PATIENCE))
        .as(() -> "delivered in time; " + statuses())
        .isTrue();
  }

  /** Waits until something is so. */
  public void await(String what, BooleanSupplier condition) {
    Probe.await(what, condition, this::statuses);
  }

  /** The status messages so far. */
  public List<String> statuses() {
    Reports.flush(context);
    return context.getStatusManager().getCopyOfStatusList().stream()
        .map(Status::getMessage)
        .toList();
  }

  /** How many status messages contain a text. */
  public long statuses(String text) {
    return statuses().stream().filter(message -> message.contains(text)).count();
  }

  @Override
  public void close() {
    policy.gate.open();
    context.stop();
    Compressor.awaitEnd();
  }
}
