package io.spillway.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.Appender;
import ch.qos.logback.core.UnsynchronizedAppenderBase;
import io.spillway.testkit.ExitHooks;
import io.spillway.testkit.Gate;
import io.spillway.testkit.GatedAppender;
import io.spillway.testkit.Rig;
import io.spillway.testkit.SequenceCheck;
import io.spillway.testkit.Subject;
import io.spillway.testkit.Subject.Kind;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** stop() ends in time, and what the sink did not take comes first at the next start. */
@Timeout(120)
class StopTest {
  private static final int EVENTS = 20_000;
  private static final Duration MARGIN = Duration.ofMillis(1_500);

  @TempDir Path directory;

  @ParameterizedTest
  @CsvSource({
    "WRAPPED, 16 MB, 0", // stuck with the first event, all in memory
    "WRAPPED, 16 MB, 700", // in the middle of a batch from memory
    "WRAPPED, 64 KB, 0", // memory full, the rest spilled
    "WRAPPED, 64 KB, 5001", // in the middle of a record of the spill
    "OWN_FILE, 16 MB, 0",
    "OWN_FILE, 16 MB, 3",
    "OWN_FILE, 64 KB, 0",
    "OWN_FILE, 64 KB, 20"
  })
  void shouldStopInTimeAndDeliverTheRestFirstAtTheNextStart(Kind kind, String memory, int passed) {
    Subject stuck = new Subject(kind, directory);
    stuck.settings().setMemoryBuffer(memory);
    stuck.settings().setMaxFlushTime("300");
    stuck.gate.shut();
    stuck.start();
    stuck.log("0", 0, EVENTS);
    stuck.gate.letThrough(passed);
    await().until(stuck.gate::isHolding);
    assertThat(stuck.metrics().getSpilled() > 0).as("spilled").isEqualTo(memory.startsWith("64"));

    long began = System.nanoTime();
    stuck.context().reset();
    Duration took = Duration.ofNanos(System.nanoTime() - began);
    assertThat(took).isLessThan(Duration.ofMillis(300).plus(MARGIN));
    assertThat(stuck.metrics().getLost()).isZero();
    assertThat(stuck.metrics().getDropped()).isZero();
    if (passed == 0) {
      assertThat(stuck.metrics().getSpilled()).as("before, or saved").isEqualTo(EVENTS);
    }

    try (Subject next = new Subject(kind, directory, stuck.context())) {
      next.start();
      next.log("1", 0, 1_000);
      next.awaitDelivered();
      SequenceCheck check = new SequenceCheck(next.lines()).assertInOrderWithoutFragments();
      check.assertComplete("0", EVENTS).assertComplete("1", 1_000);
      assertThat(check.duplicates()).as("while the old sink is stuck").isZero();
      assertThat(next.lines().subList(0, EVENTS))
          .as("leftovers first")
          .allMatch(l -> l.startsWith("#0:"));
      assertThat(next.metrics().getRecovered()).isPositive();
    }
    stuck.gate.open();
    await().until(() -> delivererIsGone(kind));
    assertThat(new SequenceCheck(stuck.lines()).duplicates())
        .as("the event in flight, when the old sink wakes up")
        .isLessThanOrEqualTo(kind == Kind.WRAPPED ? 1 : 0);
    assertThat(Rig.filesBelow(stuck.spillDirectory())).isEmpty();
  }

  @ParameterizedTest
  @EnumSource
  void shouldEndAWaitForADeliveryThatAStopHasEnded(Kind kind) throws Exception {
    try (Subject subject = new Subject(kind, directory)) {
      subject.settings().setMaxFlushTime("200");
      subject.gate.shut();
      subject.start();
      subject.log("0", 0, EVENTS);
      await().until(subject.gate::isHolding);
      CompletableFuture<Boolean> delivered =
          CompletableFuture.supplyAsync(() -> subject.isDelivered(Duration.ofSeconds(100)));
      subject.appender().stop();

      assertThat(delivered.get(20, TimeUnit.SECONDS)).isFalse();
      assertThat(subject.isDelivered(Duration.ofSeconds(100))).as("afterwards").isFalse();
      subject.gate.open();
    }
  }

  /** It may be of an application that did not start the appender. */
  @Test
  void shouldRunForeignCodeWithTheClassLoaderOfTheThreadThatStops() throws Exception {
    AtomicReference<ClassLoader> seen = new AtomicReference<>();
    Object argument =
        new Object() {
          @Override
          public String toString() {
            Thread now = Thread.currentThread();
            if (now.getName().startsWith("spillway-stop-")) {
              seen.set(now.getContextClassLoader());
            }
            return "foreign";
          }
        };
    try (Subject subject = new Subject(Kind.WRAPPED, directory);
        URLClassLoader application = new URLClassLoader(new URL[0])) {
      subject.settings().setMaxFlushTime("1 milliseconds");
      subject.gate.shut();
      subject.start();
      subject.log("0", 0, 1);
      subject.logger.info("{}", argument);
      await().until(subject.gate::isHolding);
      Thread stopping = new Thread(subject.appender()::stop, "stopping");
      stopping.setContextClassLoader(application);
      stopping.start();
      stopping.join();
      subject.gate.open();
      assertThat(seen).hasValue(application);
    }
  }

  static boolean delivererIsGone(Kind kind) {
    return isGone("spillway-deliverer-" + kind);
  }

  private static boolean isGone(String name) {
    return Thread.getAllStackTraces().keySet().stream()
        .noneMatch(thread -> thread.getName().equals(name));
  }

  @ParameterizedTest
  @EnumSource
  void shouldWaitForTheSinkIfMaxFlushTimeIsZero(Kind kind) throws Exception {
    try (Subject subject = new Subject(kind, directory)) {
      subject.settings().setMaxFlushTime("0");
      subject.gate.shut();
      subject.start();
      subject.log("0", 0, EVENTS);
      await().until(subject.gate::isHolding);
      Thread stopper = new Thread(subject.appender()::stop);
      stopper.start();
      await()
          .during(Duration.ofMillis(1_300))
          .atMost(Duration.ofSeconds(5))
          .until(stopper::isAlive);
      subject.gate.open();
      stopper.join();

      assertThat(subject.metrics().getDelivered()).isEqualTo(EVENTS);
      assertThat(Rig.filesBelow(subject.spillDirectory())).isEmpty();
    }
  }

  /** It is fenced while the drainer still looks for room, and ends when the sink returns. */
  @ParameterizedTest
  @EnumSource
  void shouldCloseASinkThatReturnsWhileNothingHasRoom(Kind kind) throws Exception {
    try (Subject subject = new Subject(kind, directory)) {
      subject.settings().setMaxSpillSize("1 MB");
      subject.settings().setNeverBlock(true);
      subject.settings().setMaxFlushTime("1");
      subject.gate.shut();
      subject.start();
      while (!subject.metrics().snapshot().workers().held()) {
        subject.log("0", 0, 100);
      }
      Thread stopping = new Thread(subject.appender()::stop, "stopping");
      stopping.start();
      await().until(() -> ExitHooks.isFenced(subject.appender()));
      subject.gate.open();
      stopping.join();

      await("closed").until(subject::isSinkClosed);
    }
  }

  /** As by a nested appender that keeps the interrupt of a whole thread group. */
  @Test
  void shouldStopTheNestedAppenderWithoutAnInterruptThatWasMeantForSomethingElse() {
    Gate gate = new Gate();
    CompletableFuture<Boolean> interrupted = new CompletableFuture<>();
    Appender<ILoggingEvent> nested =
        new UnsynchronizedAppenderBase<>() {
          @Override
          protected void append(ILoggingEvent event) {
            gate.pass();
            Thread.currentThread().interrupt();
          }

          @Override
          public void stop() {
            interrupted.complete(Thread.currentThread().isInterrupted());
            super.stop();
          }
        };
    try (Rig rig = new Rig(directory, nested)) {
      rig.appender.setMaxFlushTime("1");
      rig.start();
      gate.shut();
      rig.logger.info("in the sink");
      await().until(gate::isHolding);
      rig.appender.stop();
      gate.open();

      assertThat(interrupted).succeedsWithin(Duration.ofSeconds(20)).isEqualTo(false);
    }
  }

  /** Nobody looks after the appenders any more, who would start the thread that tells. */
  @Test
  void shouldTellOfAnEventThatIsLoggedLongAfterTheStopOfTheLastAppender() {
    try (Rig rig = new Rig(directory, new GatedAppender()).start()) {
      rig.appender.stop();
      await().until(() -> isGone("spillway-watchdog"));

      rig.logger.info("too late");

      await()
          .until(
              () -> // without a look that would start the thread
              rig.context.getStatusManager().getCopyOfStatusList().stream()
                      .anyMatch(status -> status.getMessage().contains("(STOPPED)")));
    }
  }

  @ParameterizedTest
  @EnumSource
  void shouldLeaveAnEmptySpillDirectoryAfterACleanStop(Kind kind) {
    Subject subject = new Subject(kind, directory);
    subject.gate.shut();
    subject.start();
    subject.log("0", 0, EVENTS);
    await().until(() -> subject.metrics().getSpilled() > 0); // else there is nothing to clean up
    subject.gate.open();
    subject.appender().stop();

    SequenceCheck check = new SequenceCheck(subject.lines()).assertInOrderWithoutFragments();
    check.assertComplete("0", EVENTS);
    assertThat(check.duplicates()).isZero();
    assertThat(Rig.filesBelow(subject.spillDirectory())).isEmpty();
    subject.close();
  }

  @ParameterizedTest
  @EnumSource
  void shouldNotDeadlockOrLoseAnythingIfTheSinkItselfStopsTheAppender(Kind kind) {
    Subject subject = new Subject(kind, directory);
    subject.gate.shut();
    subject.start();
    subject.log("0", 0, EVENTS);
    Thread[] stoppedBy = new Thread[1];
    subject.gate.onPass(
        () -> {
          if (stoppedBy[0] == null) {
            stoppedBy[0] = Thread.currentThread();
            subject.appender().stop();
          }
        });
    subject.log("0", EVENTS, 2 * EVENTS); // some of it still in the ring
    subject.gate.open();
    await().until(() -> stoppedBy[0] != null && delivererIsGone(kind));
    assertThat(stoppedBy[0].getName()).startsWith("spillway-deliverer");
    assertThat(subject.metrics().getLost()).isZero();

    try (Subject next = new Subject(kind, directory)) {
      next.start();
      next.awaitDelivered();
      SequenceCheck check = new SequenceCheck(next.lines()).assertInOrderWithoutFragments();
      check.assertComplete("0", 2 * EVENTS);
      assertThat(check.duplicates()).isLessThanOrEqualTo(1);
    }
  }

  @Test
  void shouldNotGlueItsFirstLineToOneTornByACrash() throws Exception {
    Files.writeString(directory.resolve("app.log"), "#7:1.\n#7:2");
    try (Subject subject = new Subject(Kind.OWN_FILE, directory)) {
      subject.start();
      subject.log("8", 0, 10);
      subject.awaitDelivered();
      SequenceCheck check = new SequenceCheck(subject.lines()).assertComplete("8", 10);
      assertThat(check.fragments()).isOne();
      assertThat(check.glued()).isZero();
    }
  }
}
