package io.spillway.stress.report;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class JudgeTest {

  private static final List<String> SOME = List.of("something");
  private static final List<String> NONE = List.of();
  private static final Limits NOTHING = new Limits(0, 0, 50);

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
    ParkFigures parked = new ParkFigures(parks, 0, 0, 0, null, null, null, true);
    Conservation events =
        new Conservation(10, 10, lost, duplicated, outOfOrder, torn, unknown, null);
    ReadBackFigures readBack = new ReadBackFigures(events, null, prefillIntact, List.of());

    assertThat(Judge.violations(load(true), parked, readBack, NOTHING)).hasSize(broken);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "20 | 5 | 30 | ",
        "19.9 | 5 | 30 | the longest 20.000 ms (allowed: 19.900 ms)",
        "20 | 4 | 30 | 5 events lost (allowed: 4)",
        "20 | 5 | 29.9 | p99.9 of log calls in the rotation was 30.000 ms (allowed: 29.900 ms)",
        "20 | 5 | 9.9 | p99.9 of log calls outside the rotation was 10.000 ms (allowed: 9.900 ms)",
      })
  void shouldAllowWhatTheLimitsAllow(
      double parkMillis, long lost, double p999Millis, String expected) {
    ParkFigures parked = new ParkFigures(3, 0.03, 0.02, 1, null, null, null, true);
    Conservation events = new Conservation(10, 5, 5, 0, 0, 0, 0, null);
    ReadBackFigures readBack = new ReadBackFigures(events, null, true, List.of());

    List<String> violations =
        Judge.violations(load(true), parked, readBack, new Limits(parkMillis, lost, p999Millis));

    assertThat(String.join("; ", violations)).contains(expected == null ? "" : expected);
    assertThat(violations.isEmpty()).isEqualTo(expected == null);
  }

  @Test
  void shouldDoubtATrialWithoutARotation() {
    ParkFigures parks = new ParkFigures(0, 0, 0, 0, null, null, null, true);

    assertThat(Judge.doubts(true, load(false), parks)).containsExactly("no rotation was seen");
    assertThat(Judge.doubts(true, load(true), parks)).isEmpty();
    assertThat(Judge.doubts(false, load(true), parks)).containsExactly("there was a rotation");
    assertThat(Judge.doubts(false, load(false), parks)).isEmpty();
  }

  @Test
  void shouldDoubtARecordingThatLostData() {
    ParkFigures parks = new ParkFigures(0, 0, 0, 0, null, null, null, false);

    assertThat(Judge.doubts(true, load(true), parks)).hasSize(1);
  }

  @Test
  void shouldLetAViolationOfASubjectOutweighADoubt() {
    assertThat(Judge.verdict(Role.SUBJECT, SOME, SOME)).isEqualTo(Verdict.VIOLATED);
    assertThat(Judge.verdict(Role.PEER, SOME, SOME)).isEqualTo(Verdict.INCONCLUSIVE);
    assertThat(Judge.verdict(Role.PEER, NONE, SOME)).isEqualTo(Verdict.VIOLATED);
    assertThat(Judge.verdict(Role.SUBJECT, SOME, NONE)).isEqualTo(Verdict.INCONCLUSIVE);
    assertThat(Judge.verdict(Role.SUBJECT, NONE, NONE)).isEqualTo(Verdict.PASSED);
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

  private static TrialResult trial(Role role, Verdict verdict) {
    return new TrialResult(
        "t", 1, role, "", "", List.of(), null, null, null, null, verdict, List.of());
  }

  private static LoadFigures load(boolean rotated) {
    RotationFigures rotation = new RotationFigures(rotated, rotated, 1, 2);
    LatencyFigures latency =
        new LatencyFigures(calls(1), calls(10), calls(30), calls(10), calls(30));
    return new LoadFigures(List.of(), 0, null, 0, 0, 0, 0, rotation, latency, List.of(), List.of());
  }

  private static Latency calls(double p999Millis) {
    return new Latency(1_000, 1, 2, p999Millis * 1_000, 50_000);
  }
}
