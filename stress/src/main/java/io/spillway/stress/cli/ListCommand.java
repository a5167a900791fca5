package io.spillway.stress.cli;

import io.spillway.stress.plan.Trial;
import io.spillway.stress.plan.Trials;
import java.io.IOException;
import java.io.PrintWriter;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** The {@code list} command: shows the built-in configurations and scenarios. */
@Command(
    name = "list",
    mixinStandardHelpOptions = true,
    description =
        "Shows the built-in configurations that 'run --appender' knows, and the scenarios of"
            + " 'run --scenario'.")
final class ListCommand implements Callable<Integer> {

  @Spec private CommandSpec command;

  @Option(names = "--xml", description = "Shows the configurations, too.")
  private boolean xml;

  @Override
  public Integer call() throws IOException {
    PrintWriter out = command.commandLine().getOut();
    List<Trial> all = Trials.builtIn();
    int width = all.stream().mapToInt(trial -> trial.name().length()).max().orElse(1);
    for (Trial trial : all) {
      String mark = Trials.DEFAULT.contains(trial.name()) ? "*" : " ";
      String format = "%s %-" + width + "s  %s%n";
      out.printf(Locale.ROOT, format, mark, trial.name(), trial.description());
      if (xml) {
        out.println(trial.configuration().indent(4));
      }
    }
    out.println("* without --appender");
    for (String name : Scenario.BUILT_IN) {
      String description = ScenarioReader.find(name).content().description();
      out.printf(Locale.ROOT, "%nScenario %s: %s%n", name, description);
    }
    return 0;
  }
}
