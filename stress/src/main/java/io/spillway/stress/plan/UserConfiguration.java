package io.spillway.stress.plan;

import io.spillway.stress.fork.ChildCommand;
import io.spillway.stress.fork.ChildProcess;
import io.spillway.stress.report.Json;
import io.spillway.stress.report.Progress;
import io.spillway.stress.report.ReadBackFigures;
import io.spillway.stress.report.RefusedException;
import io.spillway.stress.report.TrialResult;
import io.spillway.stress.sandbox.Findings;
import io.spillway.stress.sandbox.Probe;
import io.spillway.stress.sandbox.SandboxConfigurator;
import io.spillway.stress.verify.ReadBack;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

/**
 * Somebody's configuration, as it is asked for. Before any trial of it a forked JVM interprets it
 * in a sandbox of its own, and logs a few events.
 *
 * @param configuration an absolute path
 * @param home an absolute directory that its relative paths are relative to
 * @param classPath what it needs besides the harness
 * @param properties system properties that it refers to
 * @param logger that the load is to use
 * @param messageBytes of each event's text at least, or 0 for its natural length
 * @param appender that is to be watched, or null for the first that rolls a file over
 * @param limitBytes at which to roll over instead of at its own limit, or 0
 * @param sizeWithoutLimitBytes size of a file at rollover if only the clock triggers that
 */
public record UserConfiguration(
    Path configuration,
    Path home,
    List<Path> classPath,
    Map<String, String> properties,
    String logger,
    int messageBytes,
    String appender,
    long limitBytes,
    long sizeWithoutLimitBytes) {

  private static final Duration DEADLINE = Duration.ofMinutes(1);
  private static final int SHOWN = 5;

  /**
   * A trial of it, held to the limits of the run. If its own size is too small for the load, it
   * rolls over at the least that is not.
   *
   * @param name of the trial
   * @param options of the run
   * @throws RefusedException if none can be made
   */
  public PlannedTrial trial(String name, RunOptions options)
      throws IOException, InterruptedException {
    PlannedTrial asItIs = trial(name, look(), "");
    Sandboxed sandboxed = asItIs.trial().sandboxed();
    long least = asItIs.leastSizeBytes(options);
    boolean own = sandboxed.file().trigger() == Findings.Trigger.SIZE && limitBytes == 0;
    if (!own || sandboxed.sizeBytes() >= least) {
      return asItIs;
    }
    return trial(
        name,
        sandboxed.withLimit(least),
        String.format(
            Locale.ROOT,
            ", rolls over at %,d bytes instead of %,d, which this load would pass too soon",
            least,
            sandboxed.sizeBytes()));
  }

  private PlannedTrial trial(String name, Sandboxed sandboxed, String change) throws IOException {
    String others =
        sandboxed.others().isEmpty()
            ? ""
            : ", and outside the sandbox: " + String.join(", ", sandboxed.others());
    String description =
        configuration.getFileName()
            + ", appender "
            + sandboxed.file().appender()
            + " ("
            + sandboxed.file().type()
            + ")"
            + change
            + others;
    Trial trial =
        new Trial(
            name,
            TrialResult.Role.SUBJECT,
            description,
            LoggingLibrary.LOGBACK,
            Files.readString(configuration),
            Map.of(),
            sandboxed);
    return trial.at(sandboxed.sizeBytes());
  }

  /**
   * What it is.
   *
   * @throws RefusedException if no trial can be made of it
   */
  Sandboxed look() throws IOException, InterruptedException {
    Path directory = Files.createTempDirectory("spillway-probe").toRealPath();
    try (Cancellation cancellation = new Cancellation(() -> RunDirectory.delete(directory))) {
      try {
        Path root = directory.resolve("files");
        Findings findings = fork(directory, root, cancellation);
        Findings.LogFile file = chosen(findings);
        return sandboxed(file, root, lineBytes(file, root), findings.others());
      } catch (IOException | RuntimeException e) {
        if (cancellation.cancelled()) {
          throw new Cancellation.Cancelled(e); // whatever failed is no news
        }
        throw e;
      } finally {
        RunDirectory.delete(directory);
      }
    }
  }

  private Findings fork(Path directory, Path root, Cancellation cancellation)
      throws IOException, InterruptedException {
    Path found = directory.resolve(Findings.FILE);
    Map<String, String> all = new TreeMap<>(properties);
    all.putAll(SandboxConfigurator.properties(configuration, root, home, limitBytes));
    ChildProcess child =
        ChildProcess.start(
            ChildCommand.ofProbe(
                all, classPath, List.of(found.toString(), logger, Integer.toString(messageBytes))),
            directory);
    cancellation.child(child);
    ChildProcess.Outcome outcome;
    try {
      outcome = child.await(DEADLINE, Progress.NONE);
    } finally {
      child.kill();
      cancellation.child(null);
    }
    if (!outcome.ok()) {
      throw refused("a JVM was to interpret it: " + outcome.failure());
    }
    return Json.read(found, Findings.class);
  }

  /** Of one event, in the layout of the configuration, which must not hide the message. */
  private double lineBytes(Findings.LogFile file, Path root) throws IOException {
    int sent = Probe.events(messageBytes);
    Path active = Path.of(file.file());
    ReadBackFigures read =
        ReadBack.ofAnyLayout(
            root,
            file.named() ? active : null,
            file.fileNamePattern(),
            new ReadBackFigures.Prefill(0, 0, 0),
            List.of((long) sent));
    long found = sent - read.conservation().lost();
    if (found == sent) {
      return (double) length(active) / sent;
    }
    throw refused(
        "of "
            + sent
            + " events of logger ["
            + logger
            + "] "
            + found
            + " are whole in the file of appender ["
            + file.appender()
            + "]. Is there a filter? Then choose another with --logger, or another appender with"
            + " --file-appender. Does its layout cut %msg off, or write UTF-16? An event is known"
            + " by its message, all of it, in one line");
  }

  private Findings.LogFile chosen(Findings findings) {
    if (!findings.errors().isEmpty()) {
      throw refused(
          "Logback reports: "
              + String.join("; ", findings.errors().stream().limit(SHOWN).toList())
              + ". Classes that it needs come by --classpath, variables by --property");
    }
    if (!findings.logsInfo()) {
      throw refused(
          "it does not log INFO of logger [" + logger + "]; choose another with --logger");
    }
    List<Findings.LogFile> rolling =
        findings.files().stream().filter(file -> file.trigger() != Findings.Trigger.NONE).toList();
    if (rolling.isEmpty()) {
      throw refused(
          "no appender that gets the events of logger ["
              + logger
              + "] rolls a file over, so there is nothing to see; choose another with --logger");
    }
    return rolling.stream()
        .filter(file -> appender == null || appender.equals(file.appender()))
        .min(Comparator.comparing(file -> length(Path.of(file.file())) == 0)) // first with events
        .map(this::readable)
        .orElseThrow(
            () ->
                refused(
                    "no rolling appender is called ["
                        + appender
                        + "] (--file-appender); there are: "
                        + String.join(
                            ", ", rolling.stream().map(Findings.LogFile::appender).toList())));
  }

  private Sandboxed sandboxed(
      Findings.LogFile file, Path root, double lineBytes, List<String> others) {
    Findings.LogFile relative =
        new Findings.LogFile(
            file.appender(),
            file.type(),
            root.relativize(Path.of(file.file())).toString(),
            file.named(),
            file.fileNamePattern() == null
                ? null
                : root.relativize(Path.of(file.fileNamePattern())).toString(),
            file.trigger(),
            file.maxFileSizeBytes());
    long size =
        file.trigger() == Findings.Trigger.SIZE ? file.maxFileSizeBytes() : sizeWithoutLimitBytes;
    return new Sandboxed(
        this,
        relative,
        file.trigger() == Findings.Trigger.SIZE ? limitBytes : 0,
        size,
        lineBytes,
        others);
  }

  /** Where the tester would not find what was logged, all of it would seem lost. */
  private Findings.LogFile readable(Findings.LogFile file) {
    String pattern = file.fileNamePattern();
    if (pattern == null) {
      throw refused(
          "the rolling policy of appender ["
              + file.appender()
              + "] has no fileNamePattern, so its archives cannot be found; choose another appender"
              + " with --file-appender");
    }
    if (pattern.endsWith(".xz")) {
      throw refused(
          "archives of appender ["
              + file.appender()
              + "] cannot be read back here ["
              + pattern
              + "]; allowed: .gz, .zip, .zst or none");
    }
    return file;
  }

  private static long length(Path file) {
    return file.toFile().length(); // 0 if it is not there
  }

  private RefusedException refused(String why) {
    return new RefusedException("--config " + configuration + ": " + why);
  }

  /**
   * Somebody else's configuration, as far as a trial has to know it.
   *
   * @param asked what was asked for
   * @param file that is watched; its paths are relative to the sandbox
   * @param limitBytes at which it is to roll over instead of at its own limit, or 0
   * @param sizeBytes of the file when it rolls over
   * @param lineBytes of an event in it
   * @param others appenders that send events elsewhere than to files or the console
   */
  record Sandboxed(
      UserConfiguration asked,
      Findings.LogFile file,
      long limitBytes,
      long sizeBytes,
      double lineBytes,
      List<String> others) {

    /** The same, rolling over at another size. */
    Sandboxed withLimit(long bytes) {
      return new Sandboxed(asked, file, bytes, bytes, lineBytes, others);
    }
  }
}
