package io.spillway.stress.report;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;

/** The files in which a run's result is kept, for programs, people, pull requests and pipelines. */
public final class ResultFiles {

  private static final String RESULT = "result.json";
  private static final String FAMILY = "spillway-stress/";
  private static final Pattern OF_A_RUN = Pattern.compile(FAMILY + "\\d+");

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

  /** The page's first picture by itself, for a light or a dark ground. */
  public Path chart(boolean dark) {
    return directory.resolve(dark ? "held-up-dark.svg" : "held-up-light.svg");
  }

  /** Writes what is made from the result. */
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

  /** Writes a run of services. */
  public void write(ServiceResult result) throws IOException {
    Json.write(json(), result);
    MarkdownReport.write(markdown(), result);
    JunitXml.write(junit(), result);
  }

  /**
   * Reads a result.
   *
   * @throws RefusedException if it is none, or has another layout; says which and what to do
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
