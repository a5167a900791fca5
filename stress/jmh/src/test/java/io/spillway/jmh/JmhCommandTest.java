package io.spillway.jmh;

import static java.util.Arrays.stream;
import static java.util.stream.IntStream.range;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.DoubleStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class JmhCommandTest {
  private static final Pattern RAW =
      Pattern.compile("(?s)\"eventsPerSecond\" : .*?\"rawData\" : \\[\\s*\\[(.*?)\\]");

  @TempDir Path directory;
  private final ByteArrayOutputStream err = new ByteArrayOutputStream();
  private final ByteArrayOutputStream out = new ByteArrayOutputStream();

  /** JMH's JSON has the figure of each iteration; the score beside them is their sum. */
  @Test
  void shouldCompareMediansOfIterationsRoundByRound() throws IOException {
    String subjects = "subject=ROLLING_FILE,ASYNC_8192,SPILLWAY";
    assertThat(execute("saturated --rounds 3 -- -f 0 -i 3 -p producers=1 -p " + subjects)).isZero();

    double[][] rounds = new double[3][3]; // of each subject
    for (int round = 0; round < 3; round++) {
      Matcher raw = RAW.matcher(Files.readString(files("-" + (round + 1) + ".json").get(0)));
      for (int subject = 0; subject < 3; subject++) {
        assertThat(raw.find()).isTrue();
        rounds[subject][round] =
            median(Stream.of(raw.group(1).split(",")).mapToDouble(Double::parseDouble));
      }
    }
    int best = median(stream(rounds[0])) > median(stream(rounds[1])) ? 0 : 1;
    double[] ratios = range(0, 3).mapToDouble(i -> rounds[2][i] / rounds[best][i]).toArray();
    String row =
        String.format(
            Locale.ROOT,
            "(?s).*\n[|] SPILLWAY [|] %,.0f [|] [0-9.]+ [|] %.2f \\(%.2f to %.2f\\) [|]\n",
            median(stream(rounds[2])),
            median(stream(ratios)),
            stream(ratios).min().orElseThrow(),
            stream(ratios).max().orElseThrow());
    String tables = Files.readString(files(".md").get(0));
    assertThat(tables)
        .contains("### DeliveryBenchmark.saturated\n")
        .contains("| subject | events per second | cpu micros per event | to the best peer |\n")
        .contains(" 1.00 (1.00 to 1.00) |")
        .matches(row);
    assertThat(out.toString(StandardCharsets.UTF_8)).contains(tables);
    assertThat(directory.resolve("logs")).isEmptyDirectory();
  }

  @Test
  void shouldRunEachBenchmarkQuicklyInOneJvm() throws IOException {
    assertThat(execute("-- -f 0 -p producers=8")).isZero();
    assertThat(Files.readString(files(".md").get(0)))
        .contains("### DeliveryBenchmark.saturated\n", "### DeliveryBenchmark.steady\n")
        .contains("| log call micros p50 | log call micros p999 |")
        .contains("### StartBenchmark.firstEvent\n", "| subject | cpu millis | loaded classes |")
        .contains("### EncoderBenchmark.encode\n", "### SpillBenchmark.writeAndReplay\n");
  }

  @Test
  void shouldUseTheDirectoryInAForkedJvm() throws IOException {
    assertThat(execute("firstEvent -- -p subject=SPILLWAY")).isZero();
    assertThat(out.toString(StandardCharsets.UTF_8))
        .contains("-D" + WorkDirectory.PLACE + "=" + directory.resolve("logs"));
  }

  /** The last that JMH prints is the one that failed; the next one, SPILLWAY, does not run. */
  @ParameterizedTest
  @CsvSource({
    "'firstEvent -- -f0 -p subject=NONE,SPILLWAY', StartBenchmark.firstEvent, NONE",
    "encode -- -jvmArgs -XX:+NoSuchFlag, EncoderBenchmark.encode, LOGBACK"
  })
  void shouldEndWithTheBenchmarkThatFailed(String arguments, String name, String subject) {
    assertThat(execute(arguments)).isEqualTo(1);
    assertThat(err.toString(StandardCharsets.UTF_8)).contains("failed, see above: ");
    assertThat(out.toString(StandardCharsets.UTF_8))
        .containsOnlyOnce("# Benchmark: ")
        .contains("# Benchmark: io.spillway.jmh." + name, "(subject = " + subject + ")");
  }

  @ParameterizedTest
  @CsvSource({
    "NoSuchBenchmark, 'REGEX: ''NoSuchBenchmark'' matches no benchmark. To do: see all with: '",
    "[, (REGEX): cannot convert '[' to Pattern",
    "--rounds=0, 'Invalid value for --rounds: 0. To do: give 1 or more'",
    "encode -- -nonsense, 'Invalid JMH options [-nonsense]: '"
  })
  void shouldRefuseAndLeaveNoFile(String arguments, String message) {
    assertThat(execute(arguments)).isEqualTo(2);
    assertThat(err.toString(StandardCharsets.UTF_8)).contains(message);
    assertThat(directory).isDirectoryNotContaining(Files::isRegularFile);
  }

  private int execute(String arguments) {
    List<String> places =
        List.of("--out", directory.toString(), "--directory", directory.resolve("logs").toString());
    return JmhCommand.execute(
        Stream.concat(places.stream(), Stream.of(("--quick " + arguments).split(" "))).toList(),
        new PrintStream(out, true, StandardCharsets.UTF_8),
        new PrintStream(err, true, StandardCharsets.UTF_8));
  }

  private List<Path> files(String suffix) throws IOException {
    try (Stream<Path> files = Files.list(directory)) {
      return files.filter(file -> file.toString().endsWith(suffix)).toList();
    }
  }

  private static double median(DoubleStream three) {
    return three.sorted().toArray()[1];
  }
}
