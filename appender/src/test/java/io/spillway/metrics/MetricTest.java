package io.spillway.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.EnumMap;
import java.util.EnumSet;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Each metric reads the figure of its name: all figures of this snapshot differ. */
class MetricTest {
  private static Snapshot snapshot() {
    Map<LossCause, Long> losses = new EnumMap<>(LossCause.class);
    for (LossCause cause : LossCause.values()) {
      losses.put(cause, cause.beforeAcceptance() ? 1_000L : 100_000L);
    }
    return new Snapshot(
        true,
        new Snapshot.Events(1, 2, 3, 4, 5, 6, 7),
        losses,
        Map.of(),
        Set.of(),
        new Snapshot.Blocked(8, 9, 0, false),
        new Snapshot.Acknowledged(31, 32, false),
        new Snapshot.Fill(10, 11),
        new Snapshot.Fill(12, 13),
        new Snapshot.Fill(14, 140),
        new Snapshot.Spilling(true, false, false, 15, 16, 17),
        new Snapshot.Sink(18, 19, 20, 21, false, false, 22),
        new ArchiveMetrics(2, 24, 25, 26, 27, 28, 29, "", 33, 34, 35),
        new Snapshot.Workers(30, false, 0, false));
  }

  @Test
  void shouldReadWhatItsNameSays() {
    Map<String, Long> values = new java.util.HashMap<>();
    for (Metric metric : Metric.values()) {
      values.put(metric.attribute(), metric.value(snapshot()));
    }
    assertThat(values)
        .isEqualTo(
            Map.ofEntries(
                Map.entry("Accepted", 1L),
                Map.entry("Delivered", 2L),
                Map.entry("Pending", 3L),
                Map.entry("Spilled", 4L),
                Map.entry("Synced", 5L),
                Map.entry("Recovered", 6L),
                Map.entry("OldestPendingNanos", 7L),
                Map.entry("Lost", 600_000L),
                Map.entry("Dropped", 5_000L),
                Map.entry("LostByPolicy", 201_000L),
                Map.entry("BlockedCalls", 8L),
                Map.entry("BlockedNanos", 9L),
                Map.entry("AcknowledgedCalls", 31L),
                Map.entry("UnacknowledgedCalls", 32L),
                Map.entry("RingUsed", 10L),
                Map.entry("RingCapacity", 11L),
                Map.entry("MemoryBytes", 12L),
                Map.entry("MemoryCapacityBytes", 13L),
                Map.entry("SpillBytes", 14L),
                Map.entry("SpillCapacityBytes", 140L),
                Map.entry("SpillEpisodes", 15L),
                Map.entry("SpillFailures", 16L),
                Map.entry("LeftoverBytes", 17L),
                Map.entry("SinkNanos", 18L),
                Map.entry("StallNanos", 19L),
                Map.entry("LongestStallNanos", 20L),
                Map.entry("SinkFailures", 21L),
                Map.entry("Rollovers", 22L),
                Map.entry("ArchiveBacklogFiles", 2L),
                Map.entry("ArchiveBacklogBytes", 24L),
                Map.entry("Archived", 25L),
                Map.entry("ArchiveFailures", 28L),
                Map.entry("ArchivesTaken", 33L),
                Map.entry("ArchivesOwed", 34L),
                Map.entry("ArchiveRefusals", 35L),
                Map.entry("WorkerFailures", 30L),
                Map.entry("Health", 0L)));
    assertThat(EnumSet.allOf(Metric.class)).hasSameSizeAs(values.keySet());
  }
}
