package io.spillway.internal.metrics;

import static org.assertj.core.api.Assertions.assertThat;

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
}
