package io.spillway.stress.report;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/** The report of a run in Markdown, for pull requests. */
final class MarkdownReport {

  private static final String MARKUP = "[\\\\`*_\\[\\]<>#|~&]";

  private MarkdownReport() {}

  static String of(RunResult run) {
    RunResult.Scenario scenario = run.scenario();
    RunResult.Machine machine = run.machine();
    return """
        **%s**: `spillway-stress %s`

        %s
        %s

        %s%s
        %s, %d processors, %s of memory; Java %s; %s.

        %s"""
        .formatted(
            run.verdict(),
            String.join(" ", run.commandLine()).replace('`', '\''),
            table(TextTable.rows(run)),
            plain(run.finding()),
            list(run.trials().stream().map(MarkdownReport::finding).toList()),
            scenario == null || scenario.published().isEmpty()
                ? ""
                : "\nPublished: %s\n\n%s"
                    .formatted(plain(scenario.source()), table(scenario.rows())),
            plain(machine.os()),
            machine.processors(),
            Format.bytes(machine.memoryBytes()),
            plain(machine.java()),
            run.startedAt(),
            list(run.notes()));
  }

  private static String finding(TrialResult trial) {
    return trial.label() + " (" + trial.verdict() + "): " + trial.finding();
  }

  private static String table(List<List<String>> rows) {
    List<String> lines = new ArrayList<>();
    for (List<String> row : rows) {
      lines.add(
          row.stream().map(MarkdownReport::plain).collect(Collectors.joining(" | ", "| ", " |\n")));
    }
    lines.add(1, "|---".repeat(rows.get(0).size()) + "|\n");
    return String.join("", lines);
  }

  private static String list(List<String> lines) {
    return lines.stream().map(line -> "- " + plain(line) + "\n").collect(Collectors.joining());
  }

  /** Returns the text on one line, with all characters escaped that are markup in Markdown. */
  static String plain(String text) {
    return text.strip().replaceAll("\\s*\\R\\s*", " ").replaceAll(MARKUP, "\\\\$0");
  }
}
