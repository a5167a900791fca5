package io.spillway.examples;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ch.qos.logback.classic.sift.SiftingAppender;
import ch.qos.logback.classic.spi.ILoggingEvent;
import io.spillway.SpillwayRollingFileAppender;
import io.spillway.examples.testkit.LogFiles;
import io.spillway.metrics.SpillwayMetrics;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A tenant whose file is blocked spills on its own; the others do not notice. */
class SiftingTest {
  private static final List<String> TENANTS = List.of("acme", "globex", "initech");
  private static final String BLOCKED = "globex";
  private static final int EVENTS = 2_000;

  @TempDir Path logs;
  private final Map<String, Traffic> traffic = new TreeMap<>();

  @Test
  void shouldKeepTenantsApart() throws Exception {
    try (Example example = new Example("sifting", logs)) {
      example.root().info("event 0, of nobody");
      for (String tenant : TENANTS) {
        traffic.put(
            tenant,
            new Traffic(
                (number, text) -> {
                  example.putMdc("tenant", tenant);
                  example.root().info("event {} {}", number, text);
                }));
        traffic.get(tenant).log(1); // the first event of a tenant makes its appender
        traffic.get(tenant).awaitDelivered(metrics(example, tenant));
      }
      blockOne(example);
      for (String tenant : TENANTS) {
        appender(example, tenant).rollover();
        traffic.get(tenant).log(EVENTS);
      }
      for (String tenant : TENANTS) {
        SpillwayMetrics metrics = metrics(example, tenant);
        traffic.get(tenant).awaitDelivered(metrics);
        await()
            .atMost(Example.PATIENCE)
            .until(() -> metrics.getArchived() == 1 && metrics.getRollovers() == 1);
        assertThat((long) metrics.value("SpillEpisodes")).isEqualTo(tenant.equals(BLOCKED) ? 1 : 0);
      }
    }
    for (String tenant : TENANTS) {
      traffic.get(tenant).assertComplete(lines(tenant));
    }
    assertThat(LogFiles.lines(logs.resolve("none"), "app\\.log")).hasSize(1);
  }

  private List<String> lines(String tenant) throws Exception {
    Path directory = logs.resolve(tenant);
    String archive = "app\\.\\d{4}-\\d{2}-\\d{2}\\.log\\.gz";
    return tenant.equals(BLOCKED)
        ? LogFiles.lines(directory, "app\\.log\\.before", archive, "app\\.log")
        : LogFiles.lines(directory, archive, "app\\.log");
  }

  private void blockOne(Example example) throws Exception {
    SpillwayMetrics metrics = metrics(example, BLOCKED);
    BlockedFile blocked = new BlockedFile(logs.resolve(BLOCKED).resolve("app.log"));
    example.expect(BlockedFile.REPORT);
    traffic.get(BLOCKED).overflow(metrics);
    for (String tenant : TENANTS) {
      if (!tenant.equals(BLOCKED)) {
        traffic.get(tenant).log(EVENTS);
        traffic.get(tenant).awaitDelivered(metrics(example, tenant));
      }
    }
    assertThat(LogFiles.names(logs))
        .filteredOn(name -> name.endsWith(".bytes"))
        .isNotEmpty()
        .allMatch(name -> name.startsWith(BLOCKED + "/app.log.spill/"));
    blocked.lift();
    traffic.get(BLOCKED).awaitDelivered(metrics);
  }

  private static SpillwayRollingFileAppender<ILoggingEvent> appender(
      Example example, String tenant) {
    SiftingAppender sifting = (SiftingAppender) example.root().getAppender("TENANTS");
    return (SpillwayRollingFileAppender<ILoggingEvent>) sifting.getAppenderTracker().find(tenant);
  }

  private static SpillwayMetrics metrics(Example example, String tenant) {
    return appender(example, tenant).getMetrics();
  }
}
