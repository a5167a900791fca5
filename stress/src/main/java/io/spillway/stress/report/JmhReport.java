package io.spillway.stress.report;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

/**
 * Writes a page with the results of JMH as tables and charts: JMH's JSON without the single
 * samples.
 */
public final class JmhReport {

  private static final List<String> SAMPLES = List.of("rawData", "rawDataHistogram");

  private JmhReport() {}

  /**
   * The data of the page.
   *
   * @param quick whether the run was a quick one, which only proves that the benchmarks work
   * @param machine the machine on which the benchmarks ran
   * @param results JMH's results, in JMH's layout
   */
  private record Data(boolean quick, RunResult.Machine machine, JsonNode results) {}

  /**
   * Writes the page of a result file.
   *
   * @param json the result file that JMH wrote
   * @param page the file of the page, replaced if it exists
   * @param quick whether the run was a quick one, which only proves that the benchmarks work
   * @throws IOException if the result file cannot be read or the page cannot be written
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
