package io.spillway.stress.report;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@Tag("shared")
class JudgeTest {

  private static final Judge.Check KEPT = Judge.Check.promise("x", "0", "0", true, "");
  private static final Judge.Check BROKEN = Judge.Check.promise("x", "0", "1", false, "1 x");
  private static final Judge.Check DOUBTFUL =
      Judge.Check.condition("y", "one", "none", false, "no y");
  private static final Judge.Limits NOTHING = new Judge.Limits(0, 0, 50);
  private static final TrialResult.Control QUIET =
      new TrialResult.Control(60, 900, 9_000, List.of());

  @ParameterizedTest
  @CsvSource({
    "0, 0, 0, 0, 0, 0, true, 0",
    "1, 0, 0, 0, 0, 0, true, 1",
    "0, 1, 0, 0, 0, 0, true, 1",
    "0, 0, 1, 0, 0, 0, true, 1",
    "0, 0, 0, 1, 0, 0, true, 1",
    "0, 0, 0, 0, 1, 0, true, 1",
    "0, 0, 0, 0, 0, 1, true, 1",
    "0, 0, 0, 0, 0, 0, false, 1",
    "1, 1, 1, 1, 1, 1, false, 7",
  })
  void shouldNameEveryBrokenPromise(
      long parks,
      long lost,
      long duplicated,
      long outOfOrder,
      long torn,
      long unknown,
      boolean prefillIntact,
      int broken) {
    TrialResult.Parks parked =
        new TrialResult.Parks(parks, 0, 0, 0, null, null, null, null, null, true);
    ReadBackFigures.Conservation events =
        new ReadBackFigures.Conservation(10, 10, lost, duplicated, outOfOrder, torn, unknown, null);
    ReadBackFigures readBack = new ReadBackFigures(events, null, prefillIntact, List.of());

    List<Judge.Check> checks = new Judge(NOTHING, true).checks(load(true), parked, readBack, QUIET);

    assertThat(checks).hasSize(14).filteredOn(JudgeTest::isViolated).hasSize(broken);
    assertThat(Judge.reasons(checks)).hasSize(broken);
    assertThat(Judge.verdict(TrialResult.Role.PEER, checks))
        .isEqualTo(broken > 0 ? Judge.Verdict.VIOLATED : Judge.Verdict.PASSED);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "20 | 5 | 30 | ",
        "19.9 | 5 | 30 | the longest 20.0 ms (allowed: 19.9 ms each)",
        "20 | 4 | 30 | 5 events lost (allowed: 4)",
        "20 | 5 | 29.9 | p99.9 of log calls in the rotation was 30.0 ms (allowed: 29.9 ms)",
        "20 | 5 | 9.9 | p99.9 of log calls outside the rotation was 10.0 ms (allowed: 9.9 ms)",
      })
  void shouldAllowWhatTheLimitsAllow(
      double parkMillis, long lost, double p999Millis, String expected) {
    TrialResult.Parks parked =
        new TrialResult.Parks(3, 0.03, 0.02, 1, null, null, null, null, null, true);
    ReadBackFigures.Conservation events =
        new ReadBackFigures.Conservation(10, 5, 5, 0, 0, 0, 0, null);
    ReadBackFigures readBack = new ReadBackFigures(events, null, true, List.of());

    Judge.Limits limits = new Judge.Limits(parkMillis, lost, p999Millis);
    List<String> violations =
        Judge.reasons(new Judge(limits, true).checks(load(true), parked, readBack, QUIET));

    assertThat(String.join("; ", violations)).contains(expected == null ? "" : expected);
    assertThat(violations.isEmpty()).isEqualTo(expected == null);
  }

  @Test
  void shouldDoubtATrialWithoutARotation() {
    TrialResult.Parks parks = new TrialResult.Parks(0, 0, 0, 0, null, null, null, null, null, true);

    assertThat(reasons(true, load(false), parks, QUIET)).containsExactly("no rotation was seen");
    assertThat(reasons(true, load(true), parks, QUIET)).isEmpty();
    assertThat(reasons(false, load(true), parks, QUIET)).containsExactly("there was a rotation");
    assertThat(reasons(false, load(false), parks, QUIET)).isEmpty();
  }

  @Test
  void shouldDoubtARecordingThatLostData() {
    TrialResult.Parks parks =
        new TrialResult.Parks(0, 0, 0, 0, null, null, null, null, null, false);

    assertThat(reasons(true, load(true), parks, QUIET))
        .containsExactly("the flight recording lost data, so waits may be missing");
  }

  @Test
  void shouldNotBlameAnAppenderForWhatTheMachineStalls() {
    TrialResult.Parks parks = new TrialResult.Parks(0, 0, 0, 0, null, null, null, null, null, true);
    ReadBackFigures.Conservation events =
        new ReadBackFigures.Conservation(10, 10, 0, 0, 0, 0, 0, null);
    ReadBackFigures readBack = new ReadBackFigures(events, null, true, List.of());
    Judge.Limits limits = new Judge.Limits(0, 0, 20);
    TrialResult.Control noisy = new TrialResult.Control(60, 20_001, 90_000, List.of());

    List<Judge.Check> quiet = new Judge(limits, true).checks(load(true), parks, readBack, QUIET);
    List<Judge.Check> loud = new Judge(limits, true).checks(load(true), parks, readBack, noisy);

    assertThat(Judge.verdict(TrialResult.Role.SUBJECT, quiet)).isEqualTo(Judge.Verdict.VIOLATED);
    assertThat(Judge.reasons(quiet))
        .containsExactly("p99.9 of log calls in the rotation was 30.0 ms (allowed: 20.0 ms)");
    assertThat(Judge.verdict(TrialResult.Role.SUBJECT, loud)).isEqualTo(Judge.Verdict.INCONCLUSIVE);
    assertThat(Judge.reasons(loud))
        .containsExactly(
            "the machine itself stalled a control process, p99.9 20.0 ms, so a p99.9 of log"
                + " calls says nothing");
    assertThat(loud)
        .filteredOn(check -> check.what().startsWith("p99.9 of log calls"))
        .hasSize(2)
        .allMatch(check -> check.verdict() == Judge.Verdict.INCONCLUSIVE);
  }

  @Test
  void shouldShowWhatWasSeenAlsoOfPromisesKept() {
    TrialResult.Parks parks = new TrialResult.Parks(0, 0, 0, 0, null, null, null, null, null, true);
    ReadBackFigures.Conservation events =
        new ReadBackFigures.Conservation(1_000, 1_000, 0, 0, 0, 0, 0, null);
    ReadBackFigures.LeftFile whole = new ReadBackFigures.LeftFile("app.log", 10, true, null);
    ReadBackFigures.LeftFile broken =
        new ReadBackFigures.LeftFile("app.1.log.gz", 10, true, "it ends too soon");
    ReadBackFigures readBack = new ReadBackFigures(events, null, true, List.of(broken, whole));

    assertThat(new Judge(NOTHING, true).checks(load(true), parks, readBack, QUIET))
        .contains(
            new Judge.Check(
                "waits of application threads inside logging",
                "none",
                "none",
                Judge.Verdict.PASSED,
                null),
            new Judge.Check("events lost", "0", "0 of 1,000", Judge.Verdict.PASSED, null),
            new Judge.Check(
                "p99.9 of log calls in the rotation",
                "50.0 ms",
                "30.0 ms",
                Judge.Verdict.PASSED,
                null),
            new Judge.Check(
                "files that cannot be read to their end",
                "0",
                "1 of 2",
                Judge.Verdict.VIOLATED,
                "app.1.log.gz cannot be read to its end: it ends too soon"));
  }

  @Test
  void shouldLetAViolationOfASubjectOutweighADoubt() {
    List<Judge.Check> both = List.of(KEPT, BROKEN, DOUBTFUL);
    assertThat(Judge.verdict(TrialResult.Role.SUBJECT, both)).isEqualTo(Judge.Verdict.VIOLATED);
    assertThat(Judge.verdict(TrialResult.Role.PEER, both)).isEqualTo(Judge.Verdict.INCONCLUSIVE);
    assertThat(Judge.verdict(TrialResult.Role.PEER, List.of(KEPT, BROKEN)))
        .isEqualTo(Judge.Verdict.VIOLATED);
    assertThat(Judge.verdict(TrialResult.Role.SUBJECT, List.of(KEPT, DOUBTFUL)))
        .isEqualTo(Judge.Verdict.INCONCLUSIVE);
    assertThat(Judge.verdict(TrialResult.Role.SUBJECT, List.of(KEPT)))
        .isEqualTo(Judge.Verdict.PASSED);
    assertThat(Judge.reasons(both)).containsExactly("1 x", "no y");
  }

  @Test
  void shouldFailARunForItsSubjectsOnly() {
    TrialResult subject = trial(TrialResult.Role.SUBJECT, Judge.Verdict.PASSED);
    TrialResult peer = trial(TrialResult.Role.PEER, Judge.Verdict.VIOLATED);
    TrialResult broken = trial(TrialResult.Role.SUBJECT, Judge.Verdict.VIOLATED);
    TrialResult unclear = trial(TrialResult.Role.PEER, Judge.Verdict.INCONCLUSIVE);

    assertThat(RunResult.verdictOf(List.of(subject, peer))).isEqualTo(Judge.Verdict.PASSED);
    assertThat(RunResult.verdictOf(List.of(broken, unclear))).isEqualTo(Judge.Verdict.VIOLATED);
    assertThat(RunResult.verdictOf(List.of(subject, unclear)))
        .isEqualTo(Judge.Verdict.INCONCLUSIVE);
    assertThat(RunResult.verdictOf(List.of())).isEqualTo(Judge.Verdict.INCONCLUSIVE);
  }

  /** Of a trial in which everything is well, but for what is given. */
  private static List<String> reasons(
      boolean rotationWanted,
      LoadFigures load,
      TrialResult.Parks parks,
      TrialResult.Control control) {
    ReadBackFigures.Conservation events =
        new ReadBackFigures.Conservation(10, 10, 0, 0, 0, 0, 0, null);
    ReadBackFigures readBack = new ReadBackFigures(events, null, true, List.of());
    return Judge.reasons(new Judge(NOTHING, rotationWanted).checks(load, parks, readBack, control));
  }

  private static boolean isViolated(Judge.Check check) {
    return check.verdict() == Judge.Verdict.VIOLATED;
  }

  private static TrialResult trial(TrialResult.Role role, Judge.Verdict verdict) {
    return new TrialResult(
        "t", 0, 1, role, "", "", List.of(), null, null, null, null, null, null, List.of(), verdict,
        List.of());
  }

  private static LoadFigures load(boolean rotated) {
    LoadFigures.Rotation rotation = new LoadFigures.Rotation(rotated, rotated, 1, 1.5, 2);
    LoadFigures.Latency latency =
        new LoadFigures.Latency(calls(1), calls(10), calls(30), calls(10), calls(30));
    return new LoadFigures(
        List.of(), 0, null, 0, 0, 0, 0, null, null, rotation, latency, List.of(), List.of(),
        List.of());
  }

  private static LoadFigures.Calls calls(double p999Millis) {
    return new LoadFigures.Calls(1_000, 1, 2, p999Millis * 1_000, 50_000, List.of());
  }
}
