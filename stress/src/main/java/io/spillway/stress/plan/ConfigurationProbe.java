package io.spillway.stress.plan;

import io.spillway.stress.fork.ChildCommand;
import io.spillway.stress.report.Json;
import io.spillway.stress.sandbox.Findings;
import io.spillway.stress.sandbox.LogFile;
import io.spillway.stress.sandbox.Probe;
import io.spillway.stress.sandbox.SandboxConfigurator;
import io.spillway.stress.sandbox.Trigger;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;

/**
 * Looks at somebody's configuration before any trial of it: a forked JVM interprets it in a sandbox
 * of its own, and logs a few events.
 */
final class ConfigurationProbe {
  private static final long DEADLINE_SECONDS = 60;
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
    try {
      Path root = directory.resolve("files");
      Findings findings = fork(directory, root);
      LogFile file = chosen(findings);
      double lineBytes = (double) length(Path.of(file.file())) / Probe.EVENTS;
      if (lineBytes == 0) {
        throw refused(
            "none of "
                + Probe.EVENTS
                + " events of logger ["
                + request.logger()
                + "] got into the file of appender ["
                + file.appender()
                + "]; is there a filter? Choose another with --logger");
      }
      return sandboxed(file, root, lineBytes, findings.others());
    } finally {
      RunDirectory.delete(directory);
    }
  }

  private Findings fork(Path directory, Path root) throws IOException, InterruptedException {
    Path found = directory.resolve(Findings.FILE);
    Path output = directory.resolve("output.txt");
    Map<String, String> properties = new TreeMap<>(request.properties());
    properties.putAll(
        SandboxConfigurator.properties(
            request.configuration(), root, request.home(), request.limitBytes()));
    Process process =
        new ProcessBuilder(
                ChildCommand.ofProbe(
                    properties,
                    request.classPath(),
                    List.of(
                        found.toString(),
                        request.logger(),
                        Integer.toString(request.messageBytes()))))
            .directory(directory.toFile())
            .redirectErrorStream(true)
            .redirectOutput(output.toFile())
            .start();
    boolean ended = process.waitFor(DEADLINE_SECONDS, TimeUnit.SECONDS);
    process.destroyForcibly();
    if (!ended || !Files.exists(found)) {
      String why = ended ? "ended with exit code " + process.exitValue() : "did not end in time";
      throw refused("a JVM that interpreted it " + why + ": " + tail(output));
    }
    return Json.read(found, Findings.class);
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
        .findFirst()
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

  private static long length(Path file) throws IOException {
    return Files.exists(file) ? Files.size(file) : 0;
  }

  private static String tail(Path output) throws IOException {
    List<String> lines = Files.readAllLines(output);
    return String.join("; ", lines.subList(Math.max(0, lines.size() - SHOWN), lines.size()));
  }

  private RefusedException refused(String why) {
    return new RefusedException("--config " + request.configuration() + ": " + why);
  }
}
