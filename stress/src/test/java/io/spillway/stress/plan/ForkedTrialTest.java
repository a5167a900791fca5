package io.spillway.stress.plan;

import static org.assertj.core.api.Assertions.assertThat;

import io.spillway.stress.report.Limits;
import io.spillway.stress.report.Role;
import io.spillway.stress.report.RunResult;
import io.spillway.stress.report.TrialResult;
import io.spillway.stress.report.Verdict;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Whole runs with short trials in forked JVMs. */
class ForkedTrialTest {

  private static final PrintStream NOWHERE = new PrintStream(OutputStream.nullOutputStream());

  /** No promise about latency: these tests share the machine. */
  private static final Limits LIMITS = new Limits(0, 0, 60_000);

  @TempDir Path directory;

  @Test
  void shouldMeasureExactlyWhatTheCalibrationAppenderDid() throws Exception {
    Run.Finished finished = run(Calibration.trial(), null);

    List<Calibration.Figure> figures =
        Calibration.check(finished.result().trials().get(0), finished.file());

    assertThat(figures)
        .as("waits: " + finished.result().trials().get(0).parks())
        .hasSizeGreaterThan(5)
        .allMatch(Calibration.Figure::right);
    assertThat(finished.file().resolveSibling("work")).doesNotExist();
  }

  @Test
  void shouldFailTheRunIfASubjectLosesOneEvent() throws Exception {
    RunResult result = run(subject("faults", "drop", "limit", "1"), null).result();

    TrialResult trial = result.trials().get(0);
    assertThat(trial.readBack().conservation().lost()).isEqualTo(1);
    assertThat(trial.load().rotation().complete()).isTrue();
    assertThat(trial.verdict()).isEqualTo(Verdict.VIOLATED);
    assertThat(trial.reasons())
        .as("waits: " + trial.parks())
        .containsExactly("1 events lost (allowed: 0)");
    assertThat(result.verdict()).isEqualTo(Verdict.VIOLATED);
    assertThat(result.exitCode()).isEqualTo(1);
  }

  @Test
  void shouldPassASubjectThatDoesNothingWrong() throws Exception {
    RunResult result = run(subject("faults", "none", "limit", "0"), null).result();

    assertThat(result.reasons()).as("waits: " + result.trials().get(0).parks()).isEmpty();
    assertThat(result.exitCode()).isZero();
  }

  @Test
  void shouldDumpAndKillAChildThatHangs() throws Exception {
    Trial hanging = subject("hanging", "true", "limit", "0");

    Run.Finished finished = run(hanging, Duration.ofSeconds(8));

    assertThat(finished.result().verdict()).isEqualTo(Verdict.INCONCLUSIVE);
    assertThat(finished.result().exitCode()).isEqualTo(3);
    assertThat(finished.result().reasons().get(0)).contains("still running after 8 s");
    Path dump = finished.file().resolveSibling(hanging.name()).resolve("thread-dump.txt");
    assertThat(Files.readString(dump)).contains("CalibrationAppender.append");
  }

  @Test
  void shouldReportAConfigurationThatLogbackRefuses() throws Exception {
    Trial wrong =
        new Trial("wrong", Role.PEER, "", "<configuration><appender/></configuration>", Map.of());

    RunResult result = run(wrong, null).result();

    assertThat(result.exitCode()).isEqualTo(3);
    assertThat(result.reasons().get(0)).contains("error in the configuration");
  }

  private static Trial subject(String key, String value, String otherKey, String otherValue) {
    Map<String, String> properties =
        Map.of("calibration." + key, value, "calibration." + otherKey, otherValue);
    return Trials.calibration("spillway", Role.SUBJECT, properties);
  }

  private Run.Finished run(Trial trial, Duration deadline)
      throws IOException, InterruptedException {
    RunOptions options =
        new RunOptions(
            20, 2000, 4 << 20, true, 1, 1, "128m", 1, LIMITS, false, directory, deadline);
    return new Run(options, List.of(trial), List.of("test"), NOWHERE, false).execute();
  }
}
