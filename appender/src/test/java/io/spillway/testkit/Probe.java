package io.spillway.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.encoder.PatternLayoutEncoder;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.util.LogbackMDCAdapter;
import ch.qos.logback.core.Appender;
import ch.qos.logback.core.FileAppender;
import ch.qos.logback.core.encoder.Encoder;
import ch.qos.logback.core.rolling.FixedWindowRollingPolicy;
import ch.qos.logback.core.rolling.TriggeringPolicyBase;
import ch.qos.logback.core.status.Status;
import io.spillway.SpillwayAppender;
import io.spillway.SpillwayRollingFileAppender;
import io.spillway.SpillwaySettings;
import io.spillway.metrics.SpillwayMetrics;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.IntConsumer;
import java.util.function.Supplier;
import java.util.stream.Stream;

/**
 * Either appender over one log file behind a {@link Gate}, seen from outside: settings, log calls,
 * metrics, status messages and files. Set what the test needs, then {@link #start}.
 */
public final class Probe implements AutoCloseable {
  /** Which appender. */
  public enum Kind {
    /** SpillwayAppender over Logback's FileAppender; the gate stands before each event. */
    WRAPPED,
    /** SpillwayRollingFileAppender; the gate stands before each batch, in its triggering policy. */
    FILE
  }

  private static final Duration PATIENCE =
      Duration.ofSeconds(Boolean.getBoolean("spillway.test.full") ? 600 : 30);
  private static final LoggerContext SHARED = newContext();
  private static final String ZEROS = "0".repeat(1_000);

  public final Gate gate = new Gate();
  public final LoggerContext context;
  public final Logger logger;
  public final Path directory;
  public final SpillwaySettings settings;
  private final SpillwayAppender wrapping;
  private final SpillwayRollingFileAppender<ILoggingEvent> file;
  private final FileAppender<ILoggingEvent> writer; // the nested one, or the appender itself
  private Path log;
  private int width;

  /**
   * In a context that all have one after the other, as after a reconfiguration. The log is {@code
   * app.log} in that directory, and the spill is there.
   */
  public Probe(Kind kind, Path directory) {
    this(kind, directory, SHARED);
    SHARED.getStatusManager().clear();
  }

  public Probe(Kind kind, Path directory, LoggerContext context) {
    this.directory = directory;
    this.context = context;
    logger = context.getLogger("test");
    logger.setAdditive(false);
    wrapping = kind == Kind.WRAPPED ? new SpillwayAppender() : null;
    file = kind == Kind.FILE ? new SpillwayRollingFileAppender<>() : null;
    settings = kind == Kind.WRAPPED ? wrapping : file;
    writer = kind == Kind.WRAPPED ? gatedFile() : file;
    writer.setContext(context);
    writer.setName("FILE");
    appender().setContext(context);
    appender().setName("SPILLWAY");
    log(directory.resolve("app.log"));
    encoder(pattern("%msg%n"));
    settings.setSpillDirectory(directory.resolve("spill").toString());
    settings.setMaxFlushTime("60 seconds");
  }

  private FileAppender<ILoggingEvent> gatedFile() {
    return new FileAppender<>() {
      @Override
      protected void append(ILoggingEvent event) {
        gate.pass();
        super.append(event);
      }
    };
  }

  private TriggeringPolicyBase<ILoggingEvent> gatedTrigger() {
    return new TriggeringPolicyBase<>() {
      @Override
      public boolean isTriggeringEvent(File activeFile, ILoggingEvent event) {
        gate.pass();
        return false;
      }
    };
  }

  public static LoggerContext newContext() {
    LoggerContext context = new LoggerContext();
    context.setName("probe");
    context.setMDCAdapter(new LogbackMDCAdapter());
    return context;
  }

  /** An encoder, not yet started. */
  public static PatternLayoutEncoder pattern(String pattern) {
    PatternLayoutEncoder encoder = new PatternLayoutEncoder();
    encoder.setPattern(pattern);
    return encoder;
  }

  /** Another log file. */
  public Probe log(Path path) {
    log = path;
    writer.setFile(path.toString());
    return this;
  }

  /** Another encoder of the file; it is started here. */
  public Probe encoder(Encoder<ILoggingEvent> encoder) {
    encoder.setContext(context);
    encoder.start();
    writer.setEncoder(encoder);
    return this;
  }

  /** Messages of at least so many characters: numbers get zeros in front. */
  public Probe width(int characters) {
    width = characters;
    return this;
  }

  /** Starts the appender, whether that works or not. */
  public Probe tryStart() {
    if (file != null) {
      FixedWindowRollingPolicy never = new FixedWindowRollingPolicy();
      never.setContext(context);
      never.setParent(file);
      never.setFileNamePattern(log + ".%i");
      never.start();
      file.setRollingPolicy(never);
      file.setTriggeringPolicy(gatedTrigger());
      file.getTriggeringPolicy().start();
    } else {
      writer.start();
      wrapping.addAppender(writer);
    }
    appender().start();
    logger.addAppender(appender());
    return this;
  }

  public Probe start() {
    tryStart();
    assertThat(appender().isStarted()).as(() -> "started; " + statuses()).isTrue();
    return this;
  }

  public Appender<ILoggingEvent> appender() {
    return wrapping != null ? wrapping : file;
  }

  public SpillwayMetrics metrics() {
    return metrics(appender());
  }

  /** Of either appender. */
  public static SpillwayMetrics metrics(Appender<ILoggingEvent> appender) {
    return appender instanceof SpillwayAppender wrapping
        ? wrapping.getMetrics()
        : ((SpillwayRollingFileAppender<ILoggingEvent>) appender).getMetrics();
  }

  public Path logFile() {
    return log;
  }

  public Path spill() {
    return directory.resolve("spill");
  }

  /** Logs "#stream:number." from one number up to another. */
  public void log(String stream, int from, int to) {
    for (int i = from; i < to; i++) {
      String number = String.valueOf(i);
      int zeros = width - stream.length() - number.length() - 3;
      logger.info("#{}:{}{}.", stream, zeros > 0 ? ZEROS.substring(0, zeros) : "", number);
    }
  }

  /** Waits until everything is delivered, or lost. */
  public Probe awaitDelivered() {
    boolean done =
        wrapping != null ? wrapping.awaitDelivered(PATIENCE) : file.awaitDelivered(PATIENCE);
    assertThat(done).as(() -> "delivered; " + metrics().getHealthReason() + statuses()).isTrue();
    return this;
  }

  /**
   * Waits until everything is delivered; fails unless the log has 0 to count - 1 of each stream, as
   * in {@code assertLog("0", 100, "1", 5)}, and everything in it in order.
   */
  public SequenceCheck assertLog(Object... streamsAndCounts) {
    awaitDelivered();
    SequenceCheck check = new SequenceCheck(log).assertInOrderWithoutFragments();
    for (int i = 0; i < streamsAndCounts.length; i += 2) {
      check.assertComplete((String) streamsAndCounts[i], (int) streamsAndCounts[i + 1]);
    }
    return check;
  }

  /** Waits until something is so. */
  public static void await(String what, BooleanSupplier condition) {
    await(what, condition, () -> "");
  }

  /**
   * Shows the details if it is not in time. Looks more rarely as it takes longer: many read files.
   */
  public static void await(String what, BooleanSupplier condition, Supplier<?> details) {
    long began = System.nanoTime();
    while (!condition.getAsBoolean()) {
      long waited = System.nanoTime() - began;
      assertThat(PATIENCE.toNanos() - waited)
          .as(() -> what + " in time; " + details.get())
          .isPositive();
      LockSupport.parkNanos(200_000 + Math.min(waited / 16, 20_000_000));
    }
  }

  /** Waits for a status message of at least this level that contains all of this. */
  public void awaitStatus(int level, String... parts) {
    await(
        "status " + List.of(parts),
        () ->
            context.getStatusManager().getCopyOfStatusList().stream()
                .filter(status -> status.getEffectiveLevel() >= level)
                .map(Probe::text)
                .anyMatch(text -> Stream.of(parts).allMatch(text::contains)));
  }

  /** With its origin, which names an appender, and with what was thrown. */
  private static String text(Status status) {
    return status + (status.getThrowable() == null ? "" : " " + status.getThrowable());
  }

  public List<String> statuses() {
    return context.getStatusManager().getCopyOfStatusList().stream().map(Probe::text).toList();
  }

  /** The log's lines; none if there is no log. */
  public List<String> lines() {
    try {
      return Files.readAllLines(log);
    } catch (NoSuchFileException e) {
      return List.of();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** The files in a directory tree; none if there is no such directory. */
  public static List<Path> filesBelow(Path directory) {
    try (Stream<Path> all = Files.exists(directory) ? Files.walk(directory) : Stream.empty()) {
      return all.filter(Files::isRegularFile).toList();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Of a file of any size. */
  public static long countLines(Path file) {
    try (Stream<String> lines = Files.lines(file)) {
      return lines.count();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Logs without a word in so many threads at once, and waits for them. */
  public static void inThreads(int threads, IntConsumer task) {
    List<FutureTask<Void>> tasks = new ArrayList<>();
    for (int t = 0; t < threads; t++) {
      int id = t;
      tasks.add(new FutureTask<>(() -> task.accept(id), null));
    }
    tasks.forEach(each -> new Thread(each).start());
    for (FutureTask<Void> each : tasks) {
      try {
        each.get();
      } catch (ExecutionException | InterruptedException e) {
        throw new AssertionError("in a logging thread", e);
      }
    }
  }

  /** For {@link Fork#number}. */
  public static void print(String key, long value) {
    System.out.println(key + " " + value);
  }

  public void stop() {
    appender().stop();
    logger.detachAppender(appender());
  }

  @Override
  public void close() {
    gate.open();
    stop();
    writer.stop(); // an appender that has given up on its sink leaves it open
    if (context != SHARED) {
      context.stop();
    }
  }
}
