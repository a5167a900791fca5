package io.spillway.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import io.spillway.internal.metrics.FlightEvents;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import jdk.jfr.DataAmount;
import jdk.jfr.EventType;
import jdk.jfr.ValueDescriptor;
import org.junit.jupiter.api.Test;

/** The tables in METRICS.md are those that the code makes. */
class MetricsTableTest {
  private static final Path PAGE = Path.of("..", "METRICS.md");

  private static final Map<Metric, String> RECORDED =
      Map.of(
          Metric.SPILL_EPISODES, "SpillEpisode",
          Metric.LOST, "Loss",
          Metric.DROPPED, "Loss",
          Metric.LONGEST_STALL, "Stall",
          Metric.ROLLOVERS, "Rollover",
          Metric.ARCHIVED, "Compression");

  private static String row(String... cells) {
    return "| " + String.join(" | ", cells) + " |";
  }

  private static String code(String text) {
    return text.isEmpty() ? "" : "`" + text + "`";
  }

  private static List<String> metrics() {
    List<String> rows = new ArrayList<>();
    for (Metric metric : Metric.values()) {
      String tag =
          metric.kind() == Metric.Kind.BY_CAUSE ? "{accepted=" + (metric == Metric.LOST) + "}" : "";
      rows.add(
          row(
              code(metric.attribute()),
              code(metric.meter() + tag),
              RECORDED.containsKey(metric) ? code(RECORDED.get(metric)) : "",
              metric.kind() == Metric.Kind.GAUGE ? "now" : "sum",
              metric.unit().text(),
              metric.meaning()));
    }
    return rows;
  }

  private static List<String> recorded() {
    List<String> rows = new ArrayList<>();
    for (EventType type : FlightEvents.types()) {
      rows.add(row(code(type.getName()), "", "", type.getDescription()));
      for (ValueDescriptor field : FlightEvents.ownFields(type)) {
        rows.add(row("", code(field.getName()), unit(field), field.getDescription()));
      }
    }
    return rows;
  }

  private static String unit(ValueDescriptor field) {
    boolean bytes = field.getAnnotation(DataAmount.class) != null;
    return switch (field.getTypeName()) {
      case "long" -> bytes ? "bytes" : "events";
      case "boolean" -> "true or false";
      default -> "text";
    };
  }

  private static List<String> causes() {
    List<String> rows = new ArrayList<>();
    for (LossCause cause : LossCause.values()) {
      rows.add(
          row(
              code(cause.name()),
              code(cause.name().toLowerCase(Locale.ROOT)),
              cause.beforeAcceptance() ? "no" : "yes",
              (cause.isGeneral() ? Health.Status.DOWN : Health.Status.DEGRADED).name(),
              cause.remedy()));
    }
    return rows;
  }

  @Test
  void shouldHaveTheRowsThatTheCodeHas() throws IOException {
    List<String> expected = new ArrayList<>(metrics());
    expected.addAll(causes());
    expected.addAll(recorded());
    List<String> rows =
        Files.readAllLines(PAGE).stream()
            .filter(line -> line.startsWith("| `") || line.startsWith("|  | `"))
            .toList();
    assertThat(rows)
        .as(() -> "rows of METRICS.md; the code has\n" + String.join("\n", expected))
        .containsExactlyElementsOf(expected);
  }

  @Test
  void shouldSayWhatEachCauseMeans() throws IOException {
    List<String> meanings = new ArrayList<>();
    for (LossCause cause : LossCause.values()) {
      meanings.add("- " + code(cause.name()) + ":");
    }
    List<String> items =
        Files.readAllLines(PAGE).stream()
            .filter(line -> line.startsWith("- `"))
            .map(line -> line.substring(0, line.indexOf(':') + 1))
            .toList();
    assertThat(items).containsExactlyElementsOf(meanings);
  }
}
