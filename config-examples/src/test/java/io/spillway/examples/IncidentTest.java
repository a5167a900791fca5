package io.spillway.examples;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ch.qos.logback.classic.AsyncAppender;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.Appender;
import ch.qos.logback.core.rolling.FixedWindowRollingPolicy;
import ch.qos.logback.core.rolling.RollingFileAppender;
import ch.qos.logback.core.rolling.SizeBasedTriggeringPolicy;
import ch.qos.logback.core.rolling.helper.CompressionMode;
import ch.qos.logback.core.util.FileSize;
import io.spillway.SpillwayRollingFileAppender;
import io.spillway.examples.testkit.LogFiles;
import io.spillway.examples.testkit.SparseFile;
import io.spillway.metrics.SpillwayMetrics;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Map;
import java.util.concurrent.ArrayBlockingQueue;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The incident's configuration and its cure, at the same rollover: a file of 128 MB, whose
 * compression takes some tenths of a second.
 */
class IncidentTest {
  private static final long LIMIT = FileSize.valueOf("4GB").getSize();
  private static final long ROLLED = FileSize.valueOf("128MB").getSize();
  private static final int EVENTS = 2_000;

  @TempDir Path logs;
  private Path active;

  @BeforeEach
  void nameFile() {
    active = logs.resolve("push.log");
  }

  private Example load(String name) throws Exception {
    return new Example("incident/" + name, Map.of("LOG_DIR", logs.toString()));
  }

  /** A file without content takes no disk, but as long to compress as another. */
  private void prefill(long bytes) throws IOException {
    SparseFile.create(active, bytes);
  }

  @Test
  void shouldLoadTheConfigurationOfTheIncident() throws Exception {
    try (Example before = load("before.xml")) {
      AsyncAppender async = async(before);
      assertThat(async.getQueueSize()).isEqualTo(256);
      assertThat(async.getDiscardingThreshold()).isZero();
      assertThat(async.isNeverBlock()).isFalse();
      RollingFileAppender<ILoggingEvent> file = nested(async);
      assertThat(file.getRollingPolicy()).isExactlyInstanceOf(FixedWindowRollingPolicy.class);
      assertThat(file.getRollingPolicy().getCompressionMode()).isEqualTo(CompressionMode.GZ);
      assertThat(file.getTriggeringPolicy())
          .isInstanceOfSatisfying(
              SizeBasedTriggeringPolicy.class,
              trigger -> assertThat(trigger.getMaxFileSize().getSize()).isEqualTo(LIMIT));
    }
  }

  private static AsyncAppender async(Example before) {
    Appender<ILoggingEvent> appender = before.root().getAppender("ASYNC");
    assertThat(appender).isExactlyInstanceOf(AsyncAppender.class);
    return (AsyncAppender) appender;
  }

  private static RollingFileAppender<ILoggingEvent> nested(AsyncAppender async) {
    Appender<ILoggingEvent> appender = async.getAppender("FILE");
    assertThat(appender).isExactlyInstanceOf(RollingFileAppender.class);
    return (RollingFileAppender<ILoggingEvent>) appender;
  }

  @Test
  void shouldParkWhoeverLoggedDuringTheRolloverBefore() throws Exception {
    prefill(ROLLED);
    Traffic traffic;
    try (Example before = load("before.xml")) {
      RollingFileAppender<ILoggingEvent> file = nested(async(before));
      traffic = new Traffic(before.root());
      Thread writer = new Thread(file::rollover);
      writer.start();
      await().atMost(Example.PATIENCE).until(() -> Files.exists(logs.resolve("push.1.log.gz")));
      Thread application = new Thread(() -> traffic.log(EVENTS));
      application.start();

      await().atMost(Example.PATIENCE).until(() -> isParkedByTheQueue(application));

      writer.join();
      application.join();
    }
    traffic.assertComplete(LogFiles.lines(active));
  }

  private static boolean isParkedByTheQueue(Thread thread) {
    return thread.getState() == Thread.State.WAITING
        && Arrays.stream(thread.getStackTrace())
            .anyMatch(frame -> frame.getClassName().equals(ArrayBlockingQueue.class.getName()));
  }

  @Test
  void shouldParkNobodyAfter() throws Exception {
    prefill(ROLLED);
    Traffic traffic;
    try (Example after = load("after.xml")) {
      SpillwayRollingFileAppender<ILoggingEvent> file = after.file(after.root(), "FILE");
      SpillwayMetrics metrics = file.getMetrics();
      traffic = new Traffic(after.root());
      file.rollover();

      long waits = Waits.ofThisThread();
      traffic.log(EVENTS);
      assertThat(Waits.ofThisThread()).as("waits in log calls").isEqualTo(waits);

      traffic.awaitDelivered(metrics);
      assertThat(metrics.getRollovers()).isOne();
      await().atMost(Example.PATIENCE).until(() -> metrics.getArchived() == 1);
    }
    assertThat(LogFiles.names(logs)).containsExactly("push.1.log.gz", "push.log");
    traffic.assertComplete(LogFiles.lines(active));
  }

  @Test
  void shouldSpillRollOverAndLoseNothingAfter() throws Exception {
    Traffic traffic;
    try (Example after = load("after.xml")) {
      traffic = Overflow.thenRollOver(after, "FILE");
      SpillwayMetrics metrics = after.file(after.root(), "FILE").getMetrics();
      await()
          .atMost(Example.PATIENCE)
          .until(
              () -> metrics.getArchived() == 1 && (long) metrics.value("ArchiveBacklogFiles") == 0);
    }
    traffic.assertComplete(LogFiles.lines(logs, "push\\.1\\.log\\.gz", "push\\.log"));
  }

  @Test
  void shouldRollOverAtFourGigabytesAfter() throws Exception {
    prefill(LIMIT - 1);
    try (Example after = load("after.xml")) {
      SpillwayMetrics metrics = after.file(after.root(), "FILE").getMetrics();
      Traffic traffic = new Traffic(after.root());
      traffic.log(1);
      traffic.awaitDelivered(metrics);
      assertThat(metrics.getRollovers()).as("with one byte less").isZero();
      traffic.log(1);
      traffic.awaitDelivered(metrics);
      assertThat(metrics.getRollovers()).isOne();
      after.closeBeforeItsArchives();
    }
    // its compression was left for the next start
    assertThat(logs.resolve("push.1.log").toFile().length()).isBetween(LIMIT, LIMIT + 1_000);
    assertThat(LogFiles.lines(active)).singleElement().asString().contains("event 1");
  }
}
