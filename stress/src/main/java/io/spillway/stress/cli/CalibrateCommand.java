package io.spillway.stress.cli;

import io.spillway.stress.plan.Calibration;
import java.io.IOException;
import java.util.List;
import picocli.CommandLine.Command;

/** Shows that the harness sees what it is there to see. */
@Command(
    name = "calibrate",
    mixinStandardHelpOptions = true,
    description =
        "Runs an appender that parks, drops, duplicates, swaps and tears on purpose, and compares"
            + " what was seen with what was done.")
final class CalibrateCommand extends AbstractRun {

  @Override
  public Integer call() throws IOException, InterruptedException {
    var finished = finish(List.of(Calibration.trial()));
    boolean right = true;
    for (var trial : finished.result().trials()) {
      for (Calibration.Figure figure : Calibration.check(trial, finished.file())) {
        output().out().println(figure);
        right &= figure.right();
      }
    }
    output().out().println("Calibration: " + (right ? "passed" : "violated"));
    return right ? 0 : 1;
  }
}
