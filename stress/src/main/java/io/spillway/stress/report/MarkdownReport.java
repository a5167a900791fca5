package io.spillway.stress.report;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * Writes the report of a run in Markdown: the headline table, published figures if there are any,
 * and the findings, reasons, machine and notes.
 */
final class MarkdownReport {

  private static final Pattern MARKUP = Pattern.compile("[\\\\`*_\\[\\]<>#|~&]");
  private static final Pattern LINE_ENDS = Pattern.compile("\\s*\\R\\s*");

  private MarkdownReport() {}

  static void write(Path file, RunResult run) throws IOException {
    Files.writeString(file, of(run));
  }

  static String of(RunResult run) {
    StringBuilder text = head(run.verdict(), run.commandLine());
    appendTable(text, TextTable.HEADER, TextTable.rows(run));
    text.append('\n').append(plain(run.finding())).append('\n');
    appendList(text, "What each trial has shown:", findings(run));
    appendPublished(text, run.scenario());
    appendList(text, "Why it is not passed:", run.reasons());
    appendMachine(text, run.machine(), run.startedAt());
    appendList(text, "Notes:", run.notes());
    return text.toString();
  }

  static void write(Path file, ServiceResult run) throws IOException {
    StringBuilder text = head(run.verdict(), run.commandLine());
    List<List<String>> table = run.table();
    appendTable(text, table.get(0), table.subList(1, table.size()));
    appendList(text, "What held threads up:", run.culprits());
    appendPublished(text, run.scenario());
    if (run.calibration() != null) {
      text.append('\n').append(run.calibration().describe()).append('\n');
    }
    appendList(text, "Why it is not passed:", run.reasons());
    appendMachine(text, run.machine(), run.startedAt());
    Files.writeString(file, text);
  }

  private static StringBuilder head(Judge.Verdict verdict, List<String> commandLine) {
    String command = String.join(" ", commandLine).replace('`', '\'');
    return new StringBuilder("**" + verdict + "**: `spillway-stress " + command + "`\n\n");
  }

  private static void appendPublished(StringBuilder text, RunResult.Scenario scenario) {
    if (scenario != null && !scenario.published().isEmpty()) {
      text.append("\nPublished: ").append(plain(scenario.source())).append("\n\n");
      appendTable(
          text,
          RunResult.Published.HEADER,
          scenario.published().stream().map(RunResult.Published::row).toList());
    }
  }

  private static void appendMachine(
      StringBuilder text, RunResult.Machine machine, String startedAt) {
    text.append(
        String.format(
            Locale.ROOT,
            "\n%s, %d processors, %.1f GB of memory; Java %s; %s.\n",
            plain(machine.os()),
            machine.processors(),
            machine.memoryBytes() / (double) (1L << 30),
            plain(machine.java()),
            startedAt));
  }

  private static List<String> findings(RunResult run) {
    return run.trials().stream()
        .map(trial -> trial.label() + " (" + trial.verdict() + "): " + trial.finding())
        .toList();
  }

  private static void appendTable(
      StringBuilder text, List<String> header, List<List<String>> rows) {
    appendRow(text, header);
    text.append("|---|").append("---:|".repeat(header.size() - 2)).append("---|\n");
    rows.forEach(row -> appendRow(text, row));
  }

  private static void appendRow(StringBuilder text, List<String> cells) {
    text.append(
        cells.stream().map(MarkdownReport::plain).collect(Collectors.joining(" | ", "| ", " |\n")));
  }

  private static void appendList(StringBuilder text, String heading, List<String> lines) {
    if (!lines.isEmpty()) {
      text.append('\n').append(heading).append("\n\n");
      lines.forEach(line -> text.append("- ").append(plain(line)).append('\n'));
    }
  }

  /** Returns the text on one line, with all characters escaped that are markup in Markdown. */
  static String plain(String text) {
    String line = LINE_ENDS.matcher(text.strip()).replaceAll(" ");
    return MARKUP.matcher(line).replaceAll("\\\\$0");
  }
}
