package io.spillway.stress.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.spillway.stress.report.RefusedException;
import io.spillway.stress.report.TrialResult;
import io.spillway.stress.service.ServiceTrial;
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

class ServiceScenarioTest {

  private static final Path DOCUMENTATION = Path.of("SCENARIOS.md");

  static final List<String> BUILT_IN = ServiceScenario.BUILT_IN;

  private static final String APPLICATION =
      "{\"description\":\"d\",\"application\":{\"kind\":\"push\"}";

  @TempDir Path directory;

  @ParameterizedTest
  @FieldSource("BUILT_IN")
  void shouldReadBothFormsOfABuiltInScenario(String name) throws IOException {
    ServiceScenario full = ServiceScenario.find(name, false);
    ServiceScenario shortened = ServiceScenario.find(name, true);

    assertThat(shortened.trials()).hasSizeBetween(1, 3);
    assertThat(full.trials())
        .extracting(ServiceTrial::name)
        .doesNotHaveDuplicates()
        .containsAll(shortened.trials().stream().map(ServiceTrial::name).toList());
    for (ServiceScenario form : List.of(full, shortened)) {
      assertThat(form.trials()).extracting(ServiceTrial::role).contains(TrialResult.Role.SUBJECT);
    }
    assertThat(seconds(shortened)).isLessThan(60);
    assertThat(seconds(full)).isLessThan(600);
    assertThat(full.published().figures()).isNotEmpty();
  }

  private static double seconds(ServiceScenario scenario) {
    return scenario.trials().stream()
        .map(ServiceTrial::client)
        .mapToDouble(client -> client.warmUpSeconds() + client.seconds())
        .sum();
  }

  @Test
  void shouldVaryWhatAValueSaysAndLeaveTheRest() throws IOException {
    ServiceScenario scenario =
        read(
            """
            {
              "description": "d", // comments are allowed
              "application": {"kind": "price-api", "work": {"lines": 3, "cache": "concurrent"}},
              "client": {"rate": "100/s", "connections": 7, "seconds": 5},
              "logging": ["none", "spillway-file"],
              "vary": [
                {"name": "locked", "application": {"work": {"cache": "synchronized"}}},
                {"name": "fast", "client": {"rate": "900/s"}, "logging": ["async"]}
              ],
              "short": {"client": {"seconds": 1}, "only": ["fast"]}
            }
            """,
            false);

    assertThat(scenario.trials())
        .extracting(ServiceTrial::name)
        .containsExactly("locked, none", "locked, spillway-file", "fast");
    ServiceTrial locked = scenario.trials().get(1);
    assertThat(locked.application().work())
        .containsEntry("cache", "synchronized")
        .containsEntry("lines", "3");
    assertThat(locked.client().rate()).isEqualTo(100);
    assertThat(locked.role()).isEqualTo(TrialResult.Role.SUBJECT);
    ServiceTrial fast = scenario.trials().get(2);
    assertThat(fast.application().work()).containsEntry("cache", "concurrent");
    assertThat(fast.client().rate()).isEqualTo(900);
    assertThat(fast.client().connections()).isEqualTo(7);
    assertThat(fast.role()).isEqualTo(TrialResult.Role.PEER);
    assertThat(scenario.calibrated().application().work()).containsEntry("cache", "concurrent");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "{}|field 'description': is missing",
        "{\"description\":\"d\"}|field 'application.kind': is missing",
        "{\"description\":\"d\",\"applicaton\":{}}|there is no field 'applicaton'; allowed here",
        "{\"description\":\"d\",\"application\":{\"kind\":\"push\"},\"client\":{\"seconds\":1},"
            + "\"logging\":[\"aync\"]}|field 'logging': 'aync'; allowed: none, [async,",
        "{\"description\":\"d\",\"application\":{\"kind\":\"push\"},\"client\":{\"seconds\":1},"
            + "\"rotation\":\"64MB\"}|field 'rotation': needs a client with a 'rate'",
        "CLIENT,\"client\":{\"seconds\":0}}|field 'client.seconds': 0.0; allowed: 1 to 3600",
        "CLIENT,\"client\":{\"seconds\":1,\"connections\":0}}|field 'client.connections': 0; allowed",
        "CLIENT,\"client\":{\"seconds\":1,\"warmUp\":-1}}|field 'client.warmUp': -1.0; allowed: 0 to",
        "CLIENT,\"client\":{\"seconds\":1,\"rate\":\"max\"}}|field 'client.rate': 'max'; allowed",
        "CLIENT,\"client\":{\"seconds\":1,\"search\":{\"maxP99\":\"9ms\"}}}"
            + "|field 'client.search.from': is missing",
        "CLIENT,\"client\":{\"seconds\":1},\"stall\":{\"seconds\":3}}|field 'stall.after': is missing",
        "CLIENT,\"client\":{\"seconds\":1},\"cpus\":\"one\"}|field 'cpus': 'one'; allowed: numbers and",
        "{\"description\":\"d\",\"application\":{\"kind\":\"push\",\"work\":{\"lines\":\"three\"}},"
            + "\"client\":{\"seconds\":1}}|field 'application.work.lines': 'three'; allowed: a number",
        "CLIENT,\"client\":{\"seconds\":1},\"vary\":[{\"name\":\"-10%\"},{\"name\":\"+10%\"}]}"
            + "|field 'vary.name': '+10%' is taken",
        "CLIENT,\"client\":{\"seconds\":1},\"vary\":[{\"name\":\"Work\"}]}|'Work' is taken",
        "CLIENT,\"client\":{\"seconds\":1},\"vary\":[{\"name\":\"  \"}]}|field 'vary.name': '  '; allowed",
        "CLIENT,\"client\":{\"seconds\":1},\"logging\":[]}|field 'logging': names nothing; allowed",
        "CLIENT,\"client\":{\"seconds\":1},\"limits\":{\"maxLoss\":-1}}|field 'limits.maxLoss': -1; allowed",
        "CLIENT,\"client\":{\"seconds\":1},\"stall\":{\"after\":50,\"seconds\":3}}|field 'stall.after': 50",
        "{\"description\":\"d\",\"application\":{\"kind\":\"shop\"},\"client\":{\"seconds\":1}}"
            + "|field 'application.kind': 'shop'; allowed: [price-api, push,",
        "{\"description\":\"d\",\"application\":{\"kind\":\"push\"},\"client\":{\"seconds\":\"x\"}}"
            + "|field 'client.seconds'",
      })
  void shouldRefuseWhatIsNotRightAndSayWhere(String json, String message) {
    assertThatExceptionOfType(RefusedException.class)
        .isThrownBy(() -> read(json.replace("CLIENT", APPLICATION), false))
        .withMessageContaining(message);
  }

  @Test
  void shouldKeepNamesOfAnyAlphabetApart() throws IOException {
    String vary = ",\"vary\":[{\"name\":\"старый кеш\"},{\"name\":\"новый кеш\"}]}";
    ServiceScenario scenario = read(APPLICATION + ",\"client\":{\"seconds\":1}" + vary, false);
    assertThat(scenario.trials())
        .extracting(ServiceTrial::folder)
        .containsExactly("старый-кеш", "новый-кеш");
  }

  @Test
  void shouldDocumentEveryField() throws IOException {
    String text = Files.readString(DOCUMENTATION);
    for (Class<?> type :
        List.of(
            ServiceScenario.Settings.class,
            ServiceScenario.Application.class,
            ServiceScenario.Client.class,
            ServiceScenario.Search.class,
            ServiceScenario.Stall.class,
            ServiceScenario.Limits.class)) {
      for (RecordComponent field : type.getRecordComponents()) {
        assertThat(text).as(type.getSimpleName()).contains("`" + field.getName() + "`");
      }
    }
  }

  private ServiceScenario read(String json, boolean shortForm) throws IOException {
    Path file = Files.writeString(directory.resolve("own.json"), json);
    return ServiceScenario.find(file.toString(), shortForm);
  }
}
