package io.spillway.file;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.encoder.EncoderBase;
import ch.qos.logback.core.rolling.TriggeringPolicy;
import io.spillway.metrics.LossCause;
import io.spillway.testkit.FileRig;
import java.io.IOException;
import java.lang.reflect.Proxy;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What an application asks for itself: a rollover, or a triggering policy of its own. */
@Timeout(60)
class AskedRolloverTest {
  @TempDir Path directory;

  /** However long the events that were logged before have waited. */
  @Test
  void shouldLeaveWhatWasLoggedBeforeInTheFileThatIsRolledOver() throws IOException {
    Path file = directory.resolve("app.log");
    try (FileRig rig = new FileRig(file).start()) {
      rig.policy.gate.shut();
      rig.log(1);
      rig.await("before the write", rig.policy.gate::isHolding);
      rig.log(5);
      rig.appender.rollover();
      rig.appender.rollover();
      rig.policy.gate.open();
      rig.awaitDelivered();
      rig.log(1);
      rig.awaitDelivered();
      rig.log(1);
      rig.awaitDelivered();
      assertThat(directory.resolve("app.log.2")).doesNotExist();
    }
    assertThat(Files.readAllLines(directory.resolve("app.log.1"))).hasSize(6);
    assertThat(Files.readAllLines(file)).hasSize(2);
  }

  /** The policy's own rollover is not the one that was asked for. */
  @Test
  void shouldRollOverOnceMoreIfAPolicyDidBeforeAllWasWritten() throws IOException {
    Path file = directory.resolve("app.log");
    try (FileRig rig = new FileRig(file).start()) {
      rig.policy.gate.shut();
      rig.log(1);
      rig.await("before the write", rig.policy.gate::isHolding);
      rig.log(5);
      rig.appender.rollover();
      rig.policy.roll();
      rig.policy.gate.open();
      rig.awaitDelivered();
      rig.log(1);
      rig.awaitDelivered();
    }
    assertThat(Files.readAllLines(directory.resolve("app.log.2"))).hasSize(6);
    assertThat(Files.readAllLines(file)).hasSize(1);
  }

  /** Events that cannot be encoded are lost before it is the turn of those that wait. */
  @ParameterizedTest
  @ValueSource(strings = {"OVERFLOW", "ALWAYS"})
  void shouldNotTakeTheLossOfNewerEventsForTheWritingOfOlderOnes(String mode) throws IOException {
    Path file = directory.resolve("app.log");
    FileRig unstarted = new FileRig(file).spill(directory.resolve("spill")).encoder(new Picky());
    unstarted.appender.setSpillMode(mode);
    try (FileRig rig = unstarted.start()) {
      rig.policy.gate.shut();
      rig.log(1);
      rig.await("before the write", rig.policy.gate::isHolding);
      rig.log(2);
      fail(rig, 2);
      rig.log(3);
      rig.appender.rollover();
      fail(rig, 10);
      assertThat(rig.appender.awaitDelivered(Duration.ZERO)).as("while they wait").isFalse();
      rig.policy.gate.open();
      rig.awaitDelivered();
      rig.log(1);
      rig.awaitDelivered();
      assertThat(directory.resolve("app.log.2")).doesNotExist();
    }
    assertThat(Files.readAllLines(directory.resolve("app.log.1"))).hasSize(6);
    assertThat(Files.readAllLines(file)).hasSize(1);
  }

  /** It waits for what was logged before, not for as many events. */
  @Test
  void shouldAwaitWhatWaitsThoughNewerEventsAreLost() throws InterruptedException {
    FileRig unstarted = new FileRig(directory.resolve("app.log")).encoder(new Picky());
    try (FileRig rig = unstarted.start()) {
      rig.policy.gate.shut();
      rig.log(1);
      rig.await("before the write", rig.policy.gate::isHolding);
      AtomicBoolean delivered = new AtomicBoolean();
      Thread waiting =
          new Thread(() -> delivered.set(rig.appender.awaitDelivered(Duration.ofSeconds(2))));
      waiting.start();
      rig.await("the wait", () -> waiting.getState() == Thread.State.TIMED_WAITING);
      fail(rig, 5);
      waiting.join();
      assertThat(delivered).isFalse();
      rig.policy.gate.open();
      rig.awaitDelivered();
    }
  }

  private static void fail(FileRig rig, int events) {
    long before = rig.metrics().lossOf(LossCause.ENCODE_FAILED);
    for (int i = 0; i < events; i++) {
      rig.logger.info("bad");
    }
    rig.await("lost", () -> rig.metrics().lossOf(LossCause.ENCODE_FAILED) == before + events);
  }

  private static final class Picky extends EncoderBase<ILoggingEvent> {
    @Override
    public byte[] headerBytes() {
      return null;
    }

    @Override
    public byte[] encode(ILoggingEvent event) {
      if (event.getMessage().equals("bad")) {
        throw new IllegalStateException("bad");
      }
      return (event.getMessage() + "\n").getBytes(StandardCharsets.UTF_8);
    }

    @Override
    public byte[] footerBytes() {
      return null;
    }
  }

  @Test
  void shouldTellThatATriggeringPolicyGetsNoEvents() {
    AtomicBoolean reading = new AtomicBoolean();
    TriggeringPolicy<ILoggingEvent> foreign = foreign(reading);
    try (FileRig rig = new FileRig(directory.resolve("app.log"))) {
      rig.appender.setTriggeringPolicy(foreign);
      rig.start();
      String reason =
          "[" + foreign.getClass().getName() + "] is asked once a batch, not once an event";
      assertThat(rig.statuses())
          .anyMatch(status -> status.contains(reason) && status.contains("To do: "));
      reading.set(true);
      rig.log(1);
      rig.awaitDelivered();
      assertThat(rig.statuses())
          .anyMatch(status -> status.contains("policy threw") && status.contains(reason));
      reading.set(false);
    }
  }

  /** Of a package that is not Spillway's, as no class of these tests is. */
  @SuppressWarnings("unchecked") // any type of event
  private static TriggeringPolicy<ILoggingEvent> foreign(AtomicBoolean reading) {
    return (TriggeringPolicy<ILoggingEvent>)
        Proxy.newProxyInstance(
            AskedRolloverTest.class.getClassLoader(),
            new Class<?>[] {TriggeringPolicy.class},
            (proxy, method, arguments) -> {
              if (reading.get() && method.getName().equals("isTriggeringEvent")) {
                throw new NullPointerException("event");
              }
              return method.getReturnType() == boolean.class
                  ? method.getName().equals("isStarted")
                  : null;
            });
  }

  @Test
  void shouldNotTellOfAPolicyOfItsOwn() {
    try (FileRig rig = new FileRig(directory.resolve("app.log")).start()) {
      assertThat(rig.statuses("is asked once a batch")).isZero();
    }
  }
}
