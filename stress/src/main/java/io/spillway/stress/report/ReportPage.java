package io.spillway.stress.report;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/** The HTML page of a run: the answer first, then the evidence for it, trial by trial. */
final class ReportPage {

  private static final List<String> EVIDENCE = List.of("figure", "allowed", "measured", "verdict");
  private static final List<String> FRAMES = List.of("frame", "events", "thread-seconds");

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
        page.table(TextTable.published(run.scenario()));
      }
    }
    run.trials().forEach(trial -> trial(page, trial));
    page.add("h2", "text", "About this run").list(run.notes());
    page.table(
        List.of(
            List.of("started", "took", "system", "processors", "memory", "Java"),
            List.of(
                run.startedAt(),
                Format.seconds(run.seconds()),
                run.machine().os(),
                Format.number(run.machine().processors()),
                Format.bytes(run.machine().memoryBytes()),
                run.machine().java())));
    page.details("Options", lines(run.options()));
    page.write(file, "Rollover stress test");
  }

  private static void trial(Html page, TrialResult trial) {
    page.add("h2", trial.verdict().toString(), trial.label() + ": " + trial.verdict());
    page.add("p", "finding", trial.finding()).add("p", "muted", trial.description());
    List<List<String>> checks = new ArrayList<>(List.of(EVIDENCE));
    for (Check check : trial.checks()) {
      checks.add(List.of(check.what(), check.limit(), check.seen(), check.verdict().toString()));
    }
    page.table(checks);
    if (trial.measured()) {
      frames(page, "Waits of application threads inside logging", trial.waits().byFrame());
      frames(page, "Running in long log calls, by samples", trial.load().running());
      frames(page, "Processor time of the whole JVM, by samples", trial.waits().executed());
      page.details("Kinds of waits, in thread-seconds", lines(trial.waits().threadSecondsByKind()));
      page.details("Files", files(trial.readBack()));
      if (!trial.load().statusProblems().isEmpty()) {
        page.add("h3", "text", "What the logging library reports");
        page.list(trial.load().statusProblems());
      }
    }
    page.details("Configuration", trial.configuration());
    page.details("Command of the forked JVM", String.join(" ", trial.childCommand()));
  }

  private static void frames(Html page, String title, List<Frame> frames) {
    if (!frames.isEmpty()) {
      List<List<String>> rows = new ArrayList<>(List.of(FRAMES));
      for (Frame frame : frames) {
        rows.add(
            List.of(
                frame.frame(),
                Format.number(frame.events()),
                String.format("%.3f", frame.threadSeconds())));
      }
      page.add("h3", "text", title).table(rows);
    }
  }

  private static String files(ReadBackFigures readBack) {
    return readBack.files().stream()
        .map(
            file ->
                file.name()
                    + ": "
                    + Format.bytes(file.bytes())
                    + (file.read() ? ", read back" : "")
                    + (file.error() == null ? "" : ", " + file.error()))
        .collect(Collectors.joining("\n"));
  }

  private static String lines(Map<String, ?> map) {
    return map.entrySet().stream()
        .map(entry -> entry.getKey() + ": " + entry.getValue())
        .collect(Collectors.joining("\n"));
  }
}
