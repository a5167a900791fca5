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

  /** A trial that looks for the highest rate has a warmer JVM, and may find a higher one. */
  @Test
  void shouldSayOfWhichTimeItsCalibrationIs() {
    assertThat(new ServiceResult.Calibration(975, 0.5, 500, 487.5).describe())
        .isEqualTo(
            "Just after its start, without a log, this service answers 975 requests/s on this"
                + " machine, client included (more once its JVM has compiled all of it); so instead"
                + " of 500/s each trial is asked 50 % of that, 488/s.");
    assertThat(new ServiceResult.Calibration(3_000, 0.5, 500, 500).describe())
        .endsWith("; each trial is asked 500/s, as the scenario says.");
  }
}
