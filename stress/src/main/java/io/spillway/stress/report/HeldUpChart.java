package io.spillway.stress.report;

import java.util.List;
import java.util.Locale;
import java.util.stream.DoubleStream;

/**
 * The main result of a run as one picture, a self-contained SVG: how many application threads were
 * held up in log calls at once, second by second, with all trials on one scale. A strip above shows
 * each trial's rotation. The first repeat of each trial is drawn.
 */
final class HeldUpChart {
  private static final int WIDTH = 900;
  private static final int LEFT = 56;
  private static final int RIGHT = 16;
  private static final int PLOT_HEIGHT = 240;
  private static final int LINE = 20;
  private static final int STRIP = 7;
  private static final double LEAST_THREADS = 1; // upper end of the axis

  private static final String WHAT =
      "Threads held up in log calls of 10 ms or more, at most in each second; above, each trial's"
          + " rotation, from the trigger to the archive";

  /** Colours of the background, texts, the axes' texts and lines, and of trials in turn. */
  private static final String LIGHT =
      "#ffffff #1b1f24 #57606a #d5dae0 #0072b2 #d55e00 #00835f #b4528a #a87400";

  private static final String DARK =
      "#14171b #e4e8ec #a0aab4 #38404a #4fa8e0 #ff8a4c #2fcb9f #e59bc5 #f2b84b";

  private final StringBuilder svg = new StringBuilder();
  private final String back;
  private final String ink;
  private final String muted;
  private final String faint;
  private final List<String> ofTrials;
  private final List<TrialResult> trials;
  private final int top;
  private final int bottom;
  private final double seconds;
  private final double threads;

  private HeldUpChart(RunResult run, List<String> colours) {
    back = colours.get(0);
    ink = colours.get(1);
    muted = colours.get(2);
    faint = colours.get(3);
    ofTrials = colours.subList(4, colours.size());
    trials =
        run.byName().values().stream()
            .flatMap(repeats -> repeats.stream().filter(TrialResult::measured).limit(1))
            .toList();
    top = 2 * LINE + STRIP * trials.size();
    bottom = top + PLOT_HEIGHT;
    seconds = trials.stream().mapToDouble(t -> t.load().loadSeconds()).max().orElse(1);
    threads =
        trials.stream().mapToDouble(t -> t.load().heldAtOnce()).reduce(LEAST_THREADS, Math::max);
  }

  /** Returns the picture as SVG, for a light or a dark background. */
  static String svg(RunResult run, boolean dark) {
    return new HeldUpChart(run, List.of((dark ? DARK : LIGHT).split(" "))).draw(run.finding());
  }

  private String draw(String finding) {
    int height = bottom + LINE * (3 + trials.size());
    add(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" role=\"img\""
            + " font-family=\"system-ui, sans-serif\" font-size=\"13\">",
        WIDTH, height);
    add("<title>%s</title>", Html.escaped(finding));
    rectangle(0, 0, WIDTH, height, back);
    text(12, LINE, "start", ink, WHAT);
    axes();
    for (int i = 0; i < trials.size(); i++) {
      trial(i, trials.get(i), ofTrials.get(i % ofTrials.size()));
    }
    return svg.append("</svg>\n").toString();
  }

  /** Draws a trial's strip, its line in steps of a second, and its entry in the legend. */
  private void trial(int number, TrialResult trial, String colour) {
    LoadFigures load = trial.load();
    LoadFigures.Rotation rotation = load.rotation();
    if (rotation.seen()) {
      double from = x(rotation.startSeconds());
      double to = x(rotation.complete() ? rotation.endSeconds() : load.loadSeconds());
      double y = top - STRIP * (trials.size() - number) - 2.0;
      rectangle(from, y, Math.max(2, to - from), STRIP - 2.0, colour);
    }
    StringBuilder path = new StringBuilder("M" + LEFT + "," + bottom);
    double second = 0;
    for (int held : load.heldAtOnceBySecond()) {
      path.append(
          String.format(Locale.ROOT, "V%.1fH%.1f", y(held), x(Math.min(++second, seconds))));
    }
    add("<path d=\"%s\" fill=\"none\" stroke=\"%s\" stroke-width=\"2\"/>", path, colour);
    int y = bottom + 35 + LINE * (number + 1);
    rectangle(12, y - 10, 22, 10, colour);
    List<TrialResult> alone = List.of(trial);
    String summary =
        "%s: %s threads held up at once, %s thread-seconds; p99.9 rotating %s; %s lost"
            .formatted(
                trial.name(),
                Figure.HELD_AT_ONCE.text(alone),
                Figure.HELD.text(alone),
                Figure.P999_ROTATING.text(alone),
                Figure.LOST.text(alone));
    text(42, y, "start", ink, summary);
  }

  private void axes() {
    for (double at : ticks(threads)) {
      add("<path d=\"M%d,%.1fH%d\" stroke=\"%s\"/>", LEFT, y(at), WIDTH - RIGHT, faint);
      text(LEFT - 6, y(at) + 4, "end", muted, Format.number(at));
    }
    for (double at : ticks(seconds)) {
      text(x(at), bottom + 17, "middle", muted, Format.number(at));
    }
    text(WIDTH / 2.0, bottom + 35, "middle", muted, "seconds since the load began");
  }

  /** Returns about five round values from 0 up to the given maximum. */
  private static double[] ticks(double most) {
    double decade = Math.pow(10, Math.floor(Math.log10(Math.max(most, 5) / 5)));
    double step =
        DoubleStream.of(2, 5, 10)
            .map(factor -> factor * decade)
            .filter(round -> round >= most / 5 * 0.999)
            .findFirst()
            .orElse(decade);
    return DoubleStream.iterate(0, at -> at <= most * 1.0001, at -> at + step).toArray();
  }

  private double x(double second) {
    return LEFT + (WIDTH - LEFT - RIGHT) * second / seconds;
  }

  private double y(double value) {
    return bottom - PLOT_HEIGHT * Math.min(value, threads) / threads;
  }

  private void rectangle(double x, double y, double width, double height, String fill) {
    add(
        "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" fill=\"%s\"/>",
        x, y, width, height, fill);
  }

  private void text(double x, double y, String anchor, String fill, String text) {
    add(
        "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\" fill=\"%s\">%s</text>",
        x, y, anchor, fill, Html.escaped(text));
  }

  private void add(String format, Object... values) {
    svg.append(String.format(Locale.ROOT, format, values)).append('\n');
  }
}
