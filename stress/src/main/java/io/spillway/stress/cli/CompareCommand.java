package io.spillway.stress.cli;

import io.spillway.stress.report.Comparison;
import io.spillway.stress.report.RefusedException;
import io.spillway.stress.report.ResultFiles;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** The {@code compare} command: puts two results side by side. */
@Command(
    name = "compare",
    mixinStandardHelpOptions = true,
    description =
        "Puts two results side by side, trial by trial, and tells which changes exceed the noise"
            + " of the repeats.",
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {
      "0:nothing got worse by more than the noise, as far as the noise is known",
      "1:a figure got worse by more than the noise, or a trial that passed is violated now",
      "2:wrong arguments, or files that cannot be compared",
      "3:a trial is in only one of the files or inconclusive in one, and no other got worse"
    })
final class CompareCommand implements Callable<Integer> {

  @Spec private CommandSpec spec;

  @Parameters(index = "0", paramLabel = "OLD", description = "result.json of the run before.")
  private Path before;

  @Parameters(index = "1", paramLabel = "NEW", description = "result.json of the run after.")
  private Path after;

  @Override
  public Integer call() {
    Comparison comparison = Comparison.of(ResultFiles.read(before), ResultFiles.read(after));
    if (comparison.trials().isEmpty()) {
      throw new RefusedException(
          "the files have no trial in common: "
              + comparison.onlyBefore()
              + " in "
              + before
              + ", "
              + comparison.onlyAfter()
              + " in "
              + after);
    }
    spec.commandLine().getOut().print(comparison.text());
    spec.commandLine().getOut().flush();
    return comparison.exitCode();
  }
}
