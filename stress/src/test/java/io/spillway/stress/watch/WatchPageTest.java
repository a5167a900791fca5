package io.spillway.stress.watch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.spillway.stress.report.Chromium;
import io.spillway.stress.report.RunResult;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jsoup.nodes.Element;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The page in a real browser, with texts as a hostile target could make them. */
class WatchPageTest {

  private static final String HOSTILE = "</script><img src=x onerror=\"document.title='taken'\">";

  @TempDir Path directory;

  @Test
  void shouldShowEveryFigureAndTextAsText() throws Exception {
    assumeTrue(Chromium.find().isPresent(), Chromium.MISSING);
    List<WatchFigures.Group> heldUp = new ArrayList<>();
    for (int i = 0; i < 12; i++) {
      heldUp.add(group("com.acme.Cache" + i + ".<b>" + HOSTILE, HOSTILE));
    }
    write(List.of(HOSTILE), heldUp);

    WatchPage page = new WatchPage(directory, directory);

    page.assertShowsEveryFigure();
    assertThat(page.document().title()).isEqualTo("Process 4711 watched");
    assertThat(page.document().select("img, b")).isEmpty();
    assertThat(page.document().select("h2:contains(log calls) + p").text()).isEqualTo("Nobody.");
    assertThat(page.document().select("h2:contains(work) + p").text()).isEqualTo("Nobody.");
    List<Element> canvases = page.document().select("canvas");
    assertThat(canvases).hasSize(1);
    assertThat(Integer.parseInt(canvases.get(0).attr("width"))).isGreaterThan(300);
  }

  private void write(List<String> notes, List<WatchFigures.Group> heldUp) throws Exception {
    WatchFigures figures =
        new WatchFigures(
            WatchFigures.SCHEMA,
            4711,
            "Java 17.0.15, " + HOSTILE,
            "2026-01-02T03:04:05Z",
            3.25,
            true,
            notes,
            Map.of(Thread.State.BLOCKED, 3, Thread.State.TIMED_WAITING, 1_234),
            heldUp,
            List.of(),
            RunResult.Machine.current());
    figures.write(directory);
  }

  private static WatchFigures.Group group(String frame, String holder) {
    return new WatchFigures.Group(
        Place.Reason.OTHER.name(),
        frame,
        "ReentrantLock.lock",
        300,
        299,
        17,
        12_345,
        1234.56789,
        0.1234567,
        9.87654321,
        holder,
        List.of(frame, "com.acme.Task.run"),
        List.of(400.5, 0.0, 834.06789));
  }
}
