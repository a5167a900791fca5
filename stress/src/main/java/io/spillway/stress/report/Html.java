package io.spillway.stress.report;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * Builds self-contained HTML pages from one template: no script, no other file, and a content
 * security policy that forbids both. Every text is escaped, so it may contain anything.
 */
public final class Html {

  private static final String TEMPLATE = "/io/spillway/stress/html/page.html";

  private final StringBuilder body = new StringBuilder();

  /** Writes the page, replacing the file if it exists; the title is its first heading as well. */
  public void write(Path file, String title) throws IOException {
    try (InputStream in = Html.class.getResourceAsStream(TEMPLATE)) {
      String template = new String(in.readAllBytes(), StandardCharsets.UTF_8);
      Files.writeString(
          file, template.replace("{{title}}", escaped(title)).replace("{{body}}", body));
    }
  }

  /** Adds an element of a class with a text. */
  public Html add(String element, String cssClass, String text) {
    body.append(
        "<%s class=\"%s\">%s</%1$s>\n".formatted(element, escaped(cssClass), escaped(text)));
    return this;
  }

  /** Adds a table, its header first. A cell's class is its first word, which colours verdicts. */
  public Html table(List<List<String>> rows) {
    body.append("<div class=\"scroll\"><table>\n");
    for (List<String> row : rows) {
      String cell = row == rows.get(0) ? "th" : "td";
      body.append("<tr>");
      row.forEach(text -> add(cell, text.split(" ")[0], text));
      body.append("</tr>\n");
    }
    body.append("</table></div>\n");
    return this;
  }

  /** Adds a list of texts; nothing if there are none. */
  public Html list(List<String> texts) {
    if (!texts.isEmpty()) {
      body.append("<ul>\n");
      texts.forEach(text -> add("li", "item", text));
      body.append("</ul>\n");
    }
    return this;
  }

  /** Adds a long text that is shown when its summary is opened. */
  public Html details(String summary, String text) {
    body.append("<details>");
    add("summary", "summary", summary).add("pre", "wrap", text);
    body.append("</details>\n");
    return this;
  }

  /** Adds a picture for light and one for dark screens. */
  Html picture(String light, String dark) {
    body.append("<div class=\"picture light\">").append(light).append("</div>\n");
    body.append("<div class=\"picture dark\">").append(dark).append("</div>\n");
    return this;
  }

  /** Escapes text for HTML and XML; control characters, which XML cannot contain, become spaces. */
  static String escaped(String text) {
    return text.replaceAll("[\\p{Cntrl}&&[^\\n\\t]]", " ")
        .replace("&", "&amp;")
        .replace("<", "&lt;")
        .replace(">", "&gt;")
        .replace("\"", "&quot;");
  }
}
