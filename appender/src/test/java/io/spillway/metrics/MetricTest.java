package io.spillway.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import io.spillway.internal.metrics.Counters;
import io.spillway.internal.metrics.Counters.Count;
import io.spillway.internal.metrics.FakeGauges;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The table of figures: names that dashboards rely on, and the figure that each name promises. */
class MetricTest {
  private final FakeGauges gauges = new FakeGauges();
  private final Counters counters = new Counters();
  private final SpillwayMetrics metrics = new SpillwayMetrics(gauges.gauges, counters);

  private static void times(int times, Runnable count) {
    for (int i = 0; i < times; i++) {
      count.run();
    }
  }

  /** Gives each figure a value of its own. */
  private void fill() {
    gauges.set("accepted", 10_000L);
    counters.add(Count.SPILLED, 2);
    gauges.set("syncedEvents", 3L);
    counters.delivered(4, false);
    counters.delivered(5, true);
    gauges.set("oldestPendingNanos", 7L);
    counters.lost(LossCause.EVICTED, 1_000, false);
    counters.lost(LossCause.SPILL_DAMAGED, 8, true);
    times(6, () -> counters.dropped(LossCause.QUEUE_FULL));
    times(9, () -> counters.dropped(LossCause.REENTRANT));
    counters.add(Count.BLOCKED_CALLS, 10);
    counters.add(Count.BLOCKED_NANOS, 11);
    counters.add(Count.ACKNOWLEDGED, 12);
    counters.add(Count.UNACKNOWLEDGED, 13);
    gauges.set("ringUsed", 14L);
    gauges.set("ringCapacity", 16L);
    gauges.set("spillBytes", 17L);
    gauges.set("spillCapacity", 18L);
    gauges.set("leftoverBytes", 19L);
    counters.add(Count.SPILL_EPISODES, 20);
    counters.add(Count.SPILL_FAILURES, 21);
    counters.add(Count.SINK_NANOS, 22);
    gauges.set("stallNanos", 23L);
    counters.add(Count.SINK_FAILURES, 24);
    counters.add(Count.ROLLOVERS, 25);
    gauges.set("archives", new ArchiveMetrics(26, 28, 29, "", 30));
    counters.add(Count.WORKER_FAILURES, 31);
  }

  @Test
  void shouldReadWhatItsNameSays() {
    fill();
    List<String> values = new ArrayList<>();
    for (Metric metric : Metric.values()) {
      values.add(metric.attribute() + " " + metric.meter() + " " + metrics.value(metric));
    }
    assertThat(values)
        .containsExactly(
            "Accepted spillway.events.accepted 10000",
            "Spilled spillway.events.spilled 2",
            "Synced spillway.events.synced 3",
            "Delivered spillway.events.delivered 4",
            "Recovered spillway.events.recovered 5",
            "Pending spillway.events.pending 8996",
            "OldestPendingNanos spillway.events.oldest.age 7",
            "Lost spillway.events.lost 1008",
            "Dropped spillway.events.lost 15",
            "BlockedCalls spillway.blocked.calls 10",
            "BlockedNanos spillway.blocked.time 11",
            "AcknowledgedCalls spillway.acknowledged.calls 12",
            "UnacknowledgedCalls spillway.unacknowledged.calls 13",
            "RingUsed spillway.ring.used 14",
            "RingCapacity spillway.ring.capacity 16",
            "SpillBytes spillway.spill.used 17",
            "SpillCapacityBytes spillway.spill.capacity 18",
            "LeftoverBytes spillway.spill.leftover 19",
            "SpillEpisodes spillway.spill.episodes 20",
            "SpillFailures spillway.spill.failures 21",
            "SinkNanos spillway.sink.time 22",
            "StallNanos spillway.sink.stall 23",
            "SinkFailures spillway.sink.failures 24",
            "Rollovers spillway.rollovers 25",
            "ArchiveBacklogFiles spillway.archive.backlog.files 26",
            "Archived spillway.archive.files 28",
            "ArchiveFailures spillway.archive.failures 29",
            "ArchivesOwed spillway.archive.listener.owed 30",
            "WorkerFailures spillway.worker.failures 31",
            "Health spillway.health 2");
  }

  @Test
  void shouldReadItByItsNameInJmxAsByItsGetter() throws Exception {
    fill();
    int getters = 0;
    for (Method getter : SpillwayMetrics.class.getMethods()) {
      String name = getter.getName();
      boolean ofFigure = getter.getReturnType() == long.class || name.startsWith("getHealth");
      if (name.startsWith("get") && ofFigure) {
        assertThat(getter.invoke(metrics)).as(name).isEqualTo(metrics.value(name.substring(3)));
        getters++;
      }
    }
    assertThat(getters).isGreaterThan(12);
    assertThat(metrics.getLossByCause())
        .hasSize(LossCause.values().length)
        .containsEntry("EVICTED", 1_000L)
        .containsEntry("QUEUE_FULL", 6L)
        .containsEntry("DISCARDED", 0L);
    assertThat(metrics.lossOf(LossCause.SPILL_DAMAGED)).isEqualTo(8);
    assertThat(metrics.value("LossSpillDamaged")).isEqualTo(8L);
  }

  @Test
  void shouldBeZeroBeforeAStart() {
    for (Metric metric : Metric.values()) {
      assertThat(SpillwayMetrics.NOT_STARTED.value(metric))
          .as(metric.attribute())
          .isEqualTo(metric == Metric.HEALTH ? 2 : 0);
    }
    assertThat(SpillwayMetrics.NOT_STARTED.getLossByCause()).doesNotContainValue(1L).hasSize(10);
    assertThat(SpillwayMetrics.NOT_STARTED.health()).isEqualTo(Health.NOT_STARTED);
  }

  @Test
  void shouldTellWhatEachMeans() {
    assertThat(SpillwayMetrics.descriptions())
        .containsOnlyKeys(names())
        .doesNotContainValue("")
        .containsEntry("RingUsed", "Used slots of the ring [events]");
    assertThat(Arrays.stream(Metric.values()).map(Metric::help)).doesNotHaveDuplicates();
    for (String name : names()) {
      assertThat(metrics.value(name)).as(name).isNotNull();
    }
    assertThat(metrics.value("Unknown")).isNull();
  }

  private static List<String> names() {
    List<String> names =
        new ArrayList<>(
            List.of(
                "LossQueueFull",
                "LossDiscarded",
                "LossReentrant",
                "LossStopped",
                "LossPrepareFailed",
                "LossEncodeFailed",
                "LossSinkFailed",
                "LossSpillDamaged",
                "LossNotSaved",
                "LossEvicted",
                "HealthReason"));
    Arrays.stream(Metric.values()).map(Metric::attribute).forEach(names::add);
    return names;
  }

  /** Of an event that is settled while the figures are read. */
  @Test
  void shouldNeverShowLessThanNothingPending() {
    counters.delivered(5, false);
    gauges.set("accepted", 4L);
    assertThat(metrics.getPending()).isZero();
  }
}
