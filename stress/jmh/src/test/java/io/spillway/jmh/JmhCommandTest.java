package io.spillway.jmh;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class JmhCommandTest {
  private static final String RATIO = " \\d+\\.\\d\\d \\(\\d+\\.\\d\\d to \\d+\\.\\d\\d\\) ";

  @TempDir Path directory;
  private final ByteArrayOutputStream err = new ByteArrayOutputStream();
  private final ByteArrayOutputStream out = new ByteArrayOutputStream();

  @Test
  void shouldCompareMediansOfRounds() throws IOException {
    int code =
        execute("saturated", "--quick", "--rounds", "2", "--", "-f", "0", "-p", "producers=1,8");

    assertThat(code).as(text(err)).isZero();
    String tables = Files.readString(files(".md").get(0));
    assertThat(text(out)).contains(tables);
    assertThat(tables)
        .contains("### DeliveryBenchmark.saturated\n")
        .contains("| producers | subject | events per second | cpu micros per event | to the best")
        .containsPattern("\n\\| 1 \\| LOG4J2_ASYNC \\| [\\d,]+ \\| [\\d.]+ \\|" + RATIO + "\\|\n")
        .containsPattern("\n\\| 8 \\| SPILLWAY_FILE \\| [\\d,]+ \\| [\\d.]+ \\|" + RATIO + "\\|\n")
        .contains(" 1.00 (1.00 to 1.00) |");
    assertThat(tables.lines().filter(line -> line.contains(" to "))).hasSize(1 + 2 * 6);
    assertThat(files(".json")).hasSize(2);
    assertThat(directory.resolve("logs")).isEmptyDirectory();
  }

  @Test
  void shouldRunEachBenchmarkQuicklyInOneJvm() throws IOException {
    int code = execute("--quick", "--", "-f", "0", "-p", "producers=8");

    assertThat(code).as(text(err)).isZero();
    assertThat(Files.readString(files(".md").get(0)))
        .contains("### DeliveryBenchmark.saturated\n", "### DeliveryBenchmark.steady\n")
        .contains("| log call micros p50 | log call micros p999 |")
        .contains("### StartBenchmark.firstEvent\n", "| subject | cpu millis | loaded classes |")
        .contains("### EncoderBenchmark.encode\n", "### SpillBenchmark.writeAndReplay\n");
  }

  @Test
  void shouldUseTheDirectoryInAForkedJvm() throws IOException {
    int code = execute("firstEvent", "--quick", "--", "-p", "subject=SPILLWAY");

    assertThat(code).as(text(err)).isZero();
    assertThat(text(out)).contains("-D" + WorkDirectory.PLACE + "=" + directory.resolve("logs"));
  }

  @Test
  void shouldNameTheBenchmarkThatFailed() {
    int code = execute("firstEvent", "--quick", "--", "-f", "0", "-p", "subject=NONE,SPILLWAY");

    assertThat(code).isEqualTo(1);
    assertThat(text(err))
        .contains("failed, see above: io.spillway.jmh.StartBenchmark.firstEvent", "subject-NONE");
  }

  @Test
  void shouldNameTheBenchmarkWhoseJvmFailed() {
    int code = execute("encode", "--quick", "--", "-jvmArgs", "-XX:+NoSuchFlag");

    assertThat(code).isEqualTo(1);
    assertThat(text(err))
        .contains("see above: io.spillway.jmh.EncoderBenchmark.encode", "subject-LOGBACK");
  }

  @Test
  void shouldRefuseARegexThatMatchesNothing() {
    assertThat(execute("NoSuchBenchmark", "--quick")).isEqualTo(2);
    assertThat(text(err)).contains("REGEX", "'NoSuchBenchmark' matches no benchmark", "-- -l");
    assertThat(directory).isEmptyDirectory();
  }

  @Test
  void shouldRefuseWhatIsNoRegex() {
    assertThat(execute("[")).isEqualTo(2);
    assertThat(text(err)).contains("REGEX", "'[' is not a regular expression", "-- -l");
  }

  @Test
  void shouldRefuseUnknownOptionsOfJmh() {
    assertThat(execute("encode", "--", "-nonsense")).isEqualTo(2);
    assertThat(text(err)).contains("[-nonsense]", "-- -h");
  }

  private int execute(String... arguments) {
    List<String> places =
        List.of("--out", directory.toString(), "--directory", directory.resolve("logs").toString());
    return JmhCommand.execute(
        Stream.concat(places.stream(), Stream.of(arguments)).toList(),
        new PrintStream(out, true, StandardCharsets.UTF_8),
        new PrintStream(err, true, StandardCharsets.UTF_8));
  }

  private List<Path> files(String suffix) throws IOException {
    try (Stream<Path> files = Files.list(directory)) {
      return files.filter(file -> file.toString().endsWith(suffix)).toList();
    }
  }

  private static String text(ByteArrayOutputStream bytes) {
    return bytes.toString(StandardCharsets.UTF_8);
  }
}
