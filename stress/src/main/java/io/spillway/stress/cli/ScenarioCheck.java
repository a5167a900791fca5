package io.spillway.stress.cli;

import io.spillway.stress.plan.Trial;
import io.spillway.stress.plan.Trials;
import io.spillway.stress.report.Figure;
import io.spillway.stress.report.RefusedException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Whether what a scenario says makes sense; ranges of values are checked with the options. */
final class ScenarioCheck {

  private final ScenarioFile file;

  /** Every trial's name with the sizes that it is asked for; none if that is left open. */
  private final Map<String, List<Long>> trials = new LinkedHashMap<>();

  private final TrialNames names = TrialNames.besideBuiltIn();

  ScenarioCheck(ScenarioFile file) {
    this.file = file;
  }

  /** Refuses what does not, with the field, its value and what is allowed. */
  void run() {
    Scenario scenario = file.scenario();
    text("description", scenario.description(), "one line that says what the scenario shows");
    atLeastOne("sizes", scenario.sizes());
    atLeastOne("trials", scenario.trials());
    for (int i = 0; i < file.trials().size(); i++) {
      trial("trials[" + i + "]", file.trials().get(i));
    }
    if (file.trials().isEmpty()) {
      Trials.DEFAULT.forEach(name -> trials.put(name, sizes(null)));
    }
    if (scenario.published() != null) {
      published(scenario.published());
    }
  }

  private void trial(String path, Scenario.Choice trial) {
    atLeastOne(path + ".sizes", trial.sizes());
    require(
        (trial.appender() == null) != (trial.configuration() == null),
        path,
        "needs either an 'appender', one of those that 'list' shows, or a 'configuration', a file");
    if (trial.configuration() != null) {
      require(
          Files.isReadable(file.directory().resolve(trial.configuration())),
          path + ".configuration",
          quoted(trial.configuration())
              + "; allowed: a readable logback.xml, relative to "
              + file.directory().toAbsolutePath());
      trials.put(names.of(Path.of(trial.configuration())), sizes(trial));
      return;
    }
    List<String> known = Trials.builtIn().stream().map(Trial::name).toList();
    require(
        known.contains(trial.appender()),
        path + ".appender",
        quoted(trial.appender()) + "; allowed: " + String.join(", ", known));
    require(
        trials.put(trial.appender(), sizes(trial)) == null,
        path + ".appender",
        quoted(trial.appender()) + " is there twice; several sizes go into one 'sizes'");
  }

  private void published(Scenario.Published published) {
    text("published.source", published.source(), "who published the figures, and of what");
    require(
        published.figures() != null && !published.figures().isEmpty(),
        "published.figures",
        "is missing or empty; allowed: at least one figure");
    for (int i = 0; i < published.figures().size(); i++) {
      Scenario.Row row = published.figures().get(i);
      String path = "published.figures[" + i + "]";
      text(path + ".what", row.what(), "what the figure is of");
      text(path + ".published", row.published(), "the figure as it was published, with its unit");
      require(
          row.figure() != null && Figure.named(row.figure()).isPresent(),
          path + ".figure",
          quoted(row.figure()) + "; allowed: " + Arrays.toString(Figure.values()));
      require(
          row.of() != null, path + ".of", "is missing; allowed: {\"trial\": ..., \"size\": ...}");
      place(path + ".of", row.of());
      if (row.lessThan() != null) {
        place(path + ".lessThan", row.lessThan());
      }
    }
  }

  private void place(String path, Scenario.Place place) {
    require(
        place.trial() != null && trials.containsKey(place.trial()),
        path + ".trial",
        quoted(place.trial()) + "; allowed: a trial of this scenario, of " + trials.keySet());
    List<Long> sizes = trials.get(place.trial());
    require(
        place.size() == null ? sizes.size() < 2 : sizes.isEmpty() || sizes.contains(place.size()),
        path + ".size",
        quoted(place.size()) + "; allowed: one of its sizes, in bytes " + sizes);
  }

  private List<Long> sizes(Scenario.Choice trial) {
    boolean own = trial != null && trial.sizes() != null;
    List<Long> sizes = own ? trial.sizes() : file.scenario().sizes();
    return sizes == null ? List.of() : sizes;
  }

  private void text(String path, String value, String allowed) {
    require(value != null && !value.isBlank(), path, "is missing; allowed: " + allowed);
  }

  private void atLeastOne(String path, List<?> list) {
    require(list == null || !list.isEmpty(), path, "is empty; leave it out, or name at least one");
  }

  private static String quoted(Object value) {
    return value == null ? "it is missing" : "'" + value + "'";
  }

  private void require(boolean holds, String path, String message) {
    if (!holds) {
      throw new RefusedException(file.field(path) + ": " + message);
    }
  }
}
