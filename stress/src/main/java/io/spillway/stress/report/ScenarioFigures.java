package io.spillway.stress.report;

import java.util.List;

/**
 * A scenario, and what was published of its like beside what was measured.
 *
 * @param name of the scenario, or of its file
 * @param description what it shows
 * @param source where the published figures are from, or null
 * @param published each with its measured counterpart; may be empty
 */
public record ScenarioFigures(
    String name, String description, String source, List<PublishedFigure> published) {

  /** The same with the measured figures of a run. */
  public ScenarioFigures measured(List<TrialResult> trials) {
    return new ScenarioFigures(
        name,
        description,
        source,
        published.stream().map(figure -> figure.measured(trials)).toList());
  }
}
