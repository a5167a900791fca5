package io.spillway.stress.load;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class SenderTest {

  private byte[] kept;

  @Test
  void shouldCountWhatTheCurrentThreadAllocates() {
    long before = Sender.allocatedByCurrentThread();
    kept = new byte[1_000_000];
    long after = Sender.allocatedByCurrentThread();

    assertThat(kept).hasSize(1_000_000);
    assertThat(after - before).isBetween(1_000_000L, 1_001_000L);
  }
}
