package io.spillway.stress.plan;

import io.spillway.stress.fork.ChildCommand;
import io.spillway.stress.fork.ChildOutcome;
import io.spillway.stress.fork.ChildProcess;
import io.spillway.stress.load.LoadSpec;
import io.spillway.stress.load.LoadTarget;
import io.spillway.stress.record.Hiccups;
import io.spillway.stress.record.RecordingAnalysis;
import io.spillway.stress.report.Json;
import io.spillway.stress.report.Judge;
import io.spillway.stress.report.LoadFigures;
import io.spillway.stress.report.Progress;
import io.spillway.stress.report.ReadBackFigures;
import io.spillway.stress.report.TrialResult;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
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
  private final PrefillFiles prefill;
  private final Cancellation cancellation;
  private final Progress progress;

  TrialRunner(
      RunOptions options,
      Estimate estimate,
      RunDirectory directory,
      PrefillFiles prefill,
      Cancellation cancellation,
      Progress progress) {
    this.options = options;
    this.estimate = estimate;
    this.directory = directory;
    this.prefill = prefill;
    this.cancellation = cancellation;
    this.progress = progress;
  }

  /** One that cannot be tried must not take those before it along: it is inconclusive. */
  TrialResult run(PlannedTrial planned, int repeat) throws IOException, InterruptedException {
    String label = label(planned.name(), repeat);
    try {
      return tried(planned, repeat, label);
    } catch (IOException e) {
      cancellation.check(); // then files are gone on purpose
      return failed(planned, repeat, new ChildOutcome(List.of(), "it cannot be tried: " + e));
    } finally {
      if (!options.keep()) {
        directory.deleteWork(label); // at once: the next trial needs the room
      }
    }
  }

  private TrialResult tried(PlannedTrial planned, int repeat, String label)
      throws IOException, InterruptedException {
    Trial trial = planned.trial();
    TrialEstimate expected = estimate.of(planned);
    Path work = directory.work(label);
    Path figures = directory.figures(label);
    Path recording = work.resolve("trial.jfr");
    progress.begin(label + ": prefill", expected.copySeconds());
    Site site = site(planned, work);
    Map<String, String> properties = new TreeMap<>(trial.properties());
    if (trial.rotatesByTheClock()) {
      properties.put(Trial.HOUR_ZONE, awaitHour(label, expected).zone());
    }
    progress.begin(label + ": load", expected.loadSeconds());
    LoadSpec spec = spec(planned, site.target(), expected, figures, work, recording);
    Hiccups hiccups = Hiccups.start();
    ChildOutcome outcome;
    try (hiccups) {
      outcome = fork(trial, site, properties, figures, spec, deadline(expected));
    }
    if (!outcome.ok()) {
      return failed(planned, repeat, outcome);
    }
    progress.begin(label + ": read back", expected.verifySeconds());
    try {
      return judged(planned, repeat, outcome, figures, recording, site, hiccups);
    } catch (IOException e) {
      cancellation.check();
      String why = "what it left cannot be read: " + e;
      return failed(planned, repeat, new ChildOutcome(outcome.command(), why));
    }
  }

  private TrialResult judged(
      PlannedTrial planned,
      int repeat,
      ChildOutcome outcome,
      Path figures,
      Path recording,
      Site site,
      Hiccups hiccups)
      throws IOException {
    LoadFigures load = Json.read(figures.resolve(LoadSpec.FIGURES_FILE), LoadFigures.class);
    RecordingAnalysis analysis =
        RecordingAnalysis.of(recording, LoadSpec.APPLICATION_THREAD, load.loadStartEpochNanos());
    ReadBackFigures readBack = site.readBack(load.sentByThread());
    TrialResult.Control control = hiccups.figures(load.loadStartEpochNanos());
    return judged(planned, repeat, outcome, load, analysis, control, readBack);
  }

  /** Name of the directory that keeps the figures of one trial. */
  static String label(String trial, int repeat) {
    return repeat == 1 ? trial : trial + "-" + repeat;
  }

  /** Waits until an hour in some time zone ends just when the rotation is due. */
  private HourEnd awaitHour(String label, TrialEstimate expected) throws InterruptedException {
    Duration before = Duration.ofMillis((long) (expected.leadSeconds() * 1000));
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

  private Site site(PlannedTrial planned, Path work) throws IOException {
    if (planned.trial().sandboxed() != null) {
      return SandboxSite.prepare(work, planned, options, cancellation::cancelled);
    }
    List<Path> classPath = planned.trial().library().classPath();
    return BuiltInSite.prepare(work, planned, prefill, classPath, options, cancellation::cancelled);
  }

  private ChildOutcome fork(
      Trial trial,
      Site site,
      Map<String, String> properties,
      Path figures,
      LoadSpec spec,
      Duration deadline)
      throws IOException, InterruptedException {
    Path configuration = figures.resolve(trial.library().fileName());
    Path specFile = figures.resolve("spec.json");
    Files.writeString(configuration, trial.configuration());
    Json.write(specFile, spec);
    properties.putAll(trial.library().properties(configuration));
    properties.putAll(site.properties());
    properties.putIfAbsent("figures", figures.toString());
    List<String> command =
        ChildCommand.ofTrial(
            options.heap(), properties, site.classPath(), options.virtualThreads(), specFile);
    ChildProcess child = ChildProcess.start(command, figures);
    cancellation.child(child);
    try {
      return child.await(deadline, progress);
    } finally {
      child.kill();
      cancellation.child(null);
    }
  }

  private LoadSpec spec(
      PlannedTrial planned,
      LoadTarget target,
      TrialEstimate expected,
      Path figures,
      Path work,
      Path recording) {
    return new LoadSpec(
        options.threads(),
        options.virtualThreads(),
        options.closedLoop() ? 0 : options.eventsPerSecond(),
        planned.mostEvents(options),
        options.warmUpSeconds(),
        options.aroundSeconds(),
        rotationLimitSeconds(expected),
        target,
        work.resolve("console.txt").toString(),
        figures.toString(),
        recording.toString());
  }

  private double rotationLimitSeconds(TrialEstimate expected) {
    if (!options.rotation()) {
      return expected.rotationSeconds() + options.aroundSeconds(); // as long as with a rotation
    }
    double late = options.closedLoop() ? 4 * expected.leadSeconds() : 0; // it is a guess then
    return 20 + late + 4 * expected.rotationSeconds();
  }

  private Duration deadline(TrialEstimate expected) {
    if (options.deadline() != null) {
      return options.deadline();
    }
    double seconds =
        expected.loadSeconds() + rotationLimitSeconds(expected) + STOP_SECONDS + SPARE_SECONDS;
    return Duration.ofMillis((long) (seconds * 1000));
  }

  private TrialResult failed(PlannedTrial planned, int repeat, ChildOutcome outcome) {
    Trial trial = planned.trial();
    return new TrialResult(
        planned.name(),
        planned.sizeBytes(),
        repeat,
        trial.role(),
        trial.description(),
        trial.configuration(),
        outcome.command(),
        null,
        null,
        null,
        null,
        null,
        null,
        List.of(),
        Judge.Verdict.INCONCLUSIVE,
        List.of(outcome.failure()));
  }

  private TrialResult judged(
      PlannedTrial planned,
      int repeat,
      ChildOutcome outcome,
      LoadFigures load,
      RecordingAnalysis analysis,
      TrialResult.Control control,
      ReadBackFigures readBack) {
    TrialResult.Parks parks = analysis.parks();
    List<Judge.Check> checks =
        new Judge(options.limits(), options.rotation()).checks(load, parks, readBack, control);
    Trial trial = planned.trial();
    return new TrialResult(
        planned.name(),
        planned.sizeBytes(),
        repeat,
        trial.role(),
        trial.description(),
        trial.configuration(),
        outcome.command(),
        load,
        parks,
        analysis.pauses(),
        analysis.heap(),
        control,
        readBack,
        checks,
        Judge.verdict(trial.role(), checks),
        Judge.reasons(checks));
  }
}
