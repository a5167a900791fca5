package io.spillway.stress.plan;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.networknt.schema.JsonSchemaFactory;
import com.networknt.schema.SpecVersion;
import io.spillway.stress.report.BrowserTab;
import io.spillway.stress.report.Chromium;
import io.spillway.stress.report.DrawnCharts;
import io.spillway.stress.report.Json;
import io.spillway.stress.report.LoadFigures;
import io.spillway.stress.report.ReadBackFigures;
import io.spillway.stress.report.ResultFiles;
import io.spillway.stress.report.RunResult;
import io.spillway.stress.report.TextTable;
import io.spillway.stress.report.TrialResult;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import org.assertj.core.data.Offset;
import org.assertj.core.data.Percentage;
import org.jsoup.nodes.Document;
import org.jsoup.nodes.Element;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The page of a short but real run, in a real browser. */
@Tag("slow")
class ReportPageTest {

  private static final PrintStream NOWHERE = new PrintStream(OutputStream.nullOutputStream());

  private static final Pattern FOOTER =
      Pattern.compile("#\\[Max +=\\s+([0-9.]+), Total count +=\\s+([0-9]+)]");

  private static final String HOSTILE =
      "<configuration><appender/><!-- </script><script>document.title = 'taken'</script> -->"
          + "<img src='x' onerror='document.title = 1'/></configuration>";

  @TempDir static Path directory;

  private static Chromium chromium;
  private static RunResult run;
  private static Path result;
  private static JsonNode json;
  private static Chromium.Page page;
  private static Document document;

  @BeforeAll
  static void openTheReportOfARun() throws Exception {
    assumeTrue(Chromium.find().isPresent(), Chromium.MISSING);
    chromium = Chromium.find().get();
    Trial rotating =
        Trials.builtIn().stream()
            .filter(trial -> trial.name().equals("spillway-fixed-window"))
            .findFirst()
            .orElseThrow();
    Trial refused = new Trial("refused", TrialResult.Role.PEER, "<b>bold</b>", HOSTILE, Map.of());
    RunOptions options = new SmallRun(directory).repeats(2).options();
    Trial calibration = Calibration.trial(options);
    List<PlannedTrial> trials =
        Stream.of(calibration, rotating, refused).map(trial -> trial.at(4 << 20)).toList();
    Run.Finished finished =
        new Run(
                new Run.Plan(options, trials, List.of("run", "<i>"), Optional.of(scenario())),
                NOWHERE,
                false)
            .execute();
    run = finished.result();
    result = finished.file();
    json = Json.read(finished.file(), JsonNode.class);
    page = chromium.open(new ResultFiles(finished.file().getParent()).html(), directory);
    document = page.document();
  }

  @Test
  void shouldWriteAResultAsItsSchemaSays() throws IOException {
    try (InputStream schema = RunResult.class.getResourceAsStream("result.schema.json")) {
      assertThat(
              JsonSchemaFactory.getInstance(SpecVersion.VersionFlag.V202012)
                  .getSchema(schema)
                  .validate(json))
          .isEmpty();
    }
  }

  @Test
  void shouldRunWithoutAnErrorOnTheConsole() {
    assertThat(page.console()).isEmpty();
  }

  @Test
  void shouldSeeErrorsOnTheConsoleIfThereAreAny() throws Exception {
    Path broken = directory.resolve("broken.html");
    Files.writeString(broken, "<script>undefinedFunction()</script>");

    assertThat(chromium.open(broken, directory).console())
        .anyMatch(line -> line.contains("undefinedFunction"));
  }

  @Test
  void shouldTellHowLongItTookBesideTheEstimate() {
    assertThat(document.select("#run").text()).containsPattern("took [0-9.]+ s \\(estimated [0-9]");
    assertThat(figures("#run")).containsExactly(numbers(json, "seconds", "estimatedSeconds"));
  }

  @Test
  void shouldShowTheTextTable() {
    List<List<String>> expected =
        TextTable.of(run).lines().map(line -> List.of(line.split("\\s{2,}"))).toList();

    List<List<String>> shown =
        document.select("#headline tr").stream().map(row -> row.children().eachText()).toList();

    assertThat(expected).hasSize(1 + 6 + 2);
    assertThat(shown).isEqualTo(expected);
  }

  @Test
  void shouldShowPublishedFiguresBesideTheMeasured() {
    List<List<String>> expected =
        TextTable.of(run.scenario()).lines().map(line -> List.of(line.split("\\s{2,}"))).toList();

    assertThat(expected).hasSize(1 + 3);
    assertThat(expected.get(3)).contains("-", "not in this run");
    assertThat(
            document.select("#published tr").stream()
                .map(row -> row.children().eachText())
                .toList())
        .isEqualTo(expected);
    assertThat(document.select("#published th.text").eachText())
        .as("headings at the side of their cells")
        .containsExactly("what", "measured as");
    assertThat(document.select("#scenario").text()).isEqualTo("<i>what it shows");
  }

  private static RunResult.Scenario scenario() {
    List<RunResult.Published> published =
        List.of(
            new RunResult.Published("a", "1,000", "parked", "calibration", null, null),
            new RunResult.Published(
                "b", "all", "parked", "spillway-fixed-window", "calibration", null),
            new RunResult.Published("c", "47 s", "rotation", null, null, null));
    return new RunResult.Scenario("s", "<i>what it shows", "somebody", published);
  }

  @Test
  void shouldShowTheExactFiguresOfTheResult() {
    int measured = 0;
    for (int i = 0; i < run.trials().size(); i++) {
      JsonNode trial = json.path("trials").path(i);
      if (trial.path("load").isNull()) {
        continue;
      }
      measured++;
      JsonNode load = trial.path("load");
      JsonNode parks = trial.path("parks");
      List<List<Double>> seconds = new ArrayList<>();
      for (JsonNode second : load.path("seconds")) {
        int at = second.path("second").asInt();
        List<Double> figures =
            numbers(
                second,
                "calls",
                "serviceP999Micros",
                "serviceMaxMicros",
                "underWayMaxMicros",
                "responseMaxMicros");
        figures.add(parks.path("threadsAtOnceBySecond").path(at).asDouble());
        figures.add(parks.path("threadSecondsBySecond").path(at).asDouble());
        figures.add(load.at("/inCalls/threadSecondsBySecond").path(at).asDouble());
        seconds.add(figures);
      }
      assertThat(seconds).hasSizeGreaterThanOrEqualTo(3);
      assertThat(figures("#t" + i + " table.seconds tbody tr")).isEqualTo(seconds);
      List<List<Double>> frames = new ArrayList<>();
      parks.path("byFrame").forEach(f -> frames.add(numbers(f, "events", "threadSeconds")));
      assertThat(figures("#t" + i + " table.frames tbody tr")).isEqualTo(frames);
    }
    assertThat(measured).isEqualTo(4);
    List<List<Double>> medians =
        StreamSupport.stream(json.path("medians").spliterator(), false)
            .map(
                median ->
                    numbers(
                        median,
                        "rotationSeconds",
                        "threadsAtOnce",
                        "parkedThreadSeconds",
                        "heldUpThreadSecondsPerMinute",
                        "worstCallMicros",
                        "outsideP999Micros",
                        "rotationP999Micros",
                        "outsideResponseP999Micros",
                        "rotationResponseP999Micros",
                        "heapBytes",
                        "lost",
                        "duplicated",
                        "outOfOrder",
                        "torn"))
            .toList();
    assertThat(figures("#headline tbody tr:nth-last-child(-n+2)")).isEqualTo(medians);
  }

  @Test
  void shouldShowWhatEachTrialUsedAndWhatItsVerdictRestsOn() {
    for (int i = 0; i < run.trials().size(); i++) {
      JsonNode trial = json.path("trials").path(i);
      List<List<String>> evidence = new ArrayList<>();
      trial.path("evidence").forEach(check -> evidence.add(texts(check)));
      assertThat(
              document.select("#t" + i + " table.evidence tbody tr").stream()
                  .map(row -> row.children().eachText())
                  .toList())
          .isEqualTo(evidence);
      if (trial.path("load").isNull()) {
        continue;
      }
      assertThat(evidence).hasSizeGreaterThanOrEqualTo(18);
      JsonNode load = trial.path("load");
      List<Double> facts = numbers(trial.at("/readBack/conservation"), "sent", "delivered");
      if (trial.at("/parks/events").asLong() > 0) {
        facts.addAll(numbers(trial.path("parks"), "events", "maxSeconds"));
      }
      facts.addAll(numbers(load, "loadSeconds", "stopSeconds", "cpuSeconds"));
      facts.addAll(numbers(load.path("allocation"), "bytesPerCall", "bytes"));
      JsonNode heap = trial.path("heap");
      facts.addAll(numbers(heap, "peakBytes", "afterCollectionBytes", "limitBytes"));
      JsonNode disk = load.path("disk");
      facts.addAll(numbers(disk, "beforeBytes", "peakBytes", "afterBytes", "archiveBytes"));
      JsonNode inCalls = load.path("inCalls");
      facts.addAll(
          numbers(
              inCalls,
              "threadSeconds",
              "onCpuSeconds",
              "offCpuSeconds",
              "controlOnCpuSeconds",
              "controlOffCpuSeconds"));
      facts.addAll(numbers(load, "callsDue", "callsMade"));
      facts.addAll(numbers(trial.path("pauses"), "stoppedMillis", "longestStopMillis"));
      JsonNode pauses = trial.path("pauses");
      facts.addAll(numbers(pauses, "collections", "maxPauseMillis", "maxTimeToSafepointMillis"));
      facts.addAll(numbers(trial.path("control"), "p999Micros", "maxMicros", "othersShare"));
      assertThat(figures("#t" + i + " dl.facts")).containsExactly(facts);
    }
  }

  /** What is shown must also be true: a trial of some megabytes that logs some thousand events. */
  @Test
  void shouldMeasureAllocationHeapAndDisk() {
    for (TrialResult trial : run.trials()) {
      if (!trial.measured()) {
        continue;
      }
      LoadFigures.Allocation allocation = trial.load().allocation();
      assertThat(allocation.bytesPerCall()).isBetween(50.0, 5_000.0);
      assertThat(allocation.bytes() / allocation.bytesPerCall())
          .isCloseTo(trial.readBack().conservation().sent(), Percentage.withPercentage(20));
      assertThat(trial.heap().limitBytes()).isEqualTo(128 << 20);
      assertThat(trial.heap().afterCollectionBytes()).isBetween(1L << 20, 64L << 20);
      assertThat(trial.heap().peakBytes())
          .isBetween(trial.heap().afterCollectionBytes(), trial.heap().limitBytes());
      LoadFigures.Disk disk = trial.load().disk();
      assertThat(disk.beforeBytes()).isGreaterThan(3 << 20);
      // At the limit of 4 MB, less what 2,000 events/s write between two looks.
      assertThat(disk.peakBytes()).isGreaterThan((4 << 20) - 100_000);
      assertThat(disk.afterBytes()).isLessThan(disk.peakBytes());
      long archives =
          trial.readBack().files().stream()
              .filter(file -> file.name().endsWith(".gz"))
              .mapToLong(ReadBackFigures.LeftFile::bytes)
              .sum();
      assertThat(disk.archiveBytes()).isPositive().isEqualTo(archives);
    }
  }

  @Test
  void shouldLeaveAHistogramOfEachKindOfCallBesideTheResult() throws IOException {
    for (TrialResult trial : run.trials()) {
      if (!trial.measured()) {
        continue;
      }
      Path folder = result.resolveSibling(TrialRunner.label(trial.name(), trial.repeat()));
      LoadFigures.Latency latency = trial.load().latency();
      assertHistogram(folder.resolve("service-warm-up.hgrm"), latency.warmUpService());
      assertHistogram(folder.resolve("service-outside.hgrm"), latency.outsideService());
      assertHistogram(folder.resolve("service-rotation.hgrm"), latency.rotationService());
      assertHistogram(folder.resolve("response-outside.hgrm"), latency.outsideResponse());
      assertHistogram(folder.resolve("response-rotation.hgrm"), latency.rotationResponse());
    }
  }

  /** In microseconds, as HdrHistogram's own tools read it. */
  private static void assertHistogram(Path file, LoadFigures.Calls expected) throws IOException {
    List<String> lines = Files.readAllLines(file);
    assertThat(lines.get(0).trim().split("\\s+"))
        .containsExactly("Value", "Percentile", "TotalCount", "1/(1-Percentile)");
    Matcher footer = FOOTER.matcher(String.join("\n", lines));
    assertThat(footer.find()).isTrue();
    assertThat(Double.parseDouble(footer.group(1)))
        .isCloseTo(expected.maxMicros(), Offset.offset(0.001));
    assertThat(Long.parseLong(footer.group(2))).isEqualTo(expected.count());
  }

  @Test
  void shouldDrawEveryChart() {
    List<Element> canvases = document.select("canvas");

    // The curves of all; threads, latency and fill of each trial with figures; calibration has no
    // queue that is known.
    assertThat(canvases).hasSize(1 + 1 + 2 * 2 + 2 * 3);
    assertThat(canvases)
        .allMatch(canvas -> Integer.parseInt(canvas.attr("width")) > 300)
        .allMatch(canvas -> Integer.parseInt(canvas.attr("height")) > 100);
  }

  @Test
  void shouldDrawTheNumbersOfTheResult() throws Exception {
    try (BrowserTab tab = chromium.tab(directory)) {
      tab.screen(1280, 900).open(new ResultFiles(result.getParent()).html());
      DrawnCharts charts = new DrawnCharts(json, tab);
      charts.assertCurves(tab);
      charts.assertTimelines();
      assertThat(tab.complaints()).isEmpty();
    }
  }

  @Test
  void shouldShowTextAsText() {
    assertThat(document.title()).isEqualTo("Rollover stress test: s");
    assertThat(document.select("b, img:not([src^=data:image/svg+xml])")).isEmpty();
    assertThat(document.select("#t2").text()).contains("<b>bold</b>");
    assertThat(document.select("#t2 pre.configuration").first().wholeText()).isEqualTo(HOSTILE);
    assertThat(document.select("code").first().text()).isEqualTo("spillway-stress run <i>");
    assertThat(run.reasons()).hasSizeGreaterThanOrEqualTo(2);
    assertThat(document.select("#reasons li").eachText())
        .isEqualTo(run.reasons().stream().map(ReportPageTest::onOneLine).toList());
    assertThat(document.select("#notes li").eachText()).isEqualTo(run.notes());
  }

  private static String onOneLine(String text) {
    return text.replaceAll("\\s+", " ").strip();
  }

  private static List<List<Double>> figures(String rows) {
    return document.select(rows).stream()
        .map(row -> row.select("[data-value]").eachAttr("data-value"))
        .map(values -> values.stream().map(Double::valueOf).toList())
        .toList();
  }

  private static List<String> texts(JsonNode check) {
    return Stream.of("what", "allowed", "seen", "verdict")
        .map(name -> check.path(name).asText())
        .toList();
  }

  private static List<Double> numbers(JsonNode node, String... names) {
    List<Double> numbers = new ArrayList<>();
    Arrays.stream(names)
        .filter(name -> !node.path(name).isNull())
        .forEach(name -> numbers.add(node.path(name).asDouble()));
    return numbers;
  }
}
