package io.spillway.stress.report;

import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** The report of a run in Markdown, for pull requests. */
final class MarkdownReport {

  private static final Pattern MARKUP = Pattern.compile("[\\\\`*_\\[\\]<>#|~&]");
  private static final Pattern LINE_ENDS = Pattern.compile("\\s*\\R\\s*");

  private MarkdownReport() {}

  static String of(RunResult run) {
    StringBuilder text = new StringBuilder();
    String command = String.join(" ", run.commandLine()).replace('`', '\'');
    text.append("**").append(run.verdict()).append("**: `spillway-stress ");
    text.append(command).append("`\n\n");
    table(text, TextTable.rows(run));
    text.append('\n').append(plain(run.finding())).append("\n\n");
    list(text, run.trials().stream().map(MarkdownReport::finding).toList());
    if (run.scenario() != null && !run.scenario().published().isEmpty()) {
      text.append("\nPublished: ").append(plain(run.scenario().source())).append("\n\n");
      table(text, TextTable.published(run.scenario()));
    }
    RunResult.Machine machine = run.machine();
    text.append(
        String.format(
            Locale.ROOT,
            "\n%s, %d processors, %s of memory; Java %s; %s.\n\n",
            plain(machine.os()),
            machine.processors(),
            Format.bytes(machine.memoryBytes()),
            plain(machine.java()),
            run.startedAt()));
    list(text, run.notes());
    return text.toString();
  }

  private static String finding(TrialResult trial) {
    return trial.label() + " (" + trial.verdict() + "): " + trial.finding();
  }

  private static void table(StringBuilder text, List<List<String>> rows) {
    row(text, rows.get(0));
    text.append("|---".repeat(rows.get(0).size())).append("|\n");
    rows.stream().skip(1).forEach(row -> row(text, row));
  }

  private static void row(StringBuilder text, List<String> cells) {
    text.append(
        cells.stream().map(MarkdownReport::plain).collect(Collectors.joining(" | ", "| ", " |\n")));
  }

  private static void list(StringBuilder text, List<String> lines) {
    lines.forEach(line -> text.append("- ").append(plain(line)).append('\n'));
  }

  /** Returns the text on one line, with all characters escaped that are markup in Markdown. */
  static String plain(String text) {
    String line = LINE_ENDS.matcher(text.strip()).replaceAll(" ");
    return MARKUP.matcher(line).replaceAll("\\\\$0");
  }
}
