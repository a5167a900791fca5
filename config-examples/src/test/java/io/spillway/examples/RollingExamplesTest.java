package io.spillway.examples;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.spillway.examples.testkit.LogFiles;
import io.spillway.metrics.SpillwayMetrics;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.LocalDate;
import java.time.LocalTime;
import java.time.ZoneId;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The examples of policies spill, roll over and compress as a user would paste them. */
class RollingExamplesTest {
  private static final int MORE = 1_000;
  private static final String DAY = "\\d{4}-\\d{2}-\\d{2}";

  @TempDir Path logs;

  @Test
  void shouldKeepAFixedWindow() throws Exception {
    Traffic traffic;
    try (Example example = new Example("rolling-fixed-window", logs)) {
      traffic = Overflow.thenRollOver(example, "FILE");
      awaitArchive(example);
    }
    traffic.assertComplete(LogFiles.lines(logs, "app\\.1\\.log\\.gz", "app\\.log"));
  }

  @Test
  void shouldKeepAnArchiveADayInADirectoryAMonth() throws Exception {
    Traffic traffic;
    try (Example example = new Example("rolling-time-based", logs)) {
      traffic = Overflow.thenRollOver(example, "FILE");
      awaitArchive(example);
    }
    traffic.assertComplete(
        LogFiles.lines(logs, "\\d{4}/\\d{2}/app\\." + DAY + "\\.log\\.gz", "app\\.log"));
  }

  @Test
  void shouldRollOverWhatIsOfYesterday() throws Exception {
    LocalDate yesterday = LocalDate.now().minusDays(1);
    Path active = Files.writeString(logs.resolve("app.log"), "of yesterday\n");
    Files.setLastModifiedTime(
        active,
        FileTime.from(yesterday.atTime(LocalTime.NOON).atZone(ZoneId.systemDefault()).toInstant()));
    Traffic traffic;
    try (Example example = new Example("rolling-time-based", logs)) {
      traffic = new Traffic(example.root());
      traffic.log(MORE);
      traffic.awaitDelivered(metrics(example));
    }
    String month = yesterday.toString().substring(0, 7).replace('-', '/');
    List<String> lines =
        LogFiles.lines(logs, month + "/app\\." + yesterday + "\\.log(\\.gz)?", "app\\.log");
    assertThat(lines).first().isEqualTo("of yesterday");
    traffic.assertComplete(lines.subList(1, lines.size()));
  }

  @Test
  void shouldKeepAnArchiveForEachDayAndSize() throws Exception {
    Traffic traffic;
    try (Example example = new Example("rolling-size-and-time", logs)) {
      traffic = Overflow.thenRollOver(example, "FILE");
      awaitArchive(example);
    }
    traffic.assertComplete(LogFiles.lines(logs, "app\\." + DAY + "\\.0\\.log\\.gz", "app\\.log"));
  }

  private static void awaitArchive(Example example) {
    await()
        .atMost(Example.PATIENCE)
        .until(
            () ->
                metrics(example).getArchived() == 1
                    && (long) metrics(example).value("ArchiveBacklogFiles") == 0);
  }

  private static SpillwayMetrics metrics(Example example) {
    return example.file(example.root(), "FILE").getMetrics();
  }
}
