package io.spillway.stress.cli;

import io.spillway.stress.plan.PlannedTrial;
import io.spillway.stress.report.RefusedException;
import io.spillway.stress.report.RunResult;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * A scenario and where it is from.
 *
 * @param name of a built-in one, or the path of a file as it was given
 * @param directory that its paths are relative to
 * @param scenario what it says, checked
 */
record ScenarioFile(String name, Path directory, Scenario scenario) {

  /** Names of the built-in ones. */
  static final List<String> BUILT_IN = List.of("push-marketing");

  private static final String FOLDER = "/io/spillway/stress/scenarios/";

  /**
   * Finds and reads one.
   *
   * @param nameOrFile a built-in one's name comes before a file's
   * @throws RefusedException if there is none such, or if it is not right; says where and what to
   *     do
   */
  static ScenarioFile find(String nameOrFile) throws IOException {
    if (BUILT_IN.contains(nameOrFile)) {
      try (InputStream in = ScenarioFile.class.getResourceAsStream(FOLDER + nameOrFile + ".json")) {
        return of(nameOrFile, Path.of(""), in.readAllBytes());
      }
    }
    Path file = Path.of(nameOrFile);
    if (!Files.isRegularFile(file) || !Files.isReadable(file)) {
      throw new RefusedException(
          "--scenario '"
              + nameOrFile
              + "' is not a readable file; allowed: "
              + String.join(", ", BUILT_IN)
              + ", or a file as stress/SCENARIOS.md describes it");
    }
    return of(nameOrFile, file.toAbsolutePath().getParent(), Files.readAllBytes(file));
  }

  private static ScenarioFile of(String name, Path directory, byte[] content) throws IOException {
    Scenario scenario = new ScenarioReader(name).read(content);
    ScenarioFile file = new ScenarioFile(name, directory, scenario);
    new ScenarioCheck(file).run();
    return file;
  }

  /** A field, as messages name it. */
  String field(String path) {
    return "scenario " + name + ", field '" + path + "'";
  }

  /** The trials that it names; none if it leaves them to the default. */
  List<Scenario.Choice> trials() {
    return scenario.trials() == null ? List.of() : scenario.trials();
  }

  /** The sizes at which it wants an appender tried, or null if it does not say. */
  List<Long> sizesOf(String appender) {
    return trials().stream()
        .filter(trial -> appender.equals(trial.appender()) && trial.sizes() != null)
        .map(Scenario.Choice::sizes)
        .findFirst()
        .orElse(null);
  }

  /** For the report of a run of these trials, which need not be those of the scenario. */
  RunResult.Scenario figures(List<PlannedTrial> trials) {
    Scenario.Published published = scenario.published();
    List<RunResult.Published> figures = new ArrayList<>();
    if (published != null) {
      for (Scenario.Row row : published.figures()) {
        String trial = name(row.of(), trials);
        String lessThan = row.lessThan() == null ? null : name(row.lessThan(), trials);
        boolean known = row.lessThan() == null || lessThan != null;
        figures.add(
            new RunResult.Published(
                row.what(), row.published(), row.figure(), known ? trial : null, lessThan, null));
      }
    }
    String source = published == null ? null : published.source();
    return new RunResult.Scenario(name, scenario.description(), source, figures);
  }

  /** What a trial is called in a run, or null if that has none such. */
  private static String name(Scenario.Place place, List<PlannedTrial> trials) {
    return trials.stream()
        .filter(planned -> planned.trial().name().equals(place.trial()))
        .filter(planned -> place.size() == null || planned.sizeBytes() == place.size())
        .map(PlannedTrial::name)
        .findFirst()
        .orElse(null);
  }
}
