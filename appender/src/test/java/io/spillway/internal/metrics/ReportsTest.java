package io.spillway.internal.metrics;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ch.qos.logback.core.ContextBase;
import ch.qos.logback.core.spi.ContextAwareBase;
import ch.qos.logback.core.status.ErrorStatus;
import ch.qos.logback.core.status.Status;
import ch.qos.logback.core.status.StatusListener;
import io.spillway.testkit.Gate;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Status messages off the thread that reports, and not too many of them. */
@Timeout(60)
class ReportsTest {
  private final AtomicLong seconds = new AtomicLong();
  private final ContextAwareBase origin = new ContextAwareBase();
  private final Reports reports;

  ReportsTest() {
    origin.setContext(new ContextBase());
    reports = new Reports(origin, () -> seconds.get() * 1_000_000_000L);
  }

  private List<String> told() {
    reports.flush();
    return origin.getContext().getStatusManager().getCopyOfStatusList().stream()
        .map(Status::getMessage)
        .toList();
  }

  private void listen(StatusListener listener) {
    origin.getContext().getStatusManager().add(listener);
  }

  private void failsAt(long second) {
    seconds.set(second);
    reports.warn("write", "fails at " + second);
  }

  private void worksAt(long second) {
    seconds.set(second);
    reports.over("write", "works at " + second);
  }

  @Test
  void shouldTellOncePerTopicInTenSecondsAndCountTheRest() {
    for (long second : new long[] {0, 1, 9, 10, 11}) {
      failsAt(second);
      reports.warn("other", "other at " + second);
      reports.info("always at " + second);
    }
    assertThat(told())
        .filteredOn(message -> !message.startsWith("always"))
        .containsExactly(
            "fails at 0",
            "other at 0",
            "fails at 10 (2 similar messages left out)",
            "other at 10 (2 similar messages left out)");
    assertThat(told()).filteredOn(message -> message.startsWith("always")).hasSize(5);
  }

  @Test
  void shouldTellThatItIsOverWhenTheFailureWasTold() {
    failsAt(0);
    worksAt(5);
    failsAt(11);
    worksAt(14);
    worksAt(15); // the failure that this would end is not told
    assertThat(told()).containsExactly("fails at 0", "works at 5", "fails at 11", "works at 14");
  }

  @Test
  void shouldChooseTheLevelByWhatHappened() {
    reports.info("1", "normal");
    reports.warn("2", "needs care");
    reports.error("3", "bad", null);
    IOException full = new IOException("disk full");
    reports.error("4", "with its cause", full);
    reports.add(new ErrorStatus("of Logback", origin));
    reports.flush();
    List<Status> all = origin.getContext().getStatusManager().getCopyOfStatusList();
    assertThat(all)
        .extracting(status -> status.getLevel() + " " + status.getMessage())
        .containsExactly("0 normal", "1 needs care", "2 bad", "2 with its cause", "2 of Logback");
    assertThat(all.get(3).getThrowable()).isSameAs(full);
  }

  @Test
  void shouldGoOnWhenAListenerThrows() {
    AtomicInteger calls = new AtomicInteger();
    listen(
        status -> {
          calls.incrementAndGet();
          throw new IllegalStateException("on purpose");
        });
    reports.info("one");
    reports.info("two");
    reports.flush();
    assertThat(calls).hasValue(2);
  }

  @Test
  void shouldNotWaitForAListenerThatHangsNorQueueWithoutEnd() {
    Gate gate = new Gate();
    gate.shut();
    List<String> heard = new CopyOnWriteArrayList<>();
    listen(
        status -> {
          gate.pass();
          heard.add(Thread.currentThread().getName());
        });
    reports.info("hangs");
    await().until(gate::isHolding);
    for (int i = 0; i < 1_000; i++) {
      reports.info("waits");
    }
    failsAt(0); // no room for it either
    gate.open();
    await().until(() -> told().size() == 257);
    failsAt(10);
    assertThat(told()).hasSize(258).last().isEqualTo("fails at 10 (1 similar messages left out)");
    assertThat(heard).hasSize(258).containsOnly("spillway-status");
  }

  @Test
  void shouldWaitASecondAtMostAndNotOnItsOwnThread() {
    Gate gate = new Gate();
    gate.shut();
    listen(
        status -> {
          reports.flush(); // as a listener does that stops an appender
          gate.pass();
        });
    reports.info("hangs");
    await().until(gate::isHolding);
    Thread.currentThread().interrupt();
    long before = System.nanoTime();
    reports.flush();
    long waited = System.nanoTime() - before;
    assertThat(Thread.interrupted()).as("kept").isTrue();
    assertThat(waited).isBetween(900_000_000L, 10_000_000_000L);
    gate.open();
  }

  @Test
  void shouldEndItsThreadWhenThereIsNothingToTell() {
    List<Thread> threads = new CopyOnWriteArrayList<>();
    listen(status -> threads.add(Thread.currentThread()));
    reports.info("one");
    await().until(() -> threads.size() == 1);
    assertThat(threads.get(0).isDaemon()).isTrue();
    assertThat(threads.get(0).getContextClassLoader()).isNull();
    await().until(() -> !threads.get(0).isAlive());
    reports.info("two");
    await().until(() -> threads.size() == 2);
    assertThat(threads.get(1)).isNotSameAs(threads.get(0));
  }

  @Test
  void shouldLoseNoMessageOfManyThreads() throws InterruptedException {
    List<Thread> threads = new ArrayList<>();
    AtomicInteger heard = new AtomicInteger();
    listen(status -> heard.incrementAndGet());
    for (int i = 0; i < 8; i++) {
      Thread thread =
          new Thread(
              () -> {
                for (int n = 0; n < 20; n++) {
                  reports.info("event");
                  reports.flush();
                }
              });
      thread.start();
      threads.add(thread);
    }
    for (Thread thread : threads) {
      thread.join();
    }
    await().untilAsserted(() -> assertThat(heard).hasValue(160));
  }

  @Test
  void shouldTellWithoutAContext() {
    Reports without = new Reports(new ContextAwareBase());
    without.info("nobody hears it");
    without.flush();
    assertThat(Reports.text(new io.spillway.testkit.Hostile())).endsWith("Hostile");
    assertThat(Reports.text(new IOException("x"))).isEqualTo("java.io.IOException: x");
  }
}
