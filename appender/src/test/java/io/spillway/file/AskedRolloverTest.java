package io.spillway.file;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.rolling.TriggeringPolicy;
import io.spillway.testkit.FileRig;
import java.io.IOException;
import java.lang.reflect.Proxy;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

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

  @Test
  void shouldTellThatATriggeringPolicyGetsNoEvents() {
    TriggeringPolicy<ILoggingEvent> foreign = foreign();
    try (FileRig rig = new FileRig(directory.resolve("app.log"))) {
      rig.appender.setTriggeringPolicy(foreign);
      rig.start();
      String reason =
          "[" + foreign.getClass().getName() + "] is asked once a batch, not once an event";
      assertThat(rig.statuses())
          .anyMatch(status -> status.contains(reason) && status.contains("To do: "));
    }
  }

  /** Of a package that is not Spillway's, as no class of these tests is. */
  @SuppressWarnings("unchecked") // any type of event
  private static TriggeringPolicy<ILoggingEvent> foreign() {
    return (TriggeringPolicy<ILoggingEvent>)
        Proxy.newProxyInstance(
            AskedRolloverTest.class.getClassLoader(),
            new Class<?>[] {TriggeringPolicy.class},
            (proxy, method, arguments) ->
                method.getReturnType() == boolean.class
                    ? method.getName().equals("isStarted")
                    : null);
  }

  @Test
  void shouldNotTellOfAPolicyOfItsOwn() {
    try (FileRig rig = new FileRig(directory.resolve("app.log")).start()) {
      assertThat(rig.statuses("is asked once a batch")).isZero();
    }
  }
}
