package io.spillway.stress.report;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;

/**
 * The files of a run's result, in one directory: JSON for programs, HTML and pictures for readers,
 * Markdown for pull requests, JUnit XML for pipelines.
 */
public final class ResultFiles {

  private static final String RESULT = "result.json";
  private static final String FAMILY = "spillway-stress/";
  private static final Pattern OF_A_RUN = Pattern.compile(FAMILY + "\\d+");

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
  public void writeReports(RunResult result) throws IOException {
    String light = HeldUpChart.svg(result, false);
    String dark = HeldUpChart.svg(result, true);
    Files.writeString(chart(false), light);
    Files.writeString(chart(true), dark);
    HtmlPage.write(
        html(),
        title(result),
        List.of("timeline.js", "report.js"),
        result,
        Map.of("light", light, "dark", dark));
    MarkdownReport.write(markdown(), result);
    JunitXml.write(junit(), result);
  }

  /** Writes the files of a run of services; such a run has no page and no picture. */
  public void write(ServiceResult result) throws IOException {
    Json.write(json(), result);
    MarkdownReport.write(markdown(), result);
    JunitXml.write(junit(), result);
  }

  /**
   * Reads the {@code result.json} of a run.
   *
   * @throws RefusedException if the file is no result or has another layout; the message says which
   *     and what to do
   */
  public static RunResult read(Path file) {
    if (!Files.isRegularFile(file)) {
      String what =
          Files.isDirectory(file)
              ? " is a directory"
              : Files.exists(file) ? " is no regular file" : " does not exist";
      throw new RefusedException(file + what + "; name the result.json of a run");
    }
    try {
      JsonNode tree = Json.read(file, JsonNode.class);
      String schema = tree.path("schema").asText();
      if (!schema.startsWith(FAMILY)) {
        throw noResult(file, "it has no field \"schema\" that begins with " + FAMILY);
      }
      if (!OF_A_RUN.matcher(schema).matches()) {
        throw noResult(file, "it has the layout " + schema);
      }
      if (!schema.equals(RunResult.SCHEMA)) {
        throw new RefusedException(
            file
                + " has the layout "
                + schema
                + ", but this version reads "
                + RunResult.SCHEMA
                + " only; run it again with this version, or compare with the version that wrote"
                + " both");
      }
      return Json.read(file, RunResult.class);
    } catch (JsonProcessingException e) {
      throw noResult(file, e.getOriginalMessage());
    } catch (IOException e) {
      throw new RefusedException(file + " cannot be read: " + e);
    }
  }

  private static RefusedException noResult(Path file, String why) {
    return new RefusedException(
        file + " is not the result.json of a run: " + why + "; name one that a run wrote");
  }

  private static String title(RunResult result) {
    List<String> names = result.trials().stream().map(TrialResult::name).distinct().toList();
    String what = result.scenario() == null ? String.join(", ", names) : result.scenario().name();
    return "Rollover stress test: " + what;
  }
}
