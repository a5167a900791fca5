package io.spillway.internal.ring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

import io.spillway.internal.route.Receipt;
import io.spillway.testkit.Calls;
import java.lang.ref.WeakReference;
import java.lang.reflect.Field;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Predicate;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

class EventRingTest {
  private static final long FOR_EVER = Long.MAX_VALUE;

  @Test
  void shouldRoundUpToAPowerOfTwoAndNeverBelowTheMinimum() {
    assertThat(new EventRing<String>(1, event -> 0, 0).capacity()).isEqualTo(16_384);
    assertThat(new EventRing<String>(256, event -> 0, 0).capacity()).isEqualTo(16_384);
    assertThat(new EventRing<String>(16_384, event -> 0, 0).capacity()).isEqualTo(16_384);
    assertThat(new EventRing<String>(16_385, event -> 0, 0).capacity()).isEqualTo(32_768);
  }

  @Test
  void shouldRefuseWhenFullAndTakeAgainOncePolled() {
    EventRing<Integer> ring = new EventRing<>(1, event -> 0, 0);
    for (int i = 0; i < ring.capacity(); i++) {
      assertThat(ring.tryPublish(i)).isTrue();
    }
    assertThat(ring.tryPublish(-1)).isFalse();
    assertThat(ring.used()).isEqualTo(ring.capacity());
    List<Integer> polled = new ArrayList<>();
    assertThat(
            poll(
                ring,
                event -> {
                  polled.add(event);
                  return polled.size() < 10;
                }))
        .isTrue();
    assertThat(polled).containsExactly(0, 1, 2, 3, 4, 5, 6, 7, 8, 9);
    assertThat(ring.tryPublish(-1)).isTrue();
    assertThat(ring.accepted()).isEqualTo(ring.capacity() + 1L);
  }

  /** Its consumer is gone: nobody else would tell them. */
  @Test
  void shouldRefuseThoseWhoWaitForWhatItAbandons() {
    EventRing<Integer> ring = EventRing.withSlots(8);
    Receipt first = new Receipt();
    Receipt second = new Receipt();
    assertThat(ring.tryPublish(1, first)).isTrue();
    assertThat(ring.tryPublish(2)).isTrue();
    assertThat(ring.tryPublish(3, second)).isTrue();
    assertThat(ring.abandon()).isEqualTo(3);
    assertThat(first.isSettled()).isTrue();
    assertThat(second.isSettled()).isTrue();
    assertThat(first.await(0, FOR_EVER)).isFalse();
  }

  /** Else whoever reads a metric of the stopped appender would do so for ever. */
  @Test
  void shouldTellWhatItHadAcceptedThoughItCouldNotBeClosed() {
    EventRing<Integer> ring = EventRing.withSlots(8);
    ring.tryPublish(1);
    ring.releaseBuffers();
    assertThat(assertTimeoutPreemptively(Duration.ofSeconds(30), ring::accepted)).isOne();
    assertThat(ring.tryPublish(2)).isFalse();
  }

  /** One byte each in 8 slots of 80 bytes in all: more than 10 is heavy. */
  @Test
  void shouldRefuseHeavyEventsBeyondItsWeightAndTakeThemOncePolled() {
    EventRing<Integer> ring = EventRing.withSlots(8, weight -> weight, 80);
    assertThat(ring.tryPublish(79)).isTrue();
    assertThat(ring.isHeavy()).isTrue();
    assertThat(ring.tryPublish(500)).as("the last one may be as heavy as it likes").isTrue();
    assertThat(ring.tryPublish(11)).isFalse();
    for (int i = 0; i < 6; i++) {
      assertThat(ring.tryPublish(10)).as("a light one").isTrue();
    }
    assertThat(ring.tryPublish(10)).as("no slot").isFalse();
    ring.release(ring.read((sequence, event, arguments) -> false));
    assertThat(ring.tryPublish(11)).as("a slot, but too heavy").isFalse();
    assertThat(ring.tryPublish(10)).isTrue();
    ring.release(ring.read((sequence, event, arguments) -> false));
    assertThat(ring.isHeavy()).isFalse();
    assertThat(ring.tryPublish(80)).isTrue();
    assertThat(ring.tryPublish(11)).isFalse();
    ring.release(ring.read((sequence, event, arguments) -> true));
    for (int i = 0; i < 8; i++) {
      assertThat(ring.tryPublish(10)).isTrue();
    }
    assertThat(ring.tryPublish(80)).as("no slot").isFalse();
    ring.release(ring.read((sequence, event, arguments) -> true));
    assertThat(ring.tryPublish(79)).as("what was refused weighs nothing").isTrue();
    assertThat(ring.tryPublish(11)).isTrue();
  }

  /** A log call near the end of its stack. */
  @Test
  void shouldWeighNothingThatItsPublisherCouldNotPublish() throws Exception {
    EventRing<Integer> ring = EventRing.withSlots(8, weight -> weight, 80);
    AtomicBoolean noStack = new AtomicBoolean();
    Claimed.whereItLooksForRoom(
        ring,
        () -> {
          if (noStack.get()) {
            throw new StackOverflowError("on purpose");
          }
        });
    for (int i = 0; i < 8; i++) {
      assertThat(ring.tryPublish(10)).isTrue();
    }
    ring.release(ring.read((sequence, event, arguments) -> true));
    noStack.set(true); // it looks for room once it has filled its slots
    assertThatThrownBy(() -> ring.tryPublish(80)).isInstanceOf(StackOverflowError.class);
    noStack.set(false);
    assertThat(ring.isHeavy()).isFalse();
    assertThat(ring.tryPublish(80)).isTrue();
    assertThat(ring.tryPublish(11)).isFalse();
  }

  @Test
  void shouldWeighOnceWhatItsPublisherCouldNotTellTheConsumer() throws Exception {
    EventRing<Integer> ring = EventRing.withSlots(8, weight -> weight, 80);
    Field sleeper = EventRing.class.getDeclaredField("sleeper");
    sleeper.setAccessible(true);
    sleeper.set(ring, null); // so the wake-up throws
    assertThat(ring.tryPublish(80)).as("accepted").isTrue();
    assertThat(ring.isHeavy()).isTrue();
    ring.release(ring.read((sequence, event, arguments) -> true));
    assertThat(ring.tryPublish(80)).isTrue();
    assertThat(ring.tryPublish(11)).isFalse();
  }

  /** Else it would stay claimed for ever, and with it the ring. */
  @Test
  void shouldFillTheSlotItHasClaimedWhateverIsThrown() {
    Calls publish =
        Calls.of(EventRing.class).stream()
            .filter(method -> method.name().startsWith("tryPublish(Ljava/lang/Object;ILjava"))
            .findAny()
            .orElseThrow();
    int claim = publish.all().indexOf("com/lmax/disruptor/MultiProducerSequencer.tryNext");
    assertThat(claim).isNotNegative();
    for (int call = claim + 1; call < publish.all().size(); call++) {
      assertThat(publish.caught(call, "java/lang/Throwable")).as(publish.all().get(call)).isTrue();
    }
  }

  @Test
  void shouldSealOnlyWhenEmptyAndRefuseEverythingAfterwards() {
    EventRing<Integer> ring = new EventRing<>(1, event -> 0, 0);
    ring.tryPublish(1);
    assertThat(ring.seal()).as("not empty").isFalse();
    poll(ring, event -> true);
    assertThat(ring.seal()).isTrue();
    assertThat(ring.tryPublish(2)).isFalse();
    assertThat(ring.accepted()).isEqualTo(1);
    assertThat(ring.used()).isZero();
    assertThat(poll(ring, event -> true)).as("a sealed ring has nothing").isFalse();
  }

  @Test
  void shouldNotKeepPolledEventsAlive() {
    EventRing<Object> ring = new EventRing<>(1, event -> 0, 0);
    WeakReference<Object> event = publishNew(ring);
    poll(ring, taken -> true);
    await()
        .untilAsserted(
            () -> {
              System.gc();
              assertThat(event.get()).isNull();
            });
    assertThat(ring.used()).as("the ring is still in use").isZero();
  }

  /** As the drainer does. */
  private static <E> boolean poll(EventRing<E> ring, Predicate<E> taker) {
    long before = ring.released();
    ring.release(ring.read((sequence, event, arguments) -> taker.test(event)));
    return ring.released() > before;
  }

  private static WeakReference<Object> publishNew(EventRing<Object> ring) {
    Object event = new Object();
    ring.tryPublish(event);
    return new WeakReference<>(event);
  }

  @Test
  @Timeout(60)
  void shouldWakeTheConsumerThatSleeps() throws Exception {
    EventRing<Integer> ring = new EventRing<>(1, event -> 0, 0);
    Thread consumer = new Thread(() -> ring.awaitEvent(FOR_EVER));
    consumer.setDaemon(true);
    consumer.start();
    await().until(() -> LockSupport.getBlocker(consumer) instanceof Sleeper);
    ring.tryPublish(1);
    consumer.join();
  }

  /** By a publisher that has no processor just now. */
  @Test
  @Timeout(60)
  void shouldLetTheConsumerParkWhileASlotIsClaimed() throws Exception {
    EventRing<Integer> ring = EventRing.withSlots(8);
    Claimed claimed = Claimed.of(ring);
    Thread consumer =
        new Thread(
            () -> {
              while (!poll(ring, event -> true)) {
                ring.awaitEvent(FOR_EVER);
              }
            });
    consumer.setDaemon(true);
    consumer.start();
    await().until(() -> LockSupport.getBlocker(consumer) instanceof Sleeper);
    claimed.publish(1);
    consumer.join();
    assertThat(ring.isEmpty()).isTrue();
  }

  /** The thread that ends the appender does not wait for it without a pause either. */
  @Test
  @Timeout(60)
  void shouldParkUntilAClaimedSlotCanBeAbandoned() throws Exception {
    EventRing<Integer> ring = EventRing.withSlots(8);
    Claimed claimed = Claimed.of(ring);
    AtomicLong abandoned = new AtomicLong();
    Thread end = new Thread(() -> abandoned.set(ring.abandon()));
    end.setDaemon(true);
    end.start();
    end.interrupt(); // of who stops; the pauses are none the shorter
    await().until(() -> LockSupport.getBlocker(end) == ring);
    claimed.publish(1);
    end.join();
    assertThat(abandoned.get()).isOne();
  }

  /** A publisher that comes while the consumer goes to sleep: neither may overlook the other. */
  @Test
  @Timeout(600) // of its long form on a busy machine
  void shouldNeverSleepThroughAnEvent() throws Exception {
    EventRing<Integer> ring = new EventRing<>(1, event -> 0, 0);
    int events = Boolean.getBoolean("spillway.test.full") ? 1_000_000 : 200_000;
    AtomicLong polled = new AtomicLong();
    Thread consumer =
        new Thread(
            () -> {
              while (polled.get() < events) {
                if (!poll(ring, event -> true)) {
                  ring.awaitEvent(FOR_EVER);
                } else {
                  polled.set(ring.accepted() - ring.used());
                }
              }
            });
    consumer.setDaemon(true);
    consumer.start();
    for (int i = 0; i < events; i++) {
      ring.tryPublish(i);
      while (polled.get() <= i) {
        assertThat(Thread.interrupted()).as("timed out: slept through event " + i).isFalse();
        Thread.onSpinWait();
      }
    }
    consumer.join();
  }

  /** Metrics are read at any time. */
  @Test
  @Timeout(120)
  void shouldCountWhatItHasAcceptedWhileItIsClosed() throws Exception {
    AtomicReference<EventRing<Integer>> one = new AtomicReference<>();
    AtomicReference<Object> wrong = new AtomicReference<>();
    AtomicBoolean done = new AtomicBoolean();
    Thread reader =
        new Thread(
            () -> {
              while (!done.get() && wrong.get() == null) {
                EventRing<Integer> ring = one.get();
                try {
                  if (ring != null && ring.accepted() != 1) {
                    wrong.set(ring.accepted());
                  }
                } catch (RuntimeException e) {
                  wrong.set(e);
                }
              }
            });
    reader.start();
    for (int round = 0; round < 50_000 && wrong.get() == null; round++) {
      EventRing<Integer> ring = EventRing.withSlots(4);
      ring.tryPublish(1);
      poll(ring, event -> true);
      one.set(ring);
      Thread.onSpinWait();
      ring.seal();
      ring.releaseBuffers();
    }
    done.set(true);
    reader.join();
    assertThat(wrong.get()).isNull();
  }

  /** Eight threads at saturation, sealed in the middle: published = polled, to the event. */
  @Test
  void shouldLoseNothingAtSaturationNorWhenSealed() throws Exception {
    int rounds = Boolean.getBoolean("spillway.test.full") ? 200 : 10;
    for (int round = 0; round < rounds; round++) {
      EventRing<Integer> ring = new EventRing<>(1, event -> 0, 0);
      AtomicLong published = new AtomicLong();
      AtomicBoolean calm = new AtomicBoolean();
      CountDownLatch go = new CountDownLatch(1);
      List<Thread> threads = new ArrayList<>();
      for (int t = 0; t < 8; t++) {
        Thread thread = new Thread(() -> publish(ring, published, calm, go));
        threads.add(thread);
        thread.start();
      }
      go.countDown();
      long[] polled = new long[1];
      while (polled[0] < 200_000) {
        poll(ring, event -> (polled[0] += event) >= 0);
      }
      for (int attempts = 0; !ring.seal(); attempts++) {
        poll(ring, event -> (polled[0] += event) >= 0);
        calm.set(attempts > 1_000); // it has to be empty for once
      }
      for (Thread thread : threads) {
        thread.interrupt();
        thread.join();
      }
      assertThat(polled[0]).isEqualTo(published.get()).isEqualTo(ring.accepted());
    }
  }

  /** Until interrupted, which comes after the seal. */
  private static void publish(
      EventRing<Integer> ring, AtomicLong published, AtomicBoolean calm, CountDownLatch go) {
    try {
      go.await();
    } catch (InterruptedException e) {
      return;
    }
    long mine = 0;
    while (!Thread.currentThread().isInterrupted()) {
      if (ring.tryPublish(1)) {
        mine++;
      } else {
        Thread.onSpinWait();
      }
      if (calm.get()) {
        LockSupport.parkNanos(50_000);
      }
    }
    published.addAndGet(mine);
  }
}
