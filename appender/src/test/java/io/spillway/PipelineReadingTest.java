package io.spillway;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.core.spi.ContextAwareBase;
import io.spillway.internal.metrics.Counters;
import io.spillway.internal.metrics.Reports;
import io.spillway.internal.ring.EventBatcher;
import io.spillway.internal.route.BatchCodec;
import io.spillway.internal.route.PipelineContext;
import io.spillway.internal.route.Predecessors;
import io.spillway.internal.sink.Batch;
import io.spillway.internal.sink.Delivery;
import io.spillway.internal.sink.Sink;
import io.spillway.metrics.ArchiveMetrics;
import io.spillway.metrics.LossCause;
import io.spillway.metrics.SpillwayMetrics;
import java.util.Map;
import org.junit.jupiter.api.Test;

class PipelineReadingTest {
  private static final class LosingSink implements Sink {
    private boolean lost;

    @Override
    public void deliver(Batch batch, boolean leftover, Delivery delivery) {}

    @Override
    public boolean hasLost() {
      return lost;
    }

    @Override
    public void close() {}
  }

  private final Counters counters = new Counters();
  private final LosingSink sink = new LosingSink();

  private SpillwayMetrics metrics() {
    ContextAwareBase origin = new ContextAwareBase();
    Reports reports = new Reports(origin);
    return new Pipeline<>(
            new Pipeline.Parts<>(
                new PipelineContext("losing", counters, reports),
                new Settings().check(origin),
                new Pipeline.Events<>(EventBatcher::new, null, null),
                new Pipeline.Destination(
                    sink,
                    BatchCodec.events(reports),
                    new Predecessors.Holding(null, null),
                    () -> ArchiveMetrics.NONE)))
        .metrics();
  }

  @Test
  void shouldBeFailingUntilTheNextStartOnceSomethingIsLost() {
    SpillwayMetrics metrics = metrics();
    assertThat(metrics.snapshot().sink().failing()).isFalse();
    sink.lost = true;
    assertThat(metrics.snapshot().sink().failing())
        .as("also long after the last failure, of which there is none here")
        .isTrue();
  }

  @Test
  void shouldAddUpTheTimeOfTheSinkAndKeepItsLongestStall() {
    SpillwayMetrics metrics = metrics();
    long minute = 60_000_000_000L;
    counters.sinkTime(minute);
    counters.sinkTime(1);
    assertThat(metrics.getSinkNanos()).isEqualTo(minute + 1);
    assertThat(metrics.getLongestStallNanos()).as("not the last").isEqualTo(minute);
    counters.sinkEntered(System.nanoTime() - 2 * minute);
    long stall = metrics.getStallNanos();
    assertThat(stall).isGreaterThanOrEqualTo(2 * minute);
    assertThat(metrics.getLongestStallNanos()).as("of all, also now").isGreaterThan(stall - 1);
    assertThat(metrics.getSinkNanos()).as("what has ended").isEqualTo(minute + 1);
  }

  @Test
  void shouldTellApartTheLevelsOfWhatWasDropped() {
    SpillwayMetrics metrics = metrics();
    counters.lost(LossCause.EVICTED, new int[] {1, 2, 3, 4, 5}, false);
    counters.lost(LossCause.EXPIRED, new int[] {10, 20, 30, 40, 50}, true);
    counters.droppedFull(Counters.LEVELS.indexOf("DEBUG"));
    assertThat(metrics.getLossByLevel())
        .isEqualTo(
            Map.of(
                "EVICTED", Map.of("TRACE", 1L, "DEBUG", 2L, "INFO", 3L, "WARN", 4L, "ERROR", 5L),
                "EXPIRED",
                    Map.of("TRACE", 10L, "DEBUG", 20L, "INFO", 30L, "WARN", 40L, "ERROR", 50L),
                "QUEUE_FULL",
                    Map.of("TRACE", 0L, "DEBUG", 1L, "INFO", 0L, "WARN", 0L, "ERROR", 0L)));
    assertThat(counters.settled()).as("of this run").isEqualTo(15);
  }

  @Test
  void shouldCountByLevelOnlyWhatSettingsChoose() {
    SpillwayMetrics live = metrics();
    counters.droppedFull(Counters.LEVELS.indexOf("WARN"));
    counters.dropped(LossCause.DISCARDED);
    counters.lost(LossCause.SINK_FAILED, 1, false);
    counters.lost(LossCause.EVICTED, new int[] {0, 0, 0, 2, 0}, false);

    assertThat(live.lossOf(LossCause.QUEUE_FULL, "WARN")).isOne();
    assertThat(live.lossOf(LossCause.EVICTED, "warn")).as("as the meter's tag").isEqualTo(2);
    for (LossCause cause : LossCause.values()) {
      if (!cause.isByPolicy()) {
        assertThat(Counters.LEVELS).as("%s", cause).allMatch(l -> live.lossOf(cause, l) == 0);
      }
      for (String level : new String[] {"NOTICE", "OFF", "", null}) {
        assertThat(live.lossOf(cause, level)).as("%s %s", cause, level).isZero();
        assertThat(SpillwayMetrics.NOT_STARTED.lossOf(cause, level)).isZero();
      }
    }
  }
}
