package io.spillway.stress.plan;

import io.spillway.stress.fork.ChildCommand;
import io.spillway.stress.fork.ChildProcess;
import io.spillway.stress.load.LoadSpec;
import io.spillway.stress.record.Hiccups;
import io.spillway.stress.record.LoggingFrames;
import io.spillway.stress.record.RecordingAnalysis;
import io.spillway.stress.report.Json;
import io.spillway.stress.report.Judge;
import io.spillway.stress.report.LoadFigures;
import io.spillway.stress.report.Progress;
import io.spillway.stress.report.TrialResult;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

/** Runs one trial: files, forked JVM, recording, read-back, verdict. */
final class TrialRunner {

  private static final double STOP_SECONDS = 90;
  private static final double SPARE_SECONDS = 60;
  private static final long TICK_MILLIS = 200;
  private static final long LEAST_FREE_BYTES = 1 << 20;
  private static final Duration OUT_OF_REACH = Duration.ofMinutes(30);

  private final RunOptions options;
  private final Estimate estimate;
  private final RunDirectory directory;
  private final Cancellation cancellation;
  private final Progress progress;

  TrialRunner(
      RunOptions options,
      Estimate estimate,
      RunDirectory directory,
      Cancellation cancellation,
      Progress progress) {
    this.options = options;
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
      return attempt.failed("it cannot be tried: " + e + attempt.fullDisk());
    } finally {
      if (!options.keep()) {
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
      label = label(planned.name(), repeat);
      expected = estimate.of(planned);
    }

    TrialResult run() throws IOException, InterruptedException {
      directory.delete(label); // files of an earlier attempt
      work = directory.work(label);
      figures = directory.figures(label);
      recording = work.resolve("trial.jfr");
      progress.begin(label + ": prefill", expected.copySeconds());
      site = site();
      Map<String, String> properties = new TreeMap<>(trial.properties());
      if (trial.rotatesByTheClock()) {
        properties.put(Trial.HOUR_ZONE, awaitHour().zone());
      }
      progress.begin(label + ": load", expected.loadSeconds());
      Hiccups hiccups = Hiccups.start();
      ChildProcess.Outcome outcome;
      try (hiccups) {
        outcome = fork(properties);
      }
      command = outcome.command();
      if (!outcome.ok()) {
        String dump = outcome.dump() == null ? "" : "; " + outcome.dump();
        String full = fullDisk();
        String why = outcome.failure() + dump + full;
        String stuck = outcome.dump() == null ? null : stuck();
        if (stuck != null) {
          return failed(stuck + "; " + why, Judge.Verdict.VIOLATED, Judge.Grade.STALL);
        }
        // Code that ends a JVM because the disk is full may have good reason.
        return outcome.byOthers() && full.isEmpty()
            ? failed(why, Judge.Verdict.VIOLATED, null)
            : failed(why);
      }
      progress.begin(label + ": read back", expected.verifySeconds());
      try {
        return judged(hiccups);
      } catch (IOException e) {
        cancellation.check();
        return failed("what it left cannot be read: " + e);
      }
    }

    private Site site() throws IOException {
      if (trial.sandboxed() != null) {
        return Site.Sandbox.prepare(work, planned, options, cancellation::cancelled);
      }
      return Site.BuiltIn.prepare(work, planned, directory, options, cancellation::cancelled);
    }

    /** Waits until an hour in some time zone ends just when the rotation is due. */
    private HourEnd awaitHour() throws InterruptedException {
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

    private ChildProcess.Outcome fork(Map<String, String> properties)
        throws IOException, InterruptedException {
      Path configuration = figures.resolve(trial.library().fileName());
      Path specFile = figures.resolve("spec.json");
      Files.writeString(configuration, trial.configuration());
      Json.write(specFile, spec());
      properties.putAll(trial.library().properties(configuration.toString()));
      properties.putAll(site.properties());
      properties.putIfAbsent("figures", figures.toString());
      ChildProcess child =
          ChildProcess.start(
              ChildCommand.ofTrial(
                  options.heap(), properties, site.classPath(), options.virtualThreads(), specFile),
              trial.sandboxed() == null ? figures : trial.sandboxed().asked().home(),
              figures,
              work);
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
          options.closedLoop() ? 0 : options.eventsPerSecond(),
          planned.mostEvents(options),
          options.warmUpSeconds(),
          options.aroundSeconds(),
          options.rotations(),
          options.extras(),
          rotationLimitSeconds(),
          site.target(),
          work.resolve("console.txt").toString(),
          figures.toString(),
          recording.toString());
    }

    private double rotationLimitSeconds() {
      if (!options.rotation()) {
        return expected.rotationSeconds() + options.aroundSeconds(); // as long as with a rotation
      }
      // the lead is a guess then
      double late = options.closedLoop() ? 4 * expected.leadSeconds() : 0;
      return 20 + late + 4 * expected.rotationSeconds();
    }

    private Duration deadline() {
      if (options.deadline() != null) {
        return options.deadline();
      }
      double seconds =
          expected.loadSeconds() + rotationLimitSeconds() + STOP_SECONDS + SPARE_SECONDS;
      return Duration.ofMillis((long) (seconds * 1000));
    }

    private TrialResult judged(Hiccups hiccups) throws IOException {
      LoadFigures load = Json.read(figures.resolve(LoadSpec.FIGURES_FILE), LoadFigures.class);
      RecordingAnalysis analysis =
          RecordingAnalysis.of(
              recording, LoadSpec.APPLICATION_THREAD, RecordingAnalysis.Span.of(load));
      Judge.Seen seen =
          new Judge.Seen(
              load,
              analysis.parks(),
              analysis.pauses(),
              analysis.executed(load.loadCpuSeconds()),
              site.readBack(load.sentByThread()),
              hiccups.figures(
                  load.loadStartEpochNanos(),
                  load.warmUpSeconds(),
                  load.loadSeconds(),
                  load.cpuBySecond(),
                  Runtime.getRuntime().availableProcessors()));
      List<Judge.Check> evidence =
          new Judge(options.limits(), UserConfiguration.rotations(options)).checks(seen);
      return new TrialResult(
          planned.name(),
          planned.sizeBytes(),
          repeat,
          trial.role(),
          trial.description(),
          trial.configuration(),
          command,
          load,
          seen.parks(),
          seen.pauses(),
          analysis.heap(),
          seen.control(),
          seen.executed(),
          seen.readBack(),
          evidence,
          Judge.verdict(trial.role(), evidence),
          Judge.felt(evidence),
          seen.heldUpPerMinute(),
          Judge.finding(seen, evidence),
          Judge.reasons(evidence));
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
                if (name.equals("main") || name.startsWith(LoadSpec.APPLICATION_THREAD)) {
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

    private TrialResult failed(String why) {
      return failed(why, Judge.Verdict.INCONCLUSIVE, null);
    }

    private TrialResult failed(String why, Judge.Verdict verdict, Judge.Grade felt) {
      return new TrialResult(
          planned.name(),
          planned.sizeBytes(),
          repeat,
          trial.role(),
          trial.description(),
          trial.configuration(),
          command,
          null,
          null,
          null,
          null,
          null,
          List.of(),
          null,
          List.of(),
          verdict,
          felt,
          null,
          why,
          List.of(why));
    }
  }

  /**
   * The end of an hour within a trial, for policies that rotate by the clock. Time zones have
   * offsets in whole minutes, so an hour ends at any full minute in one of them.
   *
   * @param at a full minute
   */
  record HourEnd(Instant at) {
    private static final int MINUTES_PER_HOUR = 60;

    /** Returns the first full minute that is not before an instant. */
    static HourEnd notBefore(Instant earliest) {
      Instant minute = earliest.truncatedTo(ChronoUnit.MINUTES);
      return new HourEnd(minute.equals(earliest) ? minute : minute.plus(1, ChronoUnit.MINUTES));
    }

    /**
     * Returns a time zone in which an hour ends at {@code at}, in the syntax of date patterns and
     * {@link java.time}.
     */
    String zone() {
      int minuteOfHour = at.atOffset(ZoneOffset.UTC).getMinute();
      return String.format(
          Locale.ROOT, "GMT+00:%02d", (MINUTES_PER_HOUR - minuteOfHour) % MINUTES_PER_HOUR);
    }

    /** Returns how long to wait until the given time before that minute. */
    Duration waitUntil(Duration before, Instant now) {
      Duration wait = Duration.between(now, at.minus(before));
      return wait.isNegative() ? Duration.ZERO : wait;
    }
  }
}
