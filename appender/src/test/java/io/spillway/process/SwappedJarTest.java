package io.spillway.process;

import static org.assertj.core.api.Assertions.assertThat;

import io.spillway.SpillwayAppender;
import io.spillway.testkit.Fork;
import io.spillway.testkit.Subject;
import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.spi.ToolProvider;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * The jar is overwritten in place, as a deployment may do it, and the running process ends after
 * that: what waits is spilled and saved as ever, with classes that were loaded before.
 */
@Tag("slow")
@Timeout(120)
class SwappedJarTest {
  static final int EVENTS = 40_000; // more than memory and ring hold

  /** By the rehearsal, at its end. */
  private static final String LAST_LOADED = "io.spillway.internal.route.Joins";

  @TempDir Path directory;

  @ParameterizedTest
  @CsvSource({"WRAPPED, false", "WRAPPED, true", "OWN_FILE, false", "OWN_FILE, true"})
  void shouldSpillAndSaveWithItsJarOverwritten(Subject.Kind kind, boolean opens) throws Exception {
    Path jar = directory.resolve("spillway.jar");
    Path classes =
        Path.of(SpillwayAppender.class.getProtectionDomain().getCodeSource().getLocation().toURI());
    int packed =
        ToolProvider.findFirst("jar")
            .orElseThrow()
            .run(System.out, System.err, "-c", "-f", jar.toString(), "-C", classes.toString(), ".");
    assertThat(packed).isZero();
    String classPath =
        System.getProperty("java.class.path").replace(classes.toString(), jar.toString());
    assertThat(classPath).contains(jar + File.pathSeparator);
    List<String> told = List.of("-Xlog:class+load=info:stdout:none");
    try (Fork child =
        Fork.startOn(classPath, SwappedJarChild.class, told, kind, directory, opens)) {
      child.awaitLine(LAST_LOADED + " source:");
      Files.write(jar, new byte[] {'g', 'o', 'n', 'e'});
      Files.createFile(directory.resolve("swapped"));
      child.awaitEnd(0);
      assertThat(child.output())
          .filteredOn(line -> line.contains("NoClassDef") && !line.contains(" source: "))
          .isEmpty();
    }
    try (Subject next = new Subject(kind, directory).start()) {
      next.awaitDelivered();
    }
    try (Stream<String> lines = Files.lines(directory.resolve("app.log"))) {
      assertThat(lines.filter(line -> line.startsWith("number ")).distinct()).hasSize(EVENTS);
    }
  }
}
