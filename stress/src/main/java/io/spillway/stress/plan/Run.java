package io.spillway.stress.plan;

import io.spillway.stress.load.Prefill;
import io.spillway.stress.report.Json;
import io.spillway.stress.report.Machine;
import io.spillway.stress.report.Median;
import io.spillway.stress.report.PrefillFigures;
import io.spillway.stress.report.Progress;
import io.spillway.stress.report.RunResult;
import io.spillway.stress.report.TrialResult;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

/** One run: every trial in turn, as often as asked, each on a fresh copy of the prefilled file. */
public final class Run {

  private final RunOptions options;
  private final List<Trial> trials;
  private final List<String> commandLine;
  private final PrintStream out;
  private final boolean terminal;

  /** Prepares a run; nothing is touched before {@link #execute()}. */
  public Run(
      RunOptions options,
      List<Trial> trials,
      List<String> commandLine,
      PrintStream out,
      boolean terminal) {
    this.options = options;
    this.trials = List.copyOf(trials);
    this.commandLine = List.copyOf(commandLine);
    this.out = out;
    this.terminal = terminal;
  }

  /** A finished run and where its figures are. */
  public record Finished(RunResult result, Path file) {}

  /**
   * Carries the run out.
   *
   * @throws RefusedException if it cannot be done as asked; then nothing was done
   */
  public Finished execute() throws IOException, InterruptedException {
    Instant startedAt = Instant.now();
    Estimate estimate = Estimate.of(options, trials);
    requireSense(estimate);
    RunDirectory directory = RunDirectory.create(options.out());
    try (Cancellation cancellation = new Cancellation(directory)) {
      try {
        return execute(directory, cancellation, estimate, startedAt);
      } catch (IOException | RuntimeException e) {
        // Whatever failed once files were being deleted underneath is no news.
        if (cancellation.cancelled()) {
          throw new CancelledException(e);
        }
        throw e;
      }
    }
  }

  private Finished execute(
      RunDirectory directory, Cancellation cancellation, Estimate estimate, Instant startedAt)
      throws IOException, InterruptedException {
    boolean done = false;
    try {
      estimate.requireRoom(directory.root());
      out.println(estimate.describe() + ", in " + directory.root());
      List<TrialResult> results = new ArrayList<>();
      PrefillFigures prefill;
      try (Progress progress = Progress.to(out, terminal, estimate.totalSeconds())) {
        progress.begin("prefill", estimate.prefillSeconds());
        prefill =
            Prefill.write(directory.prefill(), estimate.prefillBytes(), cancellation::cancelled);
        TrialRunner runner =
            new TrialRunner(options, estimate, directory, prefill, cancellation, progress);
        for (int repeat = 1; repeat <= options.repeats(); repeat++) {
          for (Trial trial : trials) {
            results.add(runner.run(trial, repeat));
            cancellation.check();
          }
        }
      }
      RunResult result = result(startedAt, prefill, results);
      Json.write(directory.result(), result);
      done = true;
      return new Finished(result, directory.result());
    } finally {
      if (!done) {
        directory.deleteAll();
      } else if (!options.keep()) {
        directory.deleteWork();
      }
    }
  }

  private RunResult result(Instant startedAt, PrefillFigures prefill, List<TrialResult> results) {
    double seconds = (Instant.now().toEpochMilli() - startedAt.toEpochMilli()) / 1000.0;
    return new RunResult(
        RunResult.SCHEMA,
        startedAt.toString(),
        seconds,
        commandLine,
        options.asMap(),
        Trials.NOTES,
        Machine.current(),
        prefill,
        results,
        Median.of(results),
        RunResult.verdictOf(results),
        RunResult.reasonsOf(results));
  }

  /** The load must reach the limit once, and not twice. */
  private void requireSense(Estimate estimate) {
    long written = options.sizeBytes() - estimate.prefillBytes();
    if (estimate.prefillBytes() < written) {
      throw new RefusedException(
          "--size "
              + options.sizeBytes()
              + " bytes is too small for this load: it writes "
              + written
              + " bytes before the rotation is due. Allowed here: at least "
              + 2 * written
              + " bytes; or choose a lower --rate or a shorter --duration");
    }
  }
}
