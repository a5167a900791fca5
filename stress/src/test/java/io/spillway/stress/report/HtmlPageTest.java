package io.spillway.stress.report;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.jsoup.Jsoup;
import org.jsoup.nodes.Document;
import org.jsoup.nodes.Element;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class HtmlPageTest {

  private static final Map<String, String> HOSTILE =
      Map.of(
          "text",
          "</script><script>alert(1)</script><!--<script>{{script}} $1 \\ \u2028 & &lt; \"",
          "name </script>",
          "");

  private static final TypeReference<Map<String, String>> TEXTS = new TypeReference<>() {};

  @TempDir Path directory;

  @Test
  void shouldKeepAnyTextInsideTheData() throws IOException {
    Document page = page("title");

    String data = page.getElementById("data").data();
    assertThat(new ObjectMapper().readValue(data, TEXTS)).isEqualTo(HOSTILE);
    assertThat(page.getElementsByTag("script")).hasSize(5);
  }

  @Test
  void shouldShowATitleAsText() throws IOException {
    Document page = page("a < b & \"c\" </title><script>");

    assertThat(page.title()).isEqualTo("a < b & \"c\" </title><script>");
    assertThat(page.getElementsByTag("h1").text()).isEqualTo(page.title());
    assertThat(page.getElementsByTag("script")).hasSize(5);
  }

  @Test
  void shouldNeedNothingButItself() throws IOException {
    Document page = page("title");

    assertThat(page.select("[src]")).isEmpty();
    assertThat(page.select("[href]").eachAttr("href")).allMatch(href -> href.startsWith("data:"));
    assertThat(page.select("meta[http-equiv=Content-Security-Policy]").attr("content"))
        .startsWith("default-src 'none';");
    assertThat(page.outerHtml()).doesNotContain("sourceMappingURL").doesNotContain("@import");
    assertThat(page.getElementsByTag("script").stream().map(Element::data))
        .anyMatch(script -> script.contains("Chart.js v"))
        .anyMatch(script -> script.contains("chartjs-plugin-annotation v"));
  }

  private Document page(String title) throws IOException {
    Path file = directory.resolve("page.html");
    HtmlPage.write(file, title, "report.js", HOSTILE);
    return Jsoup.parse(Files.readString(file));
  }
}
