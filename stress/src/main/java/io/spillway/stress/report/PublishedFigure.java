package io.spillway.stress.report;

import java.util.List;
import java.util.Locale;
import java.util.OptionalDouble;

/**
 * A published figure and its measured counterpart.
 *
 * @param what it is of
 * @param published as it was published, with its unit
 * @param figure name of the {@link Figure} that is set beside it
 * @param trial that it is measured in; null if the run has none such
 * @param lessThan trial that it is measured against, as a difference in percent; null if it is the
 *     figure itself
 * @param measured text with its unit, of the median if trials were repeated; null if not measured
 */
public record PublishedFigure(
    String what, String published, String figure, String trial, String lessThan, String measured) {

  static final List<String> HEADER = List.of("what", "published", "measured", "measured as");

  /** The same with what was measured. */
  PublishedFigure measured(List<TrialResult> trials) {
    return new PublishedFigure(what, published, figure, trial, lessThan, text(trials));
  }

  /** Cells under {@link #HEADER}. */
  List<String> row() {
    return List.of(what, published, measured == null ? "-" : measured, measuredAs());
  }

  private String measuredAs() {
    if (trial == null) {
      return "not in this run";
    }
    return figure + ", " + trial + (lessThan == null ? "" : " against " + lessThan);
  }

  private String text(List<TrialResult> trials) {
    Figure kind = Figure.named(figure).orElseThrow();
    OptionalDouble value = median(kind, trial, trials);
    if (value.isEmpty()) {
      return null;
    }
    if (lessThan == null) {
      return kind.format(value.getAsDouble());
    }
    OptionalDouble base = median(kind, lessThan, trials);
    return base.isEmpty() || base.getAsDouble() == 0
        ? null
        : difference(value.getAsDouble() / base.getAsDouble());
  }

  /** Rounded down: almost all is not all. */
  private static String difference(double ratio) {
    double percent = Math.floor(Math.abs(1 - ratio) * 1000) / 10;
    return String.format(Locale.ROOT, "%.1f %% %s", percent, ratio > 1 ? "more" : "less");
  }

  /** Without a finished rotation there is nothing to compare. */
  private static OptionalDouble median(Figure kind, String trial, List<TrialResult> trials) {
    Double median =
        kind.median(
            trials.stream()
                .filter(result -> result.name().equals(trial) && result.measured())
                .filter(result -> result.load().rotation().complete())
                .toList());
    return median == null ? OptionalDouble.empty() : OptionalDouble.of(median);
  }
}
