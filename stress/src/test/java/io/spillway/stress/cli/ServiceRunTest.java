package io.spillway.stress.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.spillway.stress.report.Json;
import io.spillway.stress.report.RunResult;
import io.spillway.stress.report.TrialResult;
import io.spillway.stress.service.ServiceRun;
import io.spillway.stress.service.ServiceTrial;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BiConsumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Services under load, in real runs; without promises about time, as tests share the machine. */
@Tag("slow")
class ServiceRunTest {

  private static final String PRICE_API =
      """
      {
        "description": "a tiny price service",
        "application": {
          "kind": "price-api", "threads": 40,
          "work": {"lines": 4, "lineBytes": 200, "random": "shared", "randomBytes": 40000,
                   "cache": "synchronized", "newPerMille": 100, "loadMicros": 20000}
        },
        "client": {"rate": "150/s", "connections": 40, "warmUp": 3, "seconds": 6},
        "heap": "256m",
        "rotation": "96MB",
        "limits": {"maxPark": "100000s"},
        "logging": ["async", "spillway-file"],
        "published": {
          "source": "nobody",
          "figures": [{"what": "losses", "published": "none", "figure": "lost", "of": "async"}]
        }
      }
      """;

  private static final String TOO_SMALL =
      """
      {
        "description": "an answer that is larger than the heap",
        "application": {"kind": "price-api", "threads": 4, "work": {"garbageBytes": 100000000}},
        "client": {"connections": 1, "warmUp": 1, "seconds": 2},
        "heap": "64m",
        "logging": ["spillway-file"]
      }
      """;

  @TempDir Path directory;
  private final ByteArrayOutputStream out = new ByteArrayOutputStream();
  private final ByteArrayOutputStream err = new ByteArrayOutputStream();

  /** Wants the whole machine: at the rate of a busy one threads seldom meet at a lock. */
  @Test
  @Tag("full")
  void shouldNameWhatHoldsThreadsUpAndCountEveryLineAcrossARotation() throws Exception {
    int code = execute(PRICE_API);

    assertThat(text(err)).isEmpty();
    assertThat(code).as(text(out)).isZero();
    Path run = onlyRun();
    JsonNode result = Json.read(run.resolve("result.json"), JsonNode.class);
    for (JsonNode trial : result.at("/trials")) {
      JsonNode figures = trial.at("/figures");
      List<String> frames = figures.at("/heldUp").findValuesAsText("frame");
      assertThat(frames)
          .anyMatch(frame -> frame.endsWith("SynchronizedLru.get"))
          .contains("java.security.SecureRandom.nextBytes");
      assertThat(figures.at("/lost").asLong()).isZero();
      long due = Math.round(result.at("/calibration/used").asDouble() * 6);
      assertThat(figures.at("/logged").asLong()).isGreaterThan(4 * due);
      assertThat(figures.at("/rotationSeconds").asDouble()).isPositive();
      assertThat(figures.at("/responses/count").asLong()).isBetween(due - 1, due + 1);
      assertThat(figures.at("/cpuMicrosPerRequest").asDouble()).isPositive();
      assertThat(figures.at("/residentBytes").asLong()).isGreaterThan(32 << 20);
    }
    assertThat(heldUpInLogging(result, 0)).as("a queue of 256 at a rotation").isPositive();
    for (String report : List.of(text(out), Files.readString(run.resolve("report.md")))) {
      assertThat(report).contains("Published: nobody").containsPattern("losses[ |]+none[ |]+0[ |]");
    }
    assertThat(run.resolve("junit.xml")).content().contains("tests=\"2\"", "failures=\"0\"");
    assertThat(run.resolve("work")).doesNotExist();
  }

  private static double heldUpInLogging(JsonNode result, int trial) {
    return result.at("/trials/" + trial + "/figures/heldUpSecondsPerMinute").asDouble();
  }

  /** The client's clock runs by itself: the watch, and the stall, must not come later. */
  @Test
  void shouldSeeWhatHappensFirstAlsoWithoutAWarmUp() throws Exception {
    String atOnce =
        TOO_SMALL
            .replace("{\"garbageBytes\": 100000000}", "{\"lines\": 100}")
            .replace("\"connections\": 1, \"warmUp\": 1", "\"connections\": 4, \"warmUp\": 0")
            .replace("\"64m\"", "\"64m\", \"stall\": {\"after\": 0.2, \"seconds\": 1.5}")
            .replace("spillway-file", "async");
    assertThat(execute(atOnce)).as(text(err)).isZero();

    JsonNode trial = Json.read(onlyRun().resolve("result.json"), JsonNode.class).at("/trials/0");
    assertThat(trial.at("/figures/heldUpSecondsPerMinute").asDouble()).isGreaterThan(1);
    assertThat(trial.at("/figures/responses/worst").asDouble()).as("ms").isGreaterThan(500);
    assertThat(trial.at("/verdict").asText()).isEqualTo("violated");
  }

  @Test
  void shouldCountWhatAnAppenderDrops() throws Exception {
    String dropping =
        PRICE_API
            .replace("[\"async\", \"spillway-file\"]", "[\"async-never-block\"]")
            .replace("\"of\": \"async\"", "\"of\": \"async-never-block\"")
            // A disk that stands still fills a queue of 256 at any speed; a rotation may be short.
            .replace("\"rotation\": \"96MB\"", "\"stall\": {\"after\": 1, \"seconds\": 2}")
            .replace("\"limits\"", "\"subject\": true, \"limits\"");
    assertThat(execute(dropping)).as(text(err)).isEqualTo(1);

    JsonNode trial = Json.read(onlyRun().resolve("result.json"), JsonNode.class).at("/trials/0");
    assertThat(trial.at("/verdict").asText()).isEqualTo("violated");
    assertThat(trial.at("/figures/lost").asLong())
        .isPositive()
        .isLessThan(trial.at("/figures/logged").asLong());
    assertThat(trial.at("/reasons/0").asText()).contains("allowed to be lost: 0");
  }

  @Test
  void shouldTakeAnEndForWantOfMemoryForAViolation() throws Exception {
    assertThat(execute(TOO_SMALL)).as(text(err)).isEqualTo(1);

    JsonNode trial = Json.read(onlyRun().resolve("result.json"), JsonNode.class).at("/trials/0");
    assertThat(trial.at("/reasons/0").asText()).startsWith("its JVM ran out of memory");
    assertThat(trial.at("/verdict").asText()).isEqualTo("violated");
  }

  /** The kernel does it, or, where no control group can be made, a look at resident memory. */
  @Test
  void shouldTakeMoreMemoryThanItsContainerHasForAViolation() throws Exception {
    String tooSmall =
        TOO_SMALL
            .replace("100000000", "100")
            .replace("\"64m\"", "\"64m\", \"container\": \"48MB\"");
    assertThat(execute(tooSmall)).as(text(err)).isEqualTo(1);

    JsonNode trial = Json.read(onlyRun().resolve("result.json"), JsonNode.class).at("/trials/0");
    assertThat(trial.at("/reasons/0").asText())
        .matches("it was killed: .* container has, 48 MB|.* MB of memory were resident; .* 48 MB");
    assertThat(trial.at("/verdict").asText()).isEqualTo("violated");
    try (Stream<Path> groups = Files.walk(Path.of("/sys/fs/cgroup"), 2)) {
      assertThat(groups)
          .noneMatch(
              group ->
                  group.toString().contains("spillway-stress-" + ProcessHandle.current().pid()));
    }
  }

  @Test
  void shouldRefuseWorkThatTheServiceDoesNotKnow() throws Exception {
    assertThat(execute(TOO_SMALL.replace("garbageBytes", "garbage"))).isEqualTo(2);
    assertThat(text(err)).contains("there is no work 'garbage'; allowed here: [cache, ");
  }

  /** By then others have been measured, which are worth more than none; it shows nothing. */
  @Test
  void shouldSayThatALaterTrialCouldNotBeMeasuredIfItsWorkIsRefused() throws Exception {
    String later =
        TOO_SMALL
            .replace("{\"garbageBytes\": 100000000}", "{}")
            .replace("spillway-file", "none")
            .replace(
                "\"logging\"",
                "\"vary\": [{\"name\": \"first\"},"
                    + " {\"name\": \"second\", \"application\": {\"work\": {\"garbage\": 1}}}],"
                    + " \"logging\"");
    assertThat(execute(later)).as(text(err)).isEqualTo(3);

    JsonNode trial = Json.read(onlyRun().resolve("result.json"), JsonNode.class).at("/trials/1");
    assertThat(trial.at("/reasons/0").asText()).startsWith("there is no work 'garbage'");
    assertThat(trial.at("/verdict").asText()).isEqualTo("inconclusive");
  }

  /** Hours of other trials would have no result. */
  @Test
  void shouldReportWhateverATrialFailsAt() throws Exception {
    Map<String, String> failing =
        new HashMap<>() {
          @Override
          public void forEach(BiConsumer<? super String, ? super String> action) {
            throw new IllegalStateException("on purpose"); // when it is to be started
          }
        };
    ServiceTrial trial =
        new ServiceTrial(
            "failing",
            TrialResult.Role.SUBJECT,
            new ServiceTrial.Application("price-api", 1, failing),
            null,
            new ServiceTrial.Client(1, 1, false, 1, 1, null),
            null,
            "64m",
            0,
            0,
            null,
            new ServiceTrial.Limits(0, 0, null));
    ServiceRun.Plan plan =
        new ServiceRun.Plan(
            new RunResult.Scenario("failing", "fails", null, List.of()),
            null,
            List.of(trial),
            directory.resolve("out"),
            false,
            List.of());
    new ServiceRun(plan, new PrintStream(out, true, StandardCharsets.UTF_8), false).execute();

    JsonNode reported = Json.read(onlyRun().resolve("result.json"), JsonNode.class);
    assertThat(reported.at("/trials/0/verdict").asText()).isEqualTo("inconclusive");
    assertThat(reported.at("/trials/0/reasons/0").asText())
        .endsWith("java.lang.IllegalStateException: on purpose");
  }

  @Test
  void shouldGiveNoReasonsForARunThatPassed() throws Exception {
    assertThat(execute(TOO_SMALL.replace("spillway-file", "async"))).as(text(err)).isZero();

    JsonNode result = Json.read(onlyRun().resolve("result.json"), JsonNode.class);
    assertThat(result.at("/trials/0/verdict").asText()).isEqualTo("violated");
    assertThat(result.at("/reasons")).isEmpty();
  }

  /** Its client searches when it is told to. */
  @Test
  void shouldSearchForTheHighestRate() throws Exception {
    String searching =
        TOO_SMALL
            .replace("100000000", "100")
            .replace("spillway-file", "none")
            .replace(
                "\"seconds\": 2",
                "\"seconds\": 2,"
                    + " \"search\": {\"maxP99\": \"10s\", \"from\": \"10/s\", \"step\": 1}");
    assertThat(execute(searching)).as(text(out)).isZero();

    JsonNode trial = Json.read(onlyRun().resolve("result.json"), JsonNode.class).at("/trials/0");
    assertThat(trial.at("/figures/highestRate").asDouble()).isGreaterThanOrEqualTo(10);
  }

  private Path onlyRun() throws IOException {
    try (Stream<Path> runs = Files.list(directory.resolve("out"))) {
      List<Path> all = runs.toList();
      assertThat(all).hasSize(1);
      return all.get(0);
    }
  }

  private int execute(String json) throws IOException {
    Path file = Files.writeString(directory.resolve("own.json"), json);
    List<String> all = new ArrayList<>(List.of("service", file.toString()));
    all.addAll(List.of("--out", directory.resolve("out").toString()));
    return CommandLineTool.execute(
        all.toArray(String[]::new),
        new PrintStream(out, true, StandardCharsets.UTF_8),
        new PrintStream(err, true, StandardCharsets.UTF_8));
  }

  private static String text(ByteArrayOutputStream bytes) {
    return bytes.toString(StandardCharsets.UTF_8);
  }
}
