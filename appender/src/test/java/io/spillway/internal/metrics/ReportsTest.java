package io.spillway.internal.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.core.ContextBase;
import ch.qos.logback.core.spi.ContextAwareBase;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class ReportsTest {
  private final AtomicLong seconds = new AtomicLong();
  private final ContextAwareBase origin = new ContextAwareBase();
  private final Reports reports;

  ReportsTest() {
    origin.setContext(new ContextBase());
    reports = new Reports(origin, () -> seconds.get() * 1_000_000_000L);
  }

  private void fails(long at) {
    seconds.set(at);
    reports.warn("write", "fails at " + at);
  }

  private void works(long at) {
    seconds.set(at);
    reports.over("write", "works at " + at);
  }

  private void assertTold(String... messages) {
    Reports.flush(origin.getContext());
    assertThat(origin.getContext().getStatusManager().getCopyOfStatusList())
        .extracting(status -> status.getMessage().replaceFirst(" \\(\\d+ similar.*", ""))
        .containsExactly(messages);
  }

  @Test
  void shouldTellThatItIsOverWhenTheFailureWasTold() {
    fails(0);
    works(5);
    fails(11);
    works(14);
    assertTold("fails at 0", "works at 5", "fails at 11", "works at 14");
  }

  @Test
  void shouldNotFloodWhenItFailsAndWorksByTurns() {
    for (long second = 0; second < 10; second += 2) {
      fails(second);
      works(second + 1);
    }
    assertTold("fails at 0", "works at 1");
  }

  /** Something that lasts may tell only at its end what it was. */
  @Test
  void shouldTellThatItIsOverThoughTheFailureWasLeftOut() {
    fails(0);
    works(5);
    fails(6);
    works(16);
    assertTold("fails at 0", "works at 5", "works at 16");
  }
}
