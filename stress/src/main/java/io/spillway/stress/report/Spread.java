package io.spillway.stress.report;

import java.util.List;

/**
 * One figure over the repeats of a trial.
 *
 * @param repeats how many
 * @param smallest of them
 * @param median of them; the mean of the two in the middle if their number is even
 * @param largest of them
 */
record Spread(int repeats, double smallest, double median, double largest) {

  /** Of at least one value. */
  static Spread of(List<Double> values) {
    List<Double> sorted = values.stream().sorted().toList();
    int half = sorted.size() / 2;
    double median =
        sorted.size() % 2 == 1 ? sorted.get(half) : (sorted.get(half - 1) + sorted.get(half)) / 2;
    return new Spread(sorted.size(), sorted.get(0), median, sorted.get(sorted.size() - 1));
  }

  /** From the smallest to the largest. */
  double width() {
    return largest - smallest;
  }
}
