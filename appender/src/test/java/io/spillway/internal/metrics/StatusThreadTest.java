package io.spillway.internal.metrics;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class StatusThreadTest {
  private static final class WithoutThreads extends StatusThread {
    private long millis = Long.MAX_VALUE / 1_000_000;
    private boolean none = true;
    private int starts;

    WithoutThreads() {}

    WithoutThreads(Queue<Runnable> queue) {
      super(queue);
    }

    @Override
    Thread newThread() {
      starts++;
      return none ? new Unstartable() : super.newThread();
    }

    @Override
    long nanoTime() {
      return millis * 1_000_000;
    }
  }

  private static final class Unstartable extends Thread {
    @Override
    public void start() {
      throw new OutOfMemoryError("unable to create native thread");
    }
  }

  /** The JVM prints a warning for each start that fails. */
  @Test
  void shouldPauseBeforeItTriesAgainWhereThereIsNoThread() throws InterruptedException {
    WithoutThreads thread = new WithoutThreads();
    CountDownLatch told = new CountDownLatch(1);
    thread.offer(told::countDown);
    for (int i = 0; i < 1_000; i++) {
      thread.startIfNeeded();
    }
    assertThat(thread.starts).isEqualTo(1);
    thread.millis += 99;
    thread.startIfNeeded();
    assertThat(thread.starts).isEqualTo(1);
    thread.millis += 1;
    thread.startIfNeeded();
    thread.startIfNeeded();
    assertThat(thread.starts).isEqualTo(2);

    thread.none = false;
    thread.millis += 100;
    thread.startIfNeeded();
    assertThat(told.await(30, TimeUnit.SECONDS)).isTrue();
    assertThat(thread.starts).isEqualTo(3);
  }

  /** As the JDK's does at the end of a stack: what was added may be counted as not added. */
  @Test
  void shouldStartForWhatWaitsHoweverItIsCounted() throws InterruptedException {
    Queue<Runnable> queue =
        new ConcurrentLinkedQueue<>() {
          private static final long serialVersionUID = 1L;

          @Override
          public boolean offer(Runnable status) {
            super.offer(status);
            throw new StackOverflowError("on purpose");
          }
        };
    WithoutThreads thread = new WithoutThreads(queue);
    thread.none = false;
    CountDownLatch told = new CountDownLatch(1);
    assertThatThrownBy(() -> thread.offer(told::countDown)).isInstanceOf(StackOverflowError.class);
    thread.startIfNeeded();
    assertThat(thread.starts).isEqualTo(1);
    assertThat(told.await(30, TimeUnit.SECONDS)).isTrue();
  }

  @Test
  void shouldNotStartForNothingHoweverItIsCounted() {
    Queue<Runnable> queue = new ConcurrentLinkedQueue<>();
    WithoutThreads thread = new WithoutThreads(queue);
    thread.offer(() -> {});
    queue.clear();
    thread.startIfNeeded();
    assertThat(thread.starts).isZero();
  }
}
