package io.spillway.internal.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import io.spillway.testkit.Fork;
import java.io.File;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * One check tells whether Logback, SLF4J and Disruptor suffice, by one error that names what to
 * take. Each row is a JVM with the jars of that row.
 */
@Timeout(300)
class EnvironmentTest {
  private static final String LOGBACK = "Logback 1.5.8 or newer with SLF4J 2";
  private static final String DISRUPTOR = "LMAX Disruptor 4";

  /** This class path with other jars: versions, "now" for the one here, or "none". */
  private static String classPath(String core, String classic, String slf4j, String disruptor) {
    String[] here = System.getProperty("java.class.path").split(File.pathSeparator);
    Stream<String> others =
        Arrays.stream(here).filter(path -> !path.matches(".*/(logback|slf4j|disruptor)-.*[.]jar"));
    Stream<String> chosen =
        Stream.of(
                jar(here, "logback-core", core),
                jar(here, "logback-classic", classic),
                jar(here, "slf4j-api", slf4j),
                jar(here, "disruptor", disruptor))
            .flatMap(List::stream);
    return Stream.concat(chosen, others).collect(Collectors.joining(File.pathSeparator));
  }

  private static List<String> jar(String[] here, String name, String version) {
    return switch (version) {
      case "none" -> List.of();
      case "now" -> Arrays.stream(here).filter(p -> p.matches(".*/" + name + "-.*[.]jar")).toList();
      default -> List.of("target/environment/" + name + "-" + version + ".jar");
    };
  }

  private static List<String> outputOn(String classPath) {
    try (Fork child = Fork.startOn(classPath, EnvironmentChild.class, List.of())) {
      child.awaitEnd(0);
      return child.output();
    }
  }

  @ParameterizedTest
  @CsvSource({
    "now, now, now, now", //
    "1.5.8, 1.5.8, now, now",
    "1.5.34, 1.5.34, 2.1.0-alpha1, now"
  })
  void shouldSuffice(String core, String classic, String slf4j, String disruptor) {
    assertThat(outputOn(classPath(core, classic, slf4j, disruptor))).containsExactly("suffices 1");
  }

  @ParameterizedTest
  @CsvSource({
    "1.5.7, 1.5.7, now, now, " + LOGBACK,
    "1.2.13, 1.2.13, 1.7.36, now, " + LOGBACK,
    "1.2.13, 1.2.13, 1.7.36, none, " + LOGBACK,
    "now, 1.2.13, 1.7.36, now, " + LOGBACK,
    "now, now, 1.7.36, now, " + LOGBACK,
    "1.5.6, now, now, now, " + LOGBACK,
    "now, now, now, 3.4.4, " + DISRUPTOR,
    "now, now, now, none, " + DISRUPTOR
  })
  void shouldNameWhatToTake(
      String core, String classic, String slf4j, String disruptor, String needed) {
    List<String> output = outputOn(classPath(core, classic, slf4j, disruptor));
    assertThat(output).hasSize(2).first().isEqualTo("suffices 0");
    assertThat(output.get(1))
        .startsWith("error Needed: " + needed + ". On the class path: ")
        .contains("To do: ")
        .endsWith("Not started.");
    if (needed.equals(LOGBACK)) {
      assertThat(output.get(1)).contains("Spring Boot 3.3.4 and newer have them");
      Stream.of("core-" + core, "classic-" + classic)
          .filter(jar -> !jar.endsWith("now"))
          .forEach(jar -> assertThat(output.get(1)).contains("/logback-" + jar + ".jar"));
    }
  }
}
