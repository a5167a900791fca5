package io.spillway.stress.report;

import java.util.Locale;

/**
 * One figure of one trial in two runs.
 *
 * @param figure which
 * @param before over the repeats of the old run
 * @param after over the repeats of the new run
 */
record Change(Figure figure, Spread before, Spread after) {

  private static final double IRRELEVANT = 0.01;

  /** What a change amounts to. */
  enum Kind {
    NONE("same"),
    UNKNOWN("noise unknown"),
    NOISE("within the noise"),
    BETTER("BETTER"),
    WORSE("WORSE");

    private final String text;

    Kind(String text) {
      this.text = text;
    }

    @Override
    public String toString() {
      return text;
    }
  }

  /**
   * A change counts if the medians lie further apart than both spreads together: then each repeat
   * of one run lies on the same side of all repeats of the other. What is always the same, as the
   * bytes of a call, must change by a percent.
   */
  Kind kind() {
    double difference = after.median() - before.median();
    if (difference == 0 && before.width() == 0 && after.width() == 0) {
      return Kind.NONE;
    }
    if (before.repeats() < 2 || after.repeats() < 2) {
      return Kind.UNKNOWN;
    }
    if (Math.abs(difference) <= noise()) {
      return Kind.NOISE;
    }
    return difference < 0 ? Kind.BETTER : Kind.WORSE;
  }

  /** Both spreads together, at least a percent. */
  double noise() {
    return Math.max(before.width() + after.width(), IRRELEVANT * Math.abs(before.median()));
  }

  /** New to old, as text; from zero there is none. */
  String ratio() {
    if (before.median() == 0) {
      return after.median() == 0 ? "1.00" : "-";
    }
    return String.format(Locale.ROOT, "%.2f", after.median() / before.median());
  }
}
