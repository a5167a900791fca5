package io.spillway.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.util.LogbackMDCAdapter;
import ch.qos.logback.core.Appender;
import ch.qos.logback.core.status.Status;
import io.spillway.SpillwayAppender;
import io.spillway.internal.metrics.Reports;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.stream.Stream;

/** A logger context with one SpillwayAppender over a nested appender. Close it to stop. */
public final class Rig implements AutoCloseable {
  public static final Duration PATIENCE = Duration.ofSeconds(60);

  public final LoggerContext context = new LoggerContext();
  public final Logger logger = context.getLogger("test");
  public final SpillwayAppender appender = new SpillwayAppender();

  /** Not started: set what the test needs, then call {@link #start}. */
  public Rig(Path spillDirectory, Appender<ILoggingEvent> nested) {
    context.setName("rig");
    context.setMDCAdapter(new LogbackMDCAdapter());
    nested.setContext(context);
    if (nested.getName() == null) {
      nested.setName("NESTED");
    }
    nested.start();
    appender.setContext(context);
    appender.setName("SPILLWAY");
    appender.setSpillDirectory(spillDirectory.toString());
    appender.addAppender(nested);
  }

  /** Starts the appender and attaches it to the logger. */
  public Rig start() {
    appender.start();
    assertThat(appender.isStarted()).as(() -> "started; status: " + statuses()).isTrue();
    logger.addAppender(appender);
    return this;
  }

  /** Waits for delivery of everything. */
  public void awaitDelivered() {
    assertThat(appender.awaitDelivered(PATIENCE)).as("delivered in time").isTrue();
  }

  /** Waits until something is so. */
  public void await(String what, BooleanSupplier condition) {
    long deadline = System.nanoTime() + PATIENCE.toNanos();
    while (!condition.getAsBoolean()) {
      assertThat(deadline - System.nanoTime()).as(what + " in time").isPositive();
      LockSupport.parkNanos(200_000);
    }
  }

  /** The status messages so far. */
  public List<String> statuses() {
    Reports.flush(context);
    return context.getStatusManager().getCopyOfStatusList().stream()
        .map(Status::getMessage)
        .toList();
  }

  /** The worst status level so far. */
  public int worstStatus() {
    Reports.flush(context);
    return context.getStatusManager().getCopyOfStatusList().stream()
        .mapToInt(Status::getLevel)
        .max()
        .orElse(Status.INFO);
  }

  /** The files in a directory tree; empty if there is none. */
  public static List<Path> filesBelow(Path directory) {
    try (Stream<Path> all = Files.exists(directory) ? Files.walk(directory) : Stream.empty()) {
      return all.filter(Files::isRegularFile).toList();
    } catch (java.io.IOException e) {
      throw new java.io.UncheckedIOException(e);
    }
  }

  @Override
  public void close() {
    context.stop();
  }
}
