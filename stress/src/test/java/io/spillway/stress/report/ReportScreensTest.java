package io.spillway.stress.report;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The report in light and dark, on a desk and on a phone, of a result whose figures all differ. */
@Tag("slow")
class ReportScreensTest {

  private static final int LOAD_SECONDS = 10;

  /** WCAG 2.1: 1.4.3 for text, 1.4.11 for what else must be seen. */
  private static final double TEXT_CONTRAST = 4.5;

  private static final double GRAPHICS_CONTRAST = 3;

  private static final String CONTRAST =
      """
      const rgb = (color) => {
        const context = Object.assign(document.createElement("canvas"), { width: 1, height: 1 }).getContext("2d");
        context.fillStyle = color;
        context.fillRect(0, 0, 1, 1);
        return [...context.getImageData(0, 0, 1, 1).data];
      };
      const back = (element) => {
        for (let e = element; e; e = e.parentElement) {
          const color = getComputedStyle(e).backgroundColor;
          if (rgb(color)[3] > 0) return color;
        }
        return "canvas";
      };
      const light = (color) => rgb(color).slice(0, 3).map((v) => v / 255)
        .map((v) => (v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4))
        .reduce((sum, v, i) => sum + v * [0.2126, 0.7152, 0.0722][i], 0);
      const contrast = (one, other) => {
        const [dark, bright] = [light(one), light(other)].sort((a, b) => a - b);
        return (bright + 0.05) / (dark + 0.05);
      };
      """;

  /** Of all text of the page, details opened, and of all that charts write and draw. */
  private static final String COLOURS =
      """
      (() => {
      %s
        document.querySelectorAll("details").forEach((details) => (details.open = true));
        const texts = [];
        const walker = document.createTreeWalker(document.getElementById("page"), NodeFilter.SHOW_TEXT);
        while (walker.nextNode()) {
          const element = walker.currentNode.parentElement;
          if (walker.currentNode.textContent.trim()) {
            texts.push({ what: walker.currentNode.textContent, ratio: contrast(getComputedStyle(element).color, back(element)) });
          }
        }
        const chartTexts = [];
        const lines = [];
        document.querySelectorAll("canvas").forEach((canvas) => {
          const chart = Chart.getChart(canvas);
          const ground = back(canvas);
          const add = (list, what, color) => list.push({ what: `${canvas.ariaLabel}: ${what}`, color, ratio: contrast(color, ground) });
          Object.values(chart.scales).forEach((scale) => {
            add(chartTexts, `ticks of ${scale.id}`, scale.options.ticks.color);
            add(chartTexts, `title of ${scale.id}`, scale.options.title.color);
          });
          add(chartTexts, "legend", chart.legend ? chart.legend.options.labels.color : Chart.defaults.color);
          chart.data.datasets.forEach((set) => add(lines, set.label, set.borderColor));
        });
        const body = getComputedStyle(document.body);
        return { back: body.backgroundColor, text: body.color, bodyRatio: contrast(body.color, body.backgroundColor),
          texts, chartTexts, lines };
      })()
      """
          .formatted(CONTRAST);

  private static final String LAYOUT =
      """
      (() => {
        const root = document.documentElement;
        const box = (element) => {
          const { left, right, width, height } = element.getBoundingClientRect();
          return { left, right, width, height };
        };
        const all = (selector) => [...document.querySelectorAll(selector)].map(box);
        return { screen: innerWidth, clientWidth: root.clientWidth, scrollWidth: root.scrollWidth,
          charts: all("canvas"), cells: all("#headline td:not(:empty), #headline tbody th") };
      })()
      """;

  /** Where the headline is once it was scrolled to, and whether it is on top there. */
  private static final String HEADLINE =
      """
      (() => {
        const first = document.querySelector("#headline tbody th a");
        first.scrollIntoView({ block: "center" });
        const { left, right, top, bottom } = first.getBoundingClientRect();
        return document.elementFromPoint((left + right) / 2, (top + bottom) / 2) === first;
      })()
      """;

  private static final String FELT =
      """
      [...document.querySelectorAll("#headline tbody tr")].map((row) => row.cells[row.cells.length - 2].textContent)
      """;

  @TempDir static Path directory;

  private static JsonNode result;
  private static Path page;
  private static BrowserTab tab;

  @BeforeAll
  static void openBrowser() throws Exception {
    assumeTrue(Chromium.find().isPresent(), Chromium.MISSING);
    result = result();
    page = directory.resolve("report.html");
    HtmlPage.write(
        page, "Rollover stress test", List.of("timeline.js", "report.js"), result, Map.of());
    tab = Chromium.find().get().tab(directory);
  }

  @AfterAll
  static void closeBrowser() {
    if (tab != null) {
      tab.close();
    }
  }

  @Test
  void shouldBeReadableInLightAndInDark() throws Exception {
    JsonNode light = colours(false);
    JsonNode dark = colours(true);

    assertThat(dark.path("back")).isNotEqualTo(light.path("back"));
    assertThat(dark.path("text")).isNotEqualTo(light.path("text"));
    assertThat(dark.path("chartTexts").path(0).path("color"))
        .isNotEqualTo(light.path("chartTexts").path(0).path("color"));
  }

  private static JsonNode colours(boolean dark) throws IOException, InterruptedException {
    tab.screen(1280, 900).dark(dark).open(page);
    JsonNode colours = tab.evaluate(COLOURS);
    assertReadable(colours);
    assertThat(tab.complaints()).isEmpty();
    return colours;
  }

  private static void assertReadable(JsonNode colours) {
    assertThat(colours.path("bodyRatio").asDouble()).isGreaterThanOrEqualTo(TEXT_CONTRAST);
    assertThat(colours.path("texts").size()).isGreaterThan(100);
    assertThat(colours.path("chartTexts").size()).isGreaterThan(30);
    assertThat(colours.path("texts")).allMatch(text -> ratio(text) >= TEXT_CONTRAST);
    assertThat(colours.path("chartTexts")).allMatch(text -> ratio(text) >= GRAPHICS_CONTRAST);
    assertThat(colours.path("lines")).allMatch(line -> ratio(line) >= GRAPHICS_CONTRAST);
  }

  private static double ratio(JsonNode colour) {
    return colour.path("ratio").asDouble();
  }

  @Test
  void shouldDrawChartsAgainWhenLightTurnsToDark() throws Exception {
    JsonNode dark = colours(true);
    colours(false);
    tab.dark(true);

    assertThat(tab.evaluate(COLOURS)).isEqualTo(dark);
    new DrawnCharts(result, tab).assertTimelines();
    assertThat(tab.complaints()).isEmpty();
  }

  @Test
  void shouldFitAPhone() throws Exception {
    tab.screen(390, 844).dark(false).open(page);
    assertFits();
    tab.evaluate("document.querySelectorAll('details').forEach((d) => (d.open = true))");
    assertFits();

    assertThat(tab.evaluate(HEADLINE).asBoolean()).as("headline is on the screen").isTrue();
    assertThat(tab.complaints()).isEmpty();
  }

  private static void assertFits() throws IOException, InterruptedException {
    JsonNode layout = tab.evaluate(LAYOUT);
    assertThat(layout.path("clientWidth").asInt()).isEqualTo(390);
    assertThat(layout.path("screen").asInt()).as("not zoomed out").isEqualTo(390);
    assertThat(layout.path("scrollWidth").asInt()).isLessThanOrEqualTo(390);
    assertThat(layout.path("charts")).hasSize(1 + 1 + 2 + 2 + 3 * 3);
    assertThat(layout.path("charts")).allMatch(box -> inside(box, 390));
    assertThat(layout.path("charts")).allMatch(box -> box.path("width").asDouble() > 300);
    assertThat(layout.path("charts")).allMatch(box -> box.path("height").asDouble() > 150);
    assertThat(layout.path("cells")).hasSizeGreaterThan(40);
    assertThat(layout.path("cells")).allMatch(box -> inside(box, 390));
  }

  private static boolean inside(JsonNode box, int width) {
    return box.path("left").asDouble() >= 0 && box.path("right").asDouble() <= width;
  }

  @Test
  void shouldFitADesk() throws Exception {
    tab.screen(1280, 900).dark(false).open(page);

    JsonNode layout = tab.evaluate(LAYOUT);
    assertThat(layout.path("scrollWidth").asInt()).isLessThanOrEqualTo(1280);
    assertThat(layout.path("charts")).allMatch(box -> inside(box, 1280));
  }

  @Test
  @Tag("gate")
  void shouldDrawTheNumbersOfTheResult() throws Exception {
    tab.screen(1280, 900).dark(false).open(page);

    DrawnCharts charts = new DrawnCharts(result, tab);
    charts.assertCurves(tab);
    charts.assertTimelines();
  }

  /** Nothing that is sure is not the same as nothing. */
  @Test
  void shouldSayOfEachTrialWhatTheTextTableSaysIsFelt() throws Exception {
    RunResult run =
        Results.run(
            Results.passed("kept", 1, 40),
            Results.judged("noisy", List.of(JudgeTest.NOISY), 0),
            Results.failed("failed", "it did not end"));
    Path felt = directory.resolve("felt.html");
    HtmlPage.write(
        felt,
        "What is felt",
        List.of("timeline.js", "report.js"),
        new ObjectMapper().valueToTree(run),
        Map.of());
    tab.screen(1280, 900).dark(false).open(felt);

    List<String> cells = TextTable.rows(run).stream().map(row -> row.get(row.size() - 2)).toList();
    assertThat(cells).containsExactly("none", "unclear", "-");
    assertThat(tab.evaluate(FELT)).extracting(JsonNode::asText).isEqualTo(cells);
    assertThat(tab.complaints()).isEmpty();
  }

  /** No two figures of it are the same, so that none can be taken for another. */
  private static JsonNode result() {
    RunResult run =
        Results.run(
            Results.passed("one", 1, 40),
            Results.passed("one", 2, 50),
            Results.failed("failed", "it did not end"),
            Results.trial("peer", 1, TrialResult.Role.PEER, 60, 1),
            Results.unfinished("unfinished", 1),
            Results.unfinished("never-reopened", 1));
    ObjectNode json = new ObjectMapper().valueToTree(run);
    ((ObjectNode) json.path("options")).put("warmUpSeconds", 1.5).put("eventsPerSecond", 2000);
    Numbers numbers = new Numbers();
    int i = 0;
    for (JsonNode trial : json.path("trials")) {
      if (!trial.path("load").isNull()) {
        fill((ObjectNode) trial, numbers);
        buffers((ArrayNode) trial.at("/load/buffers"), i++, numbers);
      }
    }
    ((ObjectNode) json.at("/trials/5/load/rotation")).put("reopenedSeconds", 0);
    return json;
  }

  private static void fill(ObjectNode trial, Numbers numbers) {
    double offset = numbers.next() / 1000;
    ObjectNode rotation = (ObjectNode) trial.at("/load/rotation");
    rotation.put("startSeconds", 3 + offset).put("reopenedSeconds", 5 + offset);
    if (rotation.path("complete").asBoolean()) {
      rotation.put("endSeconds", 7 + 2 * offset);
    }
    ArrayNode seconds = (ArrayNode) trial.at("/load/seconds");
    ArrayNode atOnce = (ArrayNode) trial.at("/parks/threadsAtOnceBySecond");
    ArrayNode threadSeconds = (ArrayNode) trial.at("/parks/threadSecondsBySecond");
    ArrayNode inside = (ArrayNode) trial.at("/load/inCalls/threadSecondsBySecond");
    ArrayNode control = (ArrayNode) trial.at("/control/maxMicrosBySecond");
    ((ObjectNode) trial.path("load")).put("loadSeconds", LOAD_SECONDS - 0.3);
    ObjectNode parks = (ObjectNode) trial.path("parks");
    for (int second = 0; second < LOAD_SECONDS; second++) {
      seconds
          .addObject()
          .put("second", second)
          .put("calls", second == 4 ? 0 : numbers.next())
          .put("serviceMaxMicros", 10.5 * numbers.next())
          .put("serviceP999Micros", 1.5 * numbers.next())
          .put("responseMaxMicros", 100.5 * numbers.next())
          .put("underWayMaxMicros", 50.5 * numbers.next());
      inside.add(numbers.next() / 3.0);
      atOnce.add(numbers.next());
      threadSeconds.add(numbers.next() / 7.0);
      control.add(second == 6 ? 0 : 3.25 * numbers.next());
    }
    parks.put("threadsAtOnce", numbers.next()).put("events", 1);
    for (String calls : List.of("outsideResponse", "rotationResponse")) {
      ArrayNode curve = (ArrayNode) trial.at("/load/latency/" + calls + "/curve");
      for (double percentile : new double[] {50, 90, 99, 99.9, 100}) {
        curve.addObject().put("percentile", percentile).put("micros", 2.5 * numbers.next());
      }
    }
  }

  /** Of the first trial none, of the second a queue, of the others one that spills, too. */
  private static void buffers(ArrayNode buffers, int trial, Numbers numbers) {
    if (trial < 2) {
      return;
    }
    ObjectNode buffer = buffers.addObject().put("appender", "A" + trial).put("type", "x.Y");
    boolean spills = trial > 2;
    buffer.put("queueCapacity", 8192);
    buffer.put("spillCapacityBytes", spills ? 1L << 30 : null);
    ArrayNode samples = buffer.putArray("samples");
    for (int second = 0; second < LOAD_SECONDS; second++) {
      ObjectNode sample = samples.addObject().put("atSeconds", second + 0.01);
      sample.put("queuedEvents", numbers.next());
      sample.put("spillBytes", spills ? 70_000L * numbers.next() : null);
      sample.put("archiveBacklogFiles", spills ? 1L : null);
    }
  }

  /** Never the same again, and not in order. */
  private static final class Numbers {
    private int count;

    int next() {
      return 1 + count++ * 619 % 2003;
    }
  }
}
