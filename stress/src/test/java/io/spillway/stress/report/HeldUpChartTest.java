package io.spillway.stress.report;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.StringReader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.Test;
import org.w3c.dom.Document;
import org.w3c.dom.Element;
import org.w3c.dom.NodeList;
import org.xml.sax.InputSource;

class HeldUpChartTest {

  private final RunResult run =
      Results.run(
          Results.heldUp("one & <two>", List.of(0.0, 300.0, 150.0)),
          Results.heldUp("other", List.of(0.0, 0.0, 3.0)));

  /** 0 at the bottom and 300 at the top, a third of the width a second. */
  @Test
  void shouldDrawEachTrialsThreadsSecondBySecond() throws Exception {
    NodeList lines = document(false).getElementsByTagName("path");
    List<String> drawn = curves(lines);

    assertThat(drawn).hasSize(2);
    double[] levels = levels(drawn.get(0));
    double[] others = levels(drawn.get(1));
    double bottom = levels[0];
    assertThat(others[0]).isEqualTo(bottom);
    assertThat(bottom - levels[1]).isEqualTo(240);
    assertThat(bottom - levels[2]).isEqualTo(120);
    assertThat(bottom - others[2]).isBetween(2.3, 2.5);
  }

  @Test
  void shouldBeginWithTheAnswerAndNameEachTrialInTheColourOfItsLine() throws Exception {
    Document document = document(false);
    NodeList titles = document.getElementsByTagName("title");
    assertThat(titles.item(0).getTextContent()).isEqualTo(run.finding());
    NodeList texts = document.getElementsByTagName("text");
    String last = texts.item(texts.getLength() - 1).getTextContent();
    assertThat(last)
        .isEqualTo("other: no stall; nobody held up; p99.9 of response times 20 us; nothing lost");
    NodeList boxes = document.getElementsByTagName("rect");
    Element key = (Element) boxes.item(boxes.getLength() - 1);
    assertThat(key.getAttribute("fill")).isEqualTo(strokes(document).get(1)).isEqualTo("#d55e00");
  }

  /** As in the table: nothing that is sure is not the same as nothing. */
  @Test
  void shouldNotSayThatThereIsNoStallIfTheMachinesOwnMayBeWhy() throws Exception {
    RunResult noisy = Results.run(Results.judged("noisy", List.of(JudgeTest.NOISY), 0));

    assertThat(HeldUpChart.svg(noisy, false)).contains(">noisy: unclear; nobody held up; ");
  }

  @Test
  void shouldHaveTheColoursOfThePageInLightAndInDark() throws Exception {
    assertThat(strokes(document(false))).containsExactly("#0072b2", "#d55e00");
    assertThat(strokes(document(true))).containsExactly("#4fa8e0", "#ff8a4c");
  }

  /** Drawn by this class, of one and the same run. */
  @Test
  void shouldBeShownOnTheProjectsPageInLightAndInDark() throws Exception {
    String page = Files.readString(Path.of("../README.md"));
    Matcher picture =
        Pattern.compile(
                "<source media=\"\\(prefers-color-scheme: dark\\)\" srcset=\"([^\"]+)\">\\s*"
                    + "<img alt=\"[^\"]+\" src=\"([^\"]+)\">")
            .matcher(page);
    assertThat(picture.find()).isTrue();
    Document dark = parsed(Files.readString(Path.of("..", picture.group(1))));
    Document light = parsed(Files.readString(Path.of("..", picture.group(2))));
    assertThat(strokes(light)).startsWith("#0072b2", "#d55e00");
    assertThat(strokes(dark)).startsWith("#4fa8e0", "#ff8a4c").hasSameSizeAs(strokes(light));
    assertThat(curves(dark.getElementsByTagName("path")))
        .isEqualTo(curves(light.getElementsByTagName("path")));
    for (Document kept : List.of(dark, light)) {
      assertThat(keys(kept)).as("the legend's colours").isEqualTo(strokes(kept));
    }
  }

  private static List<String> keys(Document document) {
    NodeList boxes = document.getElementsByTagName("rect");
    List<String> colours =
        IntStream.range(0, boxes.getLength())
            .mapToObj(i -> ((Element) boxes.item(i)).getAttribute("fill"))
            .toList();
    return colours.subList(colours.size() - strokes(document).size(), colours.size());
  }

  private static List<String> strokes(Document document) {
    return curveElements(document.getElementsByTagName("path")).stream()
        .map(line -> line.getAttribute("stroke"))
        .toList();
  }

  private static List<String> curves(NodeList lines) {
    return curveElements(lines).stream().map(line -> line.getAttribute("d")).toList();
  }

  private static List<Element> curveElements(NodeList lines) {
    return IntStream.range(0, lines.getLength())
        .mapToObj(i -> (Element) lines.item(i))
        .filter(line -> line.getAttribute("fill").equals("none"))
        .toList();
  }

  /** The heights of a line of steps. */
  private static double[] levels(String path) {
    return Pattern.compile("(?:,|V)([0-9.]+)")
        .matcher(path)
        .results()
        .mapToDouble(match -> Double.parseDouble(match.group(1)))
        .toArray();
  }

  private Document document(boolean dark) throws Exception {
    return parsed(HeldUpChart.svg(run, dark));
  }

  private static Document parsed(String svg) throws Exception {
    return DocumentBuilderFactory.newDefaultInstance()
        .newDocumentBuilder()
        .parse(new InputSource(new StringReader(svg)));
  }
}
