package io.spillway.examples;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ch.qos.logback.classic.spi.ILoggingEvent;
import io.spillway.SpillwayRollingFileAppender;
import io.spillway.examples.testkit.LogFiles;
import io.spillway.metrics.LossCause;
import io.spillway.metrics.SpillwayMetrics;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;
import org.junit.jupiter.api.io.TempDir;

/** With ring and spill full, nobody waits, and what is missing is what was counted. */
// In a thread of its own, since a log call that waits hears no interrupt.
@Timeout(value = 60, threadMode = ThreadMode.SEPARATE_THREAD)
class DebugLogTest {
  private static final long DROPS = 2_000;
  private static final int MOST = 24_000; // 16 MB of spill and the ring: for 21,800
  private static final int MORE = 1_000;

  @TempDir Path logs;

  @Test
  void shouldDropAndCountWhatFindsNoRoomAndDeliverTheRest() throws Exception {
    long accepted;
    try (Example example = new Example("debug-log", logs)) {
      SpillwayRollingFileAppender<ILoggingEvent> appender = example.file(example.root(), "DEBUG");
      SpillwayMetrics metrics = appender.getMetrics();
      Traffic traffic =
          new Traffic((number, text) -> example.root().debug("event {} {}", number, text));
      BlockedFile blocked = new BlockedFile(appender);
      example.expect(BlockedFile.REPORT);
      example.expect("The ring is full, events are dropped (QUEUE_FULL)");

      long waits = Waits.ofThisThread();
      while (hasRoom(metrics) && metrics.getAccepted() < MOST) {
        traffic.logLong(100);
      }
      long dropped = metrics.getDropped(); // if the spill was slower to fill up than the ring
      while (metrics.getDropped() < dropped + DROPS && metrics.getAccepted() < MOST) {
        traffic.logLong(1);
      }
      assertThat(Waits.ofThisThread()).as("waits in log calls").isEqualTo(waits);
      assertThat(metrics.getAccepted()).as("room for").isLessThan(MOST);
      assertFull(metrics);
      assertThat(metrics.getAccepted() + metrics.getDropped()).isEqualTo(traffic.logged());
      assertThat(metrics.lossOf(LossCause.QUEUE_FULL)).isEqualTo(metrics.getDropped());

      blocked.lift();
      await().atMost(Example.PATIENCE).until(() -> metrics.getPending() == 0);
      appender.rollover();
      traffic.log(MORE);
      await()
          .atMost(Example.PATIENCE)
          .until(() -> metrics.getPending() == 0 && metrics.getArchived() == 1);
      accepted = metrics.getAccepted();
      assertThat(metrics.getDelivered()).isEqualTo(accepted);
      assertThat(accepted + metrics.getDropped()).isEqualTo(traffic.logged());
      assertThat(metrics.getBlockedCalls()).isZero();
      assertThat(metrics.getLost()).isZero();
    }
    List<String> lines = LogFiles.lines(logs, "debug\\.1\\.log\\.gz", "debug\\.log");
    assertThat(lines).hasSize(Math.toIntExact(accepted));
    assertThat(lines).extracting(Traffic::numberOfLine).isSorted().doesNotHaveDuplicates();
  }

  private static boolean hasRoom(SpillwayMetrics metrics) {
    return (long) metrics.value("SpillBytes") < metrics.getSpillCapacityBytes() / 10 * 9;
  }

  private static void assertFull(SpillwayMetrics metrics) {
    assertThat(metrics.getRingUsed()).isEqualTo(metrics.getRingCapacity());
    assertThat((long) metrics.value("SpillBytes"))
        .isGreaterThan(metrics.getSpillCapacityBytes() / 2);
  }
}
