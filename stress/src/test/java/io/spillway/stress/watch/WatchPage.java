package io.spillway.stress.watch;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.spillway.stress.report.Chromium;
import io.spillway.stress.report.Json;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jsoup.nodes.Document;
import org.jsoup.nodes.Element;

/** A watch's page, opened in a real browser, beside its {@code watch.json}. */
final class WatchPage {

  private static final List<String> FIGURES =
      List.of(
          "threadSeconds",
          "threads",
          "threadsAtOnce",
          "maxSeconds",
          "waits",
          "sampledThreadSeconds");

  private final Document document;
  private final JsonNode json;

  /** Opens it; fails if its scripts say anything on the console. */
  WatchPage(Path directory, Path work) throws Exception {
    Chromium.Page page = Chromium.find().orElseThrow().open(directory.resolve("watch.html"), work);
    assertThat(page.console()).isEmpty();
    document = page.document();
    json = Json.read(directory.resolve("watch.json"), JsonNode.class);
  }

  Document document() {
    return document;
  }

  /** Every place with its frame, its caller's call, its holder and its exact figures. */
  void assertShowsEveryFigure() {
    List<JsonNode> logging = new ArrayList<>();
    List<JsonNode> other = new ArrayList<>();
    List<JsonNode> idle = new ArrayList<>();
    for (JsonNode group : json.path("heldUp")) {
      (group.path("reason").asText().equals("LOGGING") ? logging : other).add(group);
    }
    json.path("waitingForWork").forEach(idle::add);
    assertShows("logging", logging);
    assertShows("other", other);
    assertShows("idle", idle);
    assertThat(document.select("#notes li").eachText()).isEqualTo(texts(json.path("notes")));
    assertShowsStates();
  }

  private void assertShowsStates() {
    Map<String, String> expected = new HashMap<>();
    json.path("threadsByState")
        .properties()
        .forEach(state -> expected.put(state.getKey(), state.getValue().asText()));
    List<String> names = document.select("#states code").eachText();
    List<String> counts = document.select("#states [data-value]").eachAttr("data-value");
    Map<String, String> shown = new HashMap<>();
    for (int i = 0; i < names.size(); i++) {
      shown.put(names.get(i), counts.get(i));
    }
    assertThat(shown).isNotEmpty().isEqualTo(expected);
  }

  private void assertShows(String table, List<JsonNode> groups) {
    List<Element> rows = document.select("#" + table + " tbody tr");
    assertThat(rows).as(table).hasSize(groups.size());
    for (int i = 0; i < rows.size(); i++) {
      Element row = rows.get(i);
      JsonNode group = groups.get(i);
      assertThat(row.select("code").text()).isEqualTo(group.path("frame").asText());
      assertThat(row.select("pre").first().wholeText())
          .isEqualTo(String.join("\n", texts(group.path("stack"))));
      assertThat(row.text()).contains(group.path("call").asText());
      if (group.hasNonNull("heldBy")) {
        assertThat(row.text()).contains("held by " + group.path("heldBy").asText());
      }
      assertThat(
              row.select("[data-value]").eachAttr("data-value").stream()
                  .map(Double::valueOf)
                  .toList())
          .as(group.toString())
          .isEqualTo(FIGURES.stream().map(name -> group.path(name).asDouble()).toList());
    }
  }

  private static List<String> texts(JsonNode array) {
    List<String> texts = new ArrayList<>();
    array.forEach(node -> texts.add(node.asText()));
    return texts;
  }
}
