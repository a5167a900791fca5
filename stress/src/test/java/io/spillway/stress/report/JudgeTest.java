package io.spillway.stress.report;

import static org.assertj.core.api.Assertions.assertThat;

import io.spillway.stress.report.TrialResult.Check;
import io.spillway.stress.report.Waits.Frame;
import java.util.List;
import org.junit.jupiter.api.Test;

class JudgeTest {

  private static final TrialResult.Role PEER = TrialResult.Role.PEER;
  private static final TrialResult.Role SUBJECT = TrialResult.Role.SUBJECT;
  private static final List<Double> HELD = List.of(0.0, 0.0, 30.0, 0.0, 0.0, 0.0);
  private static final List<Integer> AT_ONCE = List.of(0, 0, 100, 0, 0, 0);
  private static final List<Integer> MISSED = List.of(0, 0, 1, 0, 0, 0);

  @Test
  void shouldPassATrialThatKeepsEveryLimit() {
    Judge.Seen seen = Results.clean().seen();

    List<Check> checks = new Judge(Results.LIMITS, 1).checks(seen);

    assertThat(checks).hasSize(6).allMatch(check -> check.verdict() == Verdict.PASSED);
    assertThat(Judge.finding(seen, checks))
        .isEqualTo("no thread was held up; p99.9 of response time 200 us; nothing lost");
  }

  /** Each of the four figures is enough by itself. */
  @Test
  void shouldFindEachBrokenLimitViolated() {
    assertBroken(Results.clean().held(HELD, AT_ONCE), "thread-seconds a minute");
    assertBroken(
        Results.clean().response(Results.times(9_000, 60_000.0, 60_000.0), fast()),
        "outside the rotation");
    assertBroken(
        Results.clean().response(fast(), Results.times(9_000, 60_000.0, 60_000.0)),
        "in the rotation");
    assertBroken(Results.clean().notMade(1), "not made");
    assertBroken(Results.clean().threw(2), "2 threw, the first java.lang.IllegalStateException");
    assertBroken(Results.clean().lost(1), "1 of 10,500");
  }

  private static void assertBroken(Results results, String reason) {
    TrialResult trial = results.subject("t");
    assertThat(trial.verdict()).isEqualTo(Verdict.VIOLATED);
    assertThat(trial.reasons()).singleElement().asString().contains(reason);
    assertThat(trial.finding()).as("it names the broken limit").contains(trial.reasons());
  }

  private static Latency.Times fast() {
    return Results.times(9_000, 200.0, 200.0);
  }

  @Test
  void shouldNotJudgeTheWarmUp() {
    List<Double> early = List.of(30.0, 0.0, 0.0, 0.0, 0.0, 0.0);
    TrialResult trial = Results.clean().held(early, List.of(100, 0, 0, 0, 0, 0)).subject("t");
    assertThat(trial.verdict()).isEqualTo(Verdict.PASSED);
    assertThat(trial.load().heldAtOnce()).isZero();
  }

  @Test
  void shouldTakeASecondOfOneThreadAMinuteAsTheLimit() {
    // five seconds are judged, so a twelfth of a second is a second a minute
    List<Double> kept = List.of(0.0, 0.08, 0.0, 0.0, 0.0, 0.0);
    List<Double> broken = List.of(0.0, 0.09, 0.0, 0.0, 0.0, 0.0);
    List<Integer> missed = List.of(0, 0, 0, 0, 0, 0); // a look each few milliseconds may miss it
    assertThat(Results.clean().held(kept, missed).subject("t").verdict()).isEqualTo(Verdict.PASSED);
    TrialResult violated = Results.clean().held(broken, missed).subject("t");
    assertThat(violated.verdict()).isEqualTo(Verdict.VIOLATED);
    assertThat(violated.finding())
        .startsWith("threads stood in log calls for 0.1 thread-seconds, up to 1 at once; ")
        .endsWith(": 1.1 s, from 5.0 s of load (allowed: 1.0 s)");
  }

  /**
   * A machine that was late by 300 ms explains 30 thread-seconds of 100 threads, and no more,
   * however few of them a sample saw.
   */
  @Test
  void shouldNotCondemnForWhatTheMachineExplains() {
    Results explained = Results.clean().held(HELD, MISSED).late(0.0, 0.0, 300.0, 0.0, 0.0, 0.0);
    assertThat(explained.subject("t").verdict()).isEqualTo(Verdict.INCONCLUSIVE);
    assertThat(explained.subject("t").finding())
        .endsWith("the machine itself was late by up to 300.0 ms");

    Results more = Results.clean().held(HELD, MISSED).late(0.0, 0.0, 290.0, 0.0, 0.0, 0.0);
    assertThat(more.subject("t").verdict()).isEqualTo(Verdict.VIOLATED);

    Results elsewhere = Results.clean().held(HELD, MISSED).late(0.0, 0.0, 0.0, 0.0, 0.0, 900.0);
    assertThat(elsewhere.subject("t").verdict()).isEqualTo(Verdict.VIOLATED);
  }

  /** One that is always in calls of 20 ms is not delayed by as much as all others together. */
  @Test
  void shouldExcuseOnlyThreadsThatWereHeldUp() {
    List<Double> oneOfHundred = List.of(0.9, 0.9, 0.9, 0.9, 0.9, 0.9);
    Results always = Results.clean().held(oneOfHundred, List.of(1, 1, 1, 1, 1, 1));
    assertThat(always.late(20.0, 20.0, 20.0, 20.0, 20.0, 20.0).subject("t").verdict())
        .isEqualTo(Verdict.VIOLATED);
  }

  /** Late seconds excuse no pass: what is over the limit only with them is not passed. */
  @Test
  void shouldBeInconclusiveIfOnlyLateSecondsBreakTheLimitOfResponseTime() {
    Latency.Times late = Results.times(9_000, 60_000.0, 200.0);
    assertThat(Results.clean().response(late, fast()).subject("t").verdict())
        .isEqualTo(Verdict.INCONCLUSIVE);
    Latency.Times allLate = Results.times(9_000, 60_000.0, null);
    assertThat(Results.clean().response(fast(), allLate).subject("t").verdict())
        .isEqualTo(Verdict.INCONCLUSIVE);
  }

  @Test
  void shouldJudgeTheWholeLoadIfASideHasTooFewCalls() {
    Latency.Times few = Results.times(500, null, null);
    TrialResult trial = Results.clean().response(fast(), few).subject("t");
    assertThat(trial.checks())
        .extracting(Check::what)
        .contains("p99.9 of response time over the whole load");
    assertThat(trial.verdict()).isEqualTo(Verdict.PASSED);

    TrialResult tooFew = Results.clean().response(few, few).subject("t");
    assertThat(tooFew.verdict()).isEqualTo(Verdict.INCONCLUSIVE);
    assertThat(tooFew.reasons()).singleElement().asString().contains("only 500 calls");
  }

  @Test
  void shouldNeedTheRotationThatWasPlanned() {
    assertThat(Results.clean().rotation(true, false).subject("t").verdict())
        .isEqualTo(Verdict.INCONCLUSIVE);
    assertThat(Results.clean().rotation(false, false).subject("t").reasons())
        .containsExactly("rotation: none (allowed: 1, finished)");
    Judge none = new Judge(Results.LIMITS, 0);
    assertThat(Judge.verdict(none.checks(Results.clean().rotation(false, false).seen())))
        .isEqualTo(Verdict.PASSED);
    assertThat(Judge.verdict(none.checks(Results.clean().seen()))).isEqualTo(Verdict.INCONCLUSIVE);
  }

  /** The threads that wait for a lock do not show what its holder does. */
  @Test
  void shouldNameTheMethodOfTheLocksHolder() {
    Results results =
        Results.clean()
            .held(HELD, AT_ONCE)
            .waits(new Frame("a.Appender.doAppend", 9, 29), new Frame("b.Other.call", 1, 2))
            .running(new Frame("a.Appender.force", 3, 1));
    assertThat(results.subject("t").finding()).contains("mostly under a.Appender.force;");
    assertThat(Results.clean().held(HELD, AT_ONCE).subject("t").finding())
        .startsWith("threads stood in log calls for 30 thread-seconds, up to 100 at once; p99.9");
  }

  @Test
  void shouldOpenWithTheLimitThatTheWorstTrialBroke() {
    TrialResult passed = Results.clean().subject("p");
    TrialResult doubtful = Results.clean().rotation(false, false).subject("d");
    TrialResult violated = Results.clean().lost(1).subject("v");
    assertThat(RunResult.findingOf(List.of(passed))).isEqualTo("Every limit was kept; passed: p.");
    assertThat(RunResult.findingOf(List.of(passed, doubtful, violated)))
        .startsWith(
            "With v, events lost, doubled, out of order or torn: 1 of 10,500 (allowed: 0);");
  }

  @Test
  void shouldGiveTheVerdictOfTheWorstSubject() {
    TrialResult passed = Results.clean().subject("p");
    TrialResult doubtful = Results.clean().rotation(true, false).subject("d");
    TrialResult violated = Results.clean().lost(1).subject("v");
    TrialResult peer = Results.clean().lost(1).peer("peer");

    assertThat(RunResult.verdictOf(List.of(passed, peer))).isEqualTo(Verdict.PASSED);
    assertThat(Results.run(passed, peer).exitCode()).isZero();
    assertThat(RunResult.verdictOf(List.of(passed, doubtful))).isEqualTo(Verdict.INCONCLUSIVE);
    assertThat(Results.run(passed, doubtful).exitCode()).isEqualTo(3);
    assertThat(RunResult.verdictOf(List.of(violated, doubtful))).isEqualTo(Verdict.VIOLATED);
    assertThat(Results.run(violated, passed).exitCode()).isEqualTo(1);
    assertThat(Results.run(peer).exitCode()).as("peers alone").isZero();
    assertThat(RunResult.verdictOf(List.of())).isEqualTo(Verdict.INCONCLUSIVE);
    assertThat(RunResult.verdictOf(List.of(Results.failed("f", PEER, Verdict.INCONCLUSIVE))))
        .isEqualTo(Verdict.INCONCLUSIVE);
    assertThat(RunResult.verdictOf(List.of(Results.failed("f", SUBJECT, Verdict.VIOLATED))))
        .as("it ended the JVM")
        .isEqualTo(Verdict.VIOLATED);
  }
}
