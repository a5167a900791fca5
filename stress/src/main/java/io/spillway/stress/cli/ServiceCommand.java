package io.spillway.stress.cli;

import io.spillway.stress.report.ServiceResult;
import io.spillway.stress.report.TextTable;
import io.spillway.stress.service.ServiceRun;
import io.spillway.stress.service.ServiceTrial;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.ParentCommand;
import picocli.CommandLine.Spec;

/** The {@code service} command: puts small services under load. */
@Command(
    name = "service",
    mixinStandardHelpOptions = true,
    description = {
      "Puts a small service under load, each trial in a JVM of its own and its client in another,"
          + " and shows what its callers feel: response times from when each request was due, what"
          + " holds its threads up, processor time, collections, memory, lost events.",
      "Exit codes are those of 'run'."
    })
final class ServiceCommand implements Callable<Integer> {

  @Spec private CommandSpec spec;
  @ParentCommand private CommandLineTool tool;

  @Parameters(
      paramLabel = "NAME|FILE",
      description =
          "A built-in scenario, as 'list' shows them, or a file of yours (stress/SCENARIOS.md).")
  private String name;

  @Option(names = "--short", description = "Its short form: seconds instead of minutes.")
  private boolean shortForm;

  @Option(
      names = "--trial",
      paramLabel = "NAME",
      description = "Only this one of its trials; may be repeated.")
  private List<String> only;

  @Option(
      names = "--out",
      paramLabel = "DIR",
      defaultValue = "spillway-results",
      description = "Directory that gets one directory a run (default ${DEFAULT-VALUE}).")
  private Path results;

  @Option(names = "--keep", description = "Keeps log files, too.")
  private boolean keep;

  @Override
  public Integer call() throws IOException, InterruptedException {
    ServiceScenario scenario = ServiceScenario.find(name, shortForm);
    ServiceRun.Plan plan =
        new ServiceRun.Plan(
            scenario.unmeasured(),
            scenario.calibrated(),
            chosen(scenario.trials()),
            results,
            keep,
            tool.arguments());
    ServiceRun.Finished finished = new ServiceRun(plan, tool.out(), tool.terminal()).execute();
    print(finished);
    return finished.result().exitCode();
  }

  private List<ServiceTrial> chosen(List<ServiceTrial> trials) {
    if (only == null) {
      return trials;
    }
    List<String> names = trials.stream().map(ServiceTrial::name).toList();
    for (String asked : only) {
      if (!names.contains(asked)) {
        throw new ParameterException(
            spec.commandLine(),
            "Invalid value for option '--trial': '"
                + asked
                + "'; allowed: "
                + String.join("; ", names));
      }
    }
    return trials.stream().filter(trial -> only.contains(trial.name())).toList();
  }

  private void print(ServiceRun.Finished finished) {
    ServiceResult result = finished.result();
    PrintStream out = tool.out();
    out.println();
    out.print(TextTable.render(result.table()));
    out.println();
    out.println("What held threads up:");
    result.culprits().forEach(line -> out.println("  " + line));
    out.println();
    if (!result.scenario().published().isEmpty()) {
      out.println("Published: " + result.scenario().source());
      out.print(TextTable.render(result.publishedTable()));
      out.println();
    }
    if (result.calibration() != null) {
      out.println("Note: " + result.calibration().describe());
    }
    result.reasons().forEach(reason -> out.println("! " + reason));
    out.printf(Locale.ROOT, "Took %.0f s%n", result.seconds());
    out.println("Verdict: " + result.verdict());
    out.println("Report:  " + finished.files().markdown());
    out.println("Figures: " + finished.files().json());
    out.println("For CI:  " + finished.files().junit());
  }
}
