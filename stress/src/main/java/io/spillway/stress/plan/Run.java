package io.spillway.stress.plan;

import io.spillway.stress.report.Json;
import io.spillway.stress.report.Progress;
import io.spillway.stress.report.RefusedException;
import io.spillway.stress.report.ResultFiles;
import io.spillway.stress.report.RunResult;
import io.spillway.stress.report.TrialResult;
import io.spillway.stress.report.Verdict;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;

/**
 * Runs every trial in turn, as often as requested, each with a newly prefilled file.
 *
 * @param commandLine the command line that requested the trials
 * @param scenario the scenario that the trials are part of, or null
 * @param out the stream for progress
 */
public record Run(
    RunOptions options,
    List<Trial> trials,
    List<String> commandLine,
    RunResult.Scenario scenario,
    PrintStream out) {

  /** The result of a finished run and the file with its figures. */
  public record Finished(RunResult result, Path file) {}

  /**
   * Executes the run.
   *
   * @throws RefusedException if it cannot be done as requested; nothing is left behind
   */
  public Finished execute() throws IOException, InterruptedException {
    Instant startedAt = Instant.now();
    Estimate estimate = Estimate.of(options, trials);
    requireSense();
    try (RunDirectory directory = RunDirectory.create(options.out())) {
      boolean done = false;
      try {
        estimate.requireRoom(directory.root());
        out.println(estimate.describe() + ", in " + directory.root());
        describeConfigurations();
        List<String> notes = Trials.notes(trials);
        TrialRunner runner = new TrialRunner(options, estimate, directory, new Progress(out));
        RunResult result = result(startedAt, results(runner, notes), notes);
        ResultFiles files = new ResultFiles(directory.root());
        Json.write(files.json(), result);
        done = true;
        files.writeReports(result);
        return new Finished(result, files.json());
      } finally {
        if (!done) {
          directory.deleteAll();
        } else if (!options.keep()) {
          RunDirectory.delete(directory.work());
        }
      }
    }
  }

  /** Tells the user what differs from the original configurations. */
  private void describeConfigurations() {
    for (Trial trial : trials) {
      if (trial.sandboxed() != null) {
        out.println(trial.name() + ": " + trial.description());
        trial.sandboxed().notes().forEach(note -> out.println("  " + note));
      }
    }
  }

  private List<TrialResult> results(TrialRunner runner, List<String> notes)
      throws IOException, InterruptedException {
    List<TrialResult> results = new ArrayList<>();
    for (int repeat = 1; repeat <= options.repeats(); repeat++) {
      for (Trial trial : inTurn(trials, repeat)) {
        results.add(runner.run(trial, repeat));
      }
    }
    // An inconclusive subject runs once more, alone: a machine that was late may not be again.
    for (int i = 0; i < results.size(); i++) {
      TrialResult doubtful = results.get(i);
      if (doubtful.role() == TrialResult.Role.SUBJECT
          && doubtful.measured()
          && doubtful.verdict() == Verdict.INCONCLUSIVE) {
        Trial again =
            trials.stream().filter(t -> t.name().equals(doubtful.name())).findFirst().orElseThrow();
        results.set(i, runner.run(again, doubtful.repeat()));
        notes.add(doubtful.label() + " was tried twice: " + doubtful.reasons().get(0));
      }
    }
    return results;
  }

  /** Rotates the order for each repeat, so that no trial is always first or after the same one. */
  static List<Trial> inTurn(List<Trial> trials, int repeat) {
    List<Trial> turned = new ArrayList<>(trials);
    Collections.rotate(turned, 1 - repeat);
    return turned;
  }

  private RunResult result(Instant startedAt, List<TrialResult> results, List<String> notes) {
    Map<String, Object> asked = options.asMap();
    asked.put("sizesBytes", trials.stream().map(Trial::sizeBytes).distinct().toList());
    return new RunResult(
        startedAt.toString(),
        Duration.between(startedAt, Instant.now()).toMillis() / 1000.0,
        commandLine,
        asked,
        notes,
        RunResult.Machine.current(),
        results,
        scenario == null ? null : scenario.measured(results),
        RunResult.verdictOf(results),
        RunResult.findingOf(results));
  }

  /** Checks that each library is present, and that the load reaches each limit once, not twice. */
  private void requireSense() throws IOException {
    for (Trial trial : trials) {
      trial.classPath();
      long least = trial.leastSizeBytes(trial.options(options));
      if (trial.sizeBytes() < least) {
        throw new RefusedException(
            ("%s: a file of %d bytes (--size, or the configuration's own limit) is too small for"
                    + " this load, which writes %d bytes before the rotation is due. Allowed here: a"
                    + " --size of at least %d bytes; or choose a lower --rate or a shorter --duration")
                .formatted(trial.name(), trial.sizeBytes(), least / 2, least));
      }
    }
  }
}
