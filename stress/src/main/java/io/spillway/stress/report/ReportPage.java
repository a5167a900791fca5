package io.spillway.stress.report;

import io.spillway.stress.report.ReadBackFigures.LeftFile;
import io.spillway.stress.report.TrialResult.Check;
import io.spillway.stress.report.Waits.Frame;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/** The HTML page of a run: the answer first, then the evidence for it, trial by trial. */
final class ReportPage {

  private static final List<String> EVIDENCE = List.of("figure", "allowed", "measured", "verdict");
  private static final List<String> FRAMES = List.of("frame", "events", "thread-seconds");
  private static final List<String> MACHINE =
      List.of("started", "took", "system", "processors", "memory", "Java");

  private ReportPage() {}

  static void write(Path file, RunResult run, String light, String dark) throws IOException {
    Html page = new Html();
    page.add("p", "finding " + run.verdict(), run.verdict() + ": " + run.finding());
    page.add("p", "muted", "spillway-stress " + String.join(" ", run.commandLine()));
    page.table(TextTable.rows(run)).picture(light, dark);
    if (run.scenario() != null) {
      page.add("h2", "scenario", run.scenario().name());
      page.add("p", "text", run.scenario().description());
      if (!run.scenario().published().isEmpty()) {
        page.add("p", "text", "Published: " + run.scenario().source());
        page.table(run.scenario().rows());
      }
    }
    run.trials().forEach(trial -> trial(page, trial));
    page.add("h2", "text", "About this run").list(run.notes());
    RunResult.Machine machine = run.machine();
    List<String> cells =
        List.of(
            run.startedAt(),
            Format.seconds(run.seconds()),
            machine.os(),
            Format.number(machine.processors()),
            Format.bytes(machine.memoryBytes()),
            machine.java());
    page.table(List.of(MACHINE, cells)).details("Options", lines(run.options()));
    page.write(file, "Rollover stress test");
  }

  private static void trial(Html page, TrialResult trial) {
    page.add("h2", trial.verdict().toString(), trial.label() + ": " + trial.verdict());
    page.add("p", "finding", trial.finding()).add("p", "muted", trial.description());
    page.table(TextTable.rows(EVIDENCE, trial.checks().stream().map(ReportPage::row)));
    if (trial.measured()) {
      frames(page, "Waits of application threads inside logging", trial.waits().byFrame());
      frames(page, "Running in long log calls, by samples", trial.load().running());
      frames(page, "Processor time of the whole JVM, by samples", trial.waits().executed());
      page.details("Kinds of waits, in thread-seconds", lines(trial.waits().threadSecondsByKind()));
      List<LeftFile> files = trial.readBack().files();
      page.details("Files", files.stream().map(ReportPage::line).collect(Collectors.joining("\n")));
      if (!trial.load().statusProblems().isEmpty()) {
        page.add("h3", "text", "What the logging library reports");
        page.list(trial.load().statusProblems());
      }
    }
    page.details("Configuration", trial.configuration());
    page.details("Command of the forked JVM", String.join(" ", trial.childCommand()));
  }

  private static List<String> row(Check check) {
    return List.of(check.what(), check.limit(), check.seen(), check.verdict().toString());
  }

  private static void frames(Html page, String title, List<Frame> frames) {
    if (!frames.isEmpty()) {
      page.add("h3", "text", title);
      page.table(TextTable.rows(FRAMES, frames.stream().map(ReportPage::row)));
    }
  }

  private static List<String> row(Frame frame) {
    String seconds = "%.3f".formatted(frame.threadSeconds());
    return List.of(frame.frame(), Format.number(frame.events()), seconds);
  }

  private static String line(LeftFile file) {
    String read = file.read() ? ", read back" : "";
    String error = file.error() == null ? "" : ", " + file.error();
    return file.name() + ": " + Format.bytes(file.bytes()) + read + error;
  }

  private static String lines(Map<String, ?> map) {
    return map.entrySet().stream()
        .map(entry -> entry.getKey() + ": " + entry.getValue())
        .collect(Collectors.joining("\n"));
  }
}
