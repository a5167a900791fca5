package io.spillway.jmh;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
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
  private static final String BENCHMARK = "io.spillway.jmh.EventCodecBenchmark.encode";

  @TempDir Path directory;
  private final ByteArrayOutputStream err = new ByteArrayOutputStream();
  private final ByteArrayOutputStream out = new ByteArrayOutputStream();

  @Test
  void shouldLeaveATableAndAScoreAsJson() throws IOException {
    int code = execute("Codec.*encode", "--quick", "--", "-wi", "0", "-i", "1", "-r", "10ms");

    assertThat(code).as(text(err)).isZero();
    assertThat(text(out))
        .containsPattern("Benchmark +\\(content\\) +Mode +Cnt +Score +Error +Units");
    JsonNode results = new ObjectMapper().readTree(onlyFile(".json").toFile());
    assertThat(results).hasSize(1);
    JsonNode result = results.get(0);
    assertThat(result.get("benchmark").asText()).isEqualTo(BENCHMARK);
    assertThat(result.get("params").get("content").asText()).isEqualTo("PLAIN");
    assertThat(result.get("primaryMetric").get("score").asDouble()).isPositive();
    assertThat(result.get("primaryMetric").get("scoreUnit").asText()).isEqualTo("ns/op");
  }

  @Test
  void shouldRefuseARegexThatMatchesNothing() {
    int code = execute("NoSuchBenchmark", "--quick");

    assertThat(code).isEqualTo(2);
    assertThat(text(err)).contains("REGEX", "'NoSuchBenchmark' matches no benchmark", "-- -l");
    assertThat(directory).isEmptyDirectory();
  }

  @Test
  void shouldRefuseWhatIsNoRegex() {
    assertThat(execute("[")).isEqualTo(2);
    assertThat(text(err)).contains("REGEX", "'[' is not a regular expression", "-- -l");
    assertThat(directory).isEmptyDirectory();
  }

  @Test
  void shouldRefuseUnknownOptionsOfJmh() {
    assertThat(execute("Codec", "--", "-nonsense")).isEqualTo(2);
    assertThat(text(err)).contains("[-nonsense]", "-- -h");
    assertThat(directory).isEmptyDirectory();
  }

  @Test
  void shouldNameTheBenchmarkThatFailed() {
    int code = execute("Codec.*encode", "--quick", "--", "-jvmArgs", "-XX:+NoSuchFlag");

    assertThat(code).isEqualTo(1);
    assertThat(text(err)).contains("failed, see above: " + BENCHMARK + " content=PLAIN");
  }

  private int execute(String... arguments) {
    List<String> all =
        Stream.concat(Stream.of("--out", directory.toString()), Stream.of(arguments)).toList();
    return Main.execute(
        all.toArray(String[]::new),
        new PrintStream(out, true, StandardCharsets.UTF_8),
        new PrintStream(err, true, StandardCharsets.UTF_8));
  }

  private Path onlyFile(String suffix) throws IOException {
    try (Stream<Path> files = Files.list(directory)) {
      List<Path> all = files.filter(file -> file.toString().endsWith(suffix)).toList();
      assertThat(all).hasSize(1);
      return all.get(0);
    }
  }

  private static String text(ByteArrayOutputStream bytes) {
    return bytes.toString(StandardCharsets.UTF_8);
  }
}
