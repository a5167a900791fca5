package io.spillway.stress.cli;

import io.spillway.stress.plan.Calibration;
import io.spillway.stress.plan.RunOptions;
import io.spillway.stress.plan.Trial;
import io.spillway.stress.report.TextTable;
import io.spillway.stress.report.TrialResult;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.ParameterException;

/** The {@code calibrate} command: proves that the harness measures known waits and damage. */
@Command(
    name = "calibrate",
    mixinStandardHelpOptions = true,
    description =
        "Runs an appender that parks, contends for a monitor, waits on one, sleeps, drops,"
            + " duplicates, swaps, tears and stalls all threads at once, by known amounts, and"
            + " compares what was seen with what was done: counts exactly, times within 5 %%. Then"
            + " four that hurt otherwise (collections of a large heap, a lock by yielding, a forced"
            + " write a line, threads that take all processors): each must be violated"
            + " and named.")
final class CalibrateCommand extends TrialCommand {

  @Override
  public Integer call() throws IOException, InterruptedException {
    RunOptions options = checked();
    if (!options.rotation()) {
      throw new ParameterException(
          spec.commandLine(),
          "'--no-rotation' is not for calibrate: what it does on purpose is timed"
              + " by the rate, and must be seen in a rotation, too");
    }
    List<Trial> trials = new ArrayList<>();
    for (long size : sizes(null)) {
      Calibration.trials(options).forEach(trial -> trials.add(trial.at(size)));
    }
    List<Trial> planned = new ArrayList<>(Trial.bySize(trials));
    planned.addAll(Calibration.hurting(options));
    var finished = finish(planned, null);
    boolean ok = true;
    for (TrialResult trial : finished.result().trials()) {
      List<List<String>> rows = new ArrayList<>(List.of(Calibration.Figure.HEADER));
      for (Calibration.Figure figure : Calibration.check(trial, finished.file())) {
        rows.add(figure.row());
        ok &= figure.ok();
      }
      tool.out.printf("%n%s:%n%s", trial.label(), TextTable.render(rows));
    }
    tool.out.printf("%nCalibration: %s%n", ok ? "passed" : "violated");
    return ok ? 0 : 1;
  }
}
