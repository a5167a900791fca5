package io.spillway.stress.report;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class PublishedFiguresTest {

  private static final String SOURCE = "a report";

  @Test
  void shouldSetPublishedFiguresBesideMeasuredOnes() {
    RunResult run =
        run(
            scenario(
                row("worst call", "old", null),
                row("worst call", "new", "old"),
                row("worst call", "old", "new"),
                row("lost", "new", "old"),
                row("worst call", null, null)),
            Results.passed("old", 1, 1_000_000),
            Results.passed("old", 2, 3_000_000),
            Results.passed("old", 3, 2_000_000),
            Results.passed("new", 1, 1));

    assertThat(run.scenario().published().stream().map(RunResult.Published::row))
        .containsExactly(
            List.of("what", "47 s", "2.00 s", "worst call, old"),
            List.of("what", "47 s", "99.9 % less", "worst call, new against old"),
            List.of("what", "47 s", "199999900.0 % more", "worst call, old against new"),
            List.of("what", "47 s", "-", "lost, new against old"),
            List.of("what", "47 s", "-", "not in this run"));
    assertThat(TextTable.of(run.scenario()))
        .containsPattern("what +published +measured +measured as")
        .containsPattern("what +47 s +99.9 % less +worst call, new against old");
    assertThat(MarkdownReport.of(run))
        .contains("Published: a report\n\n| what | published | measured | measured as |\n")
        .contains("| what | 47 s | 2.00 s | worst call, old |\n");
  }

  @Test
  void shouldShowNothingOfATrialThatShowedTooLittle() {
    RunResult run =
        run(scenario(row("worst call", "old", null)), Results.failed("old", "it ended"));

    assertThat(run.scenario().published().get(0).measured()).isNull();
  }

  /** A JVM of virtual threads does not tell what they allocate. */
  @Test
  void shouldShowNothingOfWhatNobodyKnows() {
    TrialResult known = Results.passed("t", 1, 10);
    LoadFigures load = known.load();
    LoadFigures silent =
        new LoadFigures(
            load.sentByThread(),
            load.threw(),
            load.firstThrown(),
            load.interrupted(),
            load.loadStartEpochNanos(),
            load.warmUpSeconds(),
            load.loadSeconds(),
            load.stopSeconds(),
            load.cpuSeconds(),
            load.cpuBySecond(),
            load.cpuByThread(),
            load.callsDue(),
            load.callsMade(),
            load.inCalls(),
            null,
            load.disk(),
            load.rotation(),
            load.latency(),
            load.seconds(),
            load.buffers(),
            load.statusProblems());
    TrialResult unknown =
        new TrialResult(
            known.name(),
            known.sizeBytes(),
            known.repeat(),
            known.role(),
            known.description(),
            known.configuration(),
            known.childCommand(),
            silent,
            known.parks(),
            known.pauses(),
            known.heap(),
            known.control(),
            known.executed(),
            known.readBack(),
            known.evidence(),
            known.verdict(),
            known.felt(),
            known.heldUpThreadSecondsPerMinute(),
            known.finding(),
            known.reasons());
    RunResult.Scenario scenario = scenario(row("allocated a call", "t", null));
    assertThat(run(scenario, known).scenario().published().get(0).measured())
        .isEqualTo("264 bytes");
    assertThat(run(scenario, unknown).scenario().published().get(0).measured()).isNull();
  }

  @Test
  void shouldLeaveTheTableOutIfNothingWasPublished() {
    RunResult run =
        run(new RunResult.Scenario("s", "d", null, List.of()), Results.passed("old", 1, 1));

    assertThat(MarkdownReport.of(run)).doesNotContain("ublished");
  }

  private static RunResult.Scenario scenario(RunResult.Published... figures) {
    return new RunResult.Scenario("s", "d", SOURCE, List.of(figures));
  }

  private static RunResult.Published row(String figure, String trial, String lessThan) {
    return new RunResult.Published("what", "47 s", figure, trial, lessThan, null);
  }

  private static RunResult run(RunResult.Scenario scenario, TrialResult... trials) {
    RunResult run = Results.run(trials);
    return Results.with(run, run.options(), scenario.measured(run.trials()));
  }
}
