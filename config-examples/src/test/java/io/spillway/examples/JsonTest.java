package io.spillway.examples;

import static net.logstash.logback.argument.StructuredArguments.entries;
import static net.logstash.logback.argument.StructuredArguments.kv;
import static net.logstash.logback.argument.StructuredArguments.value;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ch.qos.logback.classic.spi.ILoggingEvent;
import com.arpnetworking.logback.StenoMarker;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.spillway.SpillwayRollingFileAppender;
import io.spillway.examples.testkit.LogFiles;
import io.spillway.metrics.SpillwayMetrics;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.function.BiConsumer;
import java.util.function.Function;
import java.util.function.ToIntFunction;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.Logger;
import org.slf4j.MarkerFactory;

/** Every line is JSON and has all that its event had, also when it went through the spill. */
class JsonTest {
  private static final int TENANTS = 7;
  private static final int FAILING = 500; // one event in so many
  private static final String PAIR = "a \"quoted\"\nline, \u20ac";

  private final ObjectMapper mapper = new ObjectMapper();
  @TempDir Path logs;

  /** An object with fields, as an argument of a log call. */
  public record Order(int id, List<String> items) {
    static Order of(int id) {
      return new Order(id, List.of(PAIR, "item " + id));
    }
  }

  private static String tenant(int number) {
    return "t" + number % TENANTS;
  }

  private static Throwable failure(int number) {
    return number % FAILING == 0 ? new IllegalStateException("failure " + number) : null;
  }

  @Test
  void shouldWriteLogbacksJson() throws Exception {
    List<JsonNode> lines =
        write(
            "json-logback",
            "json",
            log ->
                (number, text) ->
                    log.atInfo()
                        .addMarker(MarkerFactory.getMarker("AUDIT"))
                        .addKeyValue("order", number)
                        .addKeyValue("item", PAIR)
                        .setCause(failure(number))
                        .log("event {} {}", number, text),
            line -> Traffic.number(line.path("formattedMessage").asText()));

    for (int i = 0; i < lines.size(); i++) {
      JsonNode line = lines.get(i);
      assertThat(line.path("message").asText()).isEqualTo("event {} {}");
      assertThat(line.path("arguments").path(0).asText()).isEqualTo("" + i);
      assertThat(line.path("mdc").path("tenant").asText()).isEqualTo(tenant(i));
      assertThat(line.path("markers").path(0).asText()).isEqualTo("AUDIT");
      assertThat(line.path("kvpList").path(0).path("order").asText()).isEqualTo("" + i);
      assertThat(line.path("kvpList").path(1).path("item").asText()).isEqualTo(PAIR);
      assertThat(line.path("throwable").path("message").asText())
          .isEqualTo(i % FAILING == 0 ? "failure " + i : "");
      assertThat(line.has("context") || line.has("sequenceNumber")).isFalse();
    }
  }

  @Test
  void shouldKeepStructuredArguments() throws Exception {
    List<JsonNode> lines =
        write(
            "json-logstash",
            "json",
            log ->
                (number, text) ->
                    log.info(
                        "event {} {} {} {}",
                        value("number", number),
                        kv("order", Order.of(number)),
                        entries(Map.of("half", number / 2.0)),
                        text,
                        failure(number)),
            line -> line.path("number").isInt() ? line.path("number").asInt() : -1);

    for (int i = 0; i < lines.size(); i++) {
      JsonNode line = lines.get(i);
      assertThat(line.path("message").asText()).startsWith("event " + i + " order=Order[id=" + i);
      assertThat(line.path("order").path("id").isInt()).isTrue();
      assertThat(line.path("order").path("id").asInt()).isEqualTo(i);
      assertThat(line.path("order").path("items").path(0).asText()).isEqualTo(PAIR);
      assertThat(line.path("order").path("items").path(1).asText()).isEqualTo("item " + i);
      assertThat(line.path("half").asDouble(-1)).isEqualTo(i / 2.0);
      assertThat(line.path("tenant").asText()).isEqualTo(tenant(i));
      assertThat(line.path("user").asText()).isEqualTo("somebody");
      assertThat(line.has("service")).as("a name that is not the user's").isFalse();
      assertThat(line.path("stack_trace").asText().contains("failure " + i))
          .isEqualTo(i % FAILING == 0);
    }
  }

  @Test
  void shouldWriteStenoEvents() throws Exception {
    List<JsonNode> lines =
        write(
            "json-steno",
            "steno.log",
            log ->
                (number, text) -> {
                  if (number % 2 == 0) {
                    log.info(
                        StenoMarker.ARRAY_MARKER,
                        "placed",
                        new String[] {"number", "item", "text"},
                        new Object[] {number, PAIR, text});
                  } else {
                    log.info("event {} {}", number, text);
                  }
                },
            line ->
                line.path("name").asText().equals("placed")
                    ? line.path("data").path("number").asInt(-1)
                    : Traffic.number(line.path("data").path("message").asText()));

    for (int i = 0; i < lines.size(); i++) {
      JsonNode line = lines.get(i);
      assertThat(line.path("name").asText()).isEqualTo(i % 2 == 0 ? "placed" : "push");
      assertThat(line.path("level").asText()).isEqualTo("info");
      assertThat(line.path("context").path("tenant").asText()).isEqualTo(tenant(i));
      if (i % 2 == 0) {
        assertThat(line.path("data").path("item").asText()).isEqualTo(PAIR);
      }
    }
  }

  /** Overflow and rollover with such events; all lines, parsed, in their order. */
  private List<JsonNode> write(
      String folder,
      String extension,
      Function<Logger, BiConsumer<Integer, String>> events,
      ToIntFunction<JsonNode> number)
      throws Exception {
    Traffic traffic;
    try (Example example = new Example(folder, logs)) {
      SpillwayRollingFileAppender<ILoggingEvent> appender = example.file(example.root(), "FILE");
      SpillwayMetrics metrics = appender.getMetrics();
      example.putMdc("user", "somebody");
      BiConsumer<Integer, String> log = events.apply(example.root());
      traffic =
          new Traffic(
              (i, text) -> {
                example.putMdc("tenant", tenant(i));
                log.accept(i, text);
              });
      Overflow.thenRollOver(example, appender, traffic, () -> {});
      await()
          .atMost(Example.PATIENCE)
          .until(
              () -> metrics.getArchived() == 1 && (long) metrics.value("ArchiveBacklogFiles") == 0);
    }
    List<JsonNode> lines =
        LogFiles.lines(
                logs,
                "app\\.\\d{4}-\\d{2}-\\d{2}\\.0\\.\\Q" + extension + "\\E\\.gz",
                "app\\.\\Q" + extension + "\\E")
            .stream()
            .map(this::parse)
            .toList();
    traffic.assertNumbers(lines.stream().mapToInt(number).toArray());
    return lines;
  }

  private JsonNode parse(String line) {
    try {
      return mapper.readTree(line);
    } catch (JsonProcessingException e) {
      throw new UncheckedIOException(line, e);
    }
  }
}
