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
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;

/** Runs every trial in turn, as often as requested, each with a newly prefilled file. */
public final class Run {

  private final Plan plan;
  private final RunOptions options;
  private final List<PlannedTrial> trials;
  private final PrintStream out;
  private final List<String> notes = new ArrayList<>();

  /** Creates a run; {@link #execute()} does the first access to files. */
  public Run(Plan plan, PrintStream out) {
    this.plan = plan;
    this.options = plan.options();
    this.trials = plan.trials();
    this.out = out;
  }

  /**
   * The trials of a run and their options.
   *
   * @param commandLine the command line that requested them
   * @param scenario the scenario that the trials are part of, if any
   */
  public record Plan(
      RunOptions options,
      List<PlannedTrial> trials,
      List<String> commandLine,
      Optional<RunResult.Scenario> scenario) {

    /** Creates a plan without a scenario. */
    public Plan(RunOptions options, List<PlannedTrial> trials, List<String> commandLine) {
      this(options, trials, commandLine, Optional.empty());
    }
  }

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
    AtomicReference<RunDirectory> created = new AtomicReference<>();
    try (Cancellation cancellation = new Cancellation(() -> delete(created.get()))) {
      RunDirectory directory = RunDirectory.create(options.out());
      created.set(directory);
      try {
        return execute(directory, cancellation, estimate, startedAt);
      } catch (IOException | RuntimeException e) {
        // The deletion of files by the cancellation explains the failure.
        if (cancellation.cancelled()) {
          throw new Cancellation.Cancelled(e);
        }
        throw e;
      }
    }
  }

  private static void delete(RunDirectory directory) throws IOException {
    if (directory != null) {
      directory.deleteAll();
    }
  }

  private Finished execute(
      RunDirectory directory, Cancellation cancellation, Estimate estimate, Instant startedAt)
      throws IOException, InterruptedException {
    boolean done = false;
    try {
      estimate.requireRoom(directory.root());
      out.println(estimate.describe() + ", in " + directory.root());
      for (PlannedTrial planned : trials) {
        if (planned.trial().sandboxed() != null) { // tells the user what differs from the original
          out.println(planned.name() + ": " + planned.trial().description());
          planned.trial().sandboxed().notes().forEach(note -> out.println("  " + note));
        }
      }
      notes.addAll(Trials.notes(trials));
      List<TrialResult> results = new ArrayList<>();
      TrialRunner runner =
          new TrialRunner(options, estimate, directory, cancellation, new Progress(out));
      for (int repeat = 1; repeat <= options.repeats(); repeat++) {
        for (PlannedTrial trial : inTurn(trials, repeat)) {
          results.add(runner.run(trial, repeat));
          cancellation.check();
        }
      }
      repeatDoubtful(results, runner);
      cancellation.check();
      RunResult result = result(startedAt, results);
      ResultFiles files = directory.results();
      Json.write(files.json(), result);
      done = true;
      files.writeReports(result);
      return new Finished(result, files.json());
    } finally {
      if (!done) {
        directory.deleteAll();
      } else if (!options.keep()) {
        directory.deleteWork();
      }
    }
  }

  /** Rotates the order for each repeat, so that no trial is always first or after the same one. */
  static List<PlannedTrial> inTurn(List<PlannedTrial> trials, int repeat) {
    List<PlannedTrial> turned = new ArrayList<>(trials);
    Collections.rotate(turned, 1 - repeat);
    return turned;
  }

  /** Runs an inconclusive subject once more, alone: a machine that was late may not be again. */
  private void repeatDoubtful(List<TrialResult> results, TrialRunner runner)
      throws IOException, InterruptedException {
    for (int i = 0; i < results.size(); i++) {
      TrialResult doubtful = results.get(i);
      if (doubtful.role() == TrialResult.Role.SUBJECT
          && doubtful.measured()
          && doubtful.verdict() == Verdict.INCONCLUSIVE) {
        PlannedTrial planned =
            trials.stream().filter(t -> t.name().equals(doubtful.name())).findFirst().orElseThrow();
        results.set(i, runner.run(planned, doubtful.repeat()));
        notes.add(doubtful.label() + " was tried twice: " + doubtful.reasons().get(0));
      }
    }
  }

  private RunResult result(Instant startedAt, List<TrialResult> results) {
    return new RunResult(
        startedAt.toString(),
        (Instant.now().toEpochMilli() - startedAt.toEpochMilli()) / 1000.0,
        plan.commandLine(),
        optionsAsMap(),
        notes,
        RunResult.Machine.current(),
        results,
        plan.scenario().map(scenario -> scenario.measured(results)).orElse(null),
        RunResult.verdictOf(results),
        RunResult.findingOf(results));
  }

  private Map<String, Object> optionsAsMap() {
    Map<String, Object> map = options.asMap();
    map.put("sizesBytes", trials.stream().map(PlannedTrial::sizeBytes).distinct().toList());
    return map;
  }

  /** Checks that each library is present, and that the load reaches each limit once, not twice. */
  private void requireSense() throws IOException {
    for (PlannedTrial trial : trials) {
      Site.classPath(trial);
      long least = trial.leastSizeBytes(trial.options(options));
      if (trial.sizeBytes() < least) {
        throw new RefusedException(
            trial.name()
                + ": a file of "
                + trial.sizeBytes()
                + " bytes (--size, or the configuration's own limit) is too small for this load,"
                + " which writes "
                + least / 2
                + " bytes before the rotation is due. Allowed here: a --size of at least "
                + least
                + " bytes; or choose a lower --rate or a shorter --duration");
      }
    }
  }
}
