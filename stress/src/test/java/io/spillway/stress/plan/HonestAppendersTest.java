package io.spillway.stress.plan;

import static org.assertj.core.api.Assertions.assertThat;

import io.spillway.stress.report.RunResult;
import io.spillway.stress.report.TrialResult;
import io.spillway.stress.report.Verdict;
import io.spillway.stress.verify.LogLine;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Isolated;

/**
 * Logback's own appenders and logstash-logback-encoder's, as a careful user sets them up, under a
 * load that they can take and without a rotation: none of them holds an application up, and none
 * may be called a stall. {@link HurtingTrialsTest} is the other side of it.
 */
@Tag("slow")
@Isolated
class HonestAppendersTest {

  private static final Path CONFIGURATIONS = Path.of("src/test/resources/honest").toAbsolutePath();
  private static final List<Path> JACKSON_3 = List.of(Path.of("target/jackson-3/*"));
  private static final List<String> HONEST =
      List.of(
          ("file console-and-file async never-block rolling sifting json logstash-async"
                  + " logstash-json logstash-composite")
              .split(" "));
  private static final int SIZE = 16 << 20;

  @TempDir Path directory;

  @Test
  void shouldCondemnNoHonestAppender() throws Exception {
    RunOptions options =
        new SmallRun(directory.resolve("out"))
            .rate(1_000)
            .noRotation()
            .around(2)
            .limits(SmallRun.DEFAULT_LIMITS)
            .options();
    List<Trial> trials = new ArrayList<>();
    for (String name : HONEST) {
      trials.add(configuration(name).trial(name, options));
    }

    RunResult result = SmallRun.run(options, trials).result();

    assertThat(result.trials()).hasSize(trials.size());
    for (TrialResult trial : result.trials()) {
      String seen = trial.name() + ": " + trial.finding() + trial.checks();
      assertThat(trial.verdict()).as(seen).isNotEqualTo(Verdict.VIOLATED);
      assertThat(trial.readBack().conservation().clean()).as(seen).isTrue();
      assertThat(trial.readBack().conservation().delivered()).as(seen).isGreaterThan(4_000);
      assertThat(trial.load().rotation().seen()).as(seen).isFalse();
    }
  }

  private UserConfiguration configuration(String name) throws IOException {
    return new UserConfiguration(
        CONFIGURATIONS.resolve(name + ".xml"),
        directory,
        JACKSON_3.stream().map(Path::toAbsolutePath).toList(),
        Map.of(),
        LogLine.LOGGER,
        0,
        null,
        0,
        SIZE,
        SmallRun.NO_SURROUNDINGS);
  }
}
