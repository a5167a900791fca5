package io.spillway.stress.plan;

import io.spillway.stress.fork.ChildCommand;
import io.spillway.stress.fork.ChildOutcome;
import io.spillway.stress.fork.ChildProcess;
import io.spillway.stress.load.LoadSpec;
import io.spillway.stress.load.Prefill;
import io.spillway.stress.record.RecordingAnalysis;
import io.spillway.stress.report.Json;
import io.spillway.stress.report.Judge;
import io.spillway.stress.report.LoadFigures;
import io.spillway.stress.report.ParkFigures;
import io.spillway.stress.report.PrefillFigures;
import io.spillway.stress.report.Progress;
import io.spillway.stress.report.ReadBackFigures;
import io.spillway.stress.report.TrialResult;
import io.spillway.stress.report.Verdict;
import io.spillway.stress.verify.ReadBack;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Carries out one trial: files, forked JVM, recording, read-back, verdict. */
final class TrialRunner {

  private static final double STOP_SECONDS = 90;
  private static final double SPARE_SECONDS = 60;
  private static final long TICK_MILLIS = 200;
  private static final Duration OUT_OF_REACH = Duration.ofMinutes(30);

  private final RunOptions options;
  private final Estimate estimate;
  private final RunDirectory directory;
  private final PrefillFigures prefill;
  private final Cancellation cancellation;
  private final Progress progress;

  TrialRunner(
      RunOptions options,
      Estimate estimate,
      RunDirectory directory,
      PrefillFigures prefill,
      Cancellation cancellation,
      Progress progress) {
    this.options = options;
    this.estimate = estimate;
    this.directory = directory;
    this.prefill = prefill;
    this.cancellation = cancellation;
    this.progress = progress;
  }

  TrialResult run(Trial trial, int repeat) throws IOException, InterruptedException {
    String label = label(trial.name(), repeat);
    Path work = directory.work(label);
    Path figures = directory.figures(label);
    Path active = Files.createDirectory(work.resolve("logs")).resolve("app.log");
    Path recording = work.resolve("trial.jfr");
    progress.begin(label + ": copy", estimate.copySeconds());
    Prefill.copy(directory.prefill(), active, cancellation::cancelled);
    Map<String, String> properties = new TreeMap<>(trial.properties());
    if (trial.rotatesByTheClock()) {
      properties.put(Trial.HOUR_ZONE, awaitHour(label).zone());
    }
    progress.begin(label + ": load", estimate.loadSeconds());
    ChildOutcome outcome = fork(trial, properties, figures, spec(active, figures, recording));
    if (!outcome.ok()) {
      return failed(trial, repeat, outcome);
    }
    progress.begin(label + ": read back", estimate.verifySeconds());
    LoadFigures load = Json.read(figures.resolve(LoadSpec.FIGURES_FILE), LoadFigures.class);
    RecordingAnalysis analysis =
        RecordingAnalysis.of(recording, LoadSpec.APPLICATION_THREAD, load.loadStartEpochNanos());
    ReadBackFigures readBack = ReadBack.of(active, prefill, load.sentByThread());
    if (!options.keep()) {
      RunDirectory.delete(work);
    }
    return judged(trial, repeat, outcome, load, analysis, readBack);
  }

  /** Name of the directory that keeps the figures of one trial. */
  static String label(String trial, int repeat) {
    return repeat == 1 ? trial : trial + "-" + repeat;
  }

  /** Waits until an hour in some time zone ends just when the rotation is due. */
  private HourEnd awaitHour(String label) throws InterruptedException {
    Duration before = Duration.ofMillis((long) (estimate.leadSeconds() * 1000));
    if (!options.rotation()) {
      return HourEnd.notBefore(Instant.now().plus(OUT_OF_REACH));
    }
    HourEnd end = HourEnd.notBefore(Instant.now().plus(before));
    Duration wait = end.waitUntil(before, Instant.now());
    progress.begin(label + ": wait for a full minute", wait.toMillis() / 1000.0);
    while (!wait.isZero()) {
      Thread.sleep(Math.min(TICK_MILLIS, wait.toMillis() + 1));
      cancellation.check();
      progress.tick();
      wait = end.waitUntil(before, Instant.now());
    }
    return end;
  }

  private ChildOutcome fork(
      Trial trial, Map<String, String> properties, Path figures, LoadSpec spec)
      throws IOException, InterruptedException {
    Path configuration = figures.resolve("logback.xml");
    Path specFile = figures.resolve("spec.json");
    Files.writeString(configuration, trial.configuration());
    Json.write(specFile, spec);
    properties.put("logs", Path.of(spec.activeFile()).getParent().toString());
    properties.put("limit", Long.toString(options.sizeBytes() * (options.rotation() ? 1 : 2)));
    properties.putIfAbsent("figures", figures.toString());
    List<String> command = ChildCommand.of(options.heap(), configuration, properties, specFile);
    ChildProcess child = ChildProcess.start(command, figures);
    cancellation.child(child);
    try {
      return child.await(deadline(), progress);
    } finally {
      child.kill();
      cancellation.child(null);
    }
  }

  private LoadSpec spec(Path active, Path figures, Path recording) {
    return new LoadSpec(
        options.threads(),
        options.eventsPerSecond(),
        options.warmUpSeconds(),
        options.aroundSeconds(),
        rotationLimitSeconds(),
        active.toString(),
        prefill.bytes(),
        figures.toString(),
        recording.toString());
  }

  private double rotationLimitSeconds() {
    if (!options.rotation()) {
      return estimate.rotationSeconds() + options.aroundSeconds(); // as long as with a rotation
    }
    return 20 + 4 * estimate.rotationSeconds();
  }

  private Duration deadline() {
    if (options.deadline() != null) {
      return options.deadline();
    }
    double seconds = estimate.loadSeconds() + rotationLimitSeconds() + STOP_SECONDS + SPARE_SECONDS;
    return Duration.ofMillis((long) (seconds * 1000));
  }

  private TrialResult failed(Trial trial, int repeat, ChildOutcome outcome) {
    return new TrialResult(
        trial.name(),
        repeat,
        trial.role(),
        trial.description(),
        trial.configuration(),
        outcome.command(),
        null,
        null,
        null,
        null,
        Verdict.INCONCLUSIVE,
        List.of(outcome.failure()));
  }

  private TrialResult judged(
      Trial trial,
      int repeat,
      ChildOutcome outcome,
      LoadFigures load,
      RecordingAnalysis analysis,
      ReadBackFigures readBack) {
    ParkFigures parks = analysis.parks();
    List<String> doubts = Judge.doubts(options.rotation(), load, parks);
    List<String> violations = Judge.violations(load, parks, readBack, options.limits());
    List<String> reasons = new ArrayList<>(violations);
    reasons.addAll(doubts);
    return new TrialResult(
        trial.name(),
        repeat,
        trial.role(),
        trial.description(),
        trial.configuration(),
        outcome.command(),
        load,
        parks,
        analysis.pauses(),
        readBack,
        Judge.verdict(trial.role(), doubts, violations),
        reasons);
  }
}
