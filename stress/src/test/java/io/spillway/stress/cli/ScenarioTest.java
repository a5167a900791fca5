package io.spillway.stress.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.spillway.stress.report.RefusedException;
import java.io.IOException;
import java.lang.reflect.RecordComponent;
import java.nio.file.Files;
import java.nio.file.Path;
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
    String text = Files.readString(DOCUMENTATION);
    int start = text.indexOf("```json\n") + "```json\n".length();

    Scenario.Content scenario = find(text.substring(start, text.indexOf("```", start))).content();

    assertThat(scenario.threads()).isEqualTo(200);
    assertThat(scenario.rate()).isEqualTo(8000);
    assertThat(scenario.sizes()).containsExactly(512L << 20, 2L << 30);
    assertThat(scenario.trials())
        .containsExactly(
            new Scenario.Choice("async", null, null, null),
            new Scenario.Choice(null, "ours.xml", List.of(2L << 30), null));
    assertThat(scenario.limits()).isEqualTo(new Scenario.Bounds(1000.0, 50.0, 0L));
    assertThat(scenario.published().figures()).hasSize(2);
  }

  @Test
  void shouldDocumentEveryField() throws Exception {
    String text = Files.readString(DOCUMENTATION);

    for (Class<?> type : Scenario.class.getDeclaredClasses()) {
      for (RecordComponent field : type.getRecordComponents()) {
        assertThat(text)
            .as(type.getSimpleName())
            .containsPattern("[`\"]" + field.getName() + "[`\"]");
      }
    }
  }

  /** A built-in scenario is checked as a file is: also what its published figures stand beside. */
  @ParameterizedTest
  @FieldSource("BUILT_IN")
  void shouldHoldServicesOnly(String name) throws Exception {
    assertThat(ScenarioReader.find(name).isOfService()).as("as the launcher takes it").isTrue();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '^',
      value = {
        "'thread': 3|there is no field 'thread'; allowed here: [description, duration, heap,",
        "'limits': {'park': 1}|no field 'limits.park'; allowed here: [maxHeld, maxLoss, maxP999]",
        "'threads': 'many'|field 'threads': ",
        "'threads': 1.5|field 'threads': ",
        "'rate': 'fast'|field 'rate': 'fast'; allowed: 1 to 1000000 events a second",
        "'sizes': ['64MB', 'big']|field 'sizes[1]': 'big'; allowed: a number with KB, MB or GB",
        "'sizes': []|field 'sizes': is empty; leave it out, or name at least one",
        "'limits': {'maxHeld': '5'}|field 'limits.maxHeld': '5'; allowed: a time with us, ms or s",
        "'trials': [{}]|field 'trials[0]': needs either an 'appender'",
        "'trials': [{'appender': 'asinc'}]|field 'trials[0].appender': 'asinc'; allowed: async, ",
        "'trials': [{'appender': 'none'}]|field 'trials[0].appender': 'none'; allowed: async, ",
        "'trials': [{'appender': 'sync'}, {'appender': 'sync'}]|'trials[1]': 'sync' is no file"
            + " name, or there twice",
        "'trials': [{'appender': 'sync', 'variant': {'heap': '1g'}}]|a 'variant' only for one",
        "'trials': [{'configuration': 'no.xml'}]|no.xml is no readable file",
        "'threads': 3, 'threads': 4|Duplicate field 'threads'",
        "'threads': |it cannot be read: ",
        "'service': {'kind': 'shop'}|field 'service.kind': 'shop'; allowed: [price-api, push, ",
        "'service': {'kind': 'push', 'connections': 0}|'service.connections': '0'; allowed: 1 to ",
        "'service': {'kind': 'push', 'connections': 1, 'warmUp': 1}|field 'trials': is missing",
        "'published': {}|field 'published.source': is missing",
        "'published': {'source': 's', 'figures': [{'what': 'w', 'published': 'p', 'figure':"
            + " 'f'}]}|field 'published.figures[0].figure': 'f'; allowed: [held up, ",
        "'published': {'source': 's', 'figures': [{'what': 'w', 'published': 'p', 'figure': 'lost',"
            + " 'of': 'sync'}]}|field 'published.figures[0].of': 'sync'; allowed: a trial of this"
            + " scenario, of [async,",
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
        "{} {}|it cannot be read",
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
}
