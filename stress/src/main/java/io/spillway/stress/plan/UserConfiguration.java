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
 * A user's Logback configuration and the options for it. Before any trial, a forked JVM (the probe)
 * interprets it in a sandbox and logs a few events.
 *
 * @param configuration its absolute path
 * @param home the absolute directory that its relative paths are resolved against
 * @param classPath its dependencies besides the harness
 * @param properties system properties that it refers to
 * @param logger the logger that the load uses
 * @param messageBytes the least size of an event's text, or 0 for its natural length
 * @param appender the name of the watched appender, or null for the first that rolls a file over
 * @param limitBytes the size at which to roll over instead of at its own limit, or 0
 * @param sizeWithoutLimitBytes the size of a file at rollover if only the clock triggers that
 * @param surroundings what it expects of its application
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
   * What a configuration expects of its application.
   *
   * @param profiles the active profiles, for {@code <springProfile>}
   * @param mdc the MDC of every thread, for a SiftingAppender
   * @param network whether appenders and listeners may reach other processes in a trial
   */
  public record Surroundings(List<String> profiles, Map<String, String> mdc, boolean network) {}

  private static final Duration DEADLINE = Duration.ofMinutes(1);
  private static final int SHOWN = 5;
  private static final Pattern MISSING =
      Pattern.compile("(?:ClassNotFoundException|NoClassDefFoundError): ([\\w.$/]+)");
  private static final Pattern UNDEFINED = Pattern.compile("([\\w.-]+)_IS_UNDEFINED");

  /** Logback's warning that an AsyncAppender accepts only one appender. */
  private static final Pattern IGNORED = Pattern.compile("Ignoring additional appender");

  /**
   * Returns a trial of the configuration, held to the limits of the run. If its size is too small
   * for the load, the trial rolls over at the least sufficient size.
   *
   * @param name the name of the trial
   * @param options the options of the run
   * @throws RefusedException if no trial is possible
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
        at(least).look(rotations(options)), // another size may cause other differences
        String.format(
            Locale.ROOT,
            ", rolls over at %,d bytes instead of %,d, which this load would pass too soon",
            least,
            sandboxed.sizeBytes()));
  }

  /** Returns this configuration, rolling over at another size. */
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

  /** Returns the number of rotations, 0 without a rotation. */
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
   * Probes the configuration.
   *
   * @param rotations the number of rotations; with 0, a file that is never rolled over is accepted
   * @throws RefusedException if no trial of it is possible
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
          throw new Cancellation.Cancelled(e); // the cancellation explains the failure
        }
        throw e;
      } finally {
        RunDirectory.delete(directory);
      }
    }
  }

  /** Refuses several rotations by the clock, because the clock of a policy is moved only once. */
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
   * Returns the system properties for a JVM that runs the configuration in a sandbox.
   *
   * @param root the root of the sandbox
   * @param limit the size at which to roll over, in bytes, or 0
   * @param rotations the number of rotations of the trial
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

  /** Describes what differs from the original configuration, for the user. */
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

  /** Returns the bytes of one event in the configuration's layout, which must print the message. */
  private double lineBytes(Findings.LogFile file, Path root) throws IOException {
    int sent = Probe.events(messageBytes);
    Path active = Path.of(file.file());
    ReadBackFigures read =
        ReadBack.of(
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
        // files with events first
        .min(Comparator.comparing(file -> length(Path.of(file.file())) == 0))
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

  /** Returns what to do about the first error that has a known remedy. */
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
    // Without a rotation, a file need not be filled up to a limit of gigabytes.
    long size = rotation ? own : Math.min(own, sizeWithoutLimitBytes);
    return new Sandboxed(
        this,
        relative,
        file.trigger() == Findings.Trigger.SIZE ? limitBytes : 0,
        size,
        lineBytes,
        differences);
  }

  /** Refuses a file whose archives cannot be found or read: all events would seem lost. */
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
    return file.toFile().length(); // 0 if the file does not exist
  }

  private RefusedException refused(String why) {
    return new RefusedException("--config " + configuration + ": " + why);
  }

  /**
   * What a trial needs to know about a user's configuration.
   *
   * @param asked the configuration and its options
   * @param file the watched log file; its paths are relative to the sandbox
   * @param limitBytes the size at which to roll over instead of at its own limit, or 0
   * @param sizeBytes the size of the file when it rolls over
   * @param lineBytes the bytes of an event in the file
   * @param differences what differs from the original configuration, appended to the description
   */
  record Sandboxed(
      UserConfiguration asked,
      Findings.LogFile file,
      long limitBytes,
      long sizeBytes,
      double lineBytes,
      String differences) {}
}
