package io.spillway.stress.report;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.StreamSupport;

/** Holds the charts of a report against the result that it was made from, number by number. */
public final class DrawnCharts {

  /** Of a second a level is drawn so long, and the last point still belongs to it. */
  private static final double LEVEL_SECONDS = 0.999;

  private static final double MEGABYTE = 1 << 20;

  /**
   * What the chart library holds, and whether it put every point where its axes say and within its
   * frame. Shades come as drawn, in pixels that are turned back into seconds.
   */
  private static final String CHARTS =
      """
      [...document.querySelectorAll("canvas")].map((canvas) => {
        const chart = Chart.getChart(canvas);
        const { x } = chart.scales;
        const { top, bottom, left, right } = chart.chartArea;
        const near = (a, b) => Math.abs(a - b) < 0.5;
        const sets = chart.data.datasets.map((set, i) => {
          const meta = chart.getDatasetMeta(i);
          const y = chart.scales[meta.yAxisID];
          return {
            label: set.label, axis: y.options.title.text, visible: chart.isDatasetVisible(i),
            points: set.data.map((point) => [point.x, point.y]),
            astray: set.data.filter((point, j) => point.y !== null && !(
              near(meta.data[j].x, x.getPixelForValue(point.x)) && near(meta.data[j].y, y.getPixelForValue(point.y))
              && meta.data[j].x > left - 1 && meta.data[j].x < right + 1
              && meta.data[j].y > top - 1 && meta.data[j].y < bottom + 1)).length,
          };
        });
        const shades = Chart.registry.getPlugin("annotation").getAnnotations(chart).map((box) => ({
          fill: ["rotation", "compression", "warm-up"].find((name) => page.color(name) === box.options.backgroundColor),
          from: x.getValueForPixel(box.x), to: x.getValueForPixel(box.x2), high: near(box.y, top) && near(box.y2, bottom),
        }));
        return { section: canvas.closest("section").id, label: canvas.getAttribute("aria-label"), sets, shades,
          secondsPerPixel: x.getValueForPixel(left + 1) - x.getValueForPixel(left) };
      })
      """;

  private final JsonNode result;
  private final JsonNode charts;

  /** Reads the charts of the page that is open. */
  public DrawnCharts(JsonNode result, BrowserTab tab) throws IOException, InterruptedException {
    this.result = result;
    charts = tab.evaluate(CHARTS);
  }

  /** The curves of all trials are in one chart, and each trial has a name in its legend. */
  public void assertCurves(BrowserTab tab) throws IOException, InterruptedException {
    Map<String, List<List<Double>>> expected = new LinkedHashMap<>();
    Set<String> names = new LinkedHashSet<>();
    for (JsonNode trial : result.path("trials")) {
      names.add(trial.path("name").asText());
      addCurve(expected, trial, "rotating", "rotationResponse");
      addCurve(expected, trial, "outside", "outsideResponse");
    }
    assertThat(charts.path(1).path("label").asText()).contains("percentiles of all trials");
    assertSets(charts.path(1), expected);
    assertOverTime();
    List<String> legend = new ArrayList<>();
    tab.evaluate("[...document.querySelectorAll('.legend button')].map((b) => b.textContent)")
        .forEach(name -> legend.add(name.asText()));
    assertThat(legend).containsExactlyElementsOf(names);
  }

  /** The latest call of each second, under way or not, of the first repeat of each trial. */
  private void assertOverTime() {
    Map<String, List<List<Double>>> expected = new LinkedHashMap<>();
    for (JsonNode trial : result.path("trials")) {
      if (trial.path("load").isNull() || trial.path("repeat").asInt() > 1) {
        continue;
      }
      List<List<Double>> points = new ArrayList<>();
      for (JsonNode second : trial.path("load").path("seconds")) {
        double late =
            Math.max(
                second.path("responseMaxMicros").asDouble(),
                second.path("underWayMaxMicros").asDouble());
        addLevel(points, second.path("second").asInt(), late > 0 ? late : null);
      }
      expected.put(label(trial), points);
    }
    assertSets(charts.path(0), expected);
  }

  private static void addCurve(
      Map<String, List<List<Double>>> curves, JsonNode trial, String side, String calls) {
    JsonNode latency = trial.path("load").path("latency").path(calls);
    if (latency.path("count").asLong() == 0) {
      return;
    }
    List<List<Double>> points = new ArrayList<>();
    for (JsonNode point : latency.path("curve")) {
      double beyond = 100 / (100 - point.path("percentile").asDouble());
      points.add(
          List.of(
              Math.min(latency.path("count").asDouble(), beyond), point.path("micros").asDouble()));
    }
    curves.put(label(trial) + ", " + side, points);
  }

  /** Every chart of every trial that was measured. */
  public void assertTimelines() {
    int i = 0;
    for (JsonNode trial : result.path("trials")) {
      List<JsonNode> drawn = charts("t" + i++);
      if (trial.path("load").isNull()) {
        assertThat(drawn).isEmpty();
        continue;
      }
      JsonNode buffers = trial.path("load").path("buffers");
      assertThat(drawn).as(label(trial)).hasSize(2 + buffers.size());
      assertSets(drawn.get(0), threads(trial));
      assertSets(drawn.get(1), latency(trial));
      for (int buffer = 0; buffer < buffers.size(); buffer++) {
        assertSets(drawn.get(2 + buffer), fill(buffers.path(buffer)));
      }
      drawn.forEach(chart -> assertShades(chart, trial));
    }
    assertThat(i).isPositive();
  }

  private List<JsonNode> charts(String section) {
    return StreamSupport.stream(charts.spliterator(), false)
        .filter(chart -> chart.path("section").asText().equals(section))
        .toList();
  }

  private static Map<String, List<List<Double>>> threads(JsonNode trial) {
    JsonNode parks = trial.path("parks");
    int end = (int) Math.ceil(trial.path("load").path("loadSeconds").asDouble());
    Map<String, List<List<Double>>> sets = new LinkedHashMap<>();
    JsonNode inside = trial.path("load").path("inCalls").path("threadSecondsBySecond");
    sets.put("threads inside a log call on average", levels(inside, end));
    sets.put("most threads parked at once", levels(parks.path("threadsAtOnceBySecond"), end));
    sets.put("threads parked on average", levels(parks.path("threadSecondsBySecond"), end));
    return sets;
  }

  private static List<List<Double>> levels(JsonNode values, int end) {
    List<List<Double>> points = new ArrayList<>();
    for (int second = 0; second < end; second++) {
      addLevel(points, second, values.path(second).asDouble());
    }
    return points;
  }

  private static void addLevel(List<List<Double>> points, int second, Double y) {
    points.add(point(second, y));
    points.add(point(second + LEVEL_SECONDS, y));
  }

  private static List<Double> point(double x, Double y) {
    List<Double> point = new ArrayList<>();
    point.add(x);
    point.add(y);
    return point;
  }

  private static Map<String, List<List<Double>>> latency(JsonNode trial) {
    Map<String, List<List<Double>>> sets = new LinkedHashMap<>();
    sets.put("slowest call", calls(trial, "serviceMaxMicros"));
    sets.put("p99.9", calls(trial, "serviceP999Micros"));
    List<List<Double>> underWay = new ArrayList<>();
    for (JsonNode second : trial.path("load").path("seconds")) {
      double micros = second.path("underWayMaxMicros").asDouble();
      addLevel(underWay, second.path("second").asInt(), micros > 0 ? micros : null);
    }
    sets.put("latest call under way", underWay);
    if (!trial.path("control").isNull()) {
      List<List<Double>> points = new ArrayList<>();
      JsonNode worst = trial.path("control").path("maxMicrosBySecond");
      double end = Math.ceil(trial.path("load").path("loadSeconds").asDouble());
      for (int second = 0; second < Math.min(worst.size(), end); second++) {
        double micros = worst.path(second).asDouble();
        addLevel(points, second, micros > 0 ? micros : null); // a logarithm has no zero
      }
      sets.put("the machine itself, worst", points);
    }
    return sets;
  }

  private static List<List<Double>> calls(JsonNode trial, String figure) {
    List<List<Double>> points = new ArrayList<>();
    for (JsonNode second : trial.path("load").path("seconds")) {
      boolean any = second.path("calls").asLong() > 0;
      boolean known = any && !second.path(figure).isNull();
      Double y = known ? second.path(figure).asDouble() : null;
      addLevel(points, second.path("second").asInt(), y);
    }
    return points;
  }

  private static Map<String, List<List<Double>>> fill(JsonNode buffer) {
    boolean spills = !buffer.path("spillCapacityBytes").isNull();
    Map<String, List<List<Double>>> sets = new LinkedHashMap<>();
    sets.put(
        spills ? "ring" : "queue",
        samples(buffer, "queuedEvents", buffer.path("queueCapacity").asDouble() / 100));
    if (spills) {
      sets.put("spill (right)", samples(buffer, "spillBytes", MEGABYTE));
    }
    return sets;
  }

  private static List<List<Double>> samples(JsonNode buffer, String figure, double unit) {
    List<List<Double>> points = new ArrayList<>();
    for (JsonNode sample : buffer.path("samples")) {
      points.add(
          List.of(sample.path("atSeconds").asDouble(), sample.path(figure).asDouble() / unit));
    }
    return points;
  }

  /** Labels may go on after a comma with what the whole is. */
  private static void assertSets(JsonNode chart, Map<String, List<List<Double>>> expected) {
    assertThat(chart.path("sets").size())
        .as(chart.path("label").asText())
        .isEqualTo(expected.size());
    int i = 0;
    for (Map.Entry<String, List<List<Double>>> set : expected.entrySet()) {
      JsonNode drawn = chart.path("sets").path(i++);
      String what = chart.path("label").asText() + ": " + set.getKey();
      String label = drawn.path("label").asText();
      assertThat(label.equals(set.getKey()) || label.startsWith(set.getKey() + ", of "))
          .as(what + " is called " + label)
          .isTrue();
      assertThat(drawn.path("visible").asBoolean()).as(what).isTrue();
      assertThat(drawn.path("astray").asInt()).as(what + ": points drawn elsewhere").isZero();
      assertThat(drawn.path("axis").asText()).as(what).startsWith(axis(set.getKey()));
      assertPoints(what, drawn.path("points"), set.getValue());
    }
  }

  private static String axis(String set) {
    return switch (set) {
      case "threads inside a log call on average",
          "most threads parked at once",
          "threads parked on average" ->
          "threads";
      case "queue", "ring", "memory buffer" -> "% full";
      case "spill (right)" -> "spill, MB";
      default -> "latency";
    };
  }

  private static void assertPoints(String what, JsonNode points, List<List<Double>> expected) {
    assertThat(points.size()).as(what).isEqualTo(expected.size());
    for (int i = 0; i < expected.size(); i++) {
      String where = what + ", point " + i;
      assertThat(points.path(i).path(0).asDouble())
          .as(where)
          .isCloseTo(expected.get(i).get(0), within(1e-9 * expected.get(i).get(0)));
      Double y = expected.get(i).get(1);
      assertThat(points.path(i).path(1).isNull()).as(where).isEqualTo(y == null);
      if (y != null) {
        assertThat(points.path(i).path(1).asDouble()).as(where).isCloseTo(y, within(1e-9 * y));
      }
    }
  }

  /** To the pixel. What has no end goes on to the end of the chart. */
  private void assertShades(JsonNode chart, JsonNode trial) {
    JsonNode rotation = trial.path("load").path("rotation");
    double end = Math.ceil(trial.path("load").path("loadSeconds").asDouble());
    double reopened = rotation.path("reopenedSeconds").asDouble();
    double archived = rotation.path("endSeconds").asDouble();
    Map<String, List<Double>> expected = new LinkedHashMap<>();
    expected.put("warm-up", List.of(0.0, result.at("/options/warmUpSeconds").asDouble()));
    if (rotation.path("seen").asBoolean()) {
      double to = reopened > 0 ? reopened : end;
      expected.put("rotation", List.of(rotation.path("startSeconds").asDouble(), to));
    }
    if (reopened > 0) {
      expected.put("compression", List.of(reopened, archived > 0 ? archived : end));
    }
    String what = label(trial) + ", " + chart.path("label").asText();
    assertThat(chart.path("shades").size()).as(what).isEqualTo(expected.size());
    for (JsonNode shade : chart.path("shades")) {
      List<Double> seconds = expected.get(shade.path("fill").asText());
      String which = what + ": " + shade;
      assertThat(seconds).as(which).isNotNull();
      assertThat(shade.path("high").asBoolean()).as(which).isTrue();
      double pixel = chart.path("secondsPerPixel").asDouble();
      assertThat(shade.path("from").asDouble()).as(which).isCloseTo(seconds.get(0), within(pixel));
      assertThat(shade.path("to").asDouble()).as(which).isCloseTo(seconds.get(1), within(pixel));
    }
  }

  private static String label(JsonNode trial) {
    int repeat = trial.path("repeat").asInt();
    return trial.path("name").asText() + (repeat > 1 ? " #" + repeat : "");
  }
}
