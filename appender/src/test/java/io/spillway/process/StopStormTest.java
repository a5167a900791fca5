package io.spillway.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.spillway.metrics.LossCause;
import io.spillway.metrics.SpillwayMetrics;
import io.spillway.testkit.Rig;
import io.spillway.testkit.SequenceCheck;
import io.spillway.testkit.Subject;
import io.spillway.testkit.Subject.Kind;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Many stops in a row, under stalls, interrupts and log calls. */
@Timeout(600)
@Tag("slow")
@Tag("gate")
class StopStormTest {
  private static final int STOPS =
      Integer.getInteger(
          "spillway.test.stops", Boolean.getBoolean("spillway.test.full") ? 200 : 30);
  private static final int LOGGED_STOPS = Math.max(3, 3 * STOPS / 20);
  private static final int EVENTS = 600;

  @TempDir Path directory;

  @ParameterizedTest
  @EnumSource
  void shouldLoseNothingInManyStopsUnderStallsAndInterrupts(Kind kind) throws Exception {
    Random random = new Random(7);
    AtomicBoolean done = new AtomicBoolean();
    Thread storm = new Thread(() -> interruptAll(Thread.currentThread(), done), "storm");
    storm.setDaemon(true);
    storm.start();
    int logged = 0;
    for (int stop = 0; stop < STOPS; stop++) {
      Subject subject = new Subject(kind, directory);
      subject.settings().setMaxFlushTime(String.valueOf(1 + random.nextInt(30)));
      boolean stuck = stop % 5 == 0;
      subject.gate.onPass(() -> stallAtTimes(random.nextInt(200)));
      subject.start();
      int half = random.nextInt(EVENTS);
      subject.log("0", logged, logged + half);
      if (stuck) {
        subject.gate.shut();
      }
      subject.log("0", logged + half, logged + EVENTS);
      logged += EVENTS;
      subject.context().stop();
      assertThat(subject.metrics().getLost())
          .as(() -> "lost, " + subject.context().getStatusManager().getCopyOfStatusList())
          .isZero();
      assertThat(subject.metrics().getDropped()).as("dropped at stop " + stop).isZero();
      subject.gate.open();
    }
    done.set(true);
    storm.join();
    await().until(() -> StopTest.delivererIsGone(kind));
    try (Subject last = new Subject(kind, directory)) {
      last.start();
      last.awaitDelivered();
      SequenceCheck check = new SequenceCheck(last.lines());
      check.assertInOrderWithoutFragments().assertComplete("0", logged);
      // the own file's unit in flight is a batch, but its gate stands before the write
      assertThat(check.duplicates()).isLessThanOrEqualTo(STOPS);
    }
    assertThat(Rig.filesBelow(directory.resolve("spill"))).isEmpty();
  }

  private static void stallAtTimes(int dice) {
    if (dice == 0) {
      LockSupport.parkNanos(2_000_000);
    }
  }

  private static void interruptAll(Thread self, AtomicBoolean done) {
    while (!done.get()) {
      for (Thread thread : Thread.getAllStackTraces().keySet()) {
        if (thread != self && thread.getName().startsWith("spillway-")) {
          thread.interrupt();
        }
      }
      LockSupport.parkNanos(500_000);
    }
  }

  @ParameterizedTest
  @EnumSource
  void shouldAccountForEveryEventLoggedWhileItStops(Kind kind) throws Exception {
    long accepted = 0;
    for (int round = 0; round < LOGGED_STOPS; round++) {
      Subject subject = new Subject(kind, directory);
      subject.settings().setMaxFlushTime("30");
      subject.start();
      AtomicBoolean done = new AtomicBoolean();
      List<Thread> threads = new ArrayList<>();
      for (int t = 0; t < 8; t++) {
        int stream = round * 8 + t;
        Thread thread = new Thread(() -> logUntil(done, subject, stream));
        threads.add(thread);
        thread.start();
      }
      await().until(() -> subject.metrics().getAccepted() > 2_000);
      if (round % 3 == 0) {
        subject.gate.shut();
      }
      subject.appender().stop();
      done.set(true);
      for (Thread thread : threads) {
        thread.join();
      }
      SpillwayMetrics metrics = subject.metrics();
      long stopped = metrics.lossOf(LossCause.STOPPED);
      assertThat(metrics.getAccepted() + stopped).as("attempted").isEqualTo(subject.attempts.get());
      assertThat(metrics.getDropped()).isEqualTo(stopped);
      assertThat(metrics.getLost())
          .as(() -> "lost, " + subject.context().getStatusManager().getCopyOfStatusList())
          .isZero();
      accepted += metrics.getAccepted();
      subject.gate.open();
      await().until(() -> StopTest.delivererIsGone(kind));
      subject.close();
    }
    try (Subject last = new Subject(kind, directory)) {
      last.start();
      last.awaitDelivered();
      List<String> lines = last.lines();
      SequenceCheck check = new SequenceCheck(lines).assertInOrderWithoutFragments();
      assertThat(lines.size() - check.duplicates()).as("delivered").isEqualTo(accepted);
      assertThat(check.duplicates()).isLessThanOrEqualTo(LOGGED_STOPS);
    }
  }

  private static void logUntil(AtomicBoolean done, Subject subject, int stream) {
    for (int i = 0; !done.get(); i++) {
      subject.logger.info("#{}:{}.", stream, i);
    }
  }
}
