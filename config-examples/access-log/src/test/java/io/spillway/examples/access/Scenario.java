package io.spillway.examples.access;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ch.qos.logback.access.common.spi.IAccessEvent;
import ch.qos.logback.core.status.Status;
import ch.qos.logback.core.status.StatusManager;
import ch.qos.logback.core.util.FileSize;
import io.spillway.SpillwayRollingFileAppender;
import io.spillway.examples.testkit.OldArchives;
import io.spillway.examples.testkit.SparseFile;
import io.spillway.metrics.SpillwayMetrics;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.OffsetDateTime;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.concurrent.FutureTask;

/**
 * Requests before, during and after a time in which the access log cannot be written, and a
 * rollover.
 */
final class Scenario {
  private static final Duration PATIENCE = Duration.ofMinutes(1);
  private static final int CLIENTS = 8;
  private static final int FEW = 20;
  private static final int MANY = 30;

  /** So that what comes during the stall, 12 MB, exceeds the memory of the appender. */
  private static final int LONG = 50_000;

  /** Longer than servers take by themselves. */
  static final int HEADERS = 2 * LONG;

  /** Names of archives, as a date pattern. */
  static final String ARCHIVES = "'access.'yyyy-MM-dd'.0.log.gz'";

  private final OffsetDateTime begin = OffsetDateTime.now().truncatedTo(ChronoUnit.MILLIS);
  private final SpillwayRollingFileAppender<IAccessEvent> appender;
  private final StatusManager statuses;
  private final AccessLog log;
  private List<List<Exchange>> exchanges;

  /** What is done with a server that runs. */
  interface Visit {
    void to(Scenario scenario, int serverPort) throws Exception;
  }

  /** A server's life, from start to stop. */
  interface Life {
    Scenario with(Visit visit) throws Exception;
  }

  Scenario(
      SpillwayRollingFileAppender<IAccessEvent> appender, StatusManager statuses, Path directory) {
    this.appender = appender;
    this.statuses = statuses;
    log = new AccessLog(directory);
  }

  /** With the server running; stop the server and its log afterwards. */
  void run(int serverPort) throws Exception {
    assertThat(warnings()).as("before the stall").isEmpty();
    SpillwayMetrics metrics = appender.getMetrics();
    try (Clients clients = new Clients(CLIENTS, serverPort)) {
      clients.send(FEW, 1);
      awaitDelivered(CLIENTS * FEW);

      Files.move(log.current(), log.aside());
      Files.createDirectory(log.current()); // a file of this name cannot be opened now
      clients.send(MANY, LONG);
      await().atMost(PATIENCE).until(() -> metrics.getSpilled() > 0);
      assertThat(metrics.getDelivered()).as("written during the stall").isEqualTo(CLIENTS * FEW);
      assertThat(warnings()).isNotEmpty().allMatch(text -> text.contains("Cannot write to file"));

      Files.delete(log.current()); // the appender makes a file of that name at any moment now
      awaitDelivered(CLIENTS * (FEW + MANY)); // a rollover comes before the first write after these
      appender.rollover();
      clients.send(FEW, 1);
      awaitDelivered(CLIENTS * (FEW + MANY + FEW));
      await().atMost(PATIENCE).until(() -> metrics.getArchived() == 1);
      assertThat(metrics.getBlockedCalls()).as("requests that waited for the log").isZero();
      assertThat(metrics.getLost() + metrics.getDropped()).isZero();
      exchanges = clients.exchanges();
    }
  }

  /** Instead of all that: one rollover. */
  void rollOver(int serverPort, OldArchives archives) throws Exception {
    appender.rollover();
    try (Clients clients = new Clients(1, serverPort)) {
      clients.send(1, 1);
    }
    archives.awaitSurplusGone();
  }

  /** In two lives, with one request each: the first fills the file, the second is too much. */
  static void assertRollsOverAt(String size, Path directory, Life server) throws Exception {
    long limit = FileSize.valueOf(size).getSize();
    Path active = SparseFile.create(new AccessLog(directory).current(), limit - 1);
    server.with(Scenario::request);
    assertThat(Files.size(active)).as("with one byte less").isGreaterThanOrEqualTo(limit);
    FutureTask<Scenario> next = new FutureTask<>(() -> server.with(Scenario::request));
    Thread daemon = new Thread(next); // a stop there leaves the rolled gigabyte to the next start
    daemon.setDaemon(true);
    daemon.start();
    next.get();
    assertThat(Files.size(active)).as("at the limit").isBetween(1L, limit - 1);
    await().atMost(PATIENCE).until(() -> !isCompressing()); // before the test's files are removed
  }

  private static boolean isCompressing() {
    return Thread.getAllStackTraces().keySet().stream()
        .anyMatch(thread -> thread.getName().equals("spillway-compressor"));
  }

  private void request(int serverPort) throws Exception {
    try (Clients clients = new Clients(1, serverPort)) {
      clients.send(1, 1);
    }
    awaitDelivered(1);
  }

  /** After the stop. */
  void assertLogged() throws Exception {
    assertThat(appender.isStarted()).isFalse();
    log.assertHolds(exchanges, begin, OffsetDateTime.now());
  }

  private void awaitDelivered(int requests) {
    SpillwayMetrics metrics = appender.getMetrics();
    // a server may answer before it logs
    await().atMost(PATIENCE).until(() -> metrics.getAccepted() == requests);
    assertThat(appender.awaitDelivered(PATIENCE)).isTrue();
  }

  /** But for those about Logback's version, which logback-access has with every version but one. */
  private List<String> warnings() {
    return statuses.getCopyOfStatusList().stream()
        .filter(status -> status.getLevel() > Status.INFO)
        .map(Status::getMessage)
        .filter(
            text -> !text.contains("was expecting version") && !text.contains("versionMismatch"))
        .toList();
  }
}
