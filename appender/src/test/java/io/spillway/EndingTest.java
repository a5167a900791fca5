package io.spillway;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ch.qos.logback.core.ContextBase;
import ch.qos.logback.core.spi.ContextAwareBase;
import ch.qos.logback.core.status.Status;
import io.spillway.internal.metrics.Counters;
import io.spillway.internal.metrics.Reports;
import io.spillway.internal.ring.EventRing;
import io.spillway.internal.route.PipelineContext;
import io.spillway.internal.route.Predecessors;
import io.spillway.internal.spill.Spill;
import io.spillway.internal.spill.SpillConfig;
import io.spillway.internal.spill.SpillKind;
import io.spillway.internal.spill.SpillListener;
import io.spillway.internal.spill.SpillRecord;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a stop tells. */
class EndingTest {
  @TempDir Path directory;

  private final ContextAwareBase origin = new ContextAwareBase();

  @Test
  void shouldNotBlameTheSinkForWhatIsSetAside() throws Exception {
    origin.setContext(new ContextBase());
    PipelineContext context = new PipelineContext("test", new Counters(), new Reports(origin));
    EventRing<String> ring = new EventRing<>(1, event -> 0, 1);
    SpillConfig config = new SpillConfig(directory, 1 << 20, SpillKind.EVENTS, 0, null, false);
    try (Spill spill = Spill.open(config, new SpillListener())) {
      spill.append(new Spill.Payload(new byte[2], 0, 2, 2));
      await().until(() -> isSetAside(spill));
      Ending ending =
          new Ending(
              context,
              new Ending.Subject(ring, null, null, null, new Predecessors.Holding(null, spill)),
              () -> {});
      ring.tryPublish("too large");
      ring.tryPublish("to be read");
      ending.tell();
      ring.tryPublish("to be taken");
      ending.tell();
    }
    String aside = "2 events wait in files that cannot be read or delivered now";
    Reports.flush(origin.getContext());
    assertThat(origin.getContext().getStatusManager().getCopyOfStatusList())
        .extracting(Status::getMessage)
        .satisfiesExactly(
            message -> assertThat(message).contains(aside).doesNotContain("maxFlushTime"),
            message -> assertThat(message).contains("within maxFlushTime: 1 events wait"),
            message -> assertThat(message).contains(aside));
  }

  private static boolean isSetAside(Spill spill) {
    SpillRecord record = spill.read();
    if (record != null) {
      spill.undelivered(record, 0);
    }
    return spill.setAsideEvents() == 2;
  }
}
