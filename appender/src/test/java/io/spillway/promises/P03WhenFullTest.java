package io.spillway.promises;

import static io.spillway.metrics.LossCause.EVICTED;
import static io.spillway.metrics.LossCause.QUEUE_FULL;
import static org.assertj.core.api.Assertions.assertThat;

import io.spillway.metrics.Health;
import io.spillway.metrics.SpillwayMetrics;
import io.spillway.testkit.Probe;
import io.spillway.testkit.Probe.Kind;
import io.spillway.testkit.SequenceCheck;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;

/**
 * Promise 3: when ring and spill are full {@code whenFull} decides. {@code BLOCK} waits, {@code
 * DROP} and {@code DROP_OLDEST} drop and count by cause, and with {@code DROP} a kept level waits.
 */
class P03WhenFullTest extends Promise {
  private static final int THREADS = 8;
  private static final int EACH = FULL ? 1_250_000 : 10_000; // attempts of each thread
  private static final int WIDTH = 400; // 32 MB in the short form, much more than there is room for

  private Probe probe(Kind kind, String whenFull) {
    Probe probe = new Probe(kind, directory).width(WIDTH);
    probe.settings.setMaxSpillSize("4 MB");
    probe.settings.setWhenFull(whenFull);
    probe.gate.shut();
    return probe;
  }

  private static void logFromAll(Probe probe) {
    Probe.inThreads(THREADS, id -> probe.log(String.valueOf(id), 0, EACH));
  }

  @Both
  void blockWaitsAndLosesNothing(Kind kind) throws Exception {
    try (Probe probe = probe(kind, "BLOCK").start()) {
      SpillwayMetrics metrics = probe.metrics();
      Thread opener =
          new Thread(
              () -> {
                Probe.await("a waiting call", () -> metrics.getBlockedCalls() > 0);
                probe.gate.open();
              });
      opener.start();
      logFromAll(probe);
      opener.join();
      SequenceCheck check = probe.assertLog().assertNoDuplicates();
      for (int id = 0; id < THREADS; id++) {
        check.assertComplete(String.valueOf(id), EACH);
      }
      assertThat((long) metrics.value("BlockedNanos")).isPositive();
      assertThat(metrics.getDropped() + metrics.getLost()).isZero();
    }
  }

  @Both
  void dropCountsEachDrop(Kind kind) {
    try (Probe probe = probe(kind, "DROP").start()) {
      logFromAll(probe);
      SpillwayMetrics metrics = probe.metrics();
      assertThat(metrics.lossOf(QUEUE_FULL)).isPositive().isEqualTo(metrics.getDropped());
      assertThat(metrics.getAccepted() + metrics.getDropped()).isEqualTo((long) THREADS * EACH);
      assertThat(metrics.health().status()).isEqualTo(Health.Status.DOWN);
      assertThat(metrics.getHealthReason()).contains("QUEUE_FULL");
      probe.awaitStatus(1, "QUEUE_FULL");
      probe.gate.open();
      probe.assertLog().assertNoDuplicates();
      assertThat(metrics.getDelivered()).isEqualTo(metrics.getAccepted());
      assertThat(Probe.countLines(probe.logFile())).isEqualTo(metrics.getDelivered());
    }
  }

  @Both
  void dropOldestKeepsTheNewest(Kind kind) {
    try (Probe probe = probe(kind, "DROP_OLDEST").start()) {
      SpillwayMetrics metrics = probe.metrics();
      int logged = 0;
      while (metrics.lossOf(EVICTED) == 0) {
        if (metrics.getRingUsed() > metrics.getRingCapacity() * 7 / 8) {
          LockSupport.parkNanos(100_000); // until the ring has been spilled
        }
        probe.log("8", logged, logged += 100);
      }
      logFromAll(probe);
      Probe.await("room", () -> metrics.getRingUsed() < metrics.getRingCapacity());
      probe.log("9", 0, 1);
      assertThat(metrics.getAccepted() + metrics.getDropped())
          .isEqualTo((long) THREADS * EACH + logged + 1);
      probe.gate.open();
      probe.assertLog("9", 1);
      assertThat(metrics.getAccepted() - metrics.getDelivered())
          .isEqualTo(metrics.getLost())
          .isEqualTo(metrics.lossOf(EVICTED));
      assertThat(Probe.countLines(probe.logFile())).isEqualTo(metrics.getDelivered());
    }
  }

  @Both
  void dropOldestDropsTheNewestWithoutASpill(Kind kind) {
    Probe probe = probe(kind, "DROP_OLDEST");
    probe.settings.setSpillDirectory("/proc/spill");
    try (probe) {
      probe.start();
      logFromAll(probe);
      SpillwayMetrics metrics = probe.metrics();
      assertThat(metrics.getDropped()).isEqualTo(metrics.lossOf(QUEUE_FULL));
      assertThat(metrics.getAccepted() + metrics.getDropped()).isEqualTo((long) THREADS * EACH);
      probe.gate.open();
    }
  }

  @Both
  void aKeptLevelWaitsWhereOthersAreDropped(Kind kind) throws Exception {
    Probe probe = probe(kind, "DROP");
    probe.settings.setWhenFullKeepLevel("WARN");
    try (probe) {
      probe.start();
      SpillwayMetrics metrics = probe.metrics();
      AtomicBoolean done = new AtomicBoolean();
      int[] logged = {0, 0}; // of INFO, of WARN
      Thread keeping =
          new Thread(
              () -> {
                while (!done.get()) {
                  probe.logger.warn("#1:{}.", logged[1]++);
                }
              });
      keeping.start();
      Probe.await(
          "a waiting call",
          () -> {
            probe.log("0", logged[0], logged[0] += 100);
            return metrics.getDropped() > 0 && metrics.getBlockedCalls() > 0;
          });
      done.set(true);
      long dropped = metrics.getDropped();
      Probe.await( // what has left the ring for the spill makes room for a few
          "others are dropped meanwhile",
          () -> {
            probe.log("0", logged[0], logged[0] += 100);
            return metrics.getDropped() > dropped;
          });
      probe.gate.open();
      keeping.join();
      probe.assertLog("1", logged[1]);
      assertThat(metrics.getAccepted() + metrics.getDropped()).isEqualTo(logged[0] + logged[1]);
      assertThat(metrics.getDelivered()).isEqualTo(metrics.getAccepted());
    }
  }
}
