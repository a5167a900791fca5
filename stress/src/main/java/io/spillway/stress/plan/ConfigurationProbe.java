package io.spillway.stress.plan;

import io.spillway.stress.fork.ChildCommand;
import io.spillway.stress.fork.ChildOutcome;
import io.spillway.stress.fork.ChildProcess;
import io.spillway.stress.report.Json;
import io.spillway.stress.report.Progress;
import io.spillway.stress.report.ReadBackFigures;
import io.spillway.stress.report.RefusedException;
import io.spillway.stress.sandbox.Findings;
import io.spillway.stress.sandbox.LogFile;
import io.spillway.stress.sandbox.Probe;
import io.spillway.stress.sandbox.SandboxConfigurator;
import io.spillway.stress.sandbox.Trigger;
import io.spillway.stress.verify.ReadBack;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Looks at somebody's configuration before any trial of it: a forked JVM interprets it in a sandbox
 * of its own, and logs a few events.
 */
final class ConfigurationProbe {
  private static final Duration DEADLINE = Duration.ofMinutes(1);
  private static final int SHOWN = 5;

  private final ConfigurationRequest request;

  ConfigurationProbe(ConfigurationRequest request) {
    this.request = request;
  }

  /**
   * What it is.
   *
   * @throws RefusedException if no trial can be made of it
   */
  Sandboxed look() throws IOException, InterruptedException {
    Path directory = Files.createTempDirectory("spillway-probe").toRealPath();
    try (Cancellation cancellation = new Cancellation(() -> DirectoryTree.delete(directory))) {
      try {
        Path root = directory.resolve("files");
        Findings findings = fork(directory, root, cancellation);
        LogFile file = chosen(findings);
        return sandboxed(file, root, lineBytes(file, root), findings.others());
      } catch (IOException | RuntimeException e) {
        if (cancellation.cancelled()) {
          throw new CancelledException(e); // whatever failed is no news
        }
        throw e;
      } finally {
        DirectoryTree.delete(directory);
      }
    }
  }

  private Findings fork(Path directory, Path root, Cancellation cancellation)
      throws IOException, InterruptedException {
    Path found = directory.resolve(Findings.FILE);
    Map<String, String> properties = new TreeMap<>(request.properties());
    properties.putAll(
        SandboxConfigurator.properties(
            request.configuration(), root, request.home(), request.limitBytes()));
    ChildProcess child =
        ChildProcess.start(
            ChildCommand.ofProbe(
                properties,
                request.classPath(),
                List.of(
                    found.toString(), request.logger(), Integer.toString(request.messageBytes()))),
            directory);
    cancellation.child(child);
    ChildOutcome outcome;
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
  private double lineBytes(LogFile file, Path root) throws IOException {
    int sent = Probe.events(request.messageBytes());
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
            + request.logger()
            + "] "
            + found
            + " are whole in the file of appender ["
            + file.appender()
            + "]. Is there a filter? Then choose another with --logger, or another appender with"
            + " --file-appender. Does its layout cut %msg off, or write UTF-16? An event is known"
            + " by its message, all of it, in one line");
  }

  private LogFile chosen(Findings findings) {
    if (!findings.errors().isEmpty()) {
      throw refused(
          "Logback reports: "
              + String.join("; ", findings.errors().stream().limit(SHOWN).toList())
              + ". Classes that it needs come by --classpath, variables by --property");
    }
    if (!findings.logsInfo()) {
      throw refused(
          "it does not log INFO of logger ["
              + request.logger()
              + "]; choose another with --logger");
    }
    List<LogFile> rolling =
        findings.files().stream().filter(file -> file.trigger() != Trigger.NONE).toList();
    if (rolling.isEmpty()) {
      throw refused(
          "no appender that gets the events of logger ["
              + request.logger()
              + "] rolls a file over, so there is nothing to see; choose another with --logger");
    }
    return rolling.stream()
        .filter(file -> request.appender() == null || request.appender().equals(file.appender()))
        .min(Comparator.comparing(file -> length(Path.of(file.file())) == 0)) // first with events
        .map(this::readable)
        .orElseThrow(
            () ->
                refused(
                    "no rolling appender is called ["
                        + request.appender()
                        + "] (--file-appender); there are: "
                        + String.join(", ", rolling.stream().map(LogFile::appender).toList())));
  }

  private Sandboxed sandboxed(LogFile file, Path root, double lineBytes, List<String> others) {
    LogFile relative =
        new LogFile(
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
        file.trigger() == Trigger.SIZE ? file.maxFileSizeBytes() : request.sizeWithoutLimitBytes();
    return new Sandboxed(
        request.configuration(),
        request.home(),
        request.classPath(),
        request.properties(),
        request.logger(),
        relative,
        file.trigger() == Trigger.SIZE ? request.limitBytes() : 0,
        size,
        lineBytes,
        others);
  }

  /** Where the tester would not find what was logged, all of it would seem lost. */
  private LogFile readable(LogFile file) {
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
    return new RefusedException("--config " + request.configuration() + ": " + why);
  }
}
