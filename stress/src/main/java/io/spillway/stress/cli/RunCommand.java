package io.spillway.stress.cli;

import io.spillway.stress.plan.PlannedTrial;
import io.spillway.stress.plan.Trial;
import io.spillway.stress.plan.Trials;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** The {@code run} command: runs the trials of the options, else a scenario's, else the default. */
@Command(
    name = "run",
    mixinStandardHelpOptions = true,
    description =
        "Sends load across a rotation, one forked JVM a trial, and shows who waited, for how long,"
            + " and what was lost.")
final class RunCommand extends AbstractRun {

  private static final String ALL = "all";
  private static final String DEFAULT = "default";

  @Spec private CommandSpec spec;

  @Mixin private ConfigurationOptions configurations;

  @Option(
      names = "--appender",
      paramLabel = "NAME",
      split = ",",
      description =
          "Which of those that 'list' shows, or all; may be repeated. Default: async,"
              + " async-never-block, async-131072-size-and-time, spillway, spillway-file; with"
              + " --config none.")
  private List<String> names;

  @Option(
      names = "--scenario",
      paramLabel = "NAME|FILE",
      description =
          "A built-in scenario, as 'list' shows them, or a file of yours (stress/SCENARIOS.md):"
              + " load, trials and published figures to compare with. Options besides it override"
              + " what it says; --appender chooses among the trials of a service.")
  private String scenarioName;

  private final Map<String, Trial> known = new LinkedHashMap<>();

  @Override
  public Integer call() throws IOException, InterruptedException {
    Trials.builtIn().forEach(trial -> known.put(trial.name(), trial));
    Scenario scenario = scenarioName == null ? null : ScenarioReader.find(scenarioName);
    if (scenario == null) {
      configurations.requireConfiguration();
    } else {
      load().take(scenario);
    }
    List<PlannedTrial> trials = PlannedTrial.bySize(trials(scenario));
    return finish(trials, Optional.ofNullable(scenario).map(s -> s.figures(trials)))
        .result()
        .exitCode();
  }

  private List<PlannedTrial> trials(Scenario scenario) throws IOException, InterruptedException {
    if (scenario != null && scenario.isOfService()) {
      return new ServiceTrials(scenario, load(), known).chosen(names);
    }
    List<PlannedTrial> trials = new ArrayList<>();
    if (names != null || configurations.given()) {
      for (var file : configurations.files()) {
        trials.addAll(configurations.trials(file, load().sizesAsked(null), load()));
      }
      for (String name : chosen()) {
        trials.addAll(builtIn(name, scenario == null ? null : scenario.sizesOf(name)));
      }
    } else if (scenario != null && !scenario.trials().isEmpty()) {
      for (Scenario.Choice choice : scenario.trials()) {
        trials.addAll(
            choice.appender() == null
                ? configurations.trials(
                    scenario.directory().resolve(choice.configuration()),
                    load().sizesAsked(choice.sizes()),
                    load())
                : builtIn(choice.appender(), choice.sizes()));
      }
    } else {
      Trials.DEFAULT.forEach(name -> trials.addAll(builtIn(name, null)));
    }
    return trials;
  }

  private List<PlannedTrial> builtIn(String name, List<Long> sizes) {
    Trial trial = load().callers() ? known.get(name).withCallers() : known.get(name);
    return load().sizes(sizes).stream().map(trial::at).toList();
  }

  /** Returns the trials that {@code --appender} names, in the order of {@code list}. */
  private List<String> chosen() {
    List<String> asked = names == null ? List.of() : names;
    for (String name : asked) {
      if (!name.equals(ALL) && !name.equals(DEFAULT) && !known.containsKey(name)) {
        throw new ParameterException(
            spec.commandLine(),
            "Invalid value for option '--appender': '"
                + name
                + "'; allowed: "
                + String.join(", ", known.keySet())
                + ", default, all");
      }
    }
    return known.keySet().stream()
        .filter(
            name ->
                asked.contains(ALL)
                    || asked.contains(name)
                    || (asked.contains(DEFAULT) && Trials.DEFAULT.contains(name)))
        .toList();
  }
}
