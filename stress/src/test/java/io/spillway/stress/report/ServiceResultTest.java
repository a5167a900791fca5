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
}
