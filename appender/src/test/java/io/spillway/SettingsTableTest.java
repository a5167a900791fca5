package io.spillway;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.core.spi.ContextAwareBase;
import java.io.IOException;
import java.lang.reflect.Method;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The tables of the appenders' settings: all there are, and the defaults that they have. */
class SettingsTableTest {
  private static final Path PAGE = Path.of("..", "CONFIGURATION.md");
  private static final String HEADER = "| setting | default | what it does |";
  private static final Path README = Path.of("..", "README.md");

  /** Theirs depends on the appender. */
  private static final List<String> WITHOUT_A_VALUE =
      List.of("spillDirectory", "includeCallerData", "acknowledgeMarker", "whenFullKeepLevel");

  /** Names and, as text, defaults; a row may have several of both. */
  private static Map<String, String> table(Path page) throws IOException {
    Map<String, String> defaults = new LinkedHashMap<>();
    List<String> lines = Files.readAllLines(page);
    assertThat(lines).containsOnlyOnce(HEADER);
    lines.subList(lines.indexOf(HEADER) + 2, lines.size()).stream()
        .takeWhile(line -> line.startsWith("| `"))
        .map(line -> line.replace("`", "").split(" *[|] *"))
        .forEach(
            cells -> {
              String[] names = cells[1].split(", ");
              String[] values = cells[2].split(", ", names.length);
              for (int i = 0; i < names.length; i++) {
                defaults.put(names[i], values[i]);
              }
            });
    return defaults;
  }

  @Test
  void shouldHaveEverySetting() throws IOException {
    Stream<String> settings =
        Arrays.stream(SpillwaySettings.class.getMethods())
            .filter(
                method -> method.getReturnType() == void.class) // not the typed ones beside them
            .map(Method::getName)
            .filter(name -> name.startsWith("set") && !name.equals("settings"))
            .map(name -> Character.toLowerCase(name.charAt(3)) + name.substring(4));
    assertThat(table(PAGE).keySet()).containsExactlyInAnyOrderElementsOf(settings.toList());
  }

  @Test
  void shouldTellTheSameInTheReadme() throws IOException {
    assertThat(table(README)).hasSize(6);
    assertThat(table(PAGE)).containsAllEntriesOf(table(README));
  }

  @Test
  void shouldTellTheDefaults() throws Exception {
    SpillwayAppender asTold = new SpillwayAppender();
    for (Map.Entry<String, String> row : table(PAGE).entrySet()) {
      if (!WITHOUT_A_VALUE.contains(row.getKey())) {
        String name = Character.toUpperCase(row.getKey().charAt(0)) + row.getKey().substring(1);
        SpillwaySettings.class.getMethod("set" + name, String.class).invoke(asTold, row.getValue());
      }
    }
    assertThat(asTold.settings().check(new ContextAwareBase()))
        .isNotNull()
        .isEqualTo(new Settings().check(new ContextAwareBase()));
  }
}
