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
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

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
 * @param surroundings what it asks of the application that it is made for
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
    long sizeWithoutLimitBytes,
    Surroundings surroundings) {

  /**
   * What a configuration asks of the application that it is made for.
   *
   * @param profiles active ones, for {@code <springProfile>}
   * @param mdc what every thread has in its MDC, for a SiftingAppender
   * @param network whether appenders, and listeners, may reach other processes in a trial
   */
  public record Surroundings(List<String> profiles, Map<String, String> mdc, boolean network) {}

  private static final Duration DEADLINE = Duration.ofMinutes(1);
  private static final int SHOWN = 5;
  private static final Pattern MISSING =
      Pattern.compile("(?:ClassNotFoundException|NoClassDefFoundError): ([\\w.$/]+)");
  private static final Pattern UNDEFINED = Pattern.compile("([\\w.-]+)_IS_UNDEFINED");

  /** An AsyncAppender has one appender and takes no second. */
  private static final Pattern IGNORED = Pattern.compile("Ignoring additional appender");

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
    PlannedTrial asItIs = trial(name, look(rotations(options)), "");
    Sandboxed sandboxed = asItIs.trial().sandboxed();
    long least = asItIs.leastSizeBytes(options);
    boolean own = sandboxed.file().trigger() == Findings.Trigger.SIZE && limitBytes == 0;
    if (!own || sandboxed.sizeBytes() >= least) {
      return asItIs;
    }
    return trial(
        name,
        at(least).look(rotations(options)), // at another size other differences may be needed
        String.format(
            Locale.ROOT,
            ", rolls over at %,d bytes instead of %,d, which this load would pass too soon",
            least,
            sandboxed.sizeBytes()));
  }

  /** The same, rolling over at another size. */
  private UserConfiguration at(long bytes) {
    return new UserConfiguration(
        configuration,
        home,
        classPath,
        properties,
        logger,
        messageBytes,
        appender,
        bytes,
        sizeWithoutLimitBytes,
        surroundings);
  }

  /** 0 if there is to be none. */
  static int rotations(RunOptions options) {
    return options.rotation() ? options.rotations() : 0;
  }

  private PlannedTrial trial(String name, Sandboxed sandboxed, String change) throws IOException {
    String description =
        configuration.getFileName()
            + ", appender "
            + sandboxed.file().appender()
            + " ("
            + sandboxed.file().type()
            + ")"
            + change
            + sandboxed.differences();
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
   * @param rotations 0 if a file that is never rolled over will do
   * @throws RefusedException if no trial can be made of it
   */
  Sandboxed look(int rotations) throws IOException, InterruptedException {
    Path directory = Files.createTempDirectory("spillway-probe").toRealPath();
    try (Cancellation cancellation = new Cancellation(() -> RunDirectory.delete(directory))) {
      try {
        Path root = directory.resolve("files");
        boolean rotation = rotations > 0;
        Findings findings = fork(directory, root, cancellation, rotations);
        Findings.LogFile file = chosen(findings, rotation);
        requireSize(file, rotations);
        return sandboxed(file, root, lineBytes(file, root), differences(findings), rotation);
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

  /** The clock of a policy is moved on once. */
  private void requireSize(Findings.LogFile file, int rotations) {
    if (rotations > 1 && file.trigger() == Findings.Trigger.CLOCK) {
      throw refused(
          "'--rotations "
              + rotations
              + "' is too many for appender ["
              + file.appender()
              + "], which rolls over by the clock alone; allowed: '--rotations 1', or an appender"
              + " that rolls over at a size (--file-appender)");
    }
  }

  private Findings fork(Path directory, Path root, Cancellation cancellation, int rotations)
      throws IOException, InterruptedException {
    Path found = directory.resolve(Findings.FILE);
    Map<String, String> all = systemProperties(root, limitBytes, rotations);
    all.putAll(SandboxConfigurator.unreached());
    ChildProcess child =
        ChildProcess.start(
            ChildCommand.ofProbe(
                all, classPath, List.of(found.toString(), logger, Integer.toString(messageBytes))),
            directory,
            directory);
    cancellation.child(child);
    ChildProcess.Outcome outcome;
    try {
      outcome = child.await(DEADLINE, Progress.NONE, found);
    } finally {
      child.kill();
      cancellation.child(null);
    }
    if (!outcome.ok()) {
      // The dump itself is deleted with the directory.
      String hangs = outcome.dump() == null ? "" : ChildProcess.ThreadDump.whereItHangs(directory);
      throw refused("a JVM was to interpret it: " + outcome.failure() + hangs);
    }
    return Json.read(found, Findings.class);
  }

  /**
   * System properties for a JVM that keeps it in a sandbox.
   *
   * @param root of the sandbox
   * @param limit at which it is to roll over, in bytes, or 0
   * @param rotations of the trial
   */
  Map<String, String> systemProperties(Path root, long limit, int rotations) {
    Map<String, String> all = new TreeMap<>(properties);
    all.putAll(
        SandboxConfigurator.properties(
            configuration, root, home, limit, sizeWithoutLimitBytes, rotations));
    all.putAll(
        SandboxConfigurator.surroundings(
            surroundings.profiles(), surroundings.mdc(), surroundings.network()));
    return all;
  }

  /** What its owner has to know before it runs. */
  private static String differences(Findings findings) {
    StringBuilder text = new StringBuilder();
    findings.notes().forEach(note -> text.append(", ").append(note));
    findings.warnings().stream()
        .filter(warning -> IGNORED.matcher(warning).find())
        .forEach(warning -> text.append(", Logback: ").append(warning));
    if (!findings.counted().isEmpty()) {
      text.append(", counted instead of sent (--allow-network sends): ");
      text.append(String.join(", ", findings.counted()));
    }
    if (!findings.outside().isEmpty()) {
      text.append(", and outside the sandbox: ").append(String.join(", ", findings.outside()));
    }
    return text.toString();
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
            + "]. Is there a filter, or an appender before it that discards events? Then choose"
            + " another with --logger, or another appender with --file-appender. Does its layout"
            + " cut %msg off, or write UTF-16? An event is known by its message, all of it, in one"
            + " line");
  }

  private Findings.LogFile chosen(Findings findings, boolean rotation) {
    if (!findings.errors().isEmpty()) {
      throw refused(remedy(findings.errors()) + reported(findings.errors()));
    }
    if (!findings.logsInfo()) {
      throw refused(
          "it does not log INFO of logger [" + logger + "]; choose another with --logger");
    }
    List<Findings.LogFile> files =
        findings.files().stream()
            .filter(file -> !rotation || file.trigger() != Findings.Trigger.NONE)
            .toList();
    if (files.isEmpty()) {
      throw refused(
          "no appender that gets the events of logger ["
              + logger
              + "] "
              + (rotation ? "rolls a file over" : "writes a file")
              + ", so there is nothing to see; choose another with --logger, or a profile with"
              + " --profile"
              + (findings.files().isEmpty() ? "" : ", or try it without a rotation: --no-rotation")
              + differences(findings)
              + reported(findings.warnings()));
    }
    return files.stream()
        .filter(file -> appender == null || appender.equals(file.appender()))
        .min(Comparator.comparing(file -> length(Path.of(file.file())) == 0)) // first with events
        .map(this::readable)
        .orElseThrow(
            () ->
                refused(
                    (rotation ? "no rolling appender is called [" : "no file appender is called [")
                        + appender
                        + "] (--file-appender); there are: "
                        + String.join(
                            ", ", files.stream().map(Findings.LogFile::appender).toList())));
  }

  private static String reported(List<String> problems) {
    return problems.isEmpty()
        ? ""
        : problems.stream()
            .limit(SHOWN)
            .map(problem -> System.lineSeparator() + "  " + problem)
            .collect(Collectors.joining("", ". Logback reports:", ""));
  }

  /** What to do about the first of the errors that says enough. */
  private static String remedy(List<String> errors) {
    for (String error : errors) {
      Matcher undefined = UNDEFINED.matcher(error);
      if (undefined.find()) {
        return "the variable "
            + undefined.group(1)
            + " has no value; give it one with --property "
            + undefined.group(1)
            + "=VALUE";
      }
      Matcher missing = MISSING.matcher(error);
      if (missing.find()) {
        return "it needs the class "
            + missing.group(1).replace('/', '.')
            + "; name the jar that has it with --classpath";
      }
    }
    return "Logback cannot make it what it says; mend what is reported, in the file or by"
        + " --classpath and --property";
  }

  private Sandboxed sandboxed(
      Findings.LogFile file, Path root, double lineBytes, String differences, boolean rotation) {
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
    long own =
        file.trigger() == Findings.Trigger.SIZE ? file.maxFileSizeBytes() : sizeWithoutLimitBytes;
    // Without a rotation nothing is gained by filling a file up to a limit of gigabytes.
    long size = rotation ? own : Math.min(own, sizeWithoutLimitBytes);
    return new Sandboxed(
        this,
        relative,
        file.trigger() == Findings.Trigger.SIZE ? limitBytes : 0,
        size,
        lineBytes,
        differences);
  }

  /** Where the tester would not find what was logged, all of it would seem lost. */
  private Findings.LogFile readable(Findings.LogFile file) {
    String pattern = file.fileNamePattern();
    if (pattern == null && file.trigger() != Findings.Trigger.NONE) {
      throw refused(
          "the rolling policy of appender ["
              + file.appender()
              + "] has no fileNamePattern, so its archives cannot be found; choose another appender"
              + " with --file-appender");
    }
    if (pattern != null && pattern.endsWith(".xz")) {
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
   * @param differences what its owner has to know before it runs, to be added to its description
   */
  record Sandboxed(
      UserConfiguration asked,
      Findings.LogFile file,
      long limitBytes,
      long sizeBytes,
      double lineBytes,
      String differences) {}
}
