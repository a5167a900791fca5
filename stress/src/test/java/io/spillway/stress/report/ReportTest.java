package io.spillway.stress.report;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.spillway.stress.report.Waits.Frame;
import java.awt.Color;
import java.io.ByteArrayInputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import javax.xml.parsers.DocumentBuilderFactory;
import org.jsoup.Jsoup;
import org.jsoup.nodes.Document;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.w3c.dom.Element;

class ReportTest {

  private static final String EVIL = "</pre><script>alert('x')</script> & \u0001 `code` | *b*";
  private static final List<Double> HELD = List.of(0.0, 0.0, 30.0, 0.0, 0.0, 0.0);

  @TempDir Path directory;

  private final RunResult run =
      Results.run(
          new RunResult.Scenario(
              "incident",
              "what happened",
              "a report",
              List.of(
                  new RunResult.Published("threads", "all 300", "held up", "async", null, null),
                  new RunResult.Published("better", "99 %", "held up", "mine", "async", null),
                  new RunResult.Published("gone", "1", "lost", null, null, null))),
          Results.clean()
              .held(HELD, List.of(0, 0, 100, 0, 0, 0))
              .waits(new Frame("x.Y.park", 7, 29.5))
              .problem(EVIL)
              .peer("async"),
          Results.clean().subject("mine"),
          Results.clean().trial("mine", 2, TrialResult.Role.SUBJECT),
          Results.failed("dead", TrialResult.Role.PEER, Verdict.VIOLATED));

  private Path written() throws Exception {
    new ResultFiles(directory).writeReports(run);
    return new ResultFiles(directory).html();
  }

  @Test
  void shouldOpenWithTheAnswerAndShowAllEvidence() throws Exception {
    Document page = Jsoup.parse(Files.readString(written()));

    assertThat(page.select("main > p").get(0).text())
        .isEqualTo(
            "passed: With async, threads stood in log calls for 30 thread-seconds, up to 100 at"
                + " once; violated: async, dead; passed: mine, mine #2.");
    assertThat(page.select("h2").eachText())
        .containsExactly(
            "incident",
            "async: violated",
            "mine: passed",
            "mine #2: passed",
            "dead: violated",
            "About this run");
    assertThat(page.select("table").get(1).text()).contains("all 300 100", "100.0 % less");
    assertThat(page.select("table").get(2).select("tr")).hasSize(7);
    assertThat(page.select("table").get(2).select("td.violated")).hasSize(1);
    assertThat(page.text()).contains("x.Y.park 7 29.500", "threads: 300", "app.1.log.gz");
  }

  @Test
  void shouldHoldNoScriptAndEscapeEveryText() throws Exception {
    Document page = Jsoup.parse(Files.readString(written()));

    assertThat(page.select("script")).isEmpty();
    assertThat(page.text()).contains("</pre><script>alert('x')</script> &");
    assertThat(page.select("meta[http-equiv]").attr("content")).startsWith("default-src 'none'");
  }

  @Test
  @Tag("slow")
  void shouldShowInABrowserInLightAndInDark() throws Exception {
    Optional<Chromium> browser = Chromium.find();
    assumeTrue(browser.isPresent(), Chromium.MISSING);
    Path page = written();

    assertThat(browser.get().open(page, directory).console()).isEmpty();
    assertThat(browser.get().corner(page, directory, false)).isEqualTo(new Color(0xffffff));
    assertThat(browser.get().corner(page, directory, true)).isEqualTo(new Color(0x14171b));
  }

  @Test
  void shouldDrawEachTrialOnceOnOneScale() throws Exception {
    written();
    for (boolean dark : new boolean[] {false, true}) {
      Element svg = xml(Files.readString(new ResultFiles(directory).chart(dark)));
      assertThat(svg.getElementsByTagName("title").item(0).getTextContent())
          .isEqualTo(run.finding());
      String text = svg.getTextContent();
      assertThat(text).contains("async: 100 threads held up at once, 30 thread-seconds");
      assertThat(text).containsOnlyOnce("mine: 0 threads").doesNotContain("dead: ");
    }
  }

  @Test
  void shouldTellAPipelineByTheRulesOfTheExitCode() throws Exception {
    RunResult gate =
        Results.run(
            Results.clean().lost(3).subject("bad"),
            Results.clean().rotation(true, false).subject("unclear"),
            Results.clean().problem(EVIL).lost(1).peer("peer<" + "&"),
            Results.clean().subject("good"));
    Element suite = xml(JunitXml.of(gate));

    assertThat(suite.getAttribute("failures")).isEqualTo("1");
    assertThat(suite.getAttribute("errors")).isEqualTo("1");
    assertThat(suite.getAttribute("skipped")).isEqualTo("1");
    assertThat(suite.getElementsByTagName("testcase").getLength()).isEqualTo(4);
    Element failure = (Element) suite.getElementsByTagName("failure").item(0);
    assertThat(failure.getAttribute("message")).contains("3 of 10,500");
    assertThat(xml(JunitXml.of(run)).getAttribute("failures")).isEqualTo("0");
  }

  @Test
  void shouldEscapeWhatIsMarkupInMarkdown() {
    String text = MarkdownReport.of(run);
    assertThat(text)
        .startsWith("**passed**: `spillway-stress run --size 64MB`\n\n| trial | verdict |");
    assertThat(text)
        .contains("- async (violated): threads stood", "Published: a report", "- A note.");
    assertThat(MarkdownReport.plain("a|b *c*\n  <d>")).isEqualTo("a\\|b \\*c\\* \\<d\\>");
  }

  /** Also with the longest name that is likely, and large figures. */
  @Test
  void shouldFitATableOntoAScreen() {
    TrialResult trial =
        Results.clean()
            .held(HELD, List.of(0, 0, 300, 0, 0, 0))
            .lost(1_234_567)
            .peer("async-131072-size-and-time-4GB-x");
    String table = TextTable.of(Results.run(trial, Results.clean().subject("mine")));
    assertThat(table.lines()).allMatch(line -> line.length() <= 100);
    assertThat(table.lines().findFirst().orElseThrow())
        .containsSubsequence(
            "trial", "verdict", "held up", "thread-s", "worst call", "p99.9", "lost");
    assertThat(TextTable.of(run)).contains("mine, median").containsPattern("dead +violated +-");
  }

  @Test
  void shouldWriteFiguresInTheUnitOfTheirMagnitude() {
    assertThat(Format.micros(12.4)).isEqualTo("12 us");
    assertThat(Format.micros(1_234.0)).isEqualTo("1.2 ms");
    assertThat(Format.micros(3_890_000.0)).isEqualTo("3.89 s");
    assertThat(Format.micros(null)).isEqualTo("too few");
    assertThat(Format.bytes(1_536)).isEqualTo("1.5 KB");
    assertThat(Format.bytes(4L << 30)).isEqualTo("4.0 GB");
    assertThat(Format.seconds(12.34)).isEqualTo("12.3 s");
    assertThat(Format.seconds(2_446.2)).isEqualTo("2,446 s");
  }

  @Test
  void shouldReadAResultBackAsItWasWritten() throws Exception {
    Path file = directory.resolve("result.json");
    Json.write(file, run);
    assertThat(Json.read(file, RunResult.class)).isEqualTo(run);
  }

  private static Element xml(String text) throws Exception {
    return DocumentBuilderFactory.newInstance()
        .newDocumentBuilder()
        .parse(new ByteArrayInputStream(text.getBytes(StandardCharsets.UTF_8)))
        .getDocumentElement();
  }
}
