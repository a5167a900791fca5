package io.spillway.stress.report;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.jsoup.Jsoup;
import org.jsoup.nodes.Document;
import org.jsoup.nodes.Element;
import org.jsoup.parser.Parser;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class JunitXmlTest {

  @TempDir Path directory;

  @Test
  void shouldReportEachTrialAsTheExitCodeCountsIt() throws Exception {
    Document xml =
        xml(
            Results.run(
                Results.passed("good", 1, 10),
                Results.trial("bad", 1, TrialResult.Role.SUBJECT, 10, 3),
                Results.trial("bad", 2, TrialResult.Role.SUBJECT, 10, 4),
                Results.trial("peer", 1, TrialResult.Role.PEER, 10, 5),
                Results.failed("unclear", "it hung\nfor long")));

    Element suite = xml.selectFirst("testsuite");
    assertThat(suite.attr("tests")).isEqualTo("5");
    assertThat(suite.attr("failures")).isEqualTo("2");
    assertThat(suite.attr("errors")).isEqualTo("1");
    assertThat(suite.attr("skipped")).isEqualTo("1");
    assertThat(xml.select("testcase").eachAttr("name"))
        .containsExactly("good", "bad", "bad #2", "peer", "unclear");
    assertThat(xml.select("testcase[name=good]").first().children()).isEmpty();
    assertThat(xml.select("testcase[name=good]").attr("time")).isEqualTo("10.500");
    assertThat(xml.select("testcase[name=bad] failure").text()).isEqualTo("3 events lost");
    assertThat(xml.select("testcase[name=bad #2] failure").attr("message"))
        .isEqualTo("4 events lost");
    assertThat(xml.select("testcase[name=peer] skipped").text()).isEqualTo("5 events lost");
    assertThat(xml.select("testcase[name=unclear] error").attr("message")).isEqualTo("it hung");
    assertThat(xml.select("testcase[name=unclear] error").first().wholeText())
        .isEqualTo("it hung\nfor long");
  }

  /** What nobody knows of a peer because the machine stalled does not change the exit code. */
  @Test
  void shouldSkipAPeerThatOnlyTheMachinesStallsStandAgainst() throws Exception {
    Judge.Check noisy =
        Judge.Check.graded("z", "1", "2", Judge.Grade.NOTICEABLE, true, "2 z, the machine stalled");
    RunResult run =
        Results.run(
            Results.passed("good", 1, 10),
            Results.judged("noisy", TrialResult.Role.PEER, List.of(noisy), 2));

    Document xml = xml(run);

    assertThat(run.exitCode()).isZero();
    Element suite = xml.selectFirst("testsuite");
    assertThat(suite.attr("failures")).isEqualTo("0");
    assertThat(suite.attr("errors")).isEqualTo("0");
    assertThat(suite.attr("skipped")).isEqualTo("1");
    assertThat(xml.select("testcase[name=noisy] skipped").text()).isEqualTo(noisy.reason());
  }

  @Test
  void shouldBeXmlWhateverTheReasonsAre() throws Exception {
    String hostile = "\u0000\u001b[31m <b> & \"]]> \ud83d\ude00 \ud83d";

    Document xml = xml(Results.run(Results.failed("<t>", hostile)));

    assertThat(xml.select("testcase").attr("name")).isEqualTo("<t>");
    assertThat(xml.select("error").first().wholeText())
        .isEqualTo("??[31m <b> & \"]]> \ud83d\ude00 ?");
  }

  /** Read by the JDK's parser, which takes nothing but XML. */
  private Document xml(RunResult run) throws IOException {
    Path file = directory.resolve("junit.xml");
    JunitXml.write(file, run);
    try {
      javax.xml.parsers.DocumentBuilderFactory.newInstance()
          .newDocumentBuilder()
          .parse(file.toFile());
    } catch (javax.xml.parsers.ParserConfigurationException | org.xml.sax.SAXException e) {
      throw new AssertionError(Files.readString(file), e);
    }
    return Jsoup.parse(Files.readString(file), "", Parser.xmlParser());
  }
}
