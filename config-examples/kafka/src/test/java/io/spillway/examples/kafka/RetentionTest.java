package io.spillway.examples.kafka;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.core.util.FileSize;
import io.spillway.examples.testkit.OldArchives;
import io.spillway.examples.testkit.SparseFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** How much the example keeps; no broker is asked. */
class RetentionTest {
  private static final Duration PATIENCE = Duration.ofSeconds(30);
  private static final String NOBODY = "localhost:9";

  @TempDir Path logs;

  @Test
  void shouldKeepWhatTheExampleSays() throws Exception {
    OldArchives archives = OldArchives.beyondHistory(logs, "'kafka.'yyyy-MM-dd'.0.log.gz'", 14);
    try (Example example = new Example(logs, NOBODY)) {
      assertThat(example.metrics().getSpillCapacityBytes())
          .isEqualTo(FileSize.valueOf("10GB").getSize());
      example.local().rollover();
      example.kafkasLogger().warn("from the client");
      archives.awaitSurplusGone();
    }
    archives.removeKept();
  }

  @Test
  void shouldRollTheLocalFileOverAtItsSize() throws Exception {
    long limit = FileSize.valueOf("100MB").getSize();
    Path active = SparseFile.create(logs.resolve("kafka.log"), limit - 1);
    try (Example example = new Example(logs, NOBODY)) {
      example.kafkasLogger().warn("fills it");
      assertThat(example.local().awaitDelivered(PATIENCE)).isTrue();
      assertThat(Files.size(active)).as("with one byte less").isGreaterThanOrEqualTo(limit);
      example.kafkasLogger().warn("is too much");
      assertThat(example.local().awaitDelivered(PATIENCE)).isTrue();
      assertThat(Files.size(active)).as("at the limit").isBetween(1L, limit - 1);
    }
  }
}
