package io.spillway.stress.report;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

/** A page of what JMH has measured: its own JSON, less the single samples, as tables and charts. */
public final class JmhReport {

  private static final List<String> SAMPLES = List.of("rawData", "rawDataHistogram");

  private JmhReport() {}

  /**
   * What the page holds.
   *
   * @param quick whether the figures were only taken to see that the benchmarks work
   * @param machine where they were taken
   * @param results JMH's, in its own layout
   */
  private record Data(boolean quick, RunResult.Machine machine, JsonNode results) {}

  /**
   * Writes the page of a result file.
   *
   * @param json as JMH writes it
   * @param page the page, replaced if it exists
   * @param quick whether the figures were only taken to see that the benchmarks work
   * @throws IOException if the one cannot be read or the other not be written
   */
  public static void write(Path json, Path page, boolean quick) throws IOException {
    JsonNode results = Json.read(json, JsonNode.class);
    for (JsonNode result : results) {
      withoutSamples(result.get("primaryMetric"));
      result.get("secondaryMetrics").forEach(JmhReport::withoutSamples);
    }
    Data data = new Data(quick, RunResult.Machine.current(), results);
    HtmlPage.write(page, "JMH benchmarks", "jmh.js", data);
  }

  private static void withoutSamples(JsonNode metric) {
    ((ObjectNode) metric).remove(SAMPLES);
  }
}
