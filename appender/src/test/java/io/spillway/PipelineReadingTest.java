package io.spillway;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.spi.ILoggingEvent;
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

  @Test
  void shouldBeFailingUntilTheNextStartOnceSomethingIsLost() {
    ContextAwareBase origin = new ContextAwareBase();
    Reports reports = new Reports(origin);
    LosingSink sink = new LosingSink();
    Pipeline<ILoggingEvent> pipeline =
        new Pipeline<>(
            new Pipeline.Parts<>(
                new PipelineContext("losing", new Counters(), reports),
                new Settings().check(origin),
                new Pipeline.Events<>(EventBatcher::new, null, null),
                new Pipeline.Destination(
                    sink,
                    BatchCodec.events(reports),
                    new Predecessors.Holding(null, null),
                    () -> ArchiveMetrics.NONE)));
    assertThat(pipeline.metrics().snapshot().sink().failing()).isFalse();
    sink.lost = true;
    assertThat(pipeline.metrics().snapshot().sink().failing())
        .as("also long after the last failure, of which there is none here")
        .isTrue();
  }
}
