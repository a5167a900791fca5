package io.spillway.process;

import static org.assertj.core.api.Assertions.assertThat;

import io.spillway.testkit.Fork;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Run times without the modules for monitoring, as jlink makes them, or without MD5. */
@Timeout(120)
class BareRuntimeTest {
  @TempDir Path directory;

  @ParameterizedTest
  @ValueSource(strings = {"java.management,java.naming,java.xml", "java.xml"})
  void shouldLogRollAndCompressWithoutFlightRecorder(String modules) throws Exception {
    try (Fork child =
        Fork.start(
            BareRuntimeChild.class, List.of("--limit-modules=" + modules), directory.toString())) {
      child.awaitEnd(0);
      assertThat(child.number("jdk.jfr")).isZero();
      assertThat(child.number("delivered")).isEqualTo(1_001);
      assertThat(child.number("archived")).isEqualTo(1);
      assertThat(child.output()).contains("health UP");
      assertThat(child.output().stream().filter(line -> line.contains("No JMX metrics")))
          .hasSize(modules.contains("management") ? 0 : 1);
      assertThat(Files.readAllLines(directory.resolve("app.log"))).containsExactly("after");
    }
  }

  /** As where only certified cryptography may be used. */
  @Test
  void shouldLogRollAndCompressWithoutMessageDigests() throws Exception {
    Path security =
        Files.writeString(
            directory.resolve("java.security"),
            "security.provider.1=SunEC\nsecurerandom.source=file:/dev/random\n");
    List<String> options = List.of("-Djava.security.properties==" + security);
    try (Fork child = Fork.start(BareRuntimeChild.class, options, directory.toString())) {
      child.awaitEnd(0);
      assertThat(child.number("delivered")).isEqualTo(1_001);
      assertThat(child.number("archived")).isEqualTo(1);
    }
  }
}
