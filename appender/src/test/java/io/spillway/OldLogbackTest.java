package io.spillway;

import static org.assertj.core.api.Assertions.assertThat;

import io.spillway.process.OldLogbackChild;
import io.spillway.testkit.Fork;
import io.spillway.testkit.Rig;
import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** On a Logback that is too old the appenders say so, instead of failing somewhere inside. */
@Timeout(120)
class OldLogbackTest {
  private static final String STOCK_POLICY = "ch.qos.logback.core.rolling.TimeBasedRollingPolicy";

  @TempDir Path directory;

  /** This class path with other jars for Logback and SLF4J. */
  private static String classPath(String old) {
    Stream<String> jars =
        Rig.filesBelow(Path.of("target", "old-logback", old)).stream().map(Path::toString);
    Stream<String> others =
        Arrays.stream(System.getProperty("java.class.path").split(File.pathSeparator))
            .filter(path -> !path.contains("logback") && !path.contains("slf4j"));
    return Stream.concat(jars, others).collect(Collectors.joining(File.pathSeparator));
  }

  private Fork run(String old, String policy) {
    Fork child =
        Fork.startOn(
            classPath(old), OldLogbackChild.class, List.of(), directory.toString(), policy);
    return child.awaitEnd(0);
  }

  private static void assertRefused(List<String> output, String version, String... needed) {
    assertThat(output.stream().filter(line -> line.contains("Logback " + version + " is on")))
        .as(() -> String.join("\n", output))
        .hasSize(needed.length)
        .allMatch(line -> line.startsWith("error "))
        .allMatch(line -> Stream.of(needed).anyMatch(n -> line.contains("allowed: " + n + " or")));
    assertThat(output)
        .contains("OWN started false", "logged")
        .noneMatch(line -> line.contains("Error") || line.contains("Exception"));
  }

  @ParameterizedTest
  @CsvSource({"1.4, 1.4.14", "1.2, 1.2.13"})
  void shouldNameTheVersionFoundAndTheOneNeeded(String old, String version) {
    try (Fork child = run(old, STOCK_POLICY)) {
      assertRefused(child.output(), version, "1.5.0", LogbackVersion.ROLLING.toString());
      assertThat(child.output()).contains("WRAPPED started false");
    }
  }

  @Test
  void shouldWrapAnAppenderOnTheFirstOnePointFive() throws Exception {
    try (Fork child = run("1.5", STOCK_POLICY)) {
      assertRefused(child.output(), "1.5.0", LogbackVersion.ROLLING.toString());
      assertThat(child.output()).contains("WRAPPED started true");
      assertThat(child.number("spilled")).isEqualTo(1_000);
      assertThat(Files.readAllLines(directory.resolve("app.log"))).hasSize(1_000);
    }
  }

  @ParameterizedTest
  @CsvSource({
    "1.2.13, true, true",
    "1.4.14, true, true",
    "1.5.0, false, true",
    "1.5.7, false, true",
    "1.5.8, false, false",
    "1.5.38, false, false",
    "1.6.0-alpha1, false, false",
    "2.0.0, false, false",
    "0.9.30, true, true",
    "unknown, false, false"
  })
  void shouldCompareVersionsByNumber(String version, boolean wrapping, boolean rolling) {
    assertThat(LogbackVersion.WRAPPING.isOlder(version)).isEqualTo(wrapping);
    assertThat(LogbackVersion.ROLLING.isOlder(version)).isEqualTo(rolling);
  }
}
