package io.spillway.dropwizard;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.BeanDescription;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.introspect.BeanPropertyDefinition;
import io.dropwizard.jackson.Jackson;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** README.md gives what the example has, and names settings that the appender type takes. */
class PageTest {
  private static final Pattern YAML =
      Pattern.compile("^```yaml\\n(.*?)^```$", Pattern.MULTILINE | Pattern.DOTALL);
  private static final Pattern ROW = Pattern.compile("^\\| (`.*?) \\|", Pattern.MULTILINE);
  private static final Pattern NAME = Pattern.compile("`([a-zA-Z]+)`");
  private static final List<String> NOT_IN_YAML =
      List.of("compressionLevel", "compressionCpuShare", "archiveListener");

  @Test
  void shouldGiveAnAppenderOfTheExample() throws Exception {
    List<String> example = Files.readAllLines(Path.of("example.yml"));
    MatchResult yaml = YAML.matcher(page()).results().findFirst().orElseThrow();
    assertThat(example.stream().map(String::strip)).containsSequence(lines(yaml.group(1)));
  }

  @Test
  void shouldNameSettingsThatAreThere() throws Exception {
    List<String> named =
        ROW.matcher(page())
            .results()
            .flatMap(row -> NAME.matcher(row.group(1)).results())
            .map(name -> name.group(1))
            .toList();
    assertThat(settings()).containsAll(named).doesNotContainAnyElementsOf(NOT_IN_YAML);
    assertThat(named).hasSizeGreaterThan(10);
    assertThat(page()).contains(NOT_IN_YAML);
  }

  private static List<String> lines(String text) {
    return text.lines().map(String::strip).toList();
  }

  private static List<String> settings() {
    ObjectMapper mapper = Jackson.newObjectMapper();
    BeanDescription type =
        mapper
            .getDeserializationConfig()
            .introspect(mapper.constructType(SpillwayAppenderFactory.class));
    return type.findProperties().stream().map(BeanPropertyDefinition::getName).toList();
  }

  private static String page() throws Exception {
    return Files.readString(Path.of("README.md"));
  }
}
