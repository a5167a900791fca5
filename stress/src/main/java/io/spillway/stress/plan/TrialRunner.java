package io.spillway.stress.plan;

import io.spillway.stress.fork.ChildCommand;
import io.spillway.stress.fork.ChildProcess;
import io.spillway.stress.fork.Driver;
import io.spillway.stress.load.LoadSpec;
import io.spillway.stress.record.Hiccups;
import io.spillway.stress.record.LatencyRecorder;
import io.spillway.stress.record.LoggingFrames;
import io.spillway.stress.record.RecordingAnalysis;
import io.spillway.stress.report.Control;
import io.spillway.stress.report.Json;
import io.spillway.stress.report.Judge;
import io.spillway.stress.report.LoadFigures;
import io.spillway.stress.report.Progress;
import io.spillway.stress.report.TrialResult;
import io.spillway.stress.report.TrialResult.Check;
import io.spillway.stress.report.Verdict;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

/** Runs one trial: files, forked JVM, recording, read-back, verdict. */
final class TrialRunner {

  private static final double STOP_SECONDS = 90;
  private static final double SPARE_SECONDS = 60;
  private static final long LEAST_FREE_BYTES = 1 << 20;

  private final RunOptions run;
  private final Estimate estimate;
  private final RunDirectory directory;
  private final Cancellation cancellation;
  private final Progress progress;

  TrialRunner(
      RunOptions run,
      Estimate estimate,
      RunDirectory directory,
      Cancellation cancellation,
      Progress progress) {
    this.run = run;
    this.estimate = estimate;
    this.directory = directory;
    this.cancellation = cancellation;
    this.progress = progress;
  }

  /** Runs a trial; a failure makes it inconclusive, so that earlier results are kept. */
  TrialResult run(PlannedTrial planned, int repeat) throws IOException, InterruptedException {
    Attempt attempt = new Attempt(planned, repeat);
    try {
      return attempt.run();
    } catch (IOException | RuntimeException | Error e) {
      // An error is possible, because reading the results may need too much heap.
      cancellation.check(); // a cancellation has deleted the files
      return attempt.failed("it cannot be tried: " + e + attempt.fullDisk(), Verdict.INCONCLUSIVE);
    } finally {
      if (!run.keep()) {
        directory.deleteWork(attempt.label); // before the next trial, which needs the space
      }
    }
  }

  /** Returns the name of the directory with the figures of one trial. */
  static String label(String trial, int repeat) {
    return repeat == 1 ? trial : trial + "-" + repeat;
  }

  /** One execution of a trial. */
  private final class Attempt {

    private final PlannedTrial planned;
    private final Trial trial;
    private final RunOptions options;
    private final int repeat;
    private final String label;
    private final Estimate.OfTrial expected;
    private Path work;
    private Path figures;
    private Path recording;
    private Site site;
    private List<String> command = List.of();

    Attempt(PlannedTrial planned, int repeat) {
      this.planned = planned;
      this.repeat = repeat;
      trial = planned.trial();
      options = planned.options(run);
      label = label(planned.name(), repeat);
      expected = estimate.of(planned);
    }

    TrialResult run() throws IOException, InterruptedException {
      directory.delete(label); // files of an earlier attempt
      work = directory.work(label);
      figures = directory.figures(label);
      recording = work.resolve("trial.jfr");
      progress.begin(label + ": prefill", expected.prefillSeconds());
      site = site();
      progress.begin(label + ": load", expected.loadSeconds());
      Hiccups hiccups = Hiccups.start();
      Driver driver = planned.driver(figures.resolve(LoadSpec.LATENCY_FILE));
      ChildProcess.Outcome outcome;
      try (hiccups;
          driver) {
        outcome = fork(driver);
      }
      command = outcome.command();
      if (!outcome.ok()) {
        String dump = outcome.dump() == null ? "" : "; " + outcome.dump();
        String full = fullDisk();
        String why = outcome.failure() + dump + full;
        String stuck = outcome.dump() == null ? null : stuck();
        if (stuck != null) {
          return failed(stuck + "; " + why, Verdict.VIOLATED);
        }
        // Code that ends a JVM because the disk is full may have good reason.
        boolean broken = outcome.byOthers() && full.isEmpty();
        return failed(why, broken ? Verdict.VIOLATED : Verdict.INCONCLUSIVE);
      }
      progress.begin(label + ": read back", expected.verifySeconds());
      try {
        return judged(hiccups, driver);
      } catch (IOException e) {
        cancellation.check();
        return failed("what it left cannot be read: " + e, Verdict.INCONCLUSIVE);
      }
    }

    private Site site() throws IOException {
      if (trial.sandboxed() != null) {
        return Site.Sandbox.prepare(work, planned, options, cancellation::cancelled);
      }
      return Site.BuiltIn.prepare(work, planned, options, cancellation::cancelled);
    }

    private ChildProcess.Outcome fork(Driver driver) throws IOException, InterruptedException {
      Map<String, String> properties = new TreeMap<>(trial.properties());
      Path configuration = figures.resolve(trial.library().fileName());
      Path specFile = figures.resolve("spec.json");
      Files.writeString(configuration, trial.configuration());
      Json.write(specFile, spec());
      properties.putAll(trial.library().properties(configuration.toString()));
      properties.putAll(site.properties());
      properties.putIfAbsent("figures", figures.toString());
      List<String> jvm =
          ChildCommand.ofTrial(options.heap(), properties, site.classPath(), specFile);
      Path home = trial.sandboxed() == null ? figures : trial.sandboxed().asked().home();
      ChildProcess child = ChildProcess.start(planned.command(jvm), home, figures, work, driver);
      cancellation.child(child);
      try {
        return child.await(deadline(), progress, figures.resolve(LoadSpec.FIGURES_FILE));
      } finally {
        child.kill();
        cancellation.child(null);
      }
    }

    private LoadSpec spec() {
      return new LoadSpec(
          options.threads(),
          options.virtualThreads(),
          options.eventsPerSecond(),
          options.warmUpSeconds(),
          options.aroundSeconds(),
          options.rotations(),
          options.extras(),
          rotationLimitSeconds(),
          site.target(),
          work.resolve("console.txt").toString(),
          figures.toString(),
          recording.toString(),
          planned.application());
    }

    private double rotationLimitSeconds() {
      if (!options.rotation()) {
        return expected.rotationSeconds() + options.aroundSeconds(); // as long as with a rotation
      }
      return 20 + 4 * expected.rotationSeconds();
    }

    private Duration deadline() {
      if (options.deadline() != null) {
        return options.deadline();
      }
      double seconds =
          expected.loadSeconds() + rotationLimitSeconds() + STOP_SECONDS + SPARE_SECONDS;
      return Duration.ofMillis((long) (seconds * 1000));
    }

    private TrialResult judged(Hiccups hiccups, Driver driver) throws IOException {
      LoadFigures load =
          driver.completed(Json.read(figures.resolve(LoadSpec.FIGURES_FILE), LoadFigures.class));
      Control control =
          hiccups.figures(
              load.startEpochNanos(),
              load.cpuBySecond(),
              Runtime.getRuntime().availableProcessors());
      Judge.Seen seen =
          new Judge.Seen(
              load,
              LatencyRecorder.read(figures.resolve(LoadSpec.LATENCY_FILE), control),
              RecordingAnalysis.of(recording, planned.threadPrefix(), load),
              control,
              site.readBack(load.sentByThread()));
      List<Check> checks =
          new Judge(options.limits(), UserConfiguration.rotations(options)).checks(seen);
      String more = options.moreCalls(seen.latency().responseWhole().count());
      return result(
          seen,
          driver.figures(load),
          checks,
          Judge.finding(seen, checks) + (more.isEmpty() ? "" : "; calls are enough with " + more));
    }

    /** Returns the result; {@code seen} is null if there are no figures. */
    private TrialResult result(
        Judge.Seen seen, TrialResult.ServiceFigures service, List<Check> checks, String finding) {
      return new TrialResult(
          planned.name(),
          planned.sizeBytes(),
          repeat,
          trial.role(),
          trial.description(),
          trial.configuration(),
          command,
          seen == null ? null : seen.load(),
          seen == null ? null : seen.latency(),
          seen == null ? null : seen.waits(),
          seen == null ? null : seen.control(),
          seen == null ? null : seen.readBack(),
          service,
          checks,
          Judge.verdict(checks),
          finding);
    }

    /**
     * Returns a note if the disk is full, because the child then cannot write down why it failed.
     */
    private String fullDisk() {
      long free = directory.root().toFile().getUsableSpace();
      return free < LEAST_FREE_BYTES ? "; the disk of " + directory.root() + " is full" : "";
    }

    /**
     * Describes the threads that hang inside the logging library, and where; null if none does.
     * Such threads make a trial violated, not inconclusive.
     */
    private String stuck() throws IOException {
      Map<String, Integer> frames = new TreeMap<>();
      ChildProcess.ThreadDump.ofThreads(figures)
          .forEach(
              (name, stack) -> {
                if (name.equals("main") || name.startsWith(planned.threadPrefix())) {
                  LoggingFrames.inCall(stack).ifPresent(at -> frames.merge(at, 1, Integer::sum));
                }
              });
      int threads = frames.values().stream().mapToInt(Integer::intValue).sum();
      return frames.entrySet().stream()
          .max(Map.Entry.comparingByValue())
          .map(
              most ->
                  String.format(
                      Locale.ROOT,
                      "%s never came back from the logging library, mostly under %s",
                      threads == 1
                          ? "1 thread"
                          : String.format(Locale.ROOT, "%,d threads", threads),
                      most.getKey()))
          .orElse(null);
    }

    private TrialResult failed(String why, Verdict verdict) {
      return result(null, null, List.of(new Check("trial", "runs to its end", why, verdict)), why);
    }
  }
}
