package io.spillway.stress.report;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@Tag("shared")
class JudgeTest {

  private static final Check KEPT = Check.promise("x", "0", "0", true, "");
  private static final Check BROKEN = Check.promise("x", "0", "1", false, "1 x");
  private static final Check DOUBTFUL = Check.condition("y", "one", "none", false, "no y");
  private static final Limits NOTHING = new Limits(0, 0, 50);
  private static final ControlFigures QUIET = new ControlFigures(60, 900, 9_000, List.of());

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
    ParkFigures parked = new ParkFigures(parks, 0, 0, 0, null, null, null, null, null, true);
    Conservation events =
        new Conservation(10, 10, lost, duplicated, outOfOrder, torn, unknown, null);
    ReadBackFigures readBack = new ReadBackFigures(events, null, prefillIntact, List.of());

    List<Check> checks = Judge.checks(true, load(true), parked, readBack, QUIET, NOTHING);

    assertThat(checks).hasSize(14).filteredOn(JudgeTest::isViolated).hasSize(broken);
    assertThat(Judge.reasons(checks)).hasSize(broken);
    assertThat(Judge.verdict(Role.PEER, checks))
        .isEqualTo(broken > 0 ? Verdict.VIOLATED : Verdict.PASSED);
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
    ParkFigures parked = new ParkFigures(3, 0.03, 0.02, 1, null, null, null, null, null, true);
    Conservation events = new Conservation(10, 5, 5, 0, 0, 0, 0, null);
    ReadBackFigures readBack = new ReadBackFigures(events, null, true, List.of());

    Limits limits = new Limits(parkMillis, lost, p999Millis);
    List<String> violations =
        Judge.reasons(Judge.checks(true, load(true), parked, readBack, QUIET, limits));

    assertThat(String.join("; ", violations)).contains(expected == null ? "" : expected);
    assertThat(violations.isEmpty()).isEqualTo(expected == null);
  }

  @Test
  void shouldDoubtATrialWithoutARotation() {
    ParkFigures parks = new ParkFigures(0, 0, 0, 0, null, null, null, null, null, true);

    assertThat(reasons(true, load(false), parks, QUIET)).containsExactly("no rotation was seen");
    assertThat(reasons(true, load(true), parks, QUIET)).isEmpty();
    assertThat(reasons(false, load(true), parks, QUIET)).containsExactly("there was a rotation");
    assertThat(reasons(false, load(false), parks, QUIET)).isEmpty();
  }

  @Test
  void shouldDoubtARecordingThatLostData() {
    ParkFigures parks = new ParkFigures(0, 0, 0, 0, null, null, null, null, null, false);

    assertThat(reasons(true, load(true), parks, QUIET))
        .containsExactly("the flight recording lost data, so waits may be missing");
  }

  @Test
  void shouldNotBlameAnAppenderForWhatTheMachineStalls() {
    ParkFigures parks = new ParkFigures(0, 0, 0, 0, null, null, null, null, null, true);
    Conservation events = new Conservation(10, 10, 0, 0, 0, 0, 0, null);
    ReadBackFigures readBack = new ReadBackFigures(events, null, true, List.of());
    Limits limits = new Limits(0, 0, 20);
    ControlFigures noisy = new ControlFigures(60, 20_001, 90_000, List.of());

    List<Check> quiet = Judge.checks(true, load(true), parks, readBack, QUIET, limits);
    List<Check> loud = Judge.checks(true, load(true), parks, readBack, noisy, limits);

    assertThat(Judge.verdict(Role.SUBJECT, quiet)).isEqualTo(Verdict.VIOLATED);
    assertThat(Judge.reasons(quiet))
        .containsExactly("p99.9 of log calls in the rotation was 30.0 ms (allowed: 20.0 ms)");
    assertThat(Judge.verdict(Role.SUBJECT, loud)).isEqualTo(Verdict.INCONCLUSIVE);
    assertThat(Judge.reasons(loud))
        .containsExactly(
            "the machine itself stalled a control process, p99.9 20.0 ms, so a p99.9 of log"
                + " calls says nothing");
    assertThat(loud)
        .filteredOn(check -> check.what().startsWith("p99.9 of log calls"))
        .hasSize(2)
        .allMatch(check -> check.verdict() == Verdict.INCONCLUSIVE);
  }

  @Test
  void shouldShowWhatWasSeenAlsoOfPromisesKept() {
    ParkFigures parks = new ParkFigures(0, 0, 0, 0, null, null, null, null, null, true);
    Conservation events = new Conservation(1_000, 1_000, 0, 0, 0, 0, 0, null);
    FileFigures whole = new FileFigures("app.log", 10, true, null);
    FileFigures broken = new FileFigures("app.1.log.gz", 10, true, "it ends too soon");
    ReadBackFigures readBack = new ReadBackFigures(events, null, true, List.of(broken, whole));

    assertThat(Judge.checks(true, load(true), parks, readBack, QUIET, NOTHING))
        .contains(
            new Check(
                "waits of application threads inside logging",
                "none",
                "none",
                Verdict.PASSED,
                null),
            new Check("events lost", "0", "0 of 1,000", Verdict.PASSED, null),
            new Check(
                "p99.9 of log calls in the rotation", "50.0 ms", "30.0 ms", Verdict.PASSED, null),
            new Check(
                "files that cannot be read to their end",
                "0",
                "1 of 2",
                Verdict.VIOLATED,
                "app.1.log.gz cannot be read to its end: it ends too soon"));
  }

  @Test
  void shouldLetAViolationOfASubjectOutweighADoubt() {
    List<Check> both = List.of(KEPT, BROKEN, DOUBTFUL);
    assertThat(Judge.verdict(Role.SUBJECT, both)).isEqualTo(Verdict.VIOLATED);
    assertThat(Judge.verdict(Role.PEER, both)).isEqualTo(Verdict.INCONCLUSIVE);
    assertThat(Judge.verdict(Role.PEER, List.of(KEPT, BROKEN))).isEqualTo(Verdict.VIOLATED);
    assertThat(Judge.verdict(Role.SUBJECT, List.of(KEPT, DOUBTFUL)))
        .isEqualTo(Verdict.INCONCLUSIVE);
    assertThat(Judge.verdict(Role.SUBJECT, List.of(KEPT))).isEqualTo(Verdict.PASSED);
    assertThat(Judge.reasons(both)).containsExactly("1 x", "no y");
  }

  @Test
  void shouldFailARunForItsSubjectsOnly() {
    TrialResult subject = trial(Role.SUBJECT, Verdict.PASSED);
    TrialResult peer = trial(Role.PEER, Verdict.VIOLATED);
    TrialResult broken = trial(Role.SUBJECT, Verdict.VIOLATED);
    TrialResult unclear = trial(Role.PEER, Verdict.INCONCLUSIVE);

    assertThat(RunResult.verdictOf(List.of(subject, peer))).isEqualTo(Verdict.PASSED);
    assertThat(RunResult.verdictOf(List.of(broken, unclear))).isEqualTo(Verdict.VIOLATED);
    assertThat(RunResult.verdictOf(List.of(subject, unclear))).isEqualTo(Verdict.INCONCLUSIVE);
    assertThat(RunResult.verdictOf(List.of())).isEqualTo(Verdict.INCONCLUSIVE);
  }

  /** Of a trial in which everything is well, but for what is given. */
  private static List<String> reasons(
      boolean rotationWanted, LoadFigures load, ParkFigures parks, ControlFigures control) {
    Conservation events = new Conservation(10, 10, 0, 0, 0, 0, 0, null);
    ReadBackFigures readBack = new ReadBackFigures(events, null, true, List.of());
    return Judge.reasons(Judge.checks(rotationWanted, load, parks, readBack, control, NOTHING));
  }

  private static boolean isViolated(Check check) {
    return check.verdict() == Verdict.VIOLATED;
  }

  private static TrialResult trial(Role role, Verdict verdict) {
    return new TrialResult(
        "t", 0, 1, role, "", "", List.of(), null, null, null, null, null, null, List.of(), verdict,
        List.of());
  }

  private static LoadFigures load(boolean rotated) {
    RotationFigures rotation = new RotationFigures(rotated, rotated, 1, 1.5, 2);
    LatencyFigures latency =
        new LatencyFigures(calls(1), calls(10), calls(30), calls(10), calls(30));
    return new LoadFigures(
        List.of(), 0, null, 0, 0, 0, 0, null, null, rotation, latency, List.of(), List.of(),
        List.of());
  }

  private static Latency calls(double p999Millis) {
    return new Latency(1_000, 1, 2, p999Millis * 1_000, 50_000, List.of());
  }
}
