package io.spillway.stress.report;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * The files of a run's result, in one directory: JSON for programs, HTML and pictures for readers,
 * Markdown for pull requests, JUnit XML for pipelines.
 */
public final class ResultFiles {

  private static final String RESULT = "result.json";

  private final Path directory;

  /** Creates the paths of a result whose files are all in the given directory. */
  public ResultFiles(Path directory) {
    this.directory = directory;
  }

  /** Returns the file that contains every figure; the other files are made from its content. */
  public Path json() {
    return directory.resolve(RESULT);
  }

  /** Returns the HTML page. */
  public Path html() {
    return directory.resolve("report.html");
  }

  /** Returns the Markdown report, for pasting into pull requests. */
  public Path markdown() {
    return directory.resolve("report.md");
  }

  /** Returns the JUnit XML, with one test case for each trial. */
  public Path junit() {
    return directory.resolve("junit.xml");
  }

  /** Returns the SVG of the page's first picture, for a light or a dark background. */
  public Path chart(boolean dark) {
    return directory.resolve(dark ? "held-up-dark.svg" : "held-up-light.svg");
  }

  /** Writes all files that are made from the result, but not {@link #json()}. */
  public void writeReports(RunResult run) throws IOException {
    String light = HeldUpChart.svg(run, false);
    String dark = HeldUpChart.svg(run, true);
    Files.writeString(chart(false), light);
    Files.writeString(chart(true), dark);
    ReportPage.write(html(), run, light, dark);
    Files.writeString(markdown(), MarkdownReport.of(run));
    Files.writeString(junit(), JunitXml.of(run));
  }
}
