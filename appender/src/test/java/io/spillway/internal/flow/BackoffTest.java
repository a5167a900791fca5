package io.spillway.internal.flow;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** How blocked log calls look for room: one after the other. */
class BackoffTest {
  private final Backoff backoff = new Backoff();

  @Test
  void shouldLetOneLookAtATimeHoweverManyWait() throws Exception {
    AtomicInteger looking = new AtomicInteger();
    AtomicInteger most = new AtomicInteger();
    Map<Thread, Integer> looks = new ConcurrentHashMap<>();
    List<Thread> threads = new ArrayList<>();
    for (int i = 0; i < 20; i++) {
      Thread thread =
          new Thread(
              () ->
                  backoff.await(
                      () -> {
                        most.accumulateAndGet(looking.incrementAndGet(), Math::max);
                        int own = looks.merge(Thread.currentThread(), 1, Integer::sum);
                        Thread.yield();
                        looking.decrementAndGet();
                        return own == 3;
                      },
                      () -> true,
                      nanos -> {}));
      threads.add(thread);
    }
    threads.forEach(Thread::start);
    for (Thread thread : threads) {
      thread.join();
    }
    assertThat(most).hasValue(1);
    assertThat(looks).hasSize(20);
    assertThat(backoff.waiting()).isZero();
  }

  @Test
  void shouldPauseLongerUpToAMillisecond() {
    List<Long> pauses = new ArrayList<>();
    backoff.await(() -> pauses.size() == 5, () -> true, pauses::add);
    assertThat(pauses.get(1)).isGreaterThanOrEqualTo(Backoff.FIRST_NANOS);
    assertThat(pauses.subList(3, 5)).allMatch(nanos -> nanos >= Backoff.LAST_NANOS);
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
        () -> tellings.get() == 2, // the first tells of the turn
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
