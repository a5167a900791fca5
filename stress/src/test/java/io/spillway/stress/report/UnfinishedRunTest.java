package io.spillway.stress.report;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.jsoup.nodes.Document;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Rotations that did not end in time have no length, and no pace is no number. */
class UnfinishedRunTest {
  @TempDir Path directory;

  private static RunResult run(TrialResult... trials) {
    RunResult run = Results.run(trials);
    return Results.with(
        run, Map.of("threads", 300, "eventsPerSecond", "max", "rotation", true), null);
  }

  @Test
  void shouldTakeTheMedianOfThoseThatWereFinished() {
    RunResult mixed =
        run(
            Results.unfinished("t", 1),
            Results.passed("t", 2, 10),
            Results.unfinished("t", 3),
            Results.unfinished("never", 1),
            Results.unfinished("never", 2));
    assertThat(mixed.medians())
        .extracting(RunResult.Median::rotationSeconds)
        .containsExactly(2.0, null);
    assertThat(TextTable.of(mixed))
        .containsPattern("t +none ")
        .containsPattern("t, median of 3 +2\\.0 s ")
        .containsPattern("never, median of 2 +none ");
  }

  @Test
  void shouldSayNoneOnThePage() throws Exception {
    assumeTrue(Chromium.find().isPresent(), Chromium.MISSING);
    RunResult never = run(Results.unfinished("t", 1), Results.unfinished("t", 2));
    ResultFiles files = new ResultFiles(directory);
    files.writeReports(never);
    Chromium.Page page = Chromium.find().get().open(files.html(), directory);
    Document document = page.document();
    assertThat(page.console()).isEmpty();
    assertThat(document.select("#what").text())
        .contains("logged as fast as they could, each trial");
    List<List<String>> expected =
        TextTable.of(never).lines().map(line -> List.of(line.split("\\s{2,}"))).toList();
    assertThat(expected.get(3)).startsWith("t, median of 2", "none");
    assertThat(
            document.select("#headline tr").stream().map(row -> row.children().eachText()).toList())
        .isEqualTo(expected);
  }
}
