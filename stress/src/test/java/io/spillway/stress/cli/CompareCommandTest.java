package io.spillway.stress.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.spillway.stress.report.Json;
import io.spillway.stress.report.Results;
import io.spillway.stress.report.RunResult;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class CompareCommandTest {

  @TempDir Path directory;
  private final ByteArrayOutputStream err = new ByteArrayOutputStream();
  private final ByteArrayOutputStream out = new ByteArrayOutputStream();
  private Path before;

  @BeforeEach
  void writeTheOldRun() throws IOException {
    before = write("old.json", Results.run(Results.passed("t", 1, 10), Results.passed("t", 2, 11)));
  }

  @Test
  void shouldCompareWhatARunWrote() throws IOException {
    Path after =
        write("new.json", Results.run(Results.passed("t", 1, 100), Results.passed("t", 2, 101)));

    assertThat(execute(before, after)).isEqualTo(1);
    assertThat(text(out)).containsPattern("worst call .* WORSE").doesNotContain("differ");
    assertThat(execute(after, before)).isZero();
    assertThat(text(err)).isEmpty();
  }

  @Test
  void shouldNameConditionsThatDiffer() throws IOException {
    RunResult run = Results.run(Results.passed("t", 1, 10));
    RunResult other = Results.with(run, Map.of("threads", 8, "repeats", 1), run.scenario());

    assertThat(execute(before, write("new.json", other))).isZero();
    assertThat(text(out)).contains("! The runs differ in threads: 300, now 8");
  }

  @Test
  void shouldNameFileSizesThatDiffer() throws IOException {
    RunResult run = Results.run(Results.passed("t", 1, 10));
    Path after = write("new.json", run);
    Files.writeString(
        after,
        Files.readString(after)
            .replaceAll("\"sizeBytes\" *: *" + (64 << 20), "\"sizeBytes\" : " + (4L << 30)));

    assertThat(execute(before, after)).isZero();
    assertThat(text(out))
        .contains("! The runs differ in file size of t in bytes: 67108864, now 4294967296");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "no json at all|is not the result.json of a run",
        "''|is not the result.json of a run",
        "{}|no field \"schema\"",
        "[]|no field \"schema\"",
        "{\"schema\": 2}|no field \"schema\"",
        "{\"schema\": \"other/1\"}|no field \"schema\"",
        "{\"schema\": \"spillway-stress/2\"}|has the layout spillway-stress/2, but this version",
        "{\"schema\": \"spillway-stress/3\"}|has the layout spillway-stress/3, but this version",
        "{\"schema\": \"spillway-stress/4\"}|has the layout spillway-stress/4, but this version",
        "{\"schema\": \"spillway-stress/5\"}|is not the result.json of a run",
        "{\"schema\": \"spillway-stress/service/1\"}|is not the result.json of a run",
        "{\"schema\": \"spillway-stress/watch/1\"}|is not the result.json of a run",
      })
  void shouldSayWhyAFileCannotBeCompared(String content, String why) throws IOException {
    Path after = Files.writeString(directory.resolve("new.json"), content);

    assertThat(execute(before, after)).isEqualTo(2);
    assertThat(text(err)).startsWith("spillway-stress: " + after).contains(why);
    assertThat(text(out)).isEmpty();
  }

  @Test
  void shouldSayThatAFileIsMissing() {
    Path missing = directory.resolve("missing.json");

    assertThat(execute(missing, before)).isEqualTo(2);
    assertThat(text(err)).contains(missing + " does not exist; name the result.json of a run");
    assertThat(execute(before, directory)).isEqualTo(2);
    assertThat(text(err)).contains(directory + " is a directory");
  }

  @Test
  void shouldRefuseRunsWithoutATrialInCommon() throws IOException {
    Path after = write("new.json", Results.run(Results.passed("u", 1, 10)));

    assertThat(execute(before, after)).isEqualTo(2);
    assertThat(text(err)).contains("no trial in common: [t] in " + before + ", [u] in " + after);
  }

  private Path write(String name, RunResult run) throws IOException {
    Path file = directory.resolve(name);
    Json.write(file, run);
    return file;
  }

  private int execute(Path one, Path other) {
    return CommandLineTool.execute(
        new String[] {"compare", one.toString(), other.toString()},
        new PrintStream(out, true, StandardCharsets.UTF_8),
        new PrintStream(err, true, StandardCharsets.UTF_8));
  }

  private static String text(ByteArrayOutputStream bytes) {
    return bytes.toString(StandardCharsets.UTF_8);
  }
}
