package io.spillway.examples;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import ch.qos.logback.classic.Logger;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import io.prometheus.metrics.model.snapshots.CounterSnapshot;
import io.prometheus.metrics.model.snapshots.MetricSnapshot;
import io.spillway.examples.testkit.LogFiles;
import io.spillway.metrics.LossCause;
import io.spillway.metrics.SpillwayMeters;
import io.spillway.metrics.SpillwayMetrics;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What Prometheus reads of an appender, and that dashboard and alerts ask for nothing else. */
class MonitoringTest {
  private static final int EVENTS = 1_000;
  private static final Path ALERTS = Path.of("monitoring/alerts.yml");
  private static final Path DASHBOARD = Path.of("monitoring/dashboard.json");
  private static final Pattern NAME = Pattern.compile("spillway_[a-z_]+");

  /** Words that lean on another description. */
  private static final Pattern LEANING =
      Pattern.compile("(?i)\\b(it|its|they|them|their|those)\\b");

  @TempDir Path logs;

  private final PrometheusMeterRegistry registry =
      new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);

  private interface Check {
    void on(SpillwayMetrics metrics) throws Exception;
  }

  private void whileRunning(Check check) throws Exception {
    try (Example example = new Example("rolling-size-and-time", logs)) {
      Logger root = example.root();
      try (SpillwayMeters meters = new SpillwayMeters(root.getLoggerContext())) {
        meters.bindTo(registry);
        Traffic traffic = new Traffic(root);
        traffic.log(EVENTS);
        SpillwayMetrics metrics = example.file(root, "FILE").getMetrics();
        traffic.awaitDelivered(metrics);
        check.on(metrics);
      }
    }
    assertThat(LogFiles.lines(logs.resolve("app.log"))).hasSize(EVENTS);
  }

  /** Of all series in a scrape. */
  private Set<String> scraped() {
    return registry
        .scrape()
        .lines()
        .filter(line -> !line.startsWith("#"))
        .map(line -> line.replaceFirst("[{ ].*", ""))
        .collect(Collectors.toCollection(TreeSet::new));
  }

  private static Set<String> named(Path file) throws Exception {
    return NAME.matcher(Files.readString(file))
        .results()
        .map(MatchResult::group)
        .collect(Collectors.toCollection(TreeSet::new));
  }

  @Test
  void shouldFollowTheConventionsOfPrometheus() throws Exception {
    whileRunning(
        metrics -> {
          assertThat(scraped())
              .contains(
                  "spillway_events_accepted_total",
                  "spillway_events_delivered_total",
                  "spillway_events_spilled_total",
                  "spillway_events_lost_total",
                  "spillway_events_pending",
                  "spillway_spill_used_bytes",
                  "spillway_blocked_time_seconds_total",
                  "spillway_health");
          for (MetricSnapshot metric : registry.getPrometheusRegistry().scrape()) {
            assertThat(metric.getMetadata().getHelp())
                .as(metric.getMetadata().getName())
                .isNotBlank()
                .doesNotContain("`")
                .doesNotContainPattern(LEANING);
          }
        });
  }

  /** Within a family each event is counted once, so that sum() over it is a number of events. */
  @Test
  void shouldCountNoEventTwiceInOneFamily() throws Exception {
    whileRunning(
        metrics -> {
          assertThat(sum("spillway_events_accepted")).isEqualTo(EVENTS);
          assertThat(sum("spillway_events_delivered")).isEqualTo(EVENTS);
          assertThat(sum("spillway_events_lost")).isZero();
          assertThat(family("spillway_events_lost").getDataPoints())
              .hasSize(LossCause.values().length);
        });
  }

  private CounterSnapshot family(String name) {
    return registry.getPrometheusRegistry().scrape().stream()
        .filter(metric -> metric.getMetadata().getPrometheusName().equals(name))
        .map(CounterSnapshot.class::cast)
        .findFirst()
        .orElseThrow(() -> new AssertionError(name + " is not among " + scraped()));
  }

  private double sum(String name) {
    return family(name).getDataPoints().stream()
        .mapToDouble(CounterSnapshot.CounterDataPointSnapshot::getValue)
        .sum();
  }

  @Test
  void shouldAskForMetersThatThereAre() throws Exception {
    whileRunning(
        metrics -> {
          assertThat(named(ALERTS)).isNotEmpty().isSubsetOf(scraped());
          assertThat(named(DASHBOARD)).isNotEmpty().isSubsetOf(scraped());
        });
  }

  @Test
  void shouldShowADashboardThatGrafanaReads() throws Exception {
    JsonNode dashboard = new ObjectMapper().readTree(Files.readString(DASHBOARD));
    assertThat(dashboard.path("title").asText()).isEqualTo("Spillway");
    assertThat(dashboard.path("panels")).isNotEmpty();
    Set<Integer> ids = new TreeSet<>();
    for (JsonNode panel : dashboard.path("panels")) {
      assertThat(ids.add(panel.path("id").asInt())).as("one id each").isTrue();
      assertThat(panel.path("title").asText()).isNotBlank();
      assertThat(panel.path("targets").findValuesAsText("expr")).isNotEmpty();
      JsonNode place = panel.path("gridPos");
      assertThat(place.path("x").asInt() + place.path("w").asInt()).isLessThanOrEqualTo(24);
    }
  }

  @Test
  void shouldPassTheToolOfPrometheus() throws Exception {
    assumeThat(Command.has("promtool")).as("promtool is on the PATH (Debian: prometheus)").isTrue();
    Path folder = Path.of("monitoring").toAbsolutePath();
    Command.run(folder, "promtool", "check", "rules", "alerts.yml");
    Command.run(folder, "promtool", "test", "rules", "alerts_test.yml");
    whileRunning(
        metrics -> {
          Path scrape = Files.writeString(logs.resolve("scrape.txt"), registry.scrape());
          String problems =
              Command.run(logs, "sh", "-c", "promtool check metrics < " + scrape + " 2>&1");
          assertThat(problems).isEmpty();
        });
  }

  @Test
  void shouldExplainEveryAlertOnItsPage() throws Exception {
    String page = Files.readString(Path.of("../OPERATIONS.md"));
    List<String> alerts =
        Pattern.compile("alert: (\\w+)")
            .matcher(Files.readString(ALERTS))
            .results()
            .map(found -> found.group(1))
            .toList();
    assertThat(alerts)
        .isNotEmpty()
        .allSatisfy(alert -> assertThat(page).contains("`" + alert + "`"));
  }
}
