package io.spillway.stress.report;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.InputStream;
import java.io.StringReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Writes self-contained HTML pages: data, style and scripts, with the chart library, are in one
 * file, and the page's content security policy forbids network access. The data may contain any
 * text. A script of the page finds the data as JSON in the element {@code data}, with the helpers
 * of {@code page.js} and the global {@code Chart}, and must put text into the page as text only.
 */
public final class HtmlPage {

  private static final String FOLDER = "/io/spillway/stress/html/";
  private static final String WEBJARS = "/META-INF/resources/webjars/";
  private static final Pattern PLACE = Pattern.compile("\\{\\{(\\w+)}}");
  private static final Pattern SOURCE_MAP = Pattern.compile("(?m)^//# sourceMappingURL=.*$");
  private static final ObjectMapper MAPPER = new ObjectMapper();

  private HtmlPage() {}

  /**
   * Writes a page, replacing the file if it exists.
   *
   * @param file the file of the page
   * @param title shown as the window's title and as the first heading
   * @param script name of a script beside {@code page.html} on the class path, which draws the page
   * @param data the data that the script draws: anything that Jackson writes as JSON
   * @throws IOException if the file cannot be written
   */
  public static void write(Path file, String title, String script, Object data) throws IOException {
    write(file, title, List.of(script), data, Map.of());
  }

  /**
   * Writes a page with several scripts, each of which may use what earlier scripts define, and with
   * SVG pictures by name; replaces the file if it exists.
   */
  static void write(
      Path file, String title, List<String> scripts, Object data, Map<String, String> pictures)
      throws IOException {
    StringBuilder all = new StringBuilder();
    for (String script : scripts) {
      all.append(resource(FOLDER + script));
    }
    Map<String, String> parts =
        Map.of(
            "title", escaped(title),
            "library",
                webjar("chart.js", "dist/chart.umd.min.js")
                    + "\n"
                    + webjar("chartjs-plugin-annotation", "dist/chartjs-plugin-annotation.min.js"),
            "helpers", resource(FOLDER + "page.js"),
            "script", all.toString(),
            "data", json(data),
            "pictures", json(pictures));
    Files.writeString(file, filled(template(), parts));
  }

  /** Returns the template of every page; it contains the style sheet. */
  static String template() throws IOException {
    return resource(FOLDER + "page.html");
  }

  /** Fills the template in one pass, so that a placeholder in inserted text is not replaced. */
  private static String filled(String template, Map<String, String> parts) {
    return PLACE
        .matcher(template)
        .replaceAll(place -> Matcher.quoteReplacement(parts.get(place.group(1))));
  }

  /**
   * Returns the data as JSON without any {@code <}, so that the text contains neither the end tag
   * of its element nor the start of a comment that would hide the end tag.
   */
  static String json(Object data) throws JsonProcessingException {
    return MAPPER.writeValueAsString(data).replace("<", "\\u003c");
  }

  private static String escaped(String text) {
    return text.replace("&", "&amp;").replace("<", "&lt;").replace("\"", "&quot;");
  }

  /**
   * Returns a script of a webjar without its source map; the webjar's folder is named after its
   * version.
   */
  private static String webjar(String name, String path) throws IOException {
    Properties about = new Properties();
    about.load(
        new StringReader(resource("/META-INF/maven/org.webjars.npm/" + name + "/pom.properties")));
    String folder = WEBJARS + name + "/" + about.getProperty("version") + "/";
    return SOURCE_MAP.matcher(resource(folder + path)).replaceAll("");
  }

  private static String resource(String name) throws IOException {
    try (InputStream in = HtmlPage.class.getResourceAsStream(name)) {
      if (in == null) {
        throw new IOException("not on the class path: " + name);
      }
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    }
  }
}
