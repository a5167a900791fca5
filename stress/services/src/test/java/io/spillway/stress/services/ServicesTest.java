package io.spillway.stress.services;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.spillway.stress.cli.CommandLineTool;
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
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Each kind of service in a real, short run; without limits of time, as tests share the machine.
 */
@Tag("slow")
@Timeout(180)
class ServicesTest {

  private static final int ENOUGH_FOR_A_PERCENTILE = 1_000;
  private static final double NEVER_BROKEN = 100_000;

  @TempDir Path directory;
  private final ByteArrayOutputStream out = new ByteArrayOutputStream();
  private final ByteArrayOutputStream err = new ByteArrayOutputStream();

  @Test
  void shouldAccountForEveryLineOfThePriceServiceAcrossARotation() throws Exception {
    JsonNode trial =
        run(
            """
            "sizes": ["8MB"],
            "service": {"kind": "price-api", "connections": 20, "warmUp": 1, "work":
              {"lines": 3, "random": "shared", "cache": "synchronized", "newPerMille": 5}},
            "trials": [{"appender": "spillway-file"}]
            """,
            NEVER_BROKEN);

    assertPassed(trial);
    assertThat(trial.at("/load/rotation/complete").asBoolean()).isTrue();
    assertThat(trial.at("/latency/responseRotating/count").asLong()).isPositive();
    assertThat(sent(trial)).isGreaterThanOrEqualTo(3 * answered(trial));
    assertThat(trial.at("/service/cpuMicrosPerRequest").asDouble()).isPositive();
    assertThat(trial.at("/childCommand").toString()).contains("-Xmx128m");
  }

  @Test
  void shouldPushThroughActorsThatLog() throws Exception {
    JsonNode trial =
        run(
            """
            "sizes": ["8MB"],
            "service": {"kind": "push", "connections": 20, "warmUp": 1, "work":
              {"lines": 2, "actors": 100, "pushMicros": 100}},
            "trials": [{"appender": "async"}]
            """,
            NEVER_BROKEN);

    assertPassed(trial);
    assertThat(sent(trial)).isGreaterThanOrEqualTo(2 * answered(trial));
  }

  @Test
  void shouldIngestInBatchesAndSearchTheHighestRate() throws Exception {
    JsonNode trial =
        run(
            """
            "service": {"kind": "ingest", "connections": 30, "warmUp": 1, "search": "1ms", "work":
              {"pool": 2, "batch": 20, "storeMicros": 2000}},
            "trials": [{"appender": "spillway"}]
            """,
            NEVER_BROKEN);

    assertPassed(trial);
    assertThat(trial.at("/load/rotation/seen").asBoolean()).isFalse();
    assertThat(trial.at("/service/highestRate").isNull()).as("each waits for 2 ms").isTrue();
    assertThat(sent(trial)).as("with those of the search").isGreaterThan(answered(trial));
  }

  @Test
  void shouldCountTheLinesOfARequestLog() throws Exception {
    JsonNode trial =
        run(
            """
            "service": {"kind": "request-log", "connections": 10, "warmUp": 1, "work":
              {"requestLog": "spillway"}},
            "trials": [{"appender": "none", "variant": {"name": "ours", "subject": true}}]
            """,
            NEVER_BROKEN);

    assertPassed(trial);
    assertThat(trial.at("/name").asText()).isEqualTo("ours");
    assertThat(trial.at("/description").asText()).contains("only counted");
    assertThat(trial.at("/load/worstCallMicros").asDouble()).isPositive();
    assertThat(sent(trial)).isGreaterThanOrEqualTo(answered(trial));
  }

  @Test
  void shouldJudgeASmallHeapWhileTheDiskStandsStill() throws Exception {
    JsonNode trial =
        run(
            """
            "service": {"kind": "price-api", "connections": 16, "warmUp": 1, "work":
              {"lines": 3}, "stall": {"after": 2, "seconds": 1}},
            "trials": [{"appender": "async", "variant": {"heap": "64m"}}]
            """,
            1,
            "--rate=300/s");

    assertThat(trial.at("/verdict").asText()).isEqualTo("violated");
    assertThat(trial.at("/finding").asText())
        .contains("AsyncAppenderBase")
        .as("a rate of requests, not of lines")
        .containsPattern("enough with --rate [4-7]\\d\\d/s");
    assertThat(trial.at("/latency/responseWhole/maxMicros").asDouble()).isGreaterThan(300_000);
    assertThat(trial.at("/readBack/conservation/lost").asLong()).isZero();
    assertThat(trial.at("/childCommand").toString()).contains("-Xmx64m");
  }

  private void assertPassed(JsonNode trial) {
    assertThat(trial.at("/verdict").asText())
        .as(trial.at("/checks").toPrettyString())
        .isEqualTo("passed");
    assertThat(trial.at("/load/callsDue").asLong()).isEqualTo(answered(trial));
    assertThat(answered(trial)).isGreaterThan(ENOUGH_FOR_A_PERCENTILE);
    assertThat(trial.at("/service/requestsPerSecond").asDouble()).isPositive();
    assertThat(trial.at("/service/failed").asLong()).isZero();
    assertThat(trial.at("/readBack/conservation/lost").asLong()).isZero();
  }

  private static long answered(JsonNode trial) {
    return trial.at("/load/callsMade").asLong();
  }

  private static long sent(JsonNode trial) {
    return trial.at("/readBack/conservation/sent").asLong();
  }

  /** Runs a scenario of one trial, and returns the trial's result. */
  private JsonNode run(String fields, double maxHeldSeconds, String... options) throws IOException {
    String scenario =
        """
        {"description": "a short run", "threads": 20, "rate": "600/s", "duration": 1,
         "heap": "128m", "limits": {"maxHeld": "%.0fs", "maxP999": "600s"}, %s}
        """
            .formatted(maxHeldSeconds, fields);
    Path file = Files.writeString(directory.resolve("scenario.json"), scenario);
    Path results = directory.resolve("out");
    Stream<String> run = Stream.of("run", "--scenario=" + file, "--out=" + results);
    CommandLineTool.execute(
        Stream.concat(run, Stream.of(options)).toArray(String[]::new),
        new PrintStream(out, true, StandardCharsets.UTF_8),
        new PrintStream(err, true, StandardCharsets.UTF_8));
    assertThat(err.toString(StandardCharsets.UTF_8)).isEmpty();
    try (Stream<Path> runs = Files.list(results)) {
      List<Path> only = runs.toList();
      assertThat(only).hasSize(1);
      JsonNode result = new ObjectMapper().readTree(only.get(0).resolve("result.json").toFile());
      return result.at("/trials/0");
    }
  }
}
