package io.spillway;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.core.ContextBase;
import ch.qos.logback.core.spi.ContextAwareBase;
import ch.qos.logback.core.status.Status;
import io.spillway.internal.metrics.Counters;
import io.spillway.internal.metrics.Reports;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;

class SpillOpenerTest {
  @Test
  void shouldTellOfEachKindOfFailureThoughAnotherWasToldJustNow() {
    ContextAwareBase to = new ContextAwareBase();
    to.setContext(new ContextBase());
    SpillOpener spill = new SpillOpener(new Counters(), new Reports(to));
    for (String operation : List.of("append", "sync", "read", "delete")) {
      for (int i = 0; i < 3; i++) {
        spill.onFailure(operation, Path.of("spill", "1.seg"), new IOException("no"));
      }
    }
    Reports.flush(to.getContext());
    assertThat(to.getContext().getStatusManager().getCopyOfStatusList())
        .extracting(Status::getMessage)
        .hasSize(4)
        .allMatch(message -> message.contains("To do: "));
  }
}
