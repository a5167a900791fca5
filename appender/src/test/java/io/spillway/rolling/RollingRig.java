package io.spillway.rolling;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.encoder.PatternLayoutEncoder;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.spi.LoggingEvent;
import ch.qos.logback.classic.util.LogbackMDCAdapter;
import ch.qos.logback.core.rolling.RollingFileAppender;
import ch.qos.logback.core.rolling.RollingPolicy;
import ch.qos.logback.core.rolling.TriggeringPolicy;
import ch.qos.logback.core.spi.ContextAware;
import ch.qos.logback.core.status.Status;
import io.spillway.SpillwayRollingFileAppender;
import io.spillway.internal.metrics.Reports;
import io.spillway.testkit.FileRig;
import io.spillway.testkit.Probe;
import io.spillway.testkit.Shell;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.function.BooleanSupplier;

/**
 * A rolling file appender, Logback's or ours, in a context of its own, with policies of the test.
 * Close it to stop.
 */
final class RollingRig implements AutoCloseable {
  /** Whose appender it is. */
  enum Host {
    STOCK,
    SPILLWAY
  }

  private static final Duration PATIENCE = Duration.ofSeconds(20);

  final SynchronousContext context = new SynchronousContext();
  final Logger logger = context.getLogger("test");
  final RollingFileAppender<ILoggingEvent> appender;
  Path spill; // null in a stock appender

  /** An appender named FILE; the file may be null. */
  RollingRig(Host host, Path file) {
    context.setMDCAdapter(new LogbackMDCAdapter());
    appender = host == Host.STOCK ? new RollingFileAppender<>() : spillway();
    appender.setContext(context);
    appender.setName("FILE");
    appender.setFile(file == null ? null : file.toString());
    PatternLayoutEncoder encoder = new PatternLayoutEncoder();
    encoder.setContext(context);
    encoder.setPattern("%msg%n");
    encoder.start();
    appender.setEncoder(encoder);
  }

  private SpillwayRollingFileAppender<ILoggingEvent> spillway() {
    SpillwayRollingFileAppender<ILoggingEvent> spillway = new SpillwayRollingFileAppender<>();
    spillway.setMaxFlushTime("5000");
    try {
      spill = Files.createTempDirectory("rig");
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    spillway.setSpillDirectory(spill.toString());
    return spillway;
  }

  /** Sets a rolling policy, and a triggering policy if that is another one. */
  <P extends RollingPolicy & ContextAware> RollingRig with(
      P rolling, TriggeringPolicy<ILoggingEvent> triggering) {
    if (rolling.getContext() == null) {
      rolling.setContext(context);
    }
    rolling.setParent(appender);
    if (triggering != rolling && triggering instanceof ContextAware aware) {
      aware.setContext(context);
    }
    rolling.start();
    appender.setRollingPolicy(rolling);
    if (triggering != rolling) {
      triggering.start();
      appender.setTriggeringPolicy(triggering);
    }
    return this;
  }

  /** Starts; it has to work. */
  RollingRig start() {
    appender.start();
    assertThat(appender.isStarted()).as(() -> "started; " + statuses()).isTrue();
    return this;
  }

  /** Logs and waits until it is in the file: each event is a batch of its own. */
  void log(String message) {
    give(message);
    if (appender instanceof SpillwayRollingFileAppender<ILoggingEvent> spillway) {
      assertThat(spillway.awaitDelivered(FileRig.PATIENCE)).as(() -> "" + statuses()).isTrue();
    }
  }

  /** Logs without waiting. */
  void give(String message) {
    appender.doAppend(new LoggingEvent("", logger, Level.INFO, message, null, null));
  }

  /** Waits until nothing is left to be done in the background: no archive, no retention. */
  void awaitArchived() {
    if (appender.getRollingPolicy() instanceof ArchivingPolicy policy) {
      await("archived", () -> policy.archiving().archives.awaitDone(PATIENCE.toNanos()));
    }
  }

  /** Waits until something is so. */
  void await(String what, BooleanSupplier condition) {
    Probe.await(what, condition, this::statuses);
  }

  /** The status messages so far. */
  List<String> statuses() {
    Reports.flush(context);
    return context.getStatusManager().getCopyOfStatusList().stream().map(Status::toString).toList();
  }

  /** Errors so far. */
  List<String> errors() {
    return messages(Status.ERROR);
  }

  /** Warnings so far, which an error is not. */
  List<String> warnings() {
    return messages(Status.WARN);
  }

  private List<String> messages(int level) {
    Reports.flush(context);
    return context.getStatusManager().getCopyOfStatusList().stream()
        .filter(status -> status.getEffectiveLevel() == level)
        .map(Status::getMessage)
        .toList();
  }

  @Override
  public void close() {
    appender.stop();
    if (appender.getRollingPolicy() != null) {
      appender.getRollingPolicy().stop(); // an appender that was not started does not stop it
    }
    context.stop();
    if (appender.getRollingPolicy() != null) {
      appender.getRollingPolicy().stop(); // Logback leaves that of an appender that did not start
    }
    if (spill != null) {
      Shell.run("rm", "-rf", spill);
    }
  }
}
