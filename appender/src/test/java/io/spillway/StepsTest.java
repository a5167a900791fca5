package io.spillway;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.core.spi.ContextAwareBase;
import io.spillway.internal.metrics.Counters;
import io.spillway.internal.metrics.Reports;
import io.spillway.internal.route.PipelineContext;
import org.junit.jupiter.api.Test;

/** How whoever ends a pipeline waits for its steps. */
class StepsTest {
  private static final long LOOK_NANOS = 20_000_000L;

  @Test
  void shouldWaitBetweenTwoLooksThoughTheCallerIsInterrupted() {
    Steps steps = new NotBegun();
    boolean over = false;
    Thread.currentThread().interrupt();
    long begin = System.nanoTime();
    for (int look = 0; look < 10; look++) {
      over |= steps.awaitOver(LOOK_NANOS);
    }
    long waited = System.nanoTime() - begin;
    assertThat(over).isFalse();
    assertThat(waited)
        .as("a park may end early for no reason, but not each")
        .isGreaterThan(5 * LOOK_NANOS);
    assertThat(Thread.interrupted()).isTrue();
  }

  private static final class NotBegun extends Steps {
    NotBegun() {
      super(new PipelineContext("test", new Counters(), new Reports(new ContextAwareBase())), 1);
    }

    @Override
    void take(int step) {}

    @Override
    String failure() {
      return "";
    }
  }
}
