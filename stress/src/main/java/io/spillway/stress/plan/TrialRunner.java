package io.spillway.stress.plan;

import io.spillway.stress.fork.ChildCommand;
import io.spillway.stress.fork.ChildProcess;
import io.spillway.stress.load.LoadSpec;
import io.spillway.stress.record.Hiccups;
import io.spillway.stress.record.LatencyRecorder;
import io.spillway.stress.record.RecordingAnalysis;
import io.spillway.stress.report.Control;
import io.spillway.stress.report.Json;
import io.spillway.stress.report.Judge;
import io.spillway.stress.report.LoadFigures;
import io.spillway.stress.report.Progress;
import io.spillway.stress.report.TrialResult;
import io.spillway.stress.report.TrialResult.Check;
import io.spillway.stress.report.Verdict;
import io.spillway.stress.service.HttpDriver;
import io.spillway.stress.service.ServiceTrial;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Runs one trial after the other: files, forked JVM, recording, read-back, verdict. */
record TrialRunner(RunOptions run, Estimate estimate, RunDirectory directory, Progress progress) {

  private static final double STOP_SECONDS = 150; // with a minute to spare
  private static final long LEAST_FREE_BYTES = 1 << 20;

  /** Runs a trial; a failure makes it inconclusive, so that earlier results are kept. */
  TrialResult run(Trial trial, int repeat) throws IOException, InterruptedException {
    Attempt attempt = new Attempt(trial, repeat);
    try {
      return attempt.run();
    } catch (IOException | RuntimeException | Error e) {
      // An error is possible, because reading the results may need too much heap.
      return attempt.failed("it cannot be tried: " + e + fullDisk(), Verdict.INCONCLUSIVE);
    } finally {
      RunDirectory.checkCancelled(); // a cancellation has deleted the files
      if (!run.keep()) {
        RunDirectory.delete(attempt.work); // before the next trial, which needs the space
      }
    }
  }

  /** Returns the name of the directory with the figures of one trial. */
  static String label(String trial, int repeat) {
    return repeat == 1 ? trial : trial + "-" + repeat;
  }

  /** Returns a note if the disk is full, because the child then cannot write down why it failed. */
  private String fullDisk() {
    long free = directory.root().toFile().getUsableSpace();
    return free < LEAST_FREE_BYTES ? "; the disk of " + directory.root() + " is full" : "";
  }

  /** One execution of a trial. */
  private final class Attempt {

    private final Trial trial;
    private final ServiceTrial service;
    private final RunOptions options;
    private final int repeat;
    private final String label;
    private final Estimate.OfTrial expected;
    private final Path work;
    private final Path figures;
    private final Path latencies;
    private final Path recording;
    private List<String> command = List.of();

    Attempt(Trial trial, int repeat) {
      this.trial = trial;
      this.repeat = repeat;
      service = trial.service();
      options = trial.options(run);
      label = label(trial.name(), repeat);
      expected = estimate.of(trial);
      work = directory.work().resolve(label);
      figures = directory.root().resolve(label);
      latencies = figures.resolve(LoadSpec.LATENCY_FILE);
      recording = work.resolve("trial.jfr");
    }

    TrialResult run() throws IOException, InterruptedException {
      for (Path ofTrial : List.of(work, figures)) {
        RunDirectory.delete(ofTrial); // files of an earlier attempt
        Files.createDirectory(ofTrial);
      }
      progress.begin(label + ": prefill", expected.prefillSeconds());
      Site site = Site.prepare(work, trial, options);
      progress.begin(label + ": load", expected.loadSeconds());
      Hiccups hiccups = Hiccups.start();
      ChildProcess.Driver driver =
          service == null ? ChildProcess.Driver.NONE : new HttpDriver(service, latencies);
      ChildProcess.Outcome outcome;
      try (hiccups;
          driver) {
        outcome = fork(site, driver);
      }
      Check end = outcome.ok() ? null : failure(outcome);
      if (end != null && !Files.exists(figures.resolve(LoadSpec.FIGURES_FILE))) {
        return failed(end);
      }
      progress.begin(label + ": read back", expected.verifySeconds());
      try {
        return judged(site, hiccups, driver, end);
      } catch (IOException e) {
        String why = "what it left cannot be read: " + e;
        return end == null ? failed(why, Verdict.INCONCLUSIVE) : failed(end);
      }
    }

    private ChildProcess.Outcome fork(Site site, ChildProcess.Driver driver)
        throws IOException, InterruptedException {
      Path configuration = figures.resolve(trial.library() + ".xml");
      Files.writeString(configuration, trial.configuration());
      Path specFile = figures.resolve("spec.json");
      Json.write(specFile, spec(site));
      Map<String, String> properties = new TreeMap<>(trial.properties());
      properties.put(trial.library() + ".configurationFile", configuration.toString());
      properties.putAll(site.properties());
      properties.putIfAbsent("figures", figures.toString());
      List<String> jvm =
          ChildCommand.ofTrial(options.heap(), properties, site.classPath(), specFile);
      command = service == null ? jvm : service.onOwnProcessors(jvm);
      Path home = trial.sandboxed() == null ? figures : trial.sandboxed().asked().home();
      return directory.await(
          new ChildProcess(command, home, figures, work, driver),
          deadline(),
          progress,
          figures.resolve(LoadSpec.FIGURES_FILE));
    }

    private LoadSpec spec(Site site) {
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
          service == null ? null : service.application());
    }

    private double rotationLimitSeconds() {
      return options.rotation()
          ? 20 + 4 * expected.rotationSeconds()
          : expected.rotationSeconds() + options.aroundSeconds(); // as long as with a rotation
    }

    private Duration deadline() {
      if (options.deadline() != null) {
        return options.deadline();
      }
      double seconds = expected.loadSeconds() + rotationLimitSeconds() + STOP_SECONDS;
      return Duration.ofMillis((long) (seconds * 1000));
    }

    /** Judges by the figures and, unless it is null, by how the JVM failed to end after them. */
    private TrialResult judged(Site site, Hiccups hiccups, ChildProcess.Driver driver, Check end)
        throws IOException {
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
              LatencyRecorder.read(latencies, control),
              RecordingAnalysis.of(recording, trial.threadPrefix(), load),
              control,
              site.readBack(load.sentByThread()));
      List<Check> checks = new Judge(options.limits(), options.rotationsDue()).checks(seen);
      if (end != null) {
        checks.add(end);
      }
      String more = run.moreCalls(seen.latency().responseWhole().count());
      String finding =
          Judge.finding(seen, checks) + (more.isEmpty() ? "" : "; calls are enough with " + more);
      return result(seen, driver.figures(load), checks, finding);
    }

    private Check failure(ChildProcess.Outcome outcome) {
      String full = fullDisk();
      boolean hung = outcome.dump() != null;
      // Code that ends a JVM because the disk is full may have good reason.
      boolean broken = outcome.byOthers() && (hung || full.isEmpty());
      return runsToItsEnd(
          outcome.failure() + (hung ? "; " + outcome.dump() : "") + full,
          broken ? Verdict.VIOLATED : Verdict.INCONCLUSIVE);
    }

    private static Check runsToItsEnd(String seen, Verdict verdict) {
      return new Check("trial", "runs to its end", seen, verdict);
    }

    private TrialResult failed(String why, Verdict verdict) {
      return failed(runsToItsEnd(why, verdict));
    }

    private TrialResult failed(Check end) {
      return result(null, null, List.of(end), end.seen());
    }

    /** Returns the result; {@code seen} is null if there are no figures. */
    private TrialResult result(
        Judge.Seen seen, TrialResult.ServiceFigures service, List<Check> checks, String finding) {
      return new TrialResult(
          trial.name(),
          trial.sizeBytes(),
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
  }
}
