package io.spillway;

import static org.assertj.core.api.Assertions.assertThat;

import io.spillway.metrics.SpillwayMetrics;
import io.spillway.testkit.GatedAppender;
import io.spillway.testkit.Ledger;
import io.spillway.testkit.Rig;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Nothing lost, duplicated or out of order, whatever the sink does. */
class ConservationTest {
  private static final int THREADS = 8;
  private static final int PER_THREAD =
      Boolean.getBoolean("spillway.test.full") ? 12_500_000 : 125_000;

  @TempDir Path directory;

  @ParameterizedTest
  @ValueSource(strings = {"OVERFLOW", "ALWAYS"})
  void shouldConserveEventsAndOrderWhileTheSinkStallsAtRandom(String mode) throws Exception {
    GatedAppender nested = new GatedAppender();
    try (Rig rig = new Rig(directory, nested)) {
      rig.appender.setSpillMode(mode);
      rig.appender.setMemoryBuffer("256 KB");
      rig.start();
      AtomicBoolean done = new AtomicBoolean();
      Thread toggler = new Thread(() -> toggle(nested, done));
      toggler.start();
      logFromAllThreads(rig);
      done.set(true);
      toggler.join();
      rig.awaitDelivered();

      Ledger.assertComplete(nested.messages(), THREADS, PER_THREAD);
      SpillwayMetrics metrics = rig.appender.getMetrics();
      assertThat(metrics.getAccepted()).isEqualTo((long) THREADS * PER_THREAD);
      assertThat(metrics.getDelivered()).isEqualTo(metrics.getAccepted());
      assertThat(metrics.getPending()).isZero();
      assertThat(metrics.getLost()).isZero();
      assertThat(metrics.getDropped()).isZero();
      assertThat(metrics.getSpilled()).as("the spill was used").isPositive();
    }
    assertThat(Rig.filesBelow(directory)).as("a clean stop leaves nothing").isEmpty();
  }

  private static void toggle(GatedAppender nested, AtomicBoolean done) {
    Random random = new Random(42);
    while (!done.get()) {
      nested.shut();
      LockSupport.parkNanos(random.nextInt(30_000_000));
      nested.open();
      LockSupport.parkNanos(random.nextInt(30_000_000));
    }
  }

  private static void logFromAllThreads(Rig rig) throws InterruptedException {
    List<Thread> threads = new ArrayList<>();
    for (int t = 0; t < THREADS; t++) {
      int id = t;
      Thread thread =
          new Thread(
              () -> {
                for (int i = 0; i < PER_THREAD; i++) {
                  rig.logger.info("{}:{}", id, i);
                }
              });
      threads.add(thread);
      thread.start();
    }
    for (Thread thread : threads) {
      thread.join();
    }
  }

  @Test
  void shouldKeepHappensBeforeOrderAcrossThreadsAndAcrossTheSpill() throws Exception {
    GatedAppender nested = new GatedAppender();
    try (Rig rig = new Rig(directory, nested)) {
      rig.appender.setMemoryBuffer("64 KB");
      rig.start();
      AtomicBoolean done = new AtomicBoolean();
      Thread toggler = new Thread(() -> toggle(nested, done));
      toggler.start();
      SynchronousQueue<Integer> baton = new SynchronousQueue<>();
      int rounds = 50_000;
      Thread second =
          new Thread(
              () -> {
                for (int i = 0; i < rounds; i++) {
                  rig.logger.info("0:{}", 2 * take(baton) + 1);
                }
              });
      second.start();
      for (int i = 0; i < rounds; i++) {
        rig.logger.info("0:{}", 2 * i);
        baton.put(i);
      }
      second.join();
      done.set(true);
      toggler.join();
      rig.awaitDelivered();

      // B logs 2i+1 after A logged 2i; A's next may come before or after it.
      List<Integer> position = positions(nested.messages(), 2 * rounds);
      for (int i = 0; i < rounds; i++) {
        assertThat(position.get(2 * i)).isLessThan(position.get(2 * i + 1));
      }
      assertThat(rig.appender.getMetrics().getSpilled()).isPositive();
    }
  }

  private static List<Integer> positions(List<String> messages, int count) {
    assertThat(messages).hasSize(count);
    List<Integer> position = new ArrayList<>(java.util.Collections.nCopies(count, -1));
    for (int p = 0; p < messages.size(); p++) {
      position.set(Integer.parseInt(messages.get(p).substring(2)), p);
    }
    return position;
  }

  private static int take(SynchronousQueue<Integer> baton) {
    try {
      return baton.take();
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }
}
