package io.spillway.examples.spring;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The fragments in the appender's jar beside those of this Spring Boot. */
class FragmentsTest {
  private static final String BOOT = "org/springframework/boot/logging/logback/";
  private static final String SPILLWAY = "io/spillway/spring-boot/";

  /** A line with a property is the same line, whatever properties a later Spring Boot has. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "file-appender.xml",
        "console-appender.xml",
        "structured-file-appender.xml",
        "structured-console-appender.xml"
      })
  void shouldReadTheSamePropertiesForAnAppenderOfTheSameName(String fragment) throws Exception {
    List<String> boots = lines(BOOT + fragment, "${");
    assertThat(boots).isNotEmpty();
    assertThat(lines(SPILLWAY + fragment, "${")).containsAll(boots);
    String name = lines(BOOT + fragment, "<appender name=").get(0).replaceFirst(" class=.*", "");
    assertThat(lines(SPILLWAY + fragment, "<appender name="))
        .anyMatch(line -> line.startsWith(name + " class=\"io.spillway."));
  }

  private static List<String> lines(String resource, String containing) throws IOException {
    return read(resource).lines().map(String::strip).filter(s -> s.contains(containing)).toList();
  }

  private static String read(String resource) throws IOException {
    try (InputStream in = FragmentsTest.class.getClassLoader().getResourceAsStream(resource)) {
      assertThat(in).as(resource).isNotNull();
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    }
  }

  @Test
  void shouldBeIncludedAsThePageSays() throws Exception {
    assertThat(Files.readString(Path.of("../README.md")))
        .contains("```xml\n" + read("logback-spring.xml") + "```");
  }
}
