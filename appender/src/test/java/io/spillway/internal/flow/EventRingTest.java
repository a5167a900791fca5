package io.spillway.internal.flow;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

class EventRingTest {
  private final Sleeper reader = new Sleeper();
  private final Sleeper spiller = new Sleeper();

  private EventRing ring(int slots, long maxWeight) {
    return new EventRing(slots, maxWeight, reader, spiller);
  }

  private static boolean publish(EventRing ring, Object event) {
    return ring.tryPublish(event, 1, null);
  }

  private static Receipt release(EventRing ring, int events) {
    return ring.release(ring.released() + events);
  }

  @Test
  void shouldRoundUpToAPowerOfTwoAndNeverBelowTheMinimum() {
    assertThat(EventRing.capacity(1)).isEqualTo(16_384);
    assertThat(EventRing.capacity(16_384)).isEqualTo(16_384);
    assertThat(EventRing.capacity(16_385)).isEqualTo(32_768);
    assertThat(EventRing.capacity(EventRing.MAX_CAPACITY)).isEqualTo(EventRing.MAX_CAPACITY);
  }

  @Test
  void shouldRefuseWhenFullAndTakeAgainOnceReleased() {
    EventRing ring = ring(8, 0);
    for (int i = 0; i < 8; i++) {
      assertThat(publish(ring, i)).isTrue();
    }
    assertThat(publish(ring, -1)).isFalse();
    assertThat(ring.used()).isEqualTo(8);
    for (int i = 0; i < 8; i++) {
      assertThat(ring.event(i)).isEqualTo(i);
    }
    release(ring, 3);
    assertThat(ring.used()).isEqualTo(5);
    assertThat(publish(ring, 8)).isTrue();
    assertThat(ring.event(8)).isEqualTo(8);
    assertThat(ring.event(9)).as("of the round before").isNull();
    assertThat(ring.accepted()).isEqualTo(9);
  }

  /** Heavy events are bounded together; the last one may be as heavy as it likes. */
  @Test
  void shouldRefuseHeavyEventsBeyondItsWeightAndTakeThemOnceReleased() {
    EventRing ring = ring(8, 10_000);
    assertThat(ring.tryPublish("a", 9_999, null)).isTrue();
    assertThat(ring.isHeavy()).isTrue();
    assertThat(ring.tryPublish("b", 50_000, null)).isTrue();
    assertThat(ring.tryPublish("c", 2_000, null)).isFalse();
    assertThat(ring.tryPublish("d", EventRing.LIGHT_BYTES, null)).as("a light one").isTrue();
    release(ring, 1);
    assertThat(ring.tryPublish("e", 2_000, null)).as("still too heavy").isFalse();
    release(ring, 1);
    assertThat(ring.isHeavy()).isFalse();
    assertThat(ring.tryPublish("f", 10_000, null)).isTrue();
    assertThat(ring.tryPublish("g", 2_000, null)).isFalse();
    release(ring, 2);
    for (int i = 0; i < 8; i++) {
      assertThat(publish(ring, i)).isTrue();
    }
    assertThat(ring.tryPublish("h", 2_000, null)).as("no slot").isFalse();
    release(ring, 8);
    assertThat(ring.isHeavy()).as("what was refused weighs nothing").isFalse();
  }

  @Test
  void shouldReturnReceiptsInOrderAndKnowWhetherACallerWaits() {
    EventRing ring = ring(8, 0);
    Receipt first = new Receipt();
    Receipt second = new Receipt();
    publish(ring, "a");
    assertThat(ring.hasCallers()).isFalse();
    ring.tryPublish("b", 1, first);
    ring.tryPublish("c", 1, second);
    assertThat(ring.hasCallers()).isTrue();
    assertThat(ring.event(1)).isEqualTo("b");
    assertThat(release(ring, 1)).isNull();
    Receipt chain = release(ring, 2);
    assertThat(chain).isSameAs(first);
    assertThat(ring.hasCallers()).isFalse();
    Receipt.settle(chain, true);
    assertThat(first.await(0)).isTrue();
    assertThat(second.await(0)).isTrue();
  }

  @Test
  void shouldBeHighAtThreeQuartersOfItsSlotsOrItsWeight() {
    EventRing ring = ring(64, 10_000);
    for (int i = 0; i < 47; i++) {
      publish(ring, i);
    }
    assertThat(ring.isHigh()).isFalse();
    publish(ring, 47);
    assertThat(ring.isHigh()).isTrue();
    release(ring, 48);
    assertThat(ring.isHalfFull()).isFalse();
    ring.tryPublish("heavy", 7_499, null);
    assertThat(ring.isHigh()).isFalse();
    ring.tryPublish("heavy", 1_025, null);
    assertThat(ring.isHigh()).isTrue();
  }

  /** A publisher compares with a mark that moves once in a sixteenth of the ring. */
  @Test
  @Timeout(30)
  void shouldWakeTheSpillerOnceTheRingIsHigh() throws Exception {
    EventRing ring = ring(64, 0);
    for (int i = 0; i < 40; i++) {
      publish(ring, i);
    }
    release(ring, 40);
    AtomicBoolean woken = new AtomicBoolean();
    CountDownLatch asleep = new CountDownLatch(1);
    Thread thread =
        new Thread(
            () -> {
              spiller.sleepWhile(
                  () -> {
                    asleep.countDown();
                    return true;
                  },
                  Long.MAX_VALUE);
              woken.set(true);
            });
    thread.start();
    asleep.await();
    for (int i = 0; i < 48; i++) {
      assertThat(woken).as("after %d", i).isFalse();
      publish(ring, i);
    }
    for (int i = 48; i < 48 + 64 / 16 && thread.isAlive(); i++) {
      publish(ring, i);
    }
    thread.join();
    assertThat(woken).isTrue();
  }

  @Test
  void shouldBeSealedOnlyWhenEmptyAndTellWhatItHadAccepted() {
    EventRing ring = ring(8, 0);
    publish(ring, 1);
    assertThat(ring.seal()).isFalse();
    assertThat(ring.accepted()).isEqualTo(1);
    assertThat(publish(ring, 2)).isTrue();
    release(ring, 2);
    assertThat(ring.seal()).isTrue();
    assertThat(publish(ring, 3)).isFalse();
    assertThat(ring.accepted()).isEqualTo(2);
    assertThat(ring.isEmpty()).isTrue();
    assertThat(ring.used()).isZero();
  }

  /** Whatever is accepted is read, in the order of each publisher, although the ring is sealed. */
  @Test
  @Timeout(60)
  void shouldLoseNothingThatWasAcceptedBeforeTheSeal() throws Exception {
    for (int round = 0; round < 50; round++) {
      EventRing ring = ring(64, 0);
      AtomicLong accepted = new AtomicLong();
      List<Thread> publishers = new ArrayList<>();
      AtomicBoolean sealed = new AtomicBoolean();
      for (int p = 0; p < 4; p++) {
        int publisher = p;
        publishers.add(
            new Thread(
                () -> {
                  for (int i = 0; !sealed.get(); ) {
                    if (publish(ring, new int[] {publisher, i})) {
                      i++;
                      accepted.incrementAndGet();
                    } else {
                      Thread.yield();
                    }
                  }
                }));
      }
      publishers.forEach(Thread::start);
      int[] next = new int[4];
      long read = 0;
      while (read < 500 || !ring.seal()) {
        if (ring.event(ring.released() + 1) instanceof int[] event) {
          assertThat(event[1]).isEqualTo(next[event[0]]++);
          release(ring, 1);
          read++;
        } else {
          Thread.yield();
        }
      }
      sealed.set(true);
      for (Thread publisher : publishers) {
        publisher.join();
      }
      assertThat(read).isEqualTo(accepted.get()).isEqualTo(ring.accepted());
    }
  }
}
