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
        "{\"description\":\"d\",\"application\":{\"kind\":\"push\"},\"client\":{\"seconds\":\"x\"}}"
            + "|field 'client.seconds'",
      })
  void shouldRefuseWhatIsNotRightAndSayWhere(String json, String message) {
    assertThatExceptionOfType(RefusedException.class)
        .isThrownBy(() -> read(json, false))
        .withMessageContaining(message);
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
