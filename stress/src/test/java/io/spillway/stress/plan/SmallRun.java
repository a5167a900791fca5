package io.spillway.stress.plan;

import io.spillway.stress.load.LoadSpec;
import io.spillway.stress.report.Judge;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.file.Path;
import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** A run of seconds, 20 threads and one rotation; a test says in what its own differs. */
final class SmallRun {
  static final int THREADS = 20;

  /** Nothing is promised of latency: tests share the machine. */
  static final Judge.Limits ANY_LATENCY = new Judge.Limits(1e9, 60_000, 0);

  static final Judge.Limits DEFAULT_LIMITS = new Judge.Limits(1, 50, 0);

  /** No profile, an empty MDC, and nobody is reached. */
  static final UserConfiguration.Surroundings NO_SURROUNDINGS =
      new UserConfiguration.Surroundings(List.of(), Map.of(), false);

  private static final PrintStream NOWHERE = new PrintStream(OutputStream.nullOutputStream());

  private final Path out;
  private boolean virtualThreads;
  private double eventsPerSecond = 2_000;
  private boolean rotation = true;
  private int rotations = 1;
  private Set<LoadSpec.Extra> extras = Set.of();
  private double warmUpSeconds = 1;
  private double aroundSeconds = 1;
  private int repeats = 1;
  private Judge.Limits limits = ANY_LATENCY;
  private boolean keep;
  private Duration deadline;

  SmallRun(Path out) {
    this.out = out;
  }

  SmallRun virtualThreads(boolean virtual) {
    virtualThreads = virtual;
    return this;
  }

  SmallRun rate(double events) {
    eventsPerSecond = events;
    return this;
  }

  SmallRun noRotation() {
    rotation = false;
    return this;
  }

  SmallRun rotations(int number) {
    rotations = number;
    return this;
  }

  /** Events carry all that they can. */
  SmallRun allExtras() {
    extras = EnumSet.allOf(LoadSpec.Extra.class);
    return this;
  }

  SmallRun warmUp(double seconds) {
    warmUpSeconds = seconds;
    return this;
  }

  SmallRun around(double seconds) {
    aroundSeconds = seconds;
    return this;
  }

  SmallRun repeats(int number) {
    repeats = number;
    return this;
  }

  SmallRun limits(Judge.Limits atMost) {
    limits = atMost;
    return this;
  }

  SmallRun keep(boolean files) {
    keep = files;
    return this;
  }

  SmallRun deadline(Duration silence) {
    deadline = silence;
    return this;
  }

  RunOptions options() {
    return new RunOptions(
        THREADS,
        virtualThreads,
        eventsPerSecond,
        0,
        rotation,
        rotations,
        extras,
        warmUpSeconds,
        aroundSeconds,
        "128m",
        repeats,
        limits,
        keep,
        out,
        deadline);
  }

  /** Runs these trials, and prints nothing. */
  static Run.Finished run(RunOptions options, List<Trial> trials)
      throws IOException, InterruptedException {
    return run(options, trials, NOWHERE);
  }

  static Run.Finished run(RunOptions options, List<Trial> trials, PrintStream out)
      throws IOException, InterruptedException {
    return new Run(options, trials, List.of("test"), null, out).execute();
  }
}
