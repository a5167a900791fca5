package io.spillway.stress.plan;

import static org.assertj.core.api.Assertions.assertThat;

import io.spillway.stress.report.RunResult;
import io.spillway.stress.report.TrialResult;
import io.spillway.stress.report.Verdict;
import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Trials of appenders that hurt an application, in forked JVMs. */
@Tag("slow")
class HurtingTrialsTest {

  @TempDir Path directory;

  /**
   * Each hurts in a way of its own that no park shows. Beside other tests the machine may be late,
   * which excuses no pass; that each is violated and named, and the amounts, are calibrate's.
   */
  @Test
  void shouldFindAppendersThatHurtWithoutParking() throws Exception {
    RunOptions options =
        new SmallRun(directory).around(2).limits(SmallRun.DEFAULT_LIMITS).options();

    RunResult result = SmallRun.run(options, Calibration.hurting(options)).result();

    assertThat(result.trials()).hasSize(4);
    for (TrialResult trial : result.trials()) {
      assertThat(trial.verdict())
          .as(trial.name() + ": " + trial.checks())
          .isNotEqualTo(Verdict.PASSED);
    }
  }
}
