package io.spillway.stress.bench;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Figures by name, each measured several times; medians are what counts. */
final class Measurement {
  private final Map<String, List<Double>> samples = new LinkedHashMap<>();

  void add(String name, double value) {
    samples.computeIfAbsent(name, n -> new ArrayList<>()).add(value);
  }

  double median(String name) {
    List<Double> sorted = samples.get(name).stream().sorted().toList();
    int middle = sorted.size() / 2;
    return sorted.size() % 2 == 1
        ? sorted.get(middle)
        : (sorted.get(middle - 1) + sorted.get(middle)) / 2;
  }

  /** A line a name: median, then every sample. */
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
