package io.spillway.stress.report;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

/** The files in which a run's result is kept, for programs, people, pull requests and pipelines. */
public final class ResultFiles {

  private static final String RESULT = "result.json";

  private final Path directory;

  /** All files go into one directory. */
  public ResultFiles(Path directory) {
    this.directory = directory;
  }

  /** Every figure there is; all others are made from what it holds. */
  public Path json() {
    return directory.resolve(RESULT);
  }

  /** The page for people. */
  public Path html() {
    return directory.resolve("report.html");
  }

  /** The headline table for pasting. */
  public Path markdown() {
    return directory.resolve("report.md");
  }

  /** One test case a trial. */
  public Path junit() {
    return directory.resolve("junit.xml");
  }

  /** Writes what is made from the result. */
  public void writeReports(RunResult result) throws IOException {
    HtmlPage.write(html(), title(result), List.of("timeline.js", "report.js"), result);
    MarkdownReport.write(markdown(), result);
    JunitXml.write(junit(), result);
  }

  private static String title(RunResult result) {
    List<String> names = result.trials().stream().map(TrialResult::name).distinct().toList();
    String what = result.scenario() == null ? String.join(", ", names) : result.scenario().name();
    return "Rollover stress test: " + what;
  }
}
