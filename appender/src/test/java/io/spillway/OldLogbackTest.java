package io.spillway;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.core.spi.ContextAware;
import io.spillway.process.OldLogbackChild;
import io.spillway.rolling.TimeBasedRollingPolicy;
import io.spillway.testkit.Fork;
import io.spillway.testkit.Rig;
import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.jar.Attributes;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;
import java.util.jar.JarOutputStream;
import java.util.jar.Manifest;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;
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

  /** A policy that an old Logback cannot even look at would end the configuration. */
  @Test
  void shouldBeConfiguredWithTheTimeBasedPolicyOnTheFirstOnePointFive() {
    try (Fork child = run("1.5", TimeBasedRollingPolicy.class.getName())) {
      assertRefused(child.output(), "1.5.0", LogbackVersion.ROLLING.toString());
      assertThat(child.output()).contains("WRAPPED started true");
    }
  }

  /** A jar of a whole application, whose manifest names the application's version. */
  @Test
  void shouldNotTakeTheVersionOfAFatJarForLogbacks() throws Exception {
    Path own =
        Path.of(ContextAware.class.getProtectionDomain().getCodeSource().getLocation().toURI());
    Path fat = directory.resolve("shop-1.0.0.jar");
    Manifest manifest = new Manifest();
    manifest.getMainAttributes().put(Attributes.Name.MANIFEST_VERSION, "1.0");
    manifest.getMainAttributes().put(Attributes.Name.IMPLEMENTATION_VERSION, "1.0.0");
    try (JarFile logback = new JarFile(own.toFile());
        JarOutputStream out = new JarOutputStream(Files.newOutputStream(fat), manifest)) {
      for (JarEntry entry : Collections.list(logback.entries())) {
        if (entry.getName().endsWith(".class") && !entry.getName().startsWith("META-INF/")) {
          out.putNextEntry(new ZipEntry(entry.getName()));
          logback.getInputStream(entry).transferTo(out);
        }
      }
    }
    String classPath =
        System.getProperty("java.class.path").replace(own.toString(), fat.toString());
    try (Fork child =
        Fork.startOn(
            classPath, OldLogbackChild.class, List.of(), directory.toString(), STOCK_POLICY)) {
      child.awaitEnd(0);
      assertThat(classPath).contains("shop-1.0.0.jar");
      assertThat(child.output()).contains("WRAPPED started true", "OWN started true");
    }
  }
}
