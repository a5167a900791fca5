package io.spillway;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import ch.qos.logback.core.spi.ContextAware;
import io.spillway.process.EnvironmentChild;
import io.spillway.testkit.Fork;
import io.spillway.testkit.Rig;
import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.jar.Attributes;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;
import java.util.jar.JarOutputStream;
import java.util.jar.Manifest;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import java.util.zip.GZIPInputStream;
import java.util.zip.ZipEntry;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Whatever is on the class path, an application gets its logger, logs and ends: both appenders and
 * all policies run or say what they lack. Each row is a JVM with the jars of that row.
 */
@Timeout(300)
@Tag("slow")
public class EnvironmentTest {
  /** Of both kinds of appender, and of policies by the name of the files. */
  private static final Map<String, String> POLICIES = new LinkedHashMap<>();

  static {
    String size = "<maxFileSize>8KB</maxFileSize>";
    String own = "io.spillway.rolling.";
    POLICIES.put(
        "window",
        rolling(own + "FixedWindowRollingPolicy", "%i", "")
            + triggering(own + "SizeBasedTriggeringPolicy", size));
    POLICIES.put("time", rolling(own + "TimeBasedRollingPolicy", "%d", ""));
    POLICIES.put("size-and-time", rolling(own + "SizeAndTimeBasedRollingPolicy", "%d.%i", size));
    POLICIES.put("nested-time", nested("DefaultTimeBasedFileNamingAndTriggeringPolicy", "%d", ""));
    POLICIES.put(
        "logback", rolling("ch.qos.logback.core.rolling.TimeBasedRollingPolicy", "%d", ""));
  }

  /** Class paths, and whether Logback's own appenders run there. */
  private static final Map<String, Boolean> RUNNABLE = new HashMap<>();

  private final Map<String, String> policies = new LinkedHashMap<>(POLICIES);

  @TempDir Path directory;

  private static String rolling(String policy, String pattern, String more) {
    return "<rollingPolicy class=\"%s\"><fileNamePattern>DIR/NAME.%s.log.gz</fileNamePattern>%s</rollingPolicy>"
        .formatted(policy, pattern, more);
  }

  /** The old form, which Logback itself has in its place of SizeAndTimeBasedRollingPolicy. */
  private static String nested(String policy, String pattern, String more) {
    String xml =
        "<timeBasedFileNamingAndTriggeringPolicy class=\"ch.qos.logback.core.rolling.%s\">%s"
            + "</timeBasedFileNamingAndTriggeringPolicy>";
    String own = "io.spillway.rolling.TimeBasedRollingPolicy";
    return rolling(own, pattern, xml.formatted(policy, more));
  }

  private static String triggering(String policy, String more) {
    return "<triggeringPolicy class=\"%s\">%s</triggeringPolicy>".formatted(policy, more);
  }

  private static String appender(String name, String type, String policy) {
    String xml =
        """
        <appender name="NAME" class="TYPE"><file>DIR/NAME.log</file>
          <encoder><pattern>%msg%n</pattern></encoder>POLICY</appender>
        """;
    return xml.replace("TYPE", type).replace("POLICY", policy).replace("NAME", name);
  }

  private String configuration(boolean spillway) {
    StringBuilder xml = new StringBuilder();
    List<String> names = new ArrayList<>();
    if (spillway) {
      names.add("wrapping"); // the first, which formats what all get
    }
    String stock = "ch.qos.logback.core.rolling.RollingFileAppender";
    policies.forEach(
        (name, policy) -> {
          if (spillway) {
            names.add("own-" + name);
            xml.append(appender("own-" + name, "io.spillway.SpillwayRollingFileAppender", policy));
          }
          if (spillway || name.equals("logback")) {
            names.add("stock-" + name);
            xml.append(appender("stock-" + name, stock, policy));
          }
        });
    if (spillway) {
      xml.append(
          """
          <appender name="FILE" class="ch.qos.logback.core.FileAppender"><file>DIR/wrapping.log</file>
            <encoder><pattern>%msg%n</pattern></encoder></appender>
          <appender name="wrapping" class="io.spillway.SpillwayAppender">
            <spillMode>ALWAYS</spillMode><appender-ref ref="FILE"/></appender>
          """);
    }
    String refs =
        names.stream()
            .map("<appender-ref ref=\"%s\"/>"::formatted)
            .collect(Collectors.joining("", "<root level=\"INFO\">", "</root>"));
    return ("<configuration>" + xml + refs + "</configuration>")
        .replace("DIR", directory.toString());
  }

  /** This class path with other jars: versions, "now" for the one here, or "none". */
  public static String classPath(String core, String classic, String slf4j, String disruptor) {
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

  private Fork run(String classPath, boolean spillway) throws IOException {
    Path xml = Files.writeString(directory.resolve("logback.xml"), configuration(spillway));
    List<String> options = List.of("-Dlogback.configurationFile=" + xml.toUri());
    return Fork.startOn(classPath, EnvironmentChild.class, options);
  }

  private List<String> outputOn(String classPath) throws IOException {
    try (Fork child = run(classPath, true)) {
      child.awaitEnd(0);
      assertThat(child.output())
          .contains("logged", "ended")
          .noneMatch(line -> line.contains("NoClassDef") || line.contains("NoSuchMethod"));
      return child.output();
    }
  }

  private long events(String name) {
    return Rig.filesBelow(directory).stream()
        .filter(path -> path.getFileName().toString().startsWith(name + "."))
        .filter(path -> !path.getParent().toString().endsWith(".spill"))
        .filter(
            path -> !Files.exists(Path.of(path + ".gz"))) // its archive, whole, and not yet alone
        .mapToLong(EnvironmentTest::events)
        .sum();
  }

  private static long events(Path file) {
    try (InputStream in = Files.newInputStream(file);
        BufferedReader lines =
            new BufferedReader(
                new InputStreamReader(
                    file.toString().endsWith(".gz") ? new GZIPInputStream(in) : in))) {
      return lines.lines().filter(line -> line.matches("(\\[[A-Z]+] )?event [0-9]+")).count();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private void assertAllLogged(List<String> output, String prefix) {
    for (String policy : POLICIES.keySet()) {
      assertThat(output).contains("started " + prefix + policy);
      assertThat(events(prefix + policy)).as(prefix + policy).isEqualTo(1_000);
    }
  }

  private void assertAllLogged(List<String> output) {
    assertThat(output).noneMatch(line -> line.startsWith("error "));
    assertAllLogged(output, "own-");
    assertAllLogged(output, "stock-");
    assertThat(output).contains("started wrapping");
    assertThat(events("wrapping")).isEqualTo(1_000);
    assertThat(directory.resolve("wrapping.log")).content().contains("from within an argument");
  }

  @ParameterizedTest
  @Tag("gate")
  @CsvSource({
    "1.5.8, 1.5.8, now, 3.4.4",
    "now, 1.5.34, now, 3.3.11",
  })
  void shouldRunOn(String core, String classic, String slf4j, String disruptor) throws Exception {
    assertAllLogged(outputOn(classPath(core, classic, slf4j, disruptor)));
  }

  @Test
  void shouldNameTheDisruptorThatIsMissing() throws Exception {
    List<String> output = outputOn(classPath("now", "now", "now", "none"));
    assertThat(output.stream().filter(line -> line.startsWith("error ")))
        .filteredOn(line -> line.contains("com.lmax:disruptor 3.4.4 or newer. To do: add"))
        .hasSize(1 + POLICIES.size());
    assertThat(output).contains("not wrapping", "not own-time");
    assertAllLogged(output, "stock-");
  }

  @ParameterizedTest
  @CsvSource({"1.2.13, 1.7.36", "1.5.6, now"})
  void shouldNameALogbackThatIsTooOld(String logback, String slf4j) throws Exception {
    List<String> output = outputOn(classPath(logback, logback, slf4j, "now"));
    assertThat(output.stream().filter(line -> line.startsWith("error ")))
        .filteredOn(
            line ->
                line.contains("logback-core " + logback + ", logback-classic " + logback)
                    && line.contains("needed: Logback 1.5.8 or newer with SLF4J 2. To do: raise"))
        .as("one for each appender, of its policy or its own")
        .hasSizeBetween(1 + POLICIES.size(), 2 + 2 * POLICIES.size());
    assertThat(output).contains("not wrapping", "not own-time", "started stock-logback");
    assertThat(events("stock-logback")).isEqualTo(1_000);
  }

  /** Logback's search for a configuration fails with these; where one is made in Java, they log. */
  @ParameterizedTest
  @CsvSource({"now, 1.5.8", "1.5.8, now"})
  void shouldRunWhereStockAppendersDoOnALogbackOfTwoLines(String core, String classic)
      throws Exception {
    String classPath = classPath(core, classic, "now", "now");
    try (Fork control = inJava(classPath, "stock")) {
      assumeThat(control.awaitEnd()).as("Logback alone").isZero();
      assumeThat(events("stock-java")).isEqualTo(1_000);
    }
    assertJavaRunsOn(classPath);
  }

  private Fork inJava(String classPath, String... more) throws IOException {
    Path logs = Files.createDirectories(directory.resolve("java"));
    Rig.filesBelow(logs).forEach(file -> assertThat(file.toFile().delete()).isTrue());
    List<Object> arguments = new ArrayList<>(List.of(logs));
    arguments.addAll(List.of(more));
    return Fork.startOn(classPath, EnvironmentChild.class, List.of(), arguments.toArray());
  }

  private void assertJavaRunsOn(String classPath) throws IOException {
    try (Fork child = inJava(classPath)) {
      child.awaitEnd(0);
      assertThat(child.output()).contains("logged", "ended");
      for (String prefix : List.of("stock-", "own-")) {
        for (String name : List.of("java", "wrapping")) {
          if (child.output().contains("started " + prefix + name)) {
            String file = name.replace("wrapping", "wrapped");
            assertThat(events(prefix + file)).as(prefix + name).isGreaterThanOrEqualTo(1_000);
          } else {
            assertThat(child.output())
                .anyMatch(line -> line.startsWith("error ") && line.contains("To do: "));
          }
        }
      }
    }
  }

  private static List<String> pairs() {
    List<String> versions = List.of("now", "1.5.34", "1.5.8", "1.5.6", "1.2.13");
    return versions.stream()
        .flatMap(core -> versions.stream().map(classic -> core + " " + classic))
        .toList();
  }

  static List<String> everything() {
    List<String> all = new ArrayList<>();
    for (String pair : pairs()) {
      for (String slf4j : List.of("now", "2.1.0-alpha1", "1.7.36")) {
        for (String disruptor : List.of("now", "3.4.4", "3.3.11", "none")) {
          all.add(pair + " " + slf4j + " " + disruptor);
        }
      }
    }
    return all;
  }

  /** Where Logback itself does not run an application, there is nothing to be said of ours. */
  @Tag("full")
  @ParameterizedTest
  @MethodSource("everything")
  void shouldLetTheApplicationRunOn(String versions) throws Exception {
    String[] each = versions.split(" ");
    String withoutUs = classPath(each[0], each[1], each[2], "now");
    if (!RUNNABLE.containsKey(withoutUs)) {
      try (Fork control = run(withoutUs, false)) {
        RUNNABLE.put(withoutUs, control.awaitEnd() == 0);
      }
    }
    assumeThat(RUNNABLE.get(withoutUs)).as("Logback alone").isTrue();
    List<String> output = outputOn(classPath(each[0], each[1], each[2], each[3]));
    for (String line : output) {
      if (line.startsWith("started ")) {
        String name = line.substring("started ".length());
        assertThat(events(name)).as(name).isGreaterThanOrEqualTo(1_000);
      }
    }
  }

  @Tag("full")
  @ParameterizedTest
  @MethodSource("pairs")
  void shouldRunWhereStockAppendersDoOn(String versions) throws Exception {
    String[] each = versions.split(" ");
    shouldRunWhereStockAppendersDoOnALogbackOfTwoLines(each[0], each[1]);
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
    assertThat(classPath).contains("shop-1.0.0.jar");
    assertAllLogged(outputOn(classPath));
  }
}
