package io.spillway.stress.report;

import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The main result of a run as one picture, a self-contained SVG: how many application threads were
 * inside a log call, second by second, with all trials on one scale and the rotation shaded. The
 * first repeat of each trial is drawn, in the colour that the HTML page gives to the trial's name.
 */
final class HeldUpChart {
  private static final int WIDTH = 900;
  private static final int LEFT = 56;
  private static final int RIGHT = 16;
  private static final int PLOT_HEIGHT = 240;
  private static final int LINE = 20;
  private static final int STRIP = 7;
  private static final double SECONDS_PER_MINUTE = 60;
  private static final int COLOURS = 9;
  private static final double LOG_CALLS_ALONE = 1; // threads: the least upper end of the axis

  private static final String WHAT =
      "Threads inside a log call, on average of each second; above, each trial's rotation, from the"
          + " trigger to the archive";

  private static final Pattern COLOUR = Pattern.compile("--([a-z0-9-]+): (#[0-9a-f]{6})");
  private static final String DARK = "prefers-color-scheme: dark";

  private final RunResult run;
  private final Map<String, String> colours;
  private final Map<String, TrialResult> trials = new LinkedHashMap<>();
  private final List<String> names;
  private final StringBuilder svg = new StringBuilder();
  private final int top;
  private final int bottom;
  private final int height;
  private final double seconds;
  private final double threads;

  private HeldUpChart(RunResult run, boolean dark) throws IOException {
    this.run = run;
    colours = colours(dark);
    names = run.trials().stream().map(TrialResult::name).distinct().toList();
    for (TrialResult trial : run.trials()) {
      if (trial.measured()) {
        trials.putIfAbsent(trial.name(), trial);
      }
    }
    top = 2 * LINE + STRIP * trials.size();
    bottom = top + PLOT_HEIGHT;
    height = bottom + LINE * (3 + trials.size());
    seconds = trials.values().stream().mapToDouble(t -> t.load().loadSeconds()).max().orElse(1);
    threads =
        trials.values().stream()
            .flatMap(t -> t.load().inCalls().threadSecondsBySecond().stream())
            .mapToDouble(Double::doubleValue)
            .reduce(LOG_CALLS_ALONE, Math::max);
  }

  /** Returns the picture as SVG, for a light or a dark background. */
  static String svg(RunResult run, boolean dark) throws IOException {
    return new HeldUpChart(run, dark).draw();
  }

  /**
   * Reads the colours of the page's style sheet: the light ones come first, and the dark section
   * repeats some of them with other values, which replace the light ones.
   */
  private static Map<String, String> colours(boolean dark) throws IOException {
    String style = HtmlPage.template();
    int end = dark ? style.length() : style.indexOf(DARK);
    Map<String, String> colours = new TreeMap<>();
    Matcher colour = COLOUR.matcher(style.substring(0, end));
    while (colour.find()) {
      colours.put(colour.group(1), colour.group(2));
    }
    return colours;
  }

  private String draw() {
    svg.append(
        String.format(
            Locale.ROOT,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" width=\"%d\""
                + " height=\"%d\" role=\"img\" font-family=\"system-ui, sans-serif\""
                + " font-size=\"13\">%n",
            WIDTH,
            height,
            WIDTH,
            height));
    svg.append("<title>").append(escaped(run.finding())).append("</title>\n");
    rectangle(0, 0, WIDTH, height, colour("back"), 1);
    text(12, LINE, "start", colour("text"), WHAT);
    shade();
    axes();
    trials.forEach(this::strip);
    trials.forEach(this::line);
    legend();
    return svg.append("</svg>\n").toString();
  }

  /** Shades the time from the first start of a rotation to the last end, over all trials. */
  private void shade() {
    double from = Double.MAX_VALUE;
    double to = 0;
    for (TrialResult trial : trials.values()) {
      LoadFigures.Rotation rotation = trial.load().rotation();
      if (rotation.seen()) {
        from = Math.min(from, rotation.startSeconds());
        to = Math.max(to, end(trial));
      }
    }
    if (to > 0) {
      rectangle(x(from), top, x(to) - x(from), PLOT_HEIGHT, colour("rotation-edge"), 0.13);
    }
  }

  private static double end(TrialResult trial) {
    LoadFigures.Rotation rotation = trial.load().rotation();
    return rotation.complete() ? rotation.endSeconds() : trial.load().loadSeconds();
  }

  private void strip(String name, TrialResult trial) {
    LoadFigures.Rotation rotation = trial.load().rotation();
    if (rotation.seen()) {
      double y = top - STRIP * (trials.size() - position(name)) - 2.0;
      double from = x(rotation.startSeconds());
      rectangle(from, y, Math.max(2, x(end(trial)) - from), STRIP - 2.0, of(name), 1);
    }
  }

  private int position(String name) {
    return new ArrayList<>(trials.keySet()).indexOf(name);
  }

  private void axes() {
    for (double at : ticks(threads)) {
      rule(LEFT, y(at), WIDTH - RIGHT, y(at));
      text(LEFT - 6, y(at) + 4, "end", colour("muted"), number(at));
    }
    for (double at : ticks(seconds)) {
      rule(x(at), bottom, x(at), bottom + 4);
      text(x(at), bottom + 17, "middle", colour("muted"), number(at));
    }
    String title = "seconds since the load began";
    text((LEFT + WIDTH - RIGHT) / 2.0, bottom + 35, "middle", colour("muted"), title);
  }

  /** Returns about five round values from 0 up to the given maximum. */
  private static List<Double> ticks(double most) {
    double rough = most / 5;
    double decade = Math.pow(10, Math.floor(Math.log10(rough)));
    double step = decade;
    for (double factor : new double[] {1, 2, 5, 10}) {
      if (factor * decade >= rough * 0.999) {
        step = factor * decade;
        break;
      }
    }
    List<Double> ticks = new ArrayList<>();
    for (double at = 0; at <= most * 1.0001; at += step) {
      ticks.add(at);
    }
    return ticks;
  }

  /** Draws the line of a trial as steps: one horizontal piece for each second. */
  private void line(String name, TrialResult trial) {
    List<Double> values = trial.load().inCalls().threadSecondsBySecond();
    StringBuilder path = new StringBuilder();
    for (int second = 0; second < values.size(); second++) {
      String level = coordinate(y(values.get(second)));
      path.append(second == 0 ? "M" + LEFT + "," + level : "V" + level);
      path.append("H").append(coordinate(x(Math.min(second + 1, seconds))));
    }
    svg.append(
        String.format(
            Locale.ROOT,
            "<path d=\"%s\" fill=\"none\" stroke=\"%s\" stroke-width=\"2\"><title>%s</title></path>%n",
            path,
            of(name),
            escaped(name)));
  }

  private void legend() {
    int y = bottom + 35 + LINE;
    for (Map.Entry<String, TrialResult> entry : trials.entrySet()) {
      rectangle(12, y - 10, 22, 10, of(entry.getKey()), 1);
      String text = entry.getKey() + ": " + summary(entry.getValue());
      text(42, y, "start", colour("text"), text);
      y += LINE;
    }
  }

  private static String summary(TrialResult trial) {
    Double response = trial.load().latency().response().p999Micros();
    long lost = trial.readBack().conservation().lost();
    String felt = trial.shownFelt();
    double held =
        trial.heldUpThreadSecondsPerMinute() * trial.load().measuredSeconds() / SECONDS_PER_MINUTE;
    return String.format(
        Locale.ROOT,
        "%s; %s held up; p99.9 of response times %s; %s lost",
        felt.equals("none") ? "no stall" : felt,
        held == 0 ? "nobody" : Figure.threadSeconds(held),
        response == null ? "of too few calls" : Figure.micros(response),
        lost == 0 ? "nothing" : Figure.number(lost));
  }

  private String of(String name) {
    return colour("c" + names.indexOf(name) % COLOURS);
  }

  private String colour(String name) {
    return colours.get(name);
  }

  private double x(double second) {
    return LEFT + (WIDTH - LEFT - RIGHT) * second / seconds;
  }

  private double y(double value) {
    return bottom - PLOT_HEIGHT * value / threads;
  }

  private void rectangle(double x, double y, double w, double h, String fill, double opacity) {
    svg.append(
        String.format(
            Locale.ROOT,
            "<rect x=\"%s\" y=\"%s\" width=\"%s\" height=\"%s\" fill=\"%s\" fill-opacity=\"%s\"/>%n",
            coordinate(x),
            coordinate(y),
            coordinate(w),
            coordinate(h),
            fill,
            number(opacity)));
  }

  private void rule(double x, double y, double toX, double toY) {
    svg.append(
        String.format(
            Locale.ROOT,
            "<path d=\"M%s,%sL%s,%s\" stroke=\"%s\"/>%n",
            coordinate(x),
            coordinate(y),
            coordinate(toX),
            coordinate(toY),
            colour("line")));
  }

  private void text(double x, double y, String anchor, String fill, String text) {
    svg.append(
        String.format(
            Locale.ROOT,
            "<text x=\"%s\" y=\"%s\" text-anchor=\"%s\" fill=\"%s\">%s</text>%n",
            coordinate(x),
            coordinate(y),
            anchor,
            fill,
            escaped(text)));
  }

  private static String coordinate(double value) {
    return String.format(Locale.ROOT, "%.1f", value);
  }

  private static String number(double value) {
    return value == Math.rint(value)
        ? String.format(Locale.ROOT, "%.0f", value)
        : String.format(Locale.ROOT, "%.2f", value);
  }

  /** Escapes text for XML; control characters, which XML cannot contain, become spaces. */
  private static String escaped(String text) {
    return text.replaceAll("\\p{Cntrl}", " ")
        .replace("&", "&amp;")
        .replace("<", "&lt;")
        .replace("\"", "&quot;");
  }
}
