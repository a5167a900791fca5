package io.spillway.stress.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class TrialNamesTest {
  private final TrialNames names = new TrialNames();

  @ParameterizedTest
  @CsvSource({
    "logback.xml, logback",
    "conf/my logback.xml, my-logback",
    "async.xml, async.2",
    "ASYNC.xml, ASYNC.2",
    "work.xml, work.2",
    "report.html.xml, report.html.2",
    "...xml, config",
    "app-2.xml, app.2",
  })
  void shouldBeADirectoryOfItsOwn(String file, String name) {
    assertThat(names.of(Path.of(file))).isEqualTo(name);
  }

  @Test
  void shouldNumberFilesOfTheSameName() {
    assertThat(names.of(Path.of("a/logback.xml"))).isEqualTo("logback");
    assertThat(names.of(Path.of("b/logback.xml"))).isEqualTo("logback.2");
    assertThat(names.of(Path.of("logback.2.xml"))).isEqualTo("logback.2.2");
    assertThat(names.of(Path.of("c/Logback.xml"))).isEqualTo("Logback.3");
  }

  @Test
  void shouldCutLongNames() {
    assertThat(names.of(Path.of("x".repeat(57) + "-123.xml"))).isEqualTo("x".repeat(57) + ".12");
  }
}
