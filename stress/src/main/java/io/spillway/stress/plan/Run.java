package io.spillway.stress.plan;

import io.spillway.stress.report.Json;
import io.spillway.stress.report.Judge;
import io.spillway.stress.report.Progress;
import io.spillway.stress.report.ReadBackFigures;
import io.spillway.stress.report.RefusedException;
import io.spillway.stress.report.ResultFiles;
import io.spillway.stress.report.RunResult;
import io.spillway.stress.report.TrialResult;
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
  private final boolean terminal;
  private final List<String> repeated = new ArrayList<>();

  /** Creates a run; {@link #execute()} does the first access to files. */
  public Run(Plan plan, PrintStream out, boolean terminal) {
    this.plan = plan;
    this.options = plan.options();
    this.trials = plan.trials();
    this.out = out;
    this.terminal = terminal;
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
      List<TrialResult> results = new ArrayList<>();
      try (Progress progress = Progress.to(out, terminal, estimate.totalSeconds())) {
        progress.begin("prefill", estimate.prefillSeconds());
        directory.writePrefills(
            PlannedTrial.prefillLengths(trials, options), cancellation::cancelled);
        TrialRunner runner = new TrialRunner(options, estimate, directory, cancellation, progress);
        for (int repeat = 1; repeat <= options.repeats(); repeat++) {
          for (PlannedTrial trial : inTurn(trials, repeat)) {
            results.add(runner.run(trial, repeat));
            cancellation.check();
          }
        }
        repeatNoisy(results, runner, cancellation);
      }
      RunResult result = result(startedAt, estimate, directory.prefills(), results);
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

  /** Runs a subject again, alone, if only stalls of the machine made its verdict inconclusive. */
  private void repeatNoisy(List<TrialResult> results, TrialRunner runner, Cancellation cancellation)
      throws IOException, InterruptedException {
    for (TrialResult noisy : noisySubjects(results)) {
      PlannedTrial planned =
          trials.stream().filter(t -> t.name().equals(noisy.name())).findFirst().orElseThrow();
      results.set(results.indexOf(noisy), runner.run(planned, noisy.repeat()));
      repeated.add(
          noisy.label()
              + " was tried twice, because the machine itself stalled the first time: "
              + String.join("; ", noisy.reasons()));
      cancellation.check();
    }
  }

  /** Returns the subjects that are inconclusive only because of stalls of the machine. */
  static List<TrialResult> noisySubjects(List<TrialResult> results) {
    return results.stream()
        .filter(trial -> trial.role() == TrialResult.Role.SUBJECT)
        .filter(trial -> trial.verdict() == Judge.Verdict.INCONCLUSIVE)
        .filter(trial -> Judge.isNoise(trial.evidence()))
        .toList();
  }

  private List<String> notes() {
    List<String> notes = new ArrayList<>(Trials.notes(options, trials));
    notes.addAll(repeated);
    return notes;
  }

  private RunResult result(
      Instant startedAt,
      Estimate estimate,
      List<ReadBackFigures.Prefill> prefills,
      List<TrialResult> results) {
    double seconds = (Instant.now().toEpochMilli() - startedAt.toEpochMilli()) / 1000.0;
    return new RunResult(
        RunResult.SCHEMA,
        startedAt.toString(),
        seconds,
        estimate.totalSeconds(),
        plan.commandLine(),
        optionsAsMap(),
        notes(),
        RunResult.Machine.current(),
        prefills,
        results,
        RunResult.Median.of(results),
        plan.scenario().map(scenario -> scenario.measured(results)).orElse(null),
        RunResult.verdictOf(results),
        RunResult.findingOf(results),
        RunResult.reasonsOf(results));
  }

  private Map<String, Object> optionsAsMap() {
    Map<String, Object> map = options.asMap();
    map.put("sizesBytes", trials.stream().map(PlannedTrial::sizeBytes).distinct().toList());
    return map;
  }

  /** Checks that each library is present, and that the load reaches each limit once, not twice. */
  private void requireSense() throws IOException {
    for (PlannedTrial trial : trials) {
      trial.trial().library().classPath();
      long least = trial.leastSizeBytes(options);
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
