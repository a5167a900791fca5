package io.spillway.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import io.spillway.internal.metrics.FlightEventsTest;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import jdk.jfr.EventType;
import org.junit.jupiter.api.Test;

/** The tables in OPERATIONS.md are those that the code makes; a test that fails prints them. */
class MetricsTableTest {
  private static final Path PAGE = Path.of("..", "OPERATIONS.md");

  private static String code(String text) {
    return "`" + text + "`";
  }

  private static void assertRows(String header, List<String> made) throws IOException {
    List<String> page = Files.readAllLines(PAGE);
    assertThat(page).contains(header);
    List<String> rows =
        page.subList(page.indexOf(header) + 2, page.size()).stream()
            .takeWhile(line -> line.startsWith("|"))
            .toList();
    assertThat(rows)
        .as(() -> "rows of OPERATIONS.md; the code has\n" + String.join("\n", made))
        .containsExactlyElementsOf(made);
  }

  @Test
  void shouldHaveEachMetric() throws IOException {
    List<String> rows = new ArrayList<>();
    for (Metric metric : Metric.values()) {
      boolean byCause = metric.kind() == Metric.Kind.SUM_BY_CAUSE;
      String meter = metric.meter() + (byCause ? "{accepted=" + (metric == Metric.LOST) + "}" : "");
      String unit = metric.unit() + (metric.kind() == Metric.Kind.NOW ? "" : "+");
      rows.add(
          "|%s|%s|%s|%s|".formatted(code(metric.attribute()), code(meter), unit, metric.help()));
    }
    assertRows("|JMX|Micrometer|unit|meaning|", rows);
  }

  @Test
  void shouldHaveEachRuleOfHealth() throws IOException {
    List<String> rows = new ArrayList<>();
    for (Health.Rule rule : Health.RULES) {
      String when = rule.when().replaceAll("Events are being lost \\((\\w+)\\)", "`$1`");
      rows.add("|%s|%s|%s|".formatted(when, rule.status(), rule.remedy()));
    }
    assertRows("|rule, or cause of a loss|health|what to do|", rows);
  }

  @Test
  void shouldHaveEachFlightRecorderEvent() throws IOException {
    List<String> rows = new ArrayList<>();
    for (EventType type : FlightEventsTest.types()) {
      String fields =
          FlightEventsTest.ownFields(type).stream()
              .map(field -> code(field.getName()))
              .filter(name -> !name.equals("`context`") && !name.equals("`appender`"))
              .collect(Collectors.joining(", "));
      rows.add("|%s|%s|%s|".formatted(code(type.getName()), type.getDescription(), fields));
    }
    assertRows("|event|meaning|fields|", rows);
  }
}
