package io.spillway;

import static java.util.concurrent.TimeUnit.MINUTES;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ch.qos.logback.core.ContextBase;
import ch.qos.logback.core.spi.ContextAwareBase;
import io.spillway.internal.ring.WhenFull;
import io.spillway.metrics.LossCause;
import io.spillway.metrics.SpillwayMetrics;
import io.spillway.testkit.GatedAppender;
import io.spillway.testkit.Rig;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What log calls do when ring, memory and spill are full, as AsyncAppender's settings say it. */
class WhenFullTest {
  private static final int THRESHOLD = 1_000;

  @TempDir Path directory;

  @Test
  void shouldWaitByDefaultAndDropOnlyWhenAsked() {
    assertThat(whenFull("false", "")).isEqualTo(WhenFull.BLOCK);
    assertThat(whenFull("true", "")).isEqualTo(WhenFull.DROP);
    assertThat(whenFull("true", "BLOCK")).isEqualTo(WhenFull.BLOCK);
    assertThat(whenFull("false", "drop")).isEqualTo(WhenFull.DROP);
    assertThat(whenFull("true", "drop_oldest")).isEqualTo(WhenFull.DROP_OLDEST);
  }

  private static WhenFull whenFull(String neverBlock, String whenFull) {
    Settings settings = new Settings();
    settings.neverBlock = neverBlock;
    settings.whenFull = whenFull;
    ContextAwareBase origin = new ContextAwareBase();
    origin.setContext(new ContextBase());
    return settings.check(origin).whenFull();
  }

  @Test
  void shouldDiscardInfoBelowTheThresholdAndKeepWarnings() {
    GatedAppender nested = new GatedAppender();
    try (Rig rig = new Rig(directory, nested)) {
      rig.appender.setMemoryBuffer("64 KB");
      rig.appender.setMaxSpillSize("1 MB");
      rig.appender.setDiscardingThreshold(String.valueOf(THRESHOLD));
      rig.appender.setNeverBlock("true");
      rig.start();
      nested.shut();
      SpillwayMetrics metrics = rig.appender.getMetrics();
      while (metrics.lossOf(LossCause.DISCARDED) < 10_000) { // nothing leaves the ring any more
        rig.logger.info("fill");
      }
      long accepted = metrics.getAccepted();
      for (int i = 0; i < THRESHOLD / 2; i++) {
        rig.logger.warn("kept {}", i);
      }
      assertThat(metrics.getAccepted()).isEqualTo(accepted + THRESHOLD / 2);
      assertThat(metrics.lossOf(LossCause.QUEUE_FULL)).isZero();

      nested.open();
      rig.awaitDelivered();
      assertThat(nested.messages()).contains("kept 0", "kept " + (THRESHOLD / 2 - 1));
    }
  }

  /** As long as every call waits, none has ended: an alert sees those that wait for good. */
  @Test
  void shouldCountACallAndItsTimeWhileItStillWaits() throws Exception {
    GatedAppender nested = new GatedAppender();
    try (Rig rig = new Rig(directory, nested)) {
      rig.appender.setMemoryBuffer("64 KB");
      rig.appender.setMaxSpillSize("1 MB");
      rig.start();
      nested.shut();
      AtomicBoolean enough = new AtomicBoolean();
      Thread caller =
          new Thread(
              () -> {
                while (!enough.get()) {
                  rig.logger.info("fill");
                }
              });
      caller.start();
      SpillwayMetrics metrics = rig.appender.getMetrics();
      await().atMost(1, MINUTES).until(() -> isStuck(metrics) && isWaiting(caller));
      long whileItWaits = metrics.getBlockedCalls();
      long nanos = metrics.getBlockedNanos();
      await().atMost(1, MINUTES).until(() -> metrics.getBlockedNanos() > nanos);
      assertThat(metrics.getBlockedCalls()).isEqualTo(whileItWaits);

      enough.set(true);
      nested.open();
      caller.join();
      assertThat(whileItWaits).isPositive().isEqualTo(metrics.getBlockedCalls());
    }
  }

  /** Nothing makes room any more. */
  private static boolean isStuck(SpillwayMetrics metrics) {
    return metrics.snapshot().workers().held()
        && metrics.getRingUsed() == metrics.getRingCapacity();
  }

  private static boolean isWaiting(Thread caller) {
    return caller.getState() == Thread.State.TIMED_WAITING;
  }
}
