package io.spillway.stress.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.spillway.stress.report.Json;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Scenarios by the command line, in real runs. */
@Tag("slow")
class ScenarioRunTest {

  /** One configuration at two sizes; without promises about time, as tests share the machine. */
  private static final String TINY =
      """
      {
        "description": "a tiny rotation",
        "threads": 20,
        "rate": 2000,
        "duration": 1,
        "heap": "128m",
        "sizes": ["6MB", "4MB"],
        "trials": [{"configuration": "own.xml"}],
        "limits": {"maxHeld": "100000s", "maxP999": "60s"},
        "published": {
          "source": "nobody",
          "figures": [
            {"what": "small", "published": "none", "figure": "lost",
             "of": "own-4MB"},
            {"what": "large", "published": "all", "figure": "rotation",
             "of": "own-6MB", "lessThan": "own-4MB"}
          ]
        }
      }
      """;

  @TempDir Path directory;
  private final ByteArrayOutputStream out = new ByteArrayOutputStream();
  private final ByteArrayOutputStream err = new ByteArrayOutputStream();

  @Test
  void shouldRunEachTrialAtEachSizeAndSetPublishedFiguresBesideTheMeasured() throws Exception {
    Files.copy(
        Path.of("src/test/resources/strangers/manual-size-and-time.xml"),
        directory.resolve("own.xml"));
    Path scenario = Files.writeString(directory.resolve("tiny.json"), TINY);
    int code = execute("--scenario", scenario.toString(), "--threads", "10", "--keep");

    assertThat(text(err)).isEmpty();
    assertThat(code).as(text(out)).isZero();
    Path run = onlyRun();
    JsonNode result = Json.read(run.resolve("result.json"), JsonNode.class);
    assertThat(result.at("/options/threads").asInt()).as("overridden").isEqualTo(10);
    assertThat(result.at("/options/eventsPerSecond").asInt()).isEqualTo(2000);
    assertThat(result.at("/options/maxHeldSecondsPerMinute").asInt()).isEqualTo(100_000);
    assertThat(result.at("/trials").findValuesAsText("sizeBytes"))
        .containsExactly(Long.toString(4 << 20), Long.toString(6 << 20));
    assertThat(result.at("/trials/0/name").asText()).isEqualTo("own-4MB");
    for (JsonNode trial : result.at("/trials")) {
      assertThat(trial.at("/verdict").asText()).isEqualTo("passed");
      long archived = trial.at("/readBack/prefill/bytes").asLong();
      assertThat(archived)
          .isBetween(trial.at("/sizeBytes").asLong() * 6 / 10, trial.at("/sizeBytes").asLong());
    }
    JsonNode published = result.at("/scenario/published");
    assertThat(published.at("/0/measured").asText()).isEqualTo("0");
    assertThat(published.at("/1/measured").asText()).matches("[0-9.]+ % (less|more)");
    for (String report : List.of(text(out), Files.readString(run.resolve("report.md")))) {
      assertThat(report)
          .contains("own-4MB", "own-6MB", "Published: nobody")
          .containsPattern("small[ |]+none[ |]+0[ |]+lost, own-4MB");
    }
    assertShowsEachStep(text(out));
    assertThat(run.resolve("work/own-6MB"))
        .as("--keep")
        .isDirectoryRecursivelyContaining("glob:**/mylog-*.0.txt");
  }

  @Test
  void shouldNameFieldAndFileOfAValueOutOfItsRange() throws IOException {
    Path scenario =
        Files.writeString(
            directory.resolve("s.json"), "{\"description\": \"d\", \"threads\": 0, \"rate\": 5}");

    assertThat(execute("--scenario", scenario.toString())).isEqualTo(2);
    assertThat(text(err))
        .isEqualToIgnoringNewLines(
            "spillway-stress: scenario "
                + scenario
                + ", field 'threads': '0'; allowed: a number from 1 to 10000");
    assertThat(execute("--scenario", scenario.toString(), "--threads", "20000")).isEqualTo(2);
    assertThat(text(err)).contains("Invalid value for option '--threads': '20000'");
    assertThat(directory.resolve("out")).doesNotExist();
  }

  /** Seen by what is refused: a load that no file of such a size could take. */
  @Test
  void shouldLetTheCommandLineChooseTrialsAndSizes() {
    String[] scenario = {"--scenario", "push-marketing", "--rate", "1000000"};

    assertThat(execute(with(scenario, "--appender", "spillway"))).isEqualTo(2);
    assertThat(text(err)).contains("spillway: a file of 4294967296 bytes");
    assertThat(execute(with(scenario, "--size", "2MB"))).isEqualTo(2);
    assertThat(text(err)).contains("async: a file of 2097152 bytes");
    assertThat(directory.resolve("out")).doesNotExist();
  }

  private static String[] with(String[] options, String... more) {
    return Stream.concat(Stream.of(options), Stream.of(more)).toArray(String[]::new);
  }

  private static void assertShowsEachStep(String text) {
    assertThat(text)
        .containsPattern("^2 trials, about \\d+ s in all, up to [\\d.]+ MB on disk, in /");
    assertThat(text.lines().filter(line -> line.startsWith("[")).map(line -> line.substring(10)))
        .map(line -> line.replaceFirst(" \\(about .*", "").strip())
        .containsExactly(
            "own-4MB: prefill",
            "own-4MB: load",
            "load began",
            "rotation began",
            "rotation ended",
            "load ended",
            "own-4MB: read back",
            "own-6MB: prefill",
            "own-6MB: load",
            "load began",
            "rotation began",
            "rotation ended",
            "load ended",
            "own-6MB: read back");
  }

  private Path onlyRun() throws IOException {
    try (Stream<Path> runs = Files.list(directory.resolve("out"))) {
      List<Path> all = runs.toList();
      assertThat(all).hasSize(1);
      return all.get(0);
    }
  }

  private int execute(String... options) {
    Stream<String> all =
        Stream.concat(
            Stream.of("run", "--out", directory.resolve("out").toString()), Stream.of(options));
    return CommandLineTool.execute(
        all.toArray(String[]::new),
        new PrintStream(out, true, StandardCharsets.UTF_8),
        new PrintStream(err, true, StandardCharsets.UTF_8));
  }

  private static String text(ByteArrayOutputStream bytes) {
    return bytes.toString(StandardCharsets.UTF_8);
  }
}
