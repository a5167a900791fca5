package io.spillway.stress.cli;

import io.spillway.stress.plan.PlannedTrial;
import io.spillway.stress.plan.Run;
import io.spillway.stress.report.ResultFiles;
import io.spillway.stress.report.RunResult;
import io.spillway.stress.report.TextTable;
import java.io.IOException;
import java.io.PrintStream;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.ParentCommand;

/** Base of the commands that run trials: shared options, and the printing of the result. */
abstract class AbstractRun implements Callable<Integer> {

  @Mixin private LoadOptions load;

  @ParentCommand private CommandLineTool tool;

  final LoadOptions load() {
    return load;
  }

  final PrintStream out() {
    return tool.out();
  }

  /**
   * Runs the trials, which may be part of a scenario; prints the results and the paths of the
   * files.
   */
  final Run.Finished finish(List<PlannedTrial> trials, Optional<RunResult.Scenario> scenario)
      throws IOException, InterruptedException {
    Run run = new Run(new Run.Plan(load.checked(), trials, tool.arguments(), scenario), tool.out());
    Run.Finished finished = run.execute();
    RunResult result = finished.result();
    out().println();
    out().println(result.finding());
    out().println();
    out().print(TextTable.of(result));
    out().println();
    result
        .trials()
        .forEach(
            trial ->
                out().println(trial.label() + " (" + trial.verdict() + "): " + trial.finding()));
    out().println();
    if (result.scenario() != null && !result.scenario().published().isEmpty()) {
      out().println("Published: " + result.scenario().source());
      out().print(TextTable.of(result.scenario()));
      out().println();
    }
    result.notes().forEach(note -> out().println("Note: " + note));
    out().println("Verdict: " + result.verdict());
    ResultFiles files = new ResultFiles(finished.file().getParent());
    out().println("Report:  " + files.html());
    out().println("Figures: " + files.json());
    out()
        .println(
            "To paste, for CI: "
                + files.markdown().getFileName()
                + ", "
                + files.junit().getFileName());
    return finished;
  }
}
