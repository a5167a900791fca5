package io.spillway.examples;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ch.qos.logback.classic.spi.ILoggingEvent;
import io.spillway.SpillwayRollingFileAppender;
import io.spillway.examples.testkit.LogFiles;
import io.spillway.examples.testkit.Tmpfs;
import io.spillway.metrics.SpillwayMetrics;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The log's disk is full: events wait on the other one. */
class SpillOnAnotherDiskTest {
  private static final int MORE = 1_000;

  @TempDir Path directory;

  @Test
  void shouldKeepOnTheOtherDiskWhatTheFullOneDoesNotTake() throws Exception {
    try (Tmpfs logs = new Tmpfs(directory.resolve("logs"), "32m");
        Tmpfs spool = new Tmpfs(directory.resolve("spool"), "32m")) {
      Traffic traffic;
      try (Example example = load(logs, spool)) {
        SpillwayRollingFileAppender<ILoggingEvent> file = example.file(example.root(), "FILE");
        SpillwayMetrics metrics = file.getMetrics();
        traffic = new Traffic(example.root());
        Path ballast = logs.fill();
        example.expect(BlockedFile.REPORT);
        traffic.overflow(metrics);
        assertThat(LogFiles.names(spool.directory()))
            .anyMatch(name -> name.matches("spill/.*\\.bytes"));
        assertThat(LogFiles.names(logs.directory())).containsExactly("app.log", "ballast");

        Files.delete(ballast);
        traffic.awaitDelivered(metrics);
        file.rollover();
        traffic.log(MORE);
        traffic.awaitDelivered(metrics);
        await().atMost(Example.PATIENCE).until(() -> metrics.getArchived() == 1);
        assertThat((long) metrics.value("SpillFailures")).isZero();
      }
      traffic.assertComplete(
          LogFiles.lines(
              logs.directory(), "app\\.\\d{4}-\\d{2}-\\d{2}\\.0\\.log\\.gz", "app\\.log"));
      assertThat(LogFiles.names(spool.directory())).noneMatch(name -> name.endsWith(".bytes"));
    }
  }

  private static Example load(Tmpfs logs, Tmpfs spool) throws Exception {
    return new Example(
        "spill-on-another-disk/logback.xml",
        Map.of("LOG_DIR", "" + logs.directory(), "SPILL_DIR", "" + spool.directory()));
  }
}
