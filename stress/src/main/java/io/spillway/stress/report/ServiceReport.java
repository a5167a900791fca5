package io.spillway.stress.report;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;

/** The files in which a run of services is kept, called as those of every run. */
public final class ServiceReport {

  private final ResultFiles files;

  /** All files go into one directory. */
  public ServiceReport(Path directory) {
    files = new ResultFiles(directory);
  }

  /** Every figure there is. */
  public Path json() {
    return files.json();
  }

  /** The tables for pasting. */
  public Path markdown() {
    return files.markdown();
  }

  /** One test case a trial. */
  public Path junit() {
    return files.junit();
  }

  /** Writes them. */
  public void write(ServiceResult result) throws IOException {
    Json.write(json(), result);
    Files.writeString(markdown(), markdown(result));
    JunitXml.write(
        junit(),
        result.seconds(),
        result.startedAt(),
        result.trials().stream()
            .map(
                trial ->
                    new JunitXml.Case(
                        trial.role(),
                        trial.name(),
                        null,
                        trial.verdict(),
                        trial.verdict() == Judge.Verdict.INCONCLUSIVE,
                        trial.reasons()))
            .toList());
  }

  private static String markdown(ServiceResult result) {
    StringBuilder text = new StringBuilder();
    text.append("**").append(result.verdict()).append("**: `spillway-stress ");
    text.append(String.join(" ", result.commandLine()).replace('`', '\'')).append("`\n\n");
    List<List<String>> table = result.table();
    MarkdownReport.appendTable(text, table.get(0), table.subList(1, table.size()));
    MarkdownReport.appendList(text, "What held threads up:", result.culprits());
    if (!result.scenario().published().isEmpty()) {
      text.append("\nPublished: ")
          .append(MarkdownReport.plain(result.scenario().source()))
          .append("\n\n");
      List<List<String>> published = result.publishedTable();
      MarkdownReport.appendTable(text, published.get(0), published.subList(1, published.size()));
    }
    if (result.calibration() != null) {
      text.append('\n').append(result.calibration().describe()).append('\n');
    }
    MarkdownReport.appendList(text, "Why it is not passed:", result.reasons());
    RunResult.Machine machine = result.machine();
    text.append(
        String.format(
            Locale.ROOT,
            "%n%s, %d processors, %.1f GB of memory; Java %s; %s.%n",
            MarkdownReport.plain(machine.os()),
            machine.processors(),
            machine.memoryBytes() / (double) (1L << 30),
            MarkdownReport.plain(machine.java()),
            result.startedAt()));
    return text.toString().replace(System.lineSeparator(), "\n");
  }
}
