package io.spillway.process;

import static org.assertj.core.api.Assertions.assertThat;

import io.spillway.testkit.Fork;
import java.io.File;
import java.io.IOException;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import javax.tools.JavaCompiler;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Spillway and Logback as named modules, configured by logback.xml. */
@Tag("slow")
@Tag("gate")
@Timeout(120)
class ModulePathTest {
  private static final String LIBRARIES =
      ".*/(logback-(core|classic)|slf4j-api|disruptor|micrometer-\\w+|zstd-jni|xz)-[^/]*\\.jar";

  @TempDir Path directory;

  /** What an application does not use it need not have. */
  @ParameterizedTest
  @CsvSource({
    "io.spillway.SpillwayRollingFileAppender, io.spillway",
    "io.spillway.metrics.SpillwayMeters, io.spillway micrometer.core"
  })
  void shouldCompileModulesThatRequireOnlyWhatTheyUse(String used, String required)
      throws IOException {
    StringBuilder module = new StringBuilder("module user {");
    for (String name : required.split(" ")) {
      module.append(" requires ").append(name).append(';');
    }
    Path sources = Files.createDirectories(directory.resolve("sources/user"));
    List<Path> files =
        List.of(
            Files.writeString(sources.resolveSibling("module-info.java"), module.append('}')),
            Files.writeString(
                sources.resolve("User.java"),
                "package user; class User { Object used = new "
                    + used
                    + (used.endsWith("Appender") ? "<>" : "")
                    + "(); }"));
    String libraries =
        Arrays.stream(System.getProperty("java.class.path").split(File.pathSeparator))
            .filter(entry -> entry.matches(LIBRARIES))
            .filter(entry -> required.contains("micrometer") || !entry.contains("micrometer"))
            .collect(Collectors.joining(File.pathSeparator));
    String classes = Path.of("target", "classes").toAbsolutePath().toString();
    JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
    StringWriter said = new StringWriter();
    try (StandardJavaFileManager manager = compiler.getStandardFileManager(null, null, null)) {
      List<String> options =
          List.of(
              "-d",
              directory.resolve("out").toString(),
              "--module-path",
              classes + File.pathSeparator + libraries);
      boolean compiled =
          compiler
              .getTask(
                  said, manager, null, options, null, manager.getJavaFileObjectsFromPaths(files))
              .call();
      assertThat(compiled).as(said.toString()).isTrue();
    }
  }

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
