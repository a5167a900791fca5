package io.spillway.stress.plan;

import static org.assertj.core.api.Assertions.assertThat;

import io.spillway.stress.report.Judge;
import io.spillway.stress.report.LoadFigures;
import io.spillway.stress.report.Progress;
import io.spillway.stress.report.ReadBackFigures;
import io.spillway.stress.report.RunResult;
import io.spillway.stress.report.TrialResult;
import io.spillway.stress.verify.LogLine;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.file.Files;
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

  private static final String VIRTUAL = "There are no virtual threads before Java 21.";

  /** Threads that log as fast as they can wait for each other. */
  private static final Judge.Limits WAITING = new Judge.Limits(1e9, 0, 60_000, 100);

  private static final long LIMIT = 4 << 20;

  /** Of a closed loop, whose end may be told seconds late. */
  private static final long LONGER_LIMIT = 4 * LIMIT;

  @TempDir Path directory;

  /** Two seconds around the rotation, so that a stall lasts far longer than a busy machine's. */
  @Test
  @Tag("gate")
  void shouldMeasureExactlyWhatTheCalibrationAppenderDid() throws Exception {
    RunOptions options = small().around(2).options();
    Run.Finished finished = run(options, Calibration.trials(options));

    for (TrialResult trial : finished.result().trials()) {
      assertThat(Calibration.check(trial, finished.file(), options))
          .as(trial.name() + ", waits: " + trial.parks())
          .hasSizeGreaterThan(10)
          .allMatch(Calibration.Figure::ok);
    }
    assertThat(finished.result().trials()).hasSize(2);
    assertThat(finished.file().resolveSibling("work")).doesNotExist();
  }

  @Test
  @Tag("gate")
  void shouldFailTheRunIfASubjectLosesOneEvent() throws Exception {
    RunResult result = run(subject("faults", "drop", "limit", "1")).result();

    TrialResult trial = result.trials().get(0);
    assertThat(trial.readBack().conservation().lost()).isEqualTo(1);
    assertThat(trial.load().rotation().complete()).isTrue();
    assertThat(trial.verdict()).isEqualTo(Judge.Verdict.VIOLATED);
    assertThat(trial.reasons())
        .as("waits: " + trial.parks())
        .containsExactly("1 events lost (allowed: 0)");
    assertThat(result.verdict()).isEqualTo(Judge.Verdict.VIOLATED);
    assertThat(result.exitCode()).isEqualTo(1);
  }

  /** A wait of a virtual thread is none that the flight recorder sees. */
  @Test
  @Tag("gate")
  @EnabledForJreRange(min = JRE.JAVA_21, disabledReason = VIRTUAL)
  void shouldMeasureVirtualThreadsAsExactly() throws Exception {
    RunOptions options = small().virtualThreads(true).around(2).options();
    Run.Finished finished = run(options, Calibration.trials(options));

    for (TrialResult trial : finished.result().trials()) {
      assertThat(Calibration.check(trial, finished.file(), options))
          .as(trial.name() + ", waits: " + trial.parks())
          .hasSizeGreaterThan(10)
          .allMatch(Calibration.Figure::ok);
    }
  }

  @Test
  void shouldLogInAClosedLoopUntilTheFileIsNearlyFullAgain() throws Exception {
    Trial closedLoop = subject("faults", "none", "limit", "0");
    RunOptions options = small().rate(RunOptions.CLOSED_LOOP).limits(WAITING).options();
    RunResult result = run(options, List.of(closedLoop), LONGER_LIMIT).result();

    TrialResult trial = result.trials().get(0);
    assertThat(result.reasons()).as("waits: " + trial.parks()).isEmpty();
    long oneFile = LONGER_LIMIT / LogLine.typicalBytes(0); // twice that many would roll over twice
    assertThat(trial.readBack().conservation().sent()).isBetween(oneFile, oneFile * 2);
    assertThat(trial.readBack().files().stream().map(ReadBackFigures.LeftFile::name))
        .containsExactlyInAnyOrder("app.1.log.gz", "app.log");
    assertThat(trial.load().latency().outsideService().count()).isPositive();
    assertThat(trial.load().latency().outsideResponse().count()).isZero();
    assertThat(trial.load().latency().rotationResponse().count()).isZero();
    assertThat(result.notes()).anyMatch(note -> note.startsWith("--rate max"));
  }

  /** The other does nothing wrong, and nothing is held against it. */
  @Test
  void shouldKeepTheOthersIfOneTrialCannotBeTried() throws Exception {
    Trial fine = subject("faults", "none", "limit", "0");
    Trial unnameable = // no file system takes a directory of that name
        new Trial(
            "x".repeat(300), TrialResult.Role.PEER, "", fine.configuration(), fine.properties());

    Run.Finished finished = run(small().options(), List.of(fine, unnameable));

    List<TrialResult> trials = finished.result().trials();
    assertThat(trials.get(0).reasons()).as("waits: " + trials.get(0).parks()).isEmpty();
    assertThat(trials.get(0).verdict()).isEqualTo(Judge.Verdict.PASSED);
    assertThat(trials.get(1).verdict()).isEqualTo(Judge.Verdict.INCONCLUSIVE);
    assertThat(trials.get(1).reasons()).hasSize(1).allMatch(r -> r.contains("cannot be tried"));
    assertThat(finished.result().exitCode()).isEqualTo(3);
    assertThat(finished.file()).exists();
  }

  /** What reads a recording may need more heap than the tester has. */
  @Test
  @Tag("gate")
  void shouldKeepTheOthersIfTheTesterFailsInOneTrial() throws Exception {
    Trial fine = subject("faults", "none", "limit", "0");
    Trial greedy =
        new Trial("greedy", TrialResult.Role.PEER, "", fine.configuration(), fine.properties());
    PrintStream full =
        new PrintStream(OutputStream.nullOutputStream()) {
          @Override
          public void println(String line) {
            if (line.contains("greedy: read back")) {
              throw new OutOfMemoryError("of the tester");
            }
          }
        };

    Run.Finished finished =
        SmallRun.run(small().options(), List.of(fine.at(LIMIT), greedy.at(LIMIT)), full);

    List<TrialResult> trials = finished.result().trials();
    assertThat(trials.get(0).verdict()).isEqualTo(Judge.Verdict.PASSED);
    assertThat(trials.get(1).verdict()).isEqualTo(Judge.Verdict.INCONCLUSIVE);
    assertThat(trials.get(1).reasons())
        .containsExactly("it cannot be tried: java.lang.OutOfMemoryError: of the tester");
    assertThat(finished.file()).exists();
  }

  /** As after a stall of the machine: nothing that the first attempt left is the second's. */
  @Test
  @Tag("gate")
  void shouldTryATrialAgainWhoseFilesAreKept() throws Exception {
    RunOptions options = small().keep(true).options();
    PlannedTrial planned = subject("faults", "none", "limit", "0").at(LIMIT);
    Estimate estimate = Estimate.of(options, List.of(planned));
    RunDirectory created = RunDirectory.create(directory);
    created.writePrefills(PlannedTrial.prefillLengths(List.of(planned), options), () -> false);
    Path dump = created.figures(planned.name()).resolve("thread-dump.txt");
    PrintStream nowhere = new PrintStream(OutputStream.nullOutputStream());
    try (Cancellation cancellation = new Cancellation(created::deleteAll);
        Progress progress = Progress.to(nowhere, false, estimate.totalSeconds())) {
      TrialRunner runner = new TrialRunner(options, estimate, created, cancellation, progress);

      TrialResult first = runner.run(planned, 1);
      Files.writeString(dump, "of the first attempt");
      TrialResult second = runner.run(planned, 1);

      assertThat(first.measured()).as("%s", first.reasons()).isTrue();
      assertThat(second.measured()).as("%s", second.reasons()).isTrue();
    }
    assertThat(dump).doesNotExist();
    assertThat(created.work(planned.name()).resolve("logs")).isNotEmptyDirectory();
  }

  @Test
  void shouldDumpAndKillAChildThatHangs() throws Exception {
    assertHangs(false);
  }

  /** An ordinary thread dump does not show them. */
  @Test
  @Tag("gate")
  @EnabledForJreRange(min = JRE.JAVA_21, disabledReason = VIRTUAL)
  void shouldNameWhatVirtualThreadsHangIn() throws Exception {
    assertHangs(true);
  }

  private void assertHangs(boolean virtual) throws Exception {
    Trial hanging = subject("hanging", "true", "limit", "0");

    Run.Finished finished =
        run(hanging, small().virtualThreads(virtual).deadline(Duration.ofSeconds(8)).options());

    assertThat(finished.result().verdict()).isEqualTo(Judge.Verdict.VIOLATED);
    assertThat(finished.result().exitCode()).isEqualTo(1);
    assertThat(finished.result().finding())
        .isEqualTo(hanging.name() + " kept threads in the logging library for ever.");
    assertThat(finished.result().reasons().get(0))
        .containsPattern(
            "^" + hanging.name() + ": [0-9,]+ threads? never came back from the logging library")
        .contains("CalibrationAppender.append")
        .contains("no progress for 8 s");
    String dump = virtual ? "thread-dump-virtual.txt" : "thread-dump.txt";
    assertThat(finished.file().resolveSibling(hanging.name()).resolve(dump))
        .content()
        .contains("CalibrationAppender.append");
  }

  /** Of a virtual thread no list of all threads has the stack. */
  @Test
  @EnabledForJreRange(min = JRE.JAVA_21, disabledReason = VIRTUAL)
  void shouldNameWhatEndedTheJvmOnAVirtualThread() throws Exception {
    Trial fine = subject("faults", "none", "limit", "0");
    String configuration =
        fine.configuration()
            .replace(
                "ch.qos.logback.core.rolling.RollingFileAppender\">",
                HostileAppender.class.getName() + "\"><way>END_LATER</way>")
            .replace("ref=\"CALIBRATION\"", "ref=\"FILE\"");
    Trial ending =
        new Trial("ending", TrialResult.Role.SUBJECT, "", configuration, fine.properties());

    RunResult result = run(ending, small().virtualThreads(true).options()).result();

    assertThat(result.verdict()).as("%s", result.reasons()).isEqualTo(Judge.Verdict.VIOLATED);
    assertThat(result.reasons().get(0))
        .contains("the appender ended the JVM (exit code 0)", "org.example.HostileAppender.later");
  }

  @Test
  void shouldReportAConfigurationThatLogbackRefuses() throws Exception {
    Trial wrong =
        new Trial(
            "wrong",
            TrialResult.Role.PEER,
            "",
            "<configuration><appender/></configuration>",
            Map.of());

    RunResult result = run(wrong).result();

    assertThat(result.exitCode()).isEqualTo(3);
    assertThat(result.reasons().get(0)).contains("error in its configuration");
  }

  @Test
  void shouldMeasureLog4j2LikeTheOthers() throws Exception {
    Trial log4j2 =
        Trials.builtIn().stream()
            .filter(trial -> trial.library() == LoggingLibrary.LOG4J2)
            .findFirst()
            .orElseThrow();

    TrialResult trial = run(log4j2).result().trials().get(0);

    assertThat(trial.verdict())
        .as(trial.reasons().toString())
        .isNotEqualTo(Judge.Verdict.INCONCLUSIVE);
    assertThat(trial.parks().byFrame().stream().map(TrialResult.Parks.Frame::frame))
        .allMatch(frame -> frame.startsWith("org.apache.logging."));
    assertThat(trial.load().statusProblems()).isEmpty();
    assertThat(trial.load().rotation().complete()).isTrue();
    assertThat(trial.readBack().conservation().clean()).isTrue();
    assertThat(trial.readBack().files().stream().map(ReadBackFigures.LeftFile::name))
        .containsExactly("app.1.log.gz", "app.log");
    LoadFigures.Buffer ring = trial.load().buffers().get(0);
    assertThat(ring.type()).contains("org.apache.logging.log4j", "AsyncLoggerContext");
    assertThat(ring.samples()).hasSizeGreaterThan(1);
  }

  private static Trial subject(String key, String value, String otherKey, String otherValue) {
    Map<String, String> properties =
        Map.of("calibration." + key, value, "calibration." + otherKey, otherValue);
    return Trials.calibration("spillway", TrialResult.Role.SUBJECT, properties);
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
    return run(options, trials, LIMIT);
  }

  private static Run.Finished run(RunOptions options, List<Trial> trials, long limit)
      throws IOException, InterruptedException {
    List<PlannedTrial> planned = trials.stream().map(trial -> trial.at(limit)).toList();
    return SmallRun.run(options, planned);
  }
}
