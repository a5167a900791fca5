package io.spillway.stress.plan;

import io.spillway.stress.fork.ChildCommand;
import io.spillway.stress.fork.ChildProcess;
import io.spillway.stress.load.Child;
import io.spillway.stress.report.Json;
import io.spillway.stress.report.Progress;
import io.spillway.stress.report.ReadBackFigures;
import io.spillway.stress.report.RefusedException;
import io.spillway.stress.report.TrialResult;
import io.spillway.stress.sandbox.Probe;
import io.spillway.stress.sandbox.Sandbox;
import io.spillway.stress.verify.ReadBack;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * A user's Logback configuration and the options for it. Before any trial, a forked JVM (the probe)
 * interprets it in a sandbox and logs a few events.
 *
 * @param configuration its absolute path
 * @param home the absolute directory of the application, in which the forked JVMs run
 * @param properties system properties that it refers to
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

  /**
   * What a trial needs to know about a user's configuration.
   *
   * @param file the watched log file; its paths are relative to the sandbox
   * @param limitBytes the size at which to roll over instead of at its own limit, or 0
   * @param sizeBytes the size of the file when it rolls over
   * @param lineBytes the bytes of an event in the file
   * @param notes what Logback reports, and what differs from the original configuration
   */
  record Sandboxed(
      UserConfiguration asked,
      Probe.LogFile file,
      long limitBytes,
      long sizeBytes,
      double lineBytes,
      List<String> notes) {}

  private static final Duration DEADLINE = Duration.ofMinutes(1);

  /**
   * Returns a trial of the configuration, held to the limits of the run. If its size is too small
   * for the load, the trial rolls over at the least sufficient size.
   *
   * @throws RefusedException if no trial is possible
   */
  public Trial trial(String name, RunOptions options) throws IOException, InterruptedException {
    Sandboxed own = look(options.rotationsDue());
    Trial asItIs = trial(name, own);
    long least = asItIs.leastSizeBytes(options);
    if (limitBytes > 0 || own.file.maxFileSizeBytes() == 0 || own.sizeBytes >= least) {
      return asItIs;
    }
    List<String> notes = new ArrayList<>(own.notes);
    notes.add(
        String.format(
            Locale.ROOT,
            "rolls over at %,d bytes instead of %,d, which this load would pass too soon",
            least,
            own.sizeBytes));
    return trial(name, new Sandboxed(this, own.file, least, least, own.lineBytes, notes));
  }

  private Trial trial(String name, Sandboxed sandboxed) throws IOException {
    Probe.LogFile file = sandboxed.file;
    return new Trial(
        name,
        TrialResult.Role.SUBJECT,
        configuration.getFileName() + ", appender " + file.appender() + " (" + file.type() + ")",
        Trial.LOGBACK,
        Files.readString(configuration),
        Map.of(),
        sandboxed,
        sandboxed.sizeBytes,
        null);
  }

  /**
   * Probes the configuration.
   *
   * @param rotations the number of rotations; with 0, a file that is never rolled over is accepted
   * @throws RefusedException if no trial of it is possible
   */
  Sandboxed look(int rotations) throws IOException, InterruptedException {
    try (RunDirectory directory = RunDirectory.temporary()) {
      try {
        Path root = directory.root().resolve("files");
        Probe.Findings findings = fork(directory, root, rotations);
        Probe.LogFile file = chosen(findings, root, rotations > 0);
        requireReadable(file, rotations);
        long own = file.maxFileSizeBytes() > 0 ? file.maxFileSizeBytes() : sizeWithoutLimitBytes;
        // Without a rotation, a file need not be filled up to a limit of gigabytes.
        long size = rotations > 0 ? own : Math.min(own, sizeWithoutLimitBytes);
        double lineBytes = lineBytes(file, root);
        return new Sandboxed(this, file, limitBytes, size, lineBytes, findings.notes());
      } finally {
        directory.deleteAll();
      }
    }
  }

  private Probe.Findings fork(RunDirectory probe, Path root, int rotations)
      throws IOException, InterruptedException {
    Path directory = probe.root();
    Path found = directory.resolve("findings.json");
    List<String> command =
        ChildCommand.ofProbe(
            systemProperties(directory.resolve("sandbox.json"), root, limitBytes, rotations),
            classPath,
            List.of(found.toString(), logger, Integer.toString(messageBytes)));
    ChildProcess child =
        new ChildProcess(command, home, directory, directory, ChildProcess.Driver.NONE);
    ChildProcess.Outcome outcome = probe.await(child, DEADLINE, Progress.NONE, found);
    if (!outcome.ok()) {
      throw refused("a JVM was to interpret it: %s", outcome.failure());
    }
    return Json.read(found, Probe.Findings.class);
  }

  /**
   * Returns the system properties for a JVM that runs the configuration in a sandbox.
   *
   * @param spec the file for what that JVM must know
   */
  Map<String, String> systemProperties(Path spec, Path root, long limit, int rotations)
      throws IOException {
    Sandbox.Spec sandbox =
        new Sandbox.Spec(
            configuration.toString(),
            root.toString(),
            limit,
            sizeWithoutLimitBytes,
            rotations,
            Set.copyOf(surroundings.profiles),
            surroundings.network);
    Map<String, String> all = new TreeMap<>(properties);
    all.putAll(Child.mdcProperties(surroundings.mdc));
    all.putAll(sandbox.write(spec));
    return all;
  }

  private Probe.LogFile chosen(Probe.Findings findings, Path root, boolean rotation) {
    if (findings.refusal() != null) {
      throw refused("%s", findings.refusal());
    }
    String does = rotation ? "rolls a file over" : "writes a file";
    List<Probe.LogFile> files =
        findings.files().stream().filter(file -> file.rolls() || !rotation).toList();
    if (files.isEmpty()) {
      throw refused(
          "no appender %s; give another file, or a profile with --profile%s%s",
          does,
          findings.files().isEmpty() ? "" : ", or try it with --no-rotation",
          findings.notes().isEmpty() ? "" : " (" + String.join("; ", findings.notes()) + ")");
    }
    List<String> names = files.stream().map(Probe.LogFile::appender).toList();
    return files.stream()
        .filter(file -> appender == null || appender.equals(file.appender()))
        .min(Comparator.comparing(file -> length(root, file) == 0)) // files with events first
        .orElseThrow(
            () ->
                refused(
                    "no appender that %s is called [%s]; name one of %s with --file-appender",
                    does, appender, names));
  }

  private void requireReadable(Probe.LogFile file, int rotations) {
    if (rotations > 1 && file.rollsByClock()) {
      throw refused(
          "appender [%s] rolls over by the clock alone, which is moved on once; use --rotations 1,"
              + " or choose another with --file-appender",
          file.appender());
    }
    if (file.rolls() && file.fileNamePattern().endsWith(".xz")) {
      throw refused(
          "archives of appender [%s] cannot be read back [%s]; use .gz, .zip, .zst or none",
          file.appender(), file.fileNamePattern());
    }
  }

  /** Returns the bytes of one event in the configuration's layout, which must print the message. */
  private double lineBytes(Probe.LogFile file, Path root) throws IOException {
    ReadBackFigures read =
        ReadBack.of(
            root,
            file.named() ? root.resolve(file.file()) : null,
            file.rolls() ? root.resolve(file.fileNamePattern()).toString() : null,
            new ReadBackFigures.Prefill(0, 0, 0),
            List.of((long) Probe.EVENTS));
    long lost = read.conservation().lost();
    if (lost > 0) {
      throw refused(
          "of %d events of logger [%s] %d are whole in the file of appender [%s]; choose another"
              + " with --logger or --file-appender if a filter or an appender before it keeps them"
              + " out, or a layout with all of %%msg in one line, not in UTF-16",
          Probe.EVENTS, logger, Probe.EVENTS - lost, file.appender());
    }
    return (double) length(root, file) / Probe.EVENTS;
  }

  private static long length(Path root, Probe.LogFile file) {
    return root.resolve(file.file()).toFile().length(); // 0 if the file does not exist
  }

  private RefusedException refused(String why, Object... values) {
    return new RefusedException(
        "--config " + configuration + ": " + String.format(Locale.ROOT, why, values));
  }
}
