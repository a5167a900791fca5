package io.spillway.stress.report;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class ServiceResultTest {

  @Test
  void shouldTellItsNotesAlsoIfNothingHeldThreadsUp() {
    ServiceResult.Figures figures =
        new ServiceResult.Figures(
            new ServiceResult.Responses(1, 1.0, null, null, 1),
            null,
            1,
            0,
            0,
            null,
            1,
            0,
            null,
            0,
            null,
            1,
            0,
            null,
            List.of(),
            Map.of(),
            List.of("a note"));
    ServiceResult.Trial trial =
        new ServiceResult.Trial(
            "quiet",
            TrialResult.Role.SUBJECT,
            null,
            null,
            figures,
            Judge.Verdict.PASSED,
            List.of());
    ServiceResult result =
        new ServiceResult(
            ServiceResult.SCHEMA,
            "now",
            1,
            List.of(),
            null,
            null,
            null,
            List.of(trial),
            Judge.Verdict.PASSED,
            List.of());
    assertThat(result.culprits()).containsExactly("quiet: nothing held threads up (a note)");
  }

  /** Whatever the scenario's own rate is, a trial may be asked more, up to half of flat out. */
  @Test
  void shouldCutOnlyRatesAboveHalfOfWhatTheServiceAnswers() {
    ServiceResult.Calibration calibration =
        ServiceResult.Calibration.of(10_000, 0.5, List.of(500.0, 2_000.0));

    assertThat(calibration.rate(500)).isEqualTo(500);
    assertThat(calibration.rate(2_000)).isEqualTo(2_000);
    assertThat(calibration.rate(6_000)).isEqualTo(5_000);
    assertThat(calibration.describe())
        .endsWith("; each trial is asked its own rate, as the scenario says.");
    assertThat(ServiceResult.Calibration.of(3_000, 0.5, List.of(500.0, 2_000.0)).describe())
        .endsWith(
            "; so instead of up to 2,000/s each trial is asked at most 50 % of that, 1,500/s.");
  }

  /** A trial that looks for the highest rate has a warmer JVM, and may find a higher one. */
  @Test
  void shouldSayOfWhichTimeItsCalibrationIs() {
    assertThat(ServiceResult.Calibration.of(975, 0.5, List.of(500.0)).describe())
        .isEqualTo(
            "Just after its start, without a log, this service answers 975 requests/s on this"
                + " machine, client included (more once its JVM has compiled all of it); so instead"
                + " of 500/s each trial is asked 50 % of that, 488/s.");
    assertThat(ServiceResult.Calibration.of(3_000, 0.5, List.of(500.0, 500.0)).describe())
        .endsWith("; each trial is asked 500/s, as the scenario says.");
  }
}
