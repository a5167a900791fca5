package io.spillway.stress.cli;

import io.spillway.stress.load.LoadSpec;
import io.spillway.stress.plan.RunOptions;
import io.spillway.stress.plan.Trial;
import io.spillway.stress.plan.Trials;
import io.spillway.stress.plan.UserConfiguration;
import io.spillway.stress.verify.LogLine;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;

/** The {@code run} command: runs the trials of the options, else a scenario's, else the default. */
@Command(
    name = "run",
    mixinStandardHelpOptions = true,
    description =
        "Sends load across a rotation, one forked JVM a trial, and shows who waited, for how long,"
            + " and what was lost.")
final class RunCommand extends TrialCommand {

  private static final Set<String> OF_CONFIGURATION =
      Set.of(
          "--classpath --property --profile --mdc --allow-network --logger --file-appender"
              .split(" "));

  /** What only threads that do nothing but log can do, beside the options of a configuration. */
  private static final Set<String> OF_LOGGING_THREADS =
      Set.of("--config --rotations --with --virtual-threads --message-size".split(" "));

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

  @Option(
      names = "--config",
      paramLabel = "FILE",
      description =
          "A logback.xml of yours, run as it is and held to the limits; may be repeated. It runs in"
              + " the current directory, but its log files are led below the directory of the run,"
              + " and what would reach other processes is kept from it.")
  private List<Path> configurations = List.of();

  @Option(
      names = "--classpath",
      paramLabel = "JARS",
      description = "What --config needs besides Logback and Spillway: as for java, and first.")
  private String classPath = "";

  @Option(
      names = "--property",
      paramLabel = "NAME=VALUE",
      description =
          "A variable that --config refers to, or a property that <springProperty> names.")
  private Map<String, String> properties = new LinkedHashMap<>();

  @Option(
      names = "--profile",
      paramLabel = "NAME",
      split = ",",
      description = "An active profile, for <springProfile> in --config (default: default).")
  private List<String> profiles = List.of();

  @Option(
      names = "--mdc",
      paramLabel = "KEY=VALUE",
      description = "What every application thread has in its MDC with --config.")
  private Map<String, String> mdc = new LinkedHashMap<>();

  @Option(
      names = "--allow-network",
      description = "Lets appenders and archive listeners of --config reach other processes.")
  private boolean network;

  @Option(
      names = "--logger",
      paramLabel = "NAME",
      defaultValue = LogLine.LOGGER,
      description = "The logger that the load uses with --config (default ${DEFAULT-VALUE}).")
  private String logger;

  @Option(
      names = "--file-appender",
      paramLabel = "NAME",
      description =
          "The appender of --config that is watched (default: the first that rolls over).")
  private String appender;

  private final Map<String, Trial> known = new LinkedHashMap<>();
  private final TrialNames trialNames = new TrialNames();

  @Override
  public Integer call() throws IOException, InterruptedException {
    Trials.builtIn().forEach(trial -> known.put(trial.name(), trial));
    Scenario scenario = scenarioName == null ? null : ScenarioReader.find(scenarioName);
    refuseIgnored(scenario);
    if (scenario != null) {
      take(scenario);
    }
    List<Trial> trials = Trial.bySize(trials(scenario));
    return finish(trials, scenario == null ? null : scenario.figures(trials)).result().exitCode();
  }

  /** Refuses options that would have no effect on the trials. */
  private void refuseIgnored(Scenario scenario) {
    boolean service = scenario != null && scenario.isOfService();
    for (OptionSpec option : spec.commandLine().getParseResult().matchedOptions()) {
      String name = option.longestName();
      boolean ofConfiguration = OF_CONFIGURATION.contains(name);
      String why = null;
      if (service && (ofConfiguration || OF_LOGGING_THREADS.contains(name))) {
        why = "is not for a service, which %s has: leave it out".formatted(scenarioName);
      } else if (scenario == null && ofConfiguration && configurations.isEmpty()) {
        why = "is for a --config, but there is none";
      }
      if (why != null) {
        throw new ParameterException(spec.commandLine(), "Option '" + name + "' " + why);
      }
    }
  }

  private List<Trial> trials(Scenario scenario) throws IOException, InterruptedException {
    if (scenario != null && scenario.isOfService()) {
      return scenario.ofService(this, known, names);
    }
    List<Trial> trials = new ArrayList<>();
    if (names != null || !configurations.isEmpty()) {
      for (Path file : configurations) {
        require("--config", file, Files.isReadable(file) && Files.isRegularFile(file));
      }
      for (Path file : configurations) {
        trials.addAll(ofConfiguration(file, null));
      }
      for (String name : chosen()) {
        trials.addAll(builtIn(name, scenario == null ? null : scenario.sizesOf(name)));
      }
    } else if (scenario != null && !scenario.trials().isEmpty()) {
      for (Scenario.Choice choice : scenario.trials()) {
        trials.addAll(
            choice.appender() == null
                ? ofConfiguration(scenario.file(choice), choice.sizes())
                : builtIn(choice.appender(), choice.sizes()));
      }
    } else {
      Trials.DEFAULT.forEach(name -> trials.addAll(builtIn(name, null)));
    }
    return trials;
  }

  private List<Trial> builtIn(String name, List<Long> sizes) {
    boolean callers = checked().extras().contains(LoadSpec.Extra.CALLER);
    Trial trial = callers ? known.get(name).withCallers() : known.get(name);
    return sizes(sizes).stream().map(trial::at).toList();
  }

  /** Returns the trials that {@code --appender} names, in the order of {@code list}. */
  private List<String> chosen() {
    Set<String> chosen = new HashSet<>();
    for (String name : names == null ? List.<String>of() : names) {
      chosen.addAll(
          switch (name) {
            case "all" -> known.keySet();
            case "default" -> Trials.DEFAULT;
            default -> List.of(name);
          });
      if (!known.keySet().containsAll(chosen)) {
        throw wrong("--appender", name, String.join(", ", known.keySet()) + ", default, all");
      }
    }
    return known.keySet().stream().filter(chosen::contains).toList();
  }

  /** Returns the trials of a configuration at each size that is asked for, else at its own. */
  private List<Trial> ofConfiguration(Path file, List<Long> sizes)
      throws IOException, InterruptedException {
    String name = trialNames.of(file);
    List<Long> asked = sizesAsked(sizes);
    List<Trial> trials = new ArrayList<>();
    for (long size : asked.isEmpty() ? List.of(0L) : asked) {
      RunOptions options = checked();
      UserConfiguration configuration =
          new UserConfiguration(
              file.toAbsolutePath().normalize(),
              Path.of("").toAbsolutePath(),
              classPath(),
              properties,
              logger,
              options.messageBytes(),
              appender,
              size,
              size == 0 ? sizes(null).get(0) : size,
              new UserConfiguration.Surroundings(profiles, mdc, network));
      trials.add(configuration.trial(name, options));
    }
    return trials;
  }

  private List<Path> classPath() {
    return Stream.of(classPath.split(File.pathSeparator))
        .filter(entry -> !entry.isBlank())
        .map(Path::of)
        .peek(entry -> require("--classpath", entry, entry.endsWith("*") || Files.exists(entry)))
        .toList();
  }

  private void require(String option, Path value, boolean holds) {
    if (!holds) {
      throw wrong(option, value, "a readable file or directory that exists");
    }
  }
}
