package io.spillway.stress.report;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * The files of a run's result, in one directory: JSON for programs, with every figure; HTML and
 * pictures for readers, Markdown for pull requests, JUnit XML for pipelines, all made from it.
 */
public record ResultFiles(Path directory) {

  public Path json() {
    return directory.resolve("result.json");
  }

  public Path html() {
    return directory.resolve("report.html");
  }

  public Path markdown() {
    return directory.resolve("report.md");
  }

  public Path junit() {
    return directory.resolve("junit.xml");
  }

  /** Returns the SVG of the page's picture, for a light or a dark background. */
  Path chart(boolean dark) {
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
