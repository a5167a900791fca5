package io.spillway.stress.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.spillway.stress.plan.PlannedTrial;
import io.spillway.stress.plan.Trials;
import io.spillway.stress.report.RefusedException;
import io.spillway.stress.report.RunResult;
import java.io.IOException;
import java.lang.reflect.RecordComponent;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.FieldSource;

class ScenarioTest {

  private static final Path DOCUMENTATION = Path.of("SCENARIOS.md");

  static final List<String> BUILT_IN = Scenario.BUILT_IN;

  @TempDir Path directory;

  @Test
  void shouldReadWhatTheDocumentationShows() throws Exception {
    Files.writeString(directory.resolve("ours.xml"), "<configuration/>");

    Scenario file = find(documentedExample());

    Scenario.Content scenario = file.content();
    assertThat(scenario.threads()).isEqualTo(200);
    assertThat(scenario.rate()).isEqualTo(8000);
    assertThat(scenario.sizes()).containsExactly(512L << 20, 2L << 30);
    assertThat(scenario.trials())
        .containsExactly(
            new Scenario.Choice("async", null, null),
            new Scenario.Choice(null, "ours.xml", List.of(2L << 30)));
    assertThat(scenario.limits()).isEqualTo(new Scenario.Bounds(1000.0, 0L, 50.0, null));
    assertThat(scenario.published().figures()).hasSize(2);
    assertThat(file.sizesOf("async")).isNull();
  }

  @Test
  void shouldDocumentEveryField() throws Exception {
    String text = Files.readString(DOCUMENTATION);

    for (Class<?> type :
        List.of(
            Scenario.Content.class,
            Scenario.Choice.class,
            Scenario.Bounds.class,
            Scenario.Published.class,
            Scenario.Row.class,
            Scenario.Place.class)) {
      for (RecordComponent field : type.getRecordComponents()) {
        assertThat(text).as(type.getSimpleName()).contains("`" + field.getName() + "`");
      }
    }
  }

  @ParameterizedTest
  @FieldSource("BUILT_IN")
  void shouldMeasureEveryPublishedFigureOfABuiltInScenario(String name) throws Exception {
    Scenario file = ScenarioReader.find(name);
    List<PlannedTrial> trials = new ArrayList<>();
    for (Scenario.Choice choice : file.trials()) {
      var trial =
          Trials.builtIn().stream()
              .filter(known -> known.name().equals(choice.appender()))
              .findFirst()
              .orElseThrow();
      choice.sizes().forEach(size -> trials.add(trial.at(size)));
    }

    RunResult.Scenario figures = file.figures(PlannedTrial.bySize(trials));

    assertThat(figures.name()).isEqualTo(name);
    assertThat(figures.source()).isNotBlank();
    assertThat(figures.published()).isNotEmpty().allMatch(figure -> figure.trial() != null);
    assertThat(figures.published()).extracting(RunResult.Published::measured).containsOnlyNulls();
  }

  @Test
  void shouldTryTheIncidentAndItsRemediesAtBothSizes() throws Exception {
    Scenario.Content scenario = ScenarioReader.find("push-marketing").content();

    assertThat(scenario.threads()).isEqualTo(300);
    assertThat(scenario.trials())
        .extracting(Scenario.Choice::appender)
        .contains("async", "async-512", "async-4096", "async-never-block", "async-size-and-time")
        .contains("spillway", "spillway-file");
    assertThat(scenario.trials())
        .filteredOn(
            choice -> List.of("async", "spillway", "spillway-file").contains(choice.appender()))
        .allMatch(choice -> choice.sizes().containsAll(List.of(1L << 30, 4L << 30)));
    assertThat(scenario.published().figures())
        .extracting(Scenario.Row::published)
        .contains("47 s", "55-69 s", "25 s", "99.4 % better", "100 % better");
  }

  @Test
  void shouldNotMeasureWhatIsNotInTheRun() throws Exception {
    Scenario file = ScenarioReader.find("push-marketing");

    RunResult.Scenario figures = file.figures(List.of(Trials.builtIn().get(0).at(64 << 20)));

    assertThat(figures.published()).extracting(RunResult.Published::trial).containsOnlyNulls();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '^',
      value = {
        "'thread': 3|there is no field 'thread'; allowed here: [description, duration, heap,",
        "'limits': {'park': 1}|no field 'limits.park'; allowed here: [maxLoss, maxP999, maxPark, maxStopped]",
        "'threads': 'many'|field 'threads': 'many' is not a whole number",
        "'threads': 1.5|field 'threads': ",
        "'threads': [1]|field 'threads': it is not a whole number",
        "'rate': 'fast'|field 'rate': 'fast'; allowed: 1 to 1000000 events a second",
        "'sizes': ['64MB', 'big']|field 'sizes[1]': 'big'; allowed: a number with KB, MB or GB",
        "'sizes': '64MB'|field 'sizes': it is not a list [...]",
        "'sizes': []|field 'sizes': is empty; leave it out, or name at least one",
        "'sizes': [null]|field 'sizes",
        "'limits': {'maxPark': '5'}|field 'limits.maxPark': '5'; allowed: a time with us, ms or s",
        "'trials': []|field 'trials': is empty",
        "'trials': [{}]|field 'trials[0]': needs either an 'appender'",
        "'trials': [{'appender': 'asinc'}]|field 'trials[0].appender': 'asinc'; allowed: async, ",
        "'trials': [{'appender': 'sync'}, {'appender': 'sync'}]|'trials[1].appender': 'sync' is"
            + " there twice",
        "'trials': [{'configuration': 'no.xml'}]|field 'trials[0].configuration': 'no.xml';"
            + " allowed: a readable logback.xml, relative to",
        "'threads': 3, 'threads': 4|it is no JSON: Duplicate field 'threads'",
        "'threads': |it is no JSON: ",
        "'published': {}|field 'published.source': is missing",
        "'published': {'source': 's'}|field 'published.figures': is missing or empty",
        "'published': {'source': 's', 'figures': [{'what': 'w', 'published': 'p', 'figure':"
            + " 'f'}]}|field 'published.figures[0].figure': 'f'; allowed: [rotation, ",
        "'published': {'source': 's', 'figures': [{'what': 'w', 'published': 'p', 'figure': 'lost',"
            + " 'of': {'trial': 'sync'}}]}|field 'published.figures[0].of.trial': 'sync'; allowed:"
            + " a trial of this scenario, of [async,",
        "'sizes': ['1MB', '2MB'], 'published': {'source': 's', 'figures': [{'what': 'w',"
            + " 'published': 'p', 'figure': 'lost', 'of': {'trial': 'async'}}]}|field"
            + " 'published.figures[0].of.size': it is missing; allowed: one of its sizes, in bytes"
            + " [1048576, 2097152]",
      })
  void shouldNameFileFieldValueAndRemedy(String fields, String why) {
    assertThatExceptionOfType(RefusedException.class)
        .isThrownBy(() -> find("{\"description\": \"d\", " + fields.replace('\'', '"') + "}"))
        .satisfies(
            refused ->
                assertThat(refused.getMessage())
                    .startsWith("scenario " + directory.resolve("s.json"))
                    .contains(why));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "{}|field 'description': is missing; allowed: one line",
        "null|it says nothing",
        "[]|it is not an object {...}",
        "{} {}|something follows after its end",
      })
  void shouldNameWhatIsWrongWithTheWholeFile(String content, String why) {
    assertThatExceptionOfType(RefusedException.class)
        .isThrownBy(() -> find(content))
        .satisfies(refused -> assertThat(refused.getMessage()).contains("s.json", why));
  }

  @Test
  void shouldNameTheBuiltInOnesIfThereIsNoSuchFile() {
    assertThatExceptionOfType(RefusedException.class)
        .isThrownBy(() -> ScenarioReader.find("push"))
        .withMessageContainingAll(
            "'push' is not a readable file", "push-marketing", "SCENARIOS.md");
  }

  private Scenario find(String content) throws IOException {
    return ScenarioReader.find(Files.writeString(directory.resolve("s.json"), content).toString());
  }

  /** The first block of JSON. */
  private static String documentedExample() throws IOException {
    String text = Files.readString(DOCUMENTATION);
    int start = text.indexOf("```json\n") + "```json\n".length();
    return text.substring(start, text.indexOf("```", start));
  }
}
