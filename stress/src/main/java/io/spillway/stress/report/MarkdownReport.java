package io.spillway.stress.report;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * The headline table, and published figures if there are, in Markdown, with what is needed to read
 * it.
 */
final class MarkdownReport {

  private static final Pattern MARKUP = Pattern.compile("[\\\\`*_\\[\\]<>#|~&]");
  private static final Pattern LINE_ENDS = Pattern.compile("\\s*\\R\\s*");

  private MarkdownReport() {}

  static void write(Path file, RunResult run) throws IOException {
    Files.writeString(file, of(run));
  }

  static String of(RunResult run) {
    StringBuilder text = new StringBuilder();
    text.append("**").append(run.verdict()).append("**: `spillway-stress ");
    text.append(String.join(" ", run.commandLine()).replace('`', '\'')).append("`\n\n");
    appendTable(text, TextTable.HEADER, TextTable.rows(run));
    text.append('\n').append(plain(run.finding())).append('\n');
    appendList(text, "What each trial has shown:", findings(run));
    if (run.scenario() != null && !run.scenario().published().isEmpty()) {
      text.append("\nPublished: ").append(plain(run.scenario().source())).append("\n\n");
      appendTable(
          text,
          RunResult.Published.HEADER,
          run.scenario().published().stream().map(RunResult.Published::row).toList());
    }
    appendList(text, "Why it is not passed:", run.reasons());
    RunResult.Machine machine = run.machine();
    text.append(
        String.format(
            Locale.ROOT,
            "%n%s, %d processors, %.1f GB of memory; Java %s; %s.%n",
            plain(machine.os()),
            machine.processors(),
            machine.memoryBytes() / (double) (1L << 30),
            plain(machine.java()),
            run.startedAt()));
    appendList(text, "Notes:", run.notes());
    return text.toString().replace(System.lineSeparator(), "\n");
  }

  private static List<String> findings(RunResult run) {
    return run.trials().stream()
        .map(trial -> trial.label() + " (" + trial.verdict() + "): " + trial.finding())
        .toList();
  }

  static void appendTable(StringBuilder text, List<String> header, List<List<String>> rows) {
    appendRow(text, header);
    text.append("|---|").append("---:|".repeat(header.size() - 2)).append("---|\n");
    rows.forEach(row -> appendRow(text, row));
  }

  private static void appendRow(StringBuilder text, List<String> cells) {
    text.append(
        cells.stream().map(MarkdownReport::plain).collect(Collectors.joining(" | ", "| ", " |\n")));
  }

  static void appendList(StringBuilder text, String heading, List<String> lines) {
    if (!lines.isEmpty()) {
      text.append('\n').append(heading).append("\n\n");
      lines.forEach(line -> text.append("- ").append(plain(line)).append('\n'));
    }
  }

  /** On one line, and with nothing in it that Markdown takes for markup. */
  static String plain(String text) {
    String line = LINE_ENDS.matcher(text.strip()).replaceAll(" ");
    return MARKUP.matcher(line).replaceAll("\\\\$0");
  }
}
