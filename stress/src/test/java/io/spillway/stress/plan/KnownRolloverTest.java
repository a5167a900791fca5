package io.spillway.stress.plan;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.spillway.stress.report.Json;
import io.spillway.stress.report.LoadFigures;
import io.spillway.stress.report.TrialResult;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A real trial whose rollover and whose archive take as long as a test's policy makes them. */
@Tag("slow")
class KnownRolloverTest {

  private static final double ROLLOVER_SECONDS = 3;
  private static final double ARCHIVE_SECONDS = 4;

  /**
   * Two looks at the files are so far apart, and what the machine stalls is added to that. The
   * times are long, so that their 5 % is more than the threads let go at once keep the watch
   * waiting.
   */
  private static final double LOOK_SECONDS = 0.005;

  private static final double SHARE = 0.05;

  private static final String CONFIGURATION =
      """
      <configuration>
        <appender name="FILE" class="ch.qos.logback.core.rolling.RollingFileAppender">
          <file>${logs}/app.log</file>
          <rollingPolicy class="io.spillway.stress.plan.SlowRollingPolicy">
            <rolloverMillis>3000</rolloverMillis>
            <archiveMillis>4000</archiveMillis>
            <report>${figures}/took.json</report>
          </rollingPolicy>
          <triggeringPolicy class="ch.qos.logback.core.rolling.SizeBasedTriggeringPolicy">
            <maxFileSize>${limit}</maxFileSize>
            <checkIncrement>100 milliseconds</checkIncrement>
          </triggeringPolicy>
          <encoder><pattern>%d [%t] %-5p %c{20} - %m%n</pattern></encoder>
        </appender>
        <root level="INFO"><appender-ref ref="FILE"/></root>
      </configuration>
      """;

  @TempDir Path directory;

  @Test
  void shouldReportRolloverAndArchiveAsLongAsTheyTook() throws Exception {
    Trial slow = new Trial("slow", TrialResult.Role.PEER, "", CONFIGURATION, Map.of());
    RunOptions options = new SmallRun(directory).options();
    Run.Finished finished = SmallRun.run(options, List.of(slow.at(4 << 20)));

    TrialResult trial = finished.result().trials().get(0);
    assertThat(trial.measured()).as(trial.reasons().toString()).isTrue();
    SlowRollingPolicy.Took took =
        Json.read(
            finished.file().resolveSibling("slow").resolve("took.json"),
            SlowRollingPolicy.Took.class);
    double rollover = took.rolloverNanos() / 1e9;
    double archive = took.archiveNanos() / 1e9;
    double late = LOOK_SECONDS + trial.control().maxMicros() / 1e6;
    LoadFigures.Rotation rotation = trial.load().rotation();
    String what = took + ", " + rotation + ", looks up to " + late + " s late";
    assertThat(rollover).isGreaterThanOrEqualTo(ROLLOVER_SECONDS);
    assertThat(archive).isGreaterThanOrEqualTo(ARCHIVE_SECONDS);
    // The threads that are let go at once may keep the watch from seeing the new file for a while;
    // RotationWatchTest has that part exactly.
    assertThat(rotation.reopenedSeconds() - rotation.startSeconds())
        .as(what)
        .isGreaterThanOrEqualTo((1 - SHARE) * rollover - late)
        .isLessThan((1 + SHARE) * rollover + 0.5 * archive);
    assertThat(rotation.seconds())
        .as(what)
        .isCloseTo(rollover + archive, within(SHARE * (rollover + archive) + late));
    double start = took.startEpochMillis() / 1e3 - trial.load().loadStartEpochNanos() / 1e9;
    assertThat(rotation.startSeconds()).as(what).isCloseTo(start, within(SHARE + late));
    // Whose call it was that rolled over waited for all of it; the others, for the lock it held,
    // and that is not a fair one: some wait for longer.
    assertThat(trial.load().latency().rotationService().maxMicros() / 1e6)
        .as(what)
        .isGreaterThanOrEqualTo(0.999 * rollover); // of three digits
    assertThat(trial.parks().maxSeconds()).as(what).isGreaterThanOrEqualTo((1 - SHARE) * rollover);
    assertThat(trial.parks().threadsAtOnce()).as(what).isEqualTo(SmallRun.THREADS);
  }
}
