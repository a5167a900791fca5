package io.spillway.internal.sink;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class DeliveryTest {
  private final Batch first = new ByteBatch(new byte[1], 3);
  private final Batch second = new ByteBatch(new byte[1], 3);

  @Test
  void shouldRefuseClaimsOnceFenced() {
    Delivery delivery = new Delivery();
    assertThat(delivery.begin(first)).isTrue();
    assertThat(delivery.claim(1)).isTrue();
    delivery.done(1);
    delivery.fence();
    assertThat(delivery.claim(2)).isFalse();
    assertThat(delivery.begin(second)).isFalse();
    assertThat(delivery.fenced()).isTrue();
  }

  @Test
  void shouldTellWhatWasTakenOfTheBatchInFlightOnly() {
    Delivery delivery = new Delivery();
    delivery.begin(first);
    delivery.claim(1);
    delivery.done(1);
    delivery.claim(2);
    assertThat(delivery.takenOf(first)).isEqualTo(1);
    assertThat(delivery.takenOf(second)).isZero();
  }

  @Test
  void shouldClaimAgainAfterUnclaim() {
    Delivery delivery = new Delivery();
    delivery.begin(first);
    assertThat(delivery.claim(3)).isTrue();
    delivery.unclaim(3);
    assertThat(delivery.claim(3)).isTrue();
  }

  @Test
  void shouldStopAfterItsClaims() {
    Delivery delivery = new Delivery(1);
    delivery.begin(first);
    assertThat(delivery.claim(3)).isTrue();
    delivery.unclaim(3);
    assertThat(delivery.claim(3)).isFalse();
  }

  /** Races the fence against claims: an event is either given away or saved, never neither. */
  @Test
  void shouldNeverBothTakeAndSaveNorForget() throws Exception {
    for (int round = 0; round < 2_000; round++) {
      Delivery delivery = new Delivery();
      AtomicInteger taken = new AtomicInteger();
      CyclicBarrier barrier = new CyclicBarrier(2);
      delivery.begin(first);
      Thread deliverer =
          new Thread(
              () -> {
                await(barrier);
                for (int i = 1; i <= 3 && delivery.claim(i); i++) {
                  taken.incrementAndGet();
                  delivery.done(i);
                }
              });
      deliverer.start();
      await(barrier);
      delivery.fence();
      deliverer.join();
      assertThat(delivery.takenOf(first)).isEqualTo(taken.get());
    }
  }

  private static void await(CyclicBarrier barrier) {
    try {
      barrier.await(10, TimeUnit.SECONDS);
    } catch (Exception e) {
      throw new IllegalStateException(e);
    }
  }
}
