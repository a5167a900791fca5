package io.spillway.stress.bench;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Collects figures by name, each measured several times, and formats their medians and ratios. */
final class Measurement {
  private final Map<String, List<Double>> samples = new LinkedHashMap<>();

  void add(String name, double value) {
    samples.computeIfAbsent(name, n -> new ArrayList<>()).add(value);
  }

  double median(String name) {
    return median(samples.get(name));
  }

  private static double median(List<Double> values) {
    List<Double> sorted = values.stream().sorted().toList();
    int middle = sorted.size() / 2;
    return sorted.size() % 2 == 1
        ? sorted.get(middle)
        : (sorted.get(middle - 1) + sorted.get(middle)) / 2;
  }

  /**
   * Returns the ratios of one figure to the best of others, computed turn by turn, because a
   * disturbance of the machine slows down all figures of a turn. The text has the median of the
   * ratios, then each ratio.
   */
  String ratio(String what, String name, List<String> others) {
    List<Double> ratios = new ArrayList<>();
    for (int turn = 0; turn < samples.get(name).size(); turn++) {
      double best = 0;
      for (String other : others) {
        best = Math.max(best, samples.get(other).get(turn));
      }
      ratios.add(samples.get(name).get(turn) / best);
    }
    StringBuilder text = new StringBuilder(String.format("  %s: %.2f  [", what, median(ratios)));
    ratios.forEach(ratio -> text.append(String.format(" %.2f", ratio)));
    return text.append(" ]\n").toString();
  }

  /**
   * Returns the median of the ratios of one figure to another, computed pair by pair, and its 95 %
   * confidence interval by order statistics (ranks n/2 -+ 0.98 root n).
   */
  String pairedRatio(String what, String name, String other) {
    List<Double> ratios = new ArrayList<>();
    for (int pair = 0; pair < samples.get(name).size(); pair++) {
      ratios.add(samples.get(name).get(pair) / samples.get(other).get(pair));
    }
    ratios.sort(null);
    int count = ratios.size();
    int low = Math.max(1, (int) Math.floor(count / 2.0 - 0.98 * Math.sqrt(count)));
    return String.format(
        "  %s: %.2f  (95 %%: %.2f to %.2f)%n",
        what, median(ratios), ratios.get(low - 1), ratios.get(count - low));
  }

  /** Returns one line for each name with its median. */
  String medians(String unit, double scale) {
    StringBuilder text = new StringBuilder();
    for (String name : samples.keySet()) {
      text.append(String.format("  %-28s %10.3f %s%n", name, median(name) / scale, unit));
    }
    return text.toString();
  }

  /** Returns one line for each name with its median and every sample. */
  String table(String unit, double scale) {
    StringBuilder text = new StringBuilder();
    for (Map.Entry<String, List<Double>> entry : samples.entrySet()) {
      text.append(
          String.format(
              "  %-28s %10.3f %s  [", entry.getKey(), median(entry.getKey()) / scale, unit));
      entry.getValue().forEach(v -> text.append(String.format(" %.3f", v / scale)));
      text.append(" ]\n");
    }
    return text.toString();
  }
}
