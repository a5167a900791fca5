package io.spillway.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.AppenderBase;
import io.spillway.metrics.Health;
import io.spillway.metrics.LossCause;
import io.spillway.testkit.GatedAppender;
import io.spillway.testkit.Rig;
import java.nio.file.Path;
import java.time.Duration;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The nested appender is detached, replaced, stopped, or was never started. */
@Timeout(120)
class AttachmentTest {
  private static final int EVENTS = 1_000;

  @TempDir Path directory;

  private final GatedAppender first = new GatedAppender();
  private final GatedAppender second = new GatedAppender();

  private static void log(Rig rig, int from, int to) {
    IntStream.range(from, to).forEach(i -> rig.logger.info("{}", i));
  }

  private GatedAppender started(Rig rig, GatedAppender appender) {
    appender.setContext(rig.context);
    appender.setName("SECOND");
    appender.start();
    return appender;
  }

  @Test
  void shouldRefuseToStartAgainBeforeAnAppenderIsAttached() {
    try (Rig rig = new Rig(directory, first).start()) {
      rig.appender.stop();
      assertThat(first.isStarted()).as("stopped with its parent").isFalse();

      rig.appender.start();
      assertThat(rig.appender.isStarted()).isFalse();
      assertThat(rig.statuses()).anyMatch(status -> status.contains("No appender is attached"));

      rig.appender.addAppender(started(rig, second));
      rig.appender.start();
      assertThat(rig.appender.isStarted()).as(() -> "" + rig.statuses()).isTrue();
      log(rig, 0, EVENTS);
      rig.awaitDelivered();
      assertThat(second.messages()).hasSize(EVENTS);
    }
  }

  @Test
  void shouldKeepForTheNextWhatIsLoggedWhileNoAppenderIsAttached() {
    try (Rig rig = new Rig(directory, first).start()) {
      log(rig, 0, EVENTS);
      rig.awaitDelivered();
      assertThat(rig.appender.detachAppender(first)).isTrue();
      log(rig, EVENTS, 2 * EVENTS);
      await().until(() -> rig.statuses().stream().anyMatch(s -> s.contains("No started appender")));
      assertThat(rig.appender.getMetrics().getDelivered()).isEqualTo(EVENTS);
      await()
          .until(() -> rig.appender.health().reason().startsWith("No started appender is nested"));
      assertThat(rig.appender.health().status()).isEqualTo(Health.Status.DEGRADED);

      rig.appender.addAppender(started(rig, second));
      rig.awaitDelivered();
      assertThat(rig.appender.health().status()).isEqualTo(Health.Status.UP);
      assertThat(first.messages()).hasSize(EVENTS);
      assertThat(second.messages())
          .containsExactlyElementsOf(
              IntStream.range(EVENTS, 2 * EVENTS).mapToObj(String::valueOf).toList());
      assertThat(rig.appender.getMetrics().getLost()).isZero();
    }
  }

  /** Between the look for it and the event that it was to get. */
  @Test
  void shouldKeepForTheNextTheEventInHandWhileTheAppenderIsDetached() {
    try (Rig rig = new Rig(directory, first)) {
      AppenderBase<ILoggingEvent> leaving =
          new AppenderBase<>() {
            @Override
            protected void append(ILoggingEvent event) {}

            @Override
            public boolean isStarted() {
              if (Thread.currentThread().getName().startsWith("spillway-deliverer")) {
                rig.appender.detachAppender(this);
              }
              return super.isStarted();
            }
          };
      rig.appender.detachAppender(first);
      leaving.setContext(rig.context);
      leaving.start();
      rig.appender.addAppender(leaving);
      rig.start();
      log(rig, 0, 2);
      await().until(() -> !rig.appender.isAttached(leaving));

      rig.appender.addAppender(started(rig, second));
      rig.awaitDelivered();
      assertThat(second.messages()).containsExactly("0", "1");
      assertThat(rig.appender.getMetrics().getLost()).isZero();
    }
  }

  @Test
  void shouldSaveWhatANestedAppenderThatIsNotStartedCannotTake() {
    try (Rig rig = new Rig(directory, first)) {
      first.stop();
      rig.appender.setMaxFlushTime("200");
      rig.start();
      log(rig, 0, EVENTS);
      rig.appender.stop();
      assertThat(rig.appender.getMetrics().getDelivered()).isZero();
      assertThat(rig.appender.getMetrics().getLost()).isZero();
      assertThat(rig.statuses()).anyMatch(status -> status.contains("[NESTED] is not started"));
    }
    try (Rig next = new Rig(directory, second).start()) {
      next.awaitDelivered();
      assertThat(second.messages()).hasSize(EVENTS);
    }
  }

  @Test
  @Tag("slow")
  void shouldCountAsLostWhatReachesNobodyForLong() {
    try (Rig rig = new Rig(directory, first).start()) {
      first.stop();
      log(rig, 0, EVENTS);
      await()
          .atMost(Duration.ofSeconds(60))
          .until(() -> rig.appender.getMetrics().lossOf(LossCause.SINK_FAILED) == EVENTS);
      assertThat(rig.appender.getMetrics().getDelivered()).isZero();
      assertThat(first.messages()).isEmpty();
      await()
          .untilAsserted(
              () ->
                  assertThat(rig.appender.getMetrics().health().status())
                      .isEqualTo(Health.Status.DOWN));

      first.start();
      log(rig, 0, EVENTS);
      rig.awaitDelivered();
      assertThat(first.messages()).hasSize(EVENTS);
      assertThat(rig.appender.getMetrics().getDelivered()).isEqualTo(EVENTS);
    }
  }

  @Test
  void shouldStopTheNestedAppenderThoughAWrongSettingKeptItsParentFromStarting() {
    try (Rig rig = new Rig(directory, first)) {
      rig.appender.setWhenFull("PERHAPS");
      rig.appender.start();
      assertThat(rig.appender.isStarted()).isFalse();
      rig.logger.addAppender(rig.appender);
    }
    assertThat(first.isStarted()).as("when the context has stopped").isFalse();
  }

  /** Returns the deliverer that a stop has left in the first appender. */
  private Thread stopWhileTheFirstHangs(Rig rig) {
    rig.appender.setMaxFlushTime("100");
    rig.start();
    first.shut();
    log(rig, 0, 1);
    await().until(first::isHoldingOne);
    Thread deliverer =
        Thread.getAllStackTraces().keySet().stream()
            .filter(thread -> thread.getName().equals("spillway-deliverer-SPILLWAY"))
            .findAny()
            .orElseThrow();
    rig.appender.stop();
    assertThat(deliverer.isAlive()).as("stuck").isTrue();
    return deliverer;
  }

  private void assertTakesEvents(Rig rig, GatedAppender appender, Thread oldDeliverer) {
    first.open();
    await().until(() -> !oldDeliverer.isAlive());
    assertThat(appender.isStarted()).as("still started").isTrue();
    assertThat(rig.appender.isAttached(appender)).as("still attached").isTrue();
    rig.logger.info("next");
    rig.awaitDelivered();
    assertThat(appender.messages()).endsWith("next");
  }

  @Test
  void shouldLeaveTheNextAppenderAloneWhenTheOneBeforeReturnsFromAnOldStart() {
    try (Rig rig = new Rig(directory, first)) {
      Thread oldDeliverer = stopWhileTheFirstHangs(rig);
      rig.appender.detachAppender(first);
      rig.appender.addAppender(started(rig, second));
      rig.appender.start();
      assertTakesEvents(rig, second, oldDeliverer);
      assertThat(first.isStarted()).as("stopped with its start").isFalse();
    }
  }

  /** What a start that is over would have stopped belongs to the next one. */
  @Test
  void shouldNotStopAnAppenderThatIsAttachedAgainWhenItReturnsFromAnOldStart() {
    try (Rig rig = new Rig(directory, first)) {
      Thread oldDeliverer = stopWhileTheFirstHangs(rig);
      rig.appender.detachAppender(first);
      rig.appender.addAppender(first);
      rig.appender.start();
      assertTakesEvents(rig, first, oldDeliverer);
    }
  }

  @Test
  void shouldDetachAnAppenderAtAStopThoughItHangs() {
    try (Rig rig = new Rig(directory, first)) {
      Thread oldDeliverer = stopWhileTheFirstHangs(rig);
      rig.appender.start();
      assertThat(rig.appender.isStarted()).as("started without an appender").isFalse();
      assertThat(rig.statuses()).anyMatch(status -> status.contains("No appender is attached"));
      first.open();
      await().until(() -> !oldDeliverer.isAlive());
      assertThat(first.isStarted()).isFalse();
    }
  }

  @Test
  void shouldKeepForTheNextStartWhatIsAttachedWhileAStopIsUnderWay() {
    try (Rig rig = new Rig(directory, first)) {
      AppenderBase<ILoggingEvent> attaching =
          new AppenderBase<>() {
            @Override
            protected void append(ILoggingEvent event) {}

            @Override
            public void stop() {
              super.stop();
              rig.appender.addAppender(started(rig, second));
            }
          };
      rig.appender.detachAppender(first);
      attaching.setContext(rig.context);
      attaching.start();
      rig.appender.addAppender(attaching);
      rig.start();
      rig.appender.stop();
      assertThat(attaching.isStarted()).isFalse();

      rig.appender.start();
      assertThat(rig.appender.isStarted()).as(() -> "" + rig.statuses()).isTrue();
      log(rig, 0, EVENTS);
      rig.awaitDelivered();
      assertThat(second.messages()).hasSize(EVENTS);
    }
  }
}
