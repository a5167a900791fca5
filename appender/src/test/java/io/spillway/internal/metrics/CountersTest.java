package io.spillway.internal.metrics;

import static org.assertj.core.api.Assertions.assertThat;

import io.spillway.internal.metrics.Counters.Count;
import io.spillway.metrics.LossCause;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class CountersTest {
  private final AtomicLong millis = new AtomicLong(Long.MAX_VALUE / 2_000_000);
  private final Counters counters = new Counters(() -> millis.get() * 1_000_000);

  @Test
  void shouldSettleWhatThisRunAcceptedAlone() {
    counters.delivered(10, false);
    counters.delivered(20, true);
    counters.lost(LossCause.EVICTED, 3, false);
    counters.lost(LossCause.EVICTED, 4, true);
    counters.dropped(LossCause.QUEUE_FULL);
    assertThat(counters.settled()).isEqualTo(13);
    assertThat(counters.count(Count.DELIVERED)).isEqualTo(10);
    assertThat(counters.count(Count.RECOVERED)).isEqualTo(20);
    assertThat(counters.count(LossCause.EVICTED)).isEqualTo(7);
    assertThat(counters.count(LossCause.QUEUE_FULL)).isEqualTo(1);
  }

  @Test
  void shouldForgetAfterTenSeconds() {
    assertThat(counters.isRecent(LossCause.QUEUE_FULL)).as("none ever").isFalse();
    counters.dropped(LossCause.QUEUE_FULL);
    counters.add(Count.SINK_FAILURES, 1);
    millis.addAndGet(9_999);
    assertThat(counters.isRecent(LossCause.QUEUE_FULL)).isTrue();
    assertThat(counters.isRecent(Count.SINK_FAILURES)).isTrue();
    assertThat(counters.isRecent(Count.SPILL_FAILURES)).isFalse();
    counters.dropped(LossCause.QUEUE_FULL);
    millis.addAndGet(1);
    assertThat(counters.isRecent(LossCause.QUEUE_FULL)).as("again meanwhile").isTrue();
    assertThat(counters.isRecent(Count.SINK_FAILURES)).isFalse();
    millis.addAndGet(10_000);
    assertThat(counters.isRecent(LossCause.QUEUE_FULL)).isFalse();
    assertThat(counters.count(LossCause.QUEUE_FULL)).isEqualTo(2);
  }

  @Test
  void shouldCountEachDropOfManyThreads() throws InterruptedException {
    List<Thread> threads = new ArrayList<>();
    for (int i = 0; i < 8; i++) {
      Thread thread =
          new Thread(
              () -> {
                for (int n = 0; n < 50_000; n++) {
                  counters.dropped(LossCause.QUEUE_FULL);
                  counters.add(Count.BLOCKED_NANOS, 2);
                }
              });
      thread.start();
      threads.add(thread);
    }
    for (Thread thread : threads) {
      thread.join();
    }
    assertThat(counters.count(LossCause.QUEUE_FULL)).isEqualTo(400_000);
    assertThat(counters.count(Count.BLOCKED_NANOS)).isEqualTo(800_000);
  }
}
