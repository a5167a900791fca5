package io.spillway.stress.cli;

import io.spillway.stress.plan.Trial;
import io.spillway.stress.plan.Trials;
import java.io.IOException;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** Runs the built-in trials. */
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

  @Option(
      names = "--appender",
      paramLabel = "NAME",
      split = ",",
      defaultValue = DEFAULT,
      description = {
        "Which of those that 'list' shows, or all; may be repeated. Default: async,",
        "async-never-block, spillway, spillway-file."
      })
  private List<String> names;

  @Override
  public Integer call() throws IOException, InterruptedException {
    return finish(chosen()).result().exitCode();
  }

  private List<Trial> chosen() {
    List<Trial> known = Trials.builtIn();
    Set<String> allowed = new LinkedHashSet<>(known.stream().map(Trial::name).toList());
    for (String name : names) {
      if (!name.equals(ALL) && !name.equals(DEFAULT) && !allowed.contains(name)) {
        throw new ParameterException(
            spec.commandLine(),
            "Invalid value for option '--appender': '"
                + name
                + "'; allowed: "
                + String.join(", ", allowed)
                + ", default, all");
      }
    }
    return known.stream().filter(trial -> isChosen(trial.name())).toList();
  }

  private boolean isChosen(String name) {
    return names.contains(ALL)
        || names.contains(name)
        || (names.contains(DEFAULT) && Trials.DEFAULT.contains(name));
  }
}
