package io.spillway.stress.plan;

import static org.assertj.core.api.Assertions.assertThat;

import io.spillway.stress.report.Judge;
import io.spillway.stress.report.RunResult;
import io.spillway.stress.report.TrialResult;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Trials of appenders that hurt an application, in forked JVMs. */
@Tag("slow")
class HurtingTrialsTest {

  /** One that stops the JVM, one that forces the disk, one that burns processor time. */
  private static final Set<String> FEW = Set.of("hurting-collect", "hurting-force", "hurting-burn");

  @TempDir Path directory;

  /**
   * Each hurts in a way of its own that no park shows; who asked for thread dumps is only seen if
   * the caller is sampled. Beside other tests the machine may be excused, and leaves the sampler
   * little time: the names are asked for in the full form, by itself; that each is violated, and
   * the exact amounts, are calibrate's.
   */
  @Test
  void shouldFindAppendersThatHurtWithoutParking() throws Exception {
    RunOptions options =
        new SmallRun(directory).around(2).limits(SmallRun.DEFAULT_LIMITS).options();
    boolean full = Boolean.getBoolean("spillway.test.full");
    List<PlannedTrial> planned =
        Calibration.hurting(options).stream()
            .filter(trial -> full || FEW.contains(trial.name()))
            .toList();
    RunResult result = SmallRun.run(options, planned).result();

    assertThat(result.trials()).hasSize(full ? 6 : FEW.size());
    for (TrialResult trial : result.trials()) {
      assertThat(trial.verdict())
          .as(trial.name() + ": " + trial.evidence())
          .isNotEqualTo(Judge.Verdict.PASSED);
      if (full) {
        assertThat(String.join("; ", trial.reasons()))
            .as(trial.name())
            .containsAnyOf("io.spillway.stress.calibrate.", "mostly for ThreadDump");
      }
    }
  }
}
