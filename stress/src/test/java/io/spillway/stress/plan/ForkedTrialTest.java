package io.spillway.stress.plan;

import static org.assertj.core.api.Assertions.assertThat;

import io.spillway.stress.report.ReadBackFigures;
import io.spillway.stress.report.RunResult;
import io.spillway.stress.report.TrialResult;
import io.spillway.stress.report.Verdict;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.example.HostileAppender;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledForJreRange;
import org.junit.jupiter.api.condition.JRE;
import org.junit.jupiter.api.io.TempDir;

/** Whole runs with short trials in forked JVMs. No other test may take the processors meanwhile. */
@Tag("slow")
@Tag("alone")
class ForkedTrialTest {

  private static final long LIMIT = 4 << 20;

  @TempDir Path directory;

  /** Two seconds around the rotation, so that a stall lasts far longer than a busy machine's. */
  @Test
  @Tag("gate")
  void shouldMeasureExactlyWhatTheCalibrationAppenderDid() throws Exception {
    RunOptions options = small().around(2).options();
    Run.Finished finished = run(options, Calibration.trials(options));

    for (TrialResult trial : finished.result().trials()) {
      assertThat(Calibration.check(trial, finished.file()))
          .as(trial.name() + ", waits: " + trial.waits())
          .hasSizeGreaterThan(6)
          .allMatch(Calibration.Figure::ok);
    }
    assertThat(finished.result().trials()).hasSize(2);
    assertThat(finished.file().resolveSibling("work")).doesNotExist();
  }

  @Test
  @Tag("gate")
  void shouldFailTheRunIfASubjectLosesEvents() throws Exception {
    RunResult result = run(subject("faults", "drop")).result();

    TrialResult trial = result.trials().get(0);
    assertThat(trial.readBack().conservation().lost()).isPositive();
    assertThat(trial.load().rotation().complete()).isTrue();
    assertThat(trial.reasons()).singleElement().asString().startsWith("events lost");
    assertThat(result.verdict()).isEqualTo(Verdict.VIOLATED);
    assertThat(result.exitCode()).isEqualTo(1);
  }

  /** Response times are all that is known of them. */
  @Test
  @Tag("gate")
  @EnabledForJreRange(min = JRE.JAVA_21, disabledReason = "There are no virtual threads.")
  void shouldJudgeVirtualThreads() throws Exception {
    RunResult result =
        run(subject("faults", "none"), small().virtualThreads(true).options()).result();

    TrialResult trial = result.trials().get(0);
    assertThat(trial.verdict()).as(trial.finding()).isEqualTo(Verdict.PASSED);
    assertThat(trial.readBack().conservation().delivered()).isGreaterThan(2_000);
  }

  /** The other does nothing wrong, and nothing is held against it. */
  @Test
  void shouldKeepTheOthersIfOneTrialCannotBeTried() throws Exception {
    Trial fine = subject("faults", "none");
    Trial unnameable = // no file system takes a directory of that name
        new Trial(
            "x".repeat(300), TrialResult.Role.PEER, "", fine.configuration(), fine.properties());

    Run.Finished finished = run(small().options(), List.of(fine, unnameable));

    List<TrialResult> trials = finished.result().trials();
    assertThat(trials.get(0).verdict()).as(trials.get(0).finding()).isEqualTo(Verdict.PASSED);
    assertThat(trials.get(1).verdict()).isEqualTo(Verdict.INCONCLUSIVE);
    assertThat(trials.get(1).finding()).contains("cannot be tried");
    assertThat(finished.file()).exists();
  }

  /** What reads a recording may need more heap than the tester has. */
  @Test
  @Tag("gate")
  void shouldKeepTheOthersIfTheTesterFailsInOneTrial() throws Exception {
    Trial fine = subject("faults", "none");
    Trial greedy =
        new Trial("greedy", TrialResult.Role.PEER, "", fine.configuration(), fine.properties());
    PrintStream full =
        new PrintStream(OutputStream.nullOutputStream()) {
          @Override
          public PrintStream printf(java.util.Locale locale, String format, Object... values) {
            if (String.format(locale, format, values).contains("greedy: read back")) {
              throw new OutOfMemoryError("of the tester");
            }
            return this;
          }
        };

    Run.Finished finished =
        SmallRun.run(small().options(), List.of(fine.at(LIMIT), greedy.at(LIMIT)), full);

    List<TrialResult> trials = finished.result().trials();
    assertThat(trials.get(0).verdict()).as(trials.get(0).finding()).isEqualTo(Verdict.PASSED);
    assertThat(trials.get(1).finding())
        .isEqualTo("it cannot be tried: java.lang.OutOfMemoryError: of the tester");
    assertThat(finished.file()).exists();
  }

  @Test
  void shouldDumpAndKillAChildThatHangs() throws Exception {
    Trial hanging = subject("stallMillis", "86400000");

    Run.Finished finished = run(hanging, small().deadline(Duration.ofSeconds(8)).options());

    assertThat(finished.result().verdict()).isEqualTo(Verdict.VIOLATED);
    assertThat(finished.result().trials().get(0).finding())
        .containsPattern("^[0-9,]+ threads? never came back, mostly under ")
        .contains("calibrate.Faults.park")
        .contains("no progress for 8 s");
    assertThat(finished.file().resolveSibling(hanging.name()).resolve("thread-dump.txt"))
        .content()
        .contains("CalibrationAppender.append");
  }

  @Test
  void shouldCondemnAnAppenderThatEndsTheJvm() throws Exception {
    RunResult result = run(hostile(HostileAppender.Way.END_LATER)).result();

    assertThat(result.verdict()).isEqualTo(Verdict.VIOLATED);
    assertThat(result.trials().get(0).finding())
        .contains("the appender ended the JVM (exit code 0)", "org.example.HostileAppender.later");
  }

  /** The figures, which its JVM wrote before, are kept. */
  @Test
  void shouldCondemnAnAppenderThatHangsInItsShutdownHook() throws Exception {
    Trial hanging = hostile(HostileAppender.Way.HANG_IN_HOOK);

    TrialResult trial =
        run(hanging, small().deadline(Duration.ofSeconds(8)).options()).result().trials().get(0);

    assertThat(trial.verdict()).as(trial.finding()).isEqualTo(Verdict.VIOLATED);
    assertThat(trial.finding())
        .contains("1 thread never came back", "org.example.HostileAppender.hang");
    assertThat(trial.measured()).isTrue();
    assertThat(trial.readBack().conservation().delivered()).isGreaterThan(2_000);
  }

  private static Trial hostile(HostileAppender.Way way) {
    Trial fine = subject("faults", "none");
    String configuration =
        fine.configuration()
            .replace(
                "io.spillway.SpillwayRollingFileAppender\">",
                HostileAppender.class.getName() + "\"><way>" + way + "</way>")
            .replace("ref=\"CALIBRATION\"", "ref=\"FILE\"");
    return new Trial("hostile", TrialResult.Role.SUBJECT, "", configuration, fine.properties());
  }

  @Test
  void shouldReportAConfigurationThatLogbackRefuses() throws Exception {
    Trial wrong =
        new Trial(
            "wrong",
            TrialResult.Role.SUBJECT,
            "",
            "<configuration><appender/><!--<fileNamePattern>${logs}/a.%i</fileNamePattern>--></configuration>",
            Map.of());

    RunResult result = run(wrong).result();

    assertThat(result.exitCode()).isEqualTo(3);
    assertThat(result.trials().get(0).finding()).contains("error in its configuration");
  }

  /** Rollover upon rollover, with all that events can carry. */
  @Test
  void shouldGoOnForSeveralRotationsWithEventsThatCarryMuch() throws Exception {
    RunOptions options = small().rotations(3).allExtras().options();

    TrialResult trial =
        run(builtIn("sync-size-and-time").withCallers(), options).result().trials().get(0);

    assertThat(trial.measured()).as(trial.finding()).isTrue();
    assertThat(trial.load().rotation().complete()).isTrue();
    assertThat(trial.readBack().conservation().clean())
        .as(trial.readBack().conservation().toString())
        .isTrue();
    assertThat(trial.readBack().files())
        .filteredOn(file -> file.name().endsWith(".gz"))
        .hasSizeGreaterThanOrEqualTo(3);
  }

  @Test
  void shouldMeasureLog4j2LikeTheOthers() throws Exception {
    TrialResult trial = run(builtIn("log4j2-async")).result().trials().get(0);

    assertThat(trial.measured()).as(trial.finding()).isTrue();
    assertThat(trial.waits().byFrame())
        .allMatch(frame -> frame.frame().startsWith("org.apache.logging."));
    assertThat(trial.load().statusProblems()).isEmpty();
    assertThat(trial.load().rotation().complete()).isTrue();
    assertThat(trial.readBack().conservation().clean()).isTrue();
    assertThat(trial.readBack().files())
        .extracting(ReadBackFigures.LeftFile::name)
        .containsExactly("app.1.log.gz", "app.log");
  }

  private static Trial builtIn(String name) {
    return Trials.builtIn().stream()
        .filter(trial -> trial.name().equals(name))
        .findFirst()
        .orElseThrow();
  }

  private static Trial subject(String key, String value) {
    Trial peer = Trials.calibration("calibration", Map.of(key, value));
    return new Trial(
        "spillway", TrialResult.Role.SUBJECT, "", peer.configuration(), peer.properties());
  }

  private SmallRun small() {
    return new SmallRun(directory);
  }

  private Run.Finished run(Trial trial) throws IOException, InterruptedException {
    return run(trial, small().options());
  }

  private Run.Finished run(Trial trial, RunOptions options)
      throws IOException, InterruptedException {
    return run(options, List.of(trial));
  }

  private static Run.Finished run(RunOptions options, List<Trial> trials)
      throws IOException, InterruptedException {
    return SmallRun.run(options, trials.stream().map(trial -> trial.at(LIMIT)).toList());
  }
}
