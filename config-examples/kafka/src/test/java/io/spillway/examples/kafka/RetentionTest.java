package io.spillway.examples.kafka;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.core.util.FileSize;
import io.spillway.examples.testkit.OldArchives;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** How much the example keeps; no broker is asked. */
class RetentionTest {
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
}
