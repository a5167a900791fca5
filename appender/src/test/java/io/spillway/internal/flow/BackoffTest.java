package io.spillway.internal.flow;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

/** How often blocked log calls look for room: all of them together no more than one would. */
class BackoffTest {
  private final Backoff backoff = new Backoff();

  @Test
  void shouldDoubleThePauseOfOneThatWaitsAloneUpToAMillisecond() {
    List<Long> micros =
        LongStream.iterate(Backoff.nextPause(0, 1), last -> Backoff.nextPause(last, 1))
            .limit(7)
            .map(TimeUnit.NANOSECONDS::toMicros)
            .boxed()
            .toList();
    assertThat(micros).containsExactly(50L, 100L, 200L, 400L, 800L, 1_000L, 1_000L);
  }

  @Test
  void shouldLookNoMoreThanTwentyThousandTimesASecondHoweverManyWait() {
    for (int waiting : new int[] {100, 300, 1_000}) {
      long looksPerSecond = waiting * TimeUnit.SECONDS.toNanos(1) / Backoff.nextPause(0, waiting);
      assertThat(looksPerSecond).as("%d waiting", waiting).isEqualTo(20_000);
    }
  }

  @Test
  void shouldNotKeepACallWaitingForMoreThanFiftyMillisecondsOnceThereIsRoom() {
    assertThat(Backoff.nextPause(0, 10_000)).isEqualTo(TimeUnit.MILLISECONDS.toNanos(50));
    assertThat(Backoff.nextPause(0, Integer.MAX_VALUE))
        .isEqualTo(TimeUnit.MILLISECONDS.toNanos(50));
  }

  @Test
  void shouldPauseForTheOthersAsLongAsTheyWaitAndNoLonger() throws InterruptedException {
    AtomicInteger looks = new AtomicInteger();
    Thread other = new Thread(() -> backoff.await(() -> looks.get() < 0, () -> true, nanos -> {}));
    other.setDaemon(true);
    assertThat(backoff.waiting()).isZero();
    assertThat(
            backoff.await(
                () -> {
                  if (looks.getAndIncrement() == 0) {
                    other.start();
                  }
                  return backoff.waiting() == 2;
                },
                () -> true,
                nanos -> {}))
        .isTrue();
    assertThat(backoff.waiting()).isOne();
    looks.set(Integer.MIN_VALUE);
    other.join();
    assertThat(backoff.waiting()).isZero();
  }

  @Test
  void shouldTellOfAWaitWhileItLastsAndOfNoMomentTwice() {
    AtomicLong told = new AtomicLong();
    AtomicInteger tellings = new AtomicInteger();
    long start = System.nanoTime();
    backoff.await(
        () -> tellings.get() == 3,
        () -> true,
        nanos -> {
          tellings.incrementAndGet();
          told.addAndGet(nanos);
        });
    assertThat(tellings).hasValue(3);
    assertThat(told.get()).isPositive().isLessThanOrEqualTo(System.nanoTime() - start);
  }

  @Test
  void shouldGiveUpWithoutSuccessAndKeepTheInterruptFlag() {
    AtomicInteger looks = new AtomicInteger();
    Thread.currentThread().interrupt();
    assertThat(
            backoff.await(() -> looks.incrementAndGet() == 9, () -> looks.get() < 3, nanos -> {}))
        .isFalse();
    assertThat(looks).hasValue(3);
    assertThat(Thread.interrupted()).isTrue();
    assertThat(backoff.await(() -> true, () -> true, nanos -> {})).isTrue();
    assertThat(Thread.interrupted()).isFalse();
  }
}
