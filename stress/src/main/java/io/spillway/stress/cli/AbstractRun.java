package io.spillway.stress.cli;

import io.spillway.stress.plan.Run;
import io.spillway.stress.plan.Trial;
import io.spillway.stress.report.RunResult;
import io.spillway.stress.report.TextTable;
import java.io.IOException;
import java.util.List;
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

  final Output output() {
    return output;
  }

  /** Runs the trials, prints the table and where the figures are. */
  final Run.Finished finish(List<Trial> trials) throws IOException, InterruptedException {
    Run run = new Run(load.checked(), trials, commandLine, output.out(), output.terminal());
    Run.Finished finished = run.execute();
    RunResult result = finished.result();
    output.out().println();
    output.out().print(TextTable.of(result));
    output.out().println();
    result.notes().forEach(note -> output.out().println("Note: " + note));
    result.reasons().forEach(reason -> output.out().println("! " + reason));
    output.out().println("Verdict: " + result.verdict());
    output.out().println("Figures: " + finished.file());
    return finished;
  }
}
