package io.spillway.process;

import static org.assertj.core.api.Assertions.assertThat;

import io.spillway.testkit.Fork;
import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Spillway and Logback as named modules, configured by logback.xml. */
@Tag("slow")
@Tag("gate")
@Timeout(120)
class ModulePathTest {
  private static final String LIBRARIES =
      ".*/(logback-(core|classic)|slf4j-api|disruptor|micrometer-\\w+|zstd-jni|xz)-[^/]*\\.jar";

  @TempDir Path directory;

  @ParameterizedTest
  @ValueSource(strings = {".gz", ".zst", ".xz", ".zip"})
  void shouldLogRollAndCompressAsAModule(String suffix) throws Exception {
    Path classes = Path.of("target", "classes").toAbsolutePath();
    assertThat(classes.resolve("module-info.class")).exists();
    String modules =
        Arrays.stream(System.getProperty("java.class.path").split(File.pathSeparator))
            .filter(entry -> entry.matches(LIBRARIES))
            .collect(Collectors.joining(File.pathSeparator));
    Path tests = Path.of("target", "test-classes").toAbsolutePath();
    try (Fork child =
        Fork.startOn(
            tests.toString(),
            ModulePathChild.class,
            List.of(
                "--module-path=" + classes + File.pathSeparator + modules,
                "--add-modules=ALL-MODULE-PATH"),
            directory,
            suffix)) {
      child.awaitEnd(0);
      assertThat(child.output()).contains("module io.spillway", "health UP");
      assertThat(child.number("delivered")).isEqualTo(1_001);
      assertThat(child.number("jmx")).isEqualTo(1_001);
      assertThat(child.number("meters")).isEqualTo(1_001);
      assertThat(child.number("archived")).isEqualTo(1);
      assertThat(child.number("recorded")).isEqualTo(1);
      assertThat(Files.readAllLines(directory.resolve("app.log"))).containsExactly("after");
      assertThat(directory.resolve("app.1.log" + suffix)).exists();
    }
  }
}
