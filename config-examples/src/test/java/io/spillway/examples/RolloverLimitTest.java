package io.spillway.examples;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.core.util.FileSize;
import io.spillway.examples.testkit.SparseFile;
import io.spillway.metrics.MonitoredAppender;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The size, to the byte, at which each example rolls over. */
@Tag("slow")
class RolloverLimitTest {
  @TempDir Path logs;

  @ParameterizedTest
  @CsvSource({
    "async-drop-in, app.log, 1GB",
    "collector, app.log, 100MB",
    "debug-log, debug.log, 100MB",
    "keep-levels, app.log, 100MB",
    "json-logback, app.json, 1GB",
    "json-logstash, app.json, 1GB",
    "json-steno, app.steno.log, 1GB",
    "rolling-file-drop-in, app.log, 1GB",
    "rolling-fixed-window, app.log, 1GB",
    "rolling-size-and-time, app.log, 4GB",
    "small-container, app.log, 20MB",
    "spill-on-another-disk, app.log, 1GB",
  })
  void shouldRollOverAtItsSize(String folder, String name, String size) throws Exception {
    Path active = logs.resolve(name);
    long limit = FileSize.valueOf(size).getSize();
    SparseFile.create(active, limit - 1);
    logOne(folder);
    assertThat(Files.size(active)).as("with one byte less").isGreaterThanOrEqualTo(limit);
    logOne(folder);
    assertThat(Files.size(active)).as("at the limit").isBetween(1L, 1_000L);
  }

  /** In a life of its own, with an appender that finds the file as it is. */
  private void logOne(String folder) throws Exception {
    Map<String, String> properties =
        Map.of("LOG_DIR", "" + logs, "SPILL_DIR", "" + logs.resolve("spool"));
    try (Example example = new Example(folder + "/logback.xml", properties)) {
      Traffic traffic = new Traffic(example.root());
      traffic.log(1);
      MonitoredAppender appender = (MonitoredAppender) example.root().iteratorForAppenders().next();
      traffic.awaitDelivered(appender.getMetrics());
      example.closeBeforeItsArchives();
    }
  }
}
