package io.spillway.stress.report;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.jsoup.Jsoup;
import org.jsoup.nodes.Document;
import org.jsoup.nodes.Element;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class JmhReportTest {

  /** As JMH 1.37 writes it, with fewer samples. */
  private static final String RESULTS =
      """
      [
        {"jmhVersion": "1.37", "benchmark": "io.spillway.jmh.PublishBenchmark.threads8",
         "mode": "avgt", "threads": 8, "forks": 2, "vmName": "A VM", "vmVersion": "17 </script>",
         "params": {"appender": "ASYNC_512"},
         "primaryMetric": {"score": 12345.678, "scoreError": 99.5, "scoreUnit": "ns/op",
           "rawData": [[4711.25]]},
         "secondaryMetrics": {"dropped": {"score": 0.0, "scoreError": "NaN", "rawData": [[4711.25]]}}},
        {"jmhVersion": "1.37", "benchmark": "io.spillway.jmh.PublishBenchmark.threads8",
         "mode": "avgt", "threads": 8, "forks": 2, "vmName": "A VM", "vmVersion": "17",
         "params": {"appender": "SPILLWAY"},
         "primaryMetric": {"score": 23.5, "scoreError": "NaN", "scoreUnit": "ns/op",
           "rawData": [[4711.25]]},
         "secondaryMetrics": {"dropped": {"score": 0.0}, "spilled": {"score": 77.0}}},
        {"jmhVersion": "1.37", "benchmark": "io.spillway.internal.compress.GzipBenchmark.archiveJob",
         "mode": "thrpt", "threads": 1, "forks": 2, "vmName": "A VM", "vmVersion": "17",
         "primaryMetric": {"score": 11.25, "scoreError": 1.5, "scoreUnit": "ops/s",
           "rawDataHistogram": [[[[4711.25, 3]]]]},
         "secondaryMetrics": {}}
      ]
      """;

  @TempDir Path directory;

  @Test
  void shouldShowEveryFigureOfTheFileInABrowser() throws Exception {
    assumeTrue(Chromium.find().isPresent(), Chromium.MISSING);
    Chromium.Page opened = Chromium.find().get().open(page(false), directory);

    assertThat(opened.console()).isEmpty();
    Document document = opened.document();
    assertThat(document.select("h2").eachText())
        .containsExactly("PublishBenchmark", "GzipBenchmark");
    assertThat(cells(document, 0))
        .containsExactly(
            List.of("threads8", "appender ASYNC_512", "8", "12345.678", "99.5", "ns/op", "0", "-"),
            List.of("threads8", "appender SPILLWAY", "8", "23.5", "-", "ns/op", "0", "77"));
    assertThat(cells(document, 1))
        .containsExactly(List.of("archiveJob", "", "1", "11.25", "1.5", "ops/s"));
    assertThat(document.select("canvas").eachAttr("aria-label"))
        .containsExactly("scores in ns/op", "scores in ops/s");
    assertThat(document.select("#page").text())
        .contains("A VM 17 </script>; JMH 1.37, forks: 2.")
        .doesNotContain("worth nothing");
  }

  @Test
  void shouldSayThatQuickFiguresAreWorthNothing() throws Exception {
    assumeTrue(Chromium.find().isPresent(), Chromium.MISSING);
    Document document = Chromium.find().get().open(page(true), directory).document();

    assertThat(document.select("#page").text()).contains("the figures are worth nothing");
  }

  @Test
  void shouldLeaveSingleSamplesOut() throws IOException {
    String data = Jsoup.parse(Files.readString(page(false))).getElementById("data").data();

    assertThat(data).contains("12345.678").doesNotContain("rawData", "4711.25");
  }

  private Path page(boolean quick) throws IOException {
    Path json = Files.writeString(directory.resolve("jmh.json"), RESULTS);
    Path page = directory.resolve("jmh.html");
    JmhReport.write(json, page, quick);
    return page;
  }

  /** The rows of a table, with figures as they were before they were rounded. */
  private static List<List<String>> cells(Document document, int table) {
    return document.select("table").get(table).select("tbody tr").stream()
        .map(row -> row.children().stream().map(JmhReportTest::exact).toList())
        .toList();
  }

  private static String exact(Element cell) {
    return cell.hasAttr("data-value") ? cell.attr("data-value") : cell.text();
  }
}
