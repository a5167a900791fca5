package io.spillway.stress.plan;

import static org.assertj.core.api.Assertions.assertThat;

import io.spillway.stress.report.RunResult;
import io.spillway.stress.report.TrialResult;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Trials of appenders that come with the tester, in forked JVMs. */
@Tag("slow")
class BuiltInTrialsTest {

  private static final long LIMIT = 4 << 20;

  @TempDir Path directory;

  /** Rollover upon rollover, with all that events can carry. */
  @Test
  void shouldGoOnForSeveralRotationsWithEventsThatCarryMuch() throws Exception {
    RunOptions options = new SmallRun(directory).rotations(3).allExtras().options();
    Trial sync = builtIn("sync-size-and-time").withCallers();

    RunResult result = run(options, List.of(sync)).result();

    TrialResult trial = result.trials().get(0);
    assertThat(trial.measured()).as(trial.reasons().toString()).isTrue();
    assertThat(trial.load().rotation().complete()).isTrue();
    assertThat(trial.readBack().conservation().clean())
        .as(trial.readBack().conservation().toString())
        .isTrue();
    assertThat(
            trial.readBack().files().stream().filter(file -> file.name().endsWith(".gz")).count())
        .isGreaterThanOrEqualTo(3);
  }

  private static Trial builtIn(String name) {
    return Trials.builtIn().stream()
        .filter(trial -> trial.name().equals(name))
        .findFirst()
        .orElseThrow();
  }

  private static Run.Finished run(RunOptions options, List<Trial> trials)
      throws IOException, InterruptedException {
    List<PlannedTrial> planned = trials.stream().map(trial -> trial.at(LIMIT)).toList();
    return SmallRun.run(options, planned);
  }
}
