package io.spillway.stress.cli;

import io.spillway.stress.plan.PlannedTrial;
import io.spillway.stress.plan.Run;
import io.spillway.stress.report.ResultFiles;
import io.spillway.stress.report.RunResult;
import io.spillway.stress.report.TextTable;
import java.io.IOException;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import picocli.CommandLine.Mixin;

/** What all commands that run trials have in common. */
abstract class AbstractRun implements Callable<Integer> {

  @Mixin private LoadOptions load;

  private Output output;
  private List<String> commandLine;

  final void prepare(Output printTo, String[] arguments) {
    output = printTo;
    commandLine = List.of(arguments);
  }

  final LoadOptions load() {
    return load;
  }

  final Output output() {
    return output;
  }

  /**
   * Runs the trials, prints the table and where the figures are.
   *
   * @param scenario that the trials are part of, or null
   */
  final Run.Finished finish(List<PlannedTrial> trials, RunResult.Scenario scenario)
      throws IOException, InterruptedException {
    Run run =
        new Run(load.checked(), trials, scenario, commandLine, output.out(), output.terminal());
    Run.Finished finished = run.execute();
    RunResult result = finished.result();
    output.out().println();
    output.out().print(TextTable.of(result));
    output.out().println();
    if (result.scenario() != null && !result.scenario().published().isEmpty()) {
      output.out().println("Published: " + result.scenario().source());
      output.out().print(TextTable.of(result.scenario()));
      output.out().println();
    }
    result.notes().forEach(note -> output.out().println("Note: " + note));
    result.reasons().forEach(reason -> output.out().println("! " + reason));
    output
        .out()
        .printf(
            Locale.ROOT,
            "Took %.0f s, estimated %.0f s%n",
            result.seconds(),
            result.estimatedSeconds());
    output.out().println("Verdict: " + result.verdict());
    ResultFiles files = new ResultFiles(finished.file().getParent());
    output.out().println("Report:  " + files.html());
    output.out().println("Figures: " + files.json());
    output
        .out()
        .println(
            "To paste, for CI: "
                + files.markdown().getFileName()
                + ", "
                + files.junit().getFileName());
    return finished;
  }
}
