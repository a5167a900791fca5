package io.spillway.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ch.qos.logback.classic.encoder.PatternLayoutEncoder;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.UnsynchronizedAppenderBase;
import io.spillway.SpillwayRollingFileAppender;
import io.spillway.testkit.ExitHooks;
import io.spillway.testkit.Fork;
import io.spillway.testkit.GatedAppender;
import io.spillway.testkit.LoopDisk;
import io.spillway.testkit.Rig;
import io.spillway.testkit.SequenceCheck;
import io.spillway.testkit.Subject;
import io.spillway.testkit.Subject.Kind;
import io.spillway.testkit.Tmpfs;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Stops that take long, are given up, or come from within, and who takes over from them. */
@Tag("slow")
@Timeout(300)
class LifecycleTest {
  private static final int EVENTS = 3_000;
  private static final int RESTARTS = Boolean.getBoolean("spillway.test.full") ? 100 : 25;
  private static final Duration PATIENCE = Duration.ofSeconds(90);

  @TempDir Path directory;

  private static Thread stopping(Subject subject) {
    Thread stopper = new Thread(subject.appender()::stop, "stopper");
    stopper.start();
    return stopper;
  }

  private static long threads(String prefix) {
    return Thread.getAllStackTraces().keySet().stream()
        .filter(thread -> thread.getName().startsWith(prefix))
        .count();
  }

  private static void encodeSlowly(Subject subject) {
    PatternLayoutEncoder encoder =
        new PatternLayoutEncoder() {
          @Override
          public byte[] encode(ILoggingEvent event) {
            LockSupport.parkNanos(500_000);
            return super.encode(event);
          }
        };
    encoder.setContext(subject.context());
    encoder.setPattern("%msg%n");
    encoder.start();
    ((SpillwayRollingFileAppender<ILoggingEvent>) subject.appender()).setEncoder(encoder);
  }

  /** The old one is stuck, so that the spill keeps its events, or it is only slow. */
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void shouldNotOvertakeAPredecessorThatStillDrains(boolean stuck) throws Exception {
    Subject old = new Subject(Kind.OWN_FILE, directory);
    encodeSlowly(old);
    old.settings().setMaxFlushTime("100");
    if (stuck) {
      old.gate.shut();
    }
    old.start();
    old.log("0", 0, EVENTS);
    Thread stopper = stopping(old);
    await().until(() -> threads("spillway-stop-") > 0);
    try (Subject next = new Subject(Kind.OWN_FILE, directory)) {
      next.start();
      next.log("1", 0, EVENTS);
      assertThat(stopper.isAlive()).as("the old one drains still").isTrue();
      next.awaitDelivered();
      SequenceCheck check = new SequenceCheck(next.lines()).assertInOrderWithoutFragments();
      check.assertComplete("0", EVENTS).assertComplete("1", EVENTS);
      assertThat(check.duplicates()).isZero();
      assertThat(check.interleaved()).isZero();
      assertThat(next.lines().get(0)).startsWith("#0:");
    }
    old.gate.open();
    stopper.join();
    assertThat(old.metrics().getLost()).isZero();
    await().until(() -> threads("spillway-stop-") == 0);
    assertThat(Rig.filesBelow(old.spillDirectory())).isEmpty();
    old.close();
  }

  @Test
  @Tag("gate")
  void shouldLoseNothingIfTheSpillsDiskStandsStillForAWhileDuringAStop() throws Exception {
    stopOnAFrozenDisk(Duration.ofSeconds(4), true);
  }

  @Tag("full")
  @Test
  void shouldLoseNothingIfTheSpillsDiskAnswersOnlyAfterAStopHasReturned() throws Exception {
    stopOnAFrozenDisk(Duration.ofSeconds(20), false);
  }

  /** The drainer's last word is that there is no room; to make some, it writes. */
  @Test
  void shouldEndAnExitThoughTheDiskHangsWhereRoomIsToBeMade() throws Exception {
    try (LoopDisk disk = new LoopDisk(directory);
        Subject subject = new Subject(Kind.WRAPPED, directory)) {
      subject.settings().setSpillDirectory(disk.directory().resolve("spill").toString());
      subject.settings().setMaxSpillSize("1 MB");
      subject.settings().setWhenFull("DROP_OLDEST");
      subject.settings().setMaxFlushTime("300");
      subject.gate.shut();
      subject.start();
      while (!subject.metrics().snapshot().workers().held()) {
        subject.log("0", 0, subject.metrics().getRingUsed() < 1_000 ? 100 : 0); // never nearly full
      }
      disk.freeze();
      Thread exit = new Thread(ExitHooks.of(subject.appender())::run, "exit");
      exit.start();
      try {
        await("exit").atMost(PATIENCE).until(() -> !exit.isAlive());
      } finally {
        disk.thaw();
      }
      await().atMost(PATIENCE).until(() -> threads("spillway-stop-") == 0);
    }
  }

  /** A nested appender may have events in buffers of its own. */
  @Test
  void shouldStopTheSinkAfterAnExitThatHasGoneOnWithoutTheSpillsDisk() throws Exception {
    try (LoopDisk disk = new LoopDisk(directory);
        Subject subject = new Subject(Kind.WRAPPED, directory)) {
      Path spill = disk.directory().resolve("spill");
      subject.settings().setSpillDirectory(spill.toString());
      subject.settings().setMaxFlushTime("1");
      subject.gate.onPass(() -> awaitFence(subject));
      subject.start();
      subject.logger.info("delivered");
      subject.logger.info("waits in memory");
      disk.freeze();
      try {
        ExitHooks.of(subject.appender()).run();
        assertThat(subject.isSinkClosed()).isFalse();

        subject.appender().stop();

        assertThat(subject.isSinkClosed()).isTrue();
      } finally {
        disk.thaw();
      }
      await().atMost(PATIENCE).until(() -> threads("spillway-stop-") == 0);
      try (Subject next = new Subject(Kind.WRAPPED, directory)) {
        next.settings().setSpillDirectory(spill.toString());
        next.start().awaitDelivered();
        assertThat(next.lines()).containsExactly("delivered", "waits in memory");
      }
      assertThat(Rig.filesBelow(spill)).as("given back").isEmpty();
    }
  }

  private static void awaitFence(Subject subject) {
    try {
      while (!ExitHooks.isFenced(subject.appender())) {
        LockSupport.parkNanos(1_000_000);
      }
    } catch (ReflectiveOperationException e) {
      throw new AssertionError(e);
    }
  }

  private void stopOnAFrozenDisk(Duration frozen, boolean waitedFor) throws Exception {
    try (LoopDisk disk = new LoopDisk(directory)) {
      Path spill = disk.directory().resolve("spill");
      Subject old = new Subject(Kind.WRAPPED, directory);
      old.settings().setSpillDirectory(spill.toString());
      old.settings().setMaxFlushTime("300");
      old.gate.shut();
      old.start();
      old.log("0", 0, EVENTS);
      await().until(() -> old.metrics().getSpilled() > 0 && old.metrics().getRingUsed() == 0);
      disk.freeze();
      old.log("0", EVENTS, 2 * EVENTS);
      long thawAt = System.nanoTime() + frozen.toNanos();
      Thread stopper = stopping(old);
      while (thawAt - System.nanoTime() > 0) {
        LockSupport.parkNanos(thawAt - System.nanoTime());
      }
      assertThat(stopper.isAlive()).as("a stop waits ten seconds").isEqualTo(waitedFor);
      assertThat(old.metrics().getLost()).isZero();
      disk.thaw();
      stopper.join();
      await().atMost(PATIENCE).until(() -> threads("spillway-stop-") == 0);
      assertThat(old.metrics().getLost()).isZero();
      try (Subject next = new Subject(Kind.WRAPPED, directory)) {
        next.settings().setSpillDirectory(spill.toString());
        next.start();
        next.log("1", 0, 100);
        next.awaitDelivered();
        SequenceCheck check = new SequenceCheck(next.lines()).assertInOrderWithoutFragments();
        check.assertComplete("0", 2 * EVENTS).assertComplete("1", 100);
      }
      assertThat(Rig.filesBelow(spill)).as("given back").isEmpty();
      old.gate.open();
      old.close();
    }
  }

  @ParameterizedTest
  @EnumSource
  void shouldNotDeadlockIfTheSinkStopsTheAppenderWithinAStopThatWaitsForEver(Kind kind)
      throws Exception {
    Subject subject = new Subject(kind, directory);
    subject.settings().setMaxFlushTime("0");
    subject.gate.shut();
    subject.start();
    subject.log("0", 0, EVENTS);
    await().until(subject.gate::isHolding);
    subject.gate.onPass(subject.appender()::stop);
    Thread stopper = stopping(subject);
    awaitWaiting(stopper);
    subject.gate.open();
    stopper.join(PATIENCE.toMillis());
    assertThat(stopper.isAlive()).isFalse();
    assertThat(subject.metrics().getDelivered()).isEqualTo(EVENTS);
    subject.close();
  }

  /** The deliverer stops it as its last act, while the stop waits for the deliverer. */
  @Test
  void shouldNotDeadlockIfTheNestedAppenderStopsItsParentWhenItIsStopped() throws Exception {
    AtomicReference<Rig> parent = new AtomicReference<>();
    AtomicLong taken = new AtomicLong();
    UnsynchronizedAppenderBase<ILoggingEvent> nested =
        new UnsynchronizedAppenderBase<>() {
          @Override
          protected void append(ILoggingEvent event) {
            taken.incrementAndGet();
          }

          @Override
          public void stop() {
            super.stop();
            parent.get().appender.stop();
          }
        };
    Rig rig = new Rig(directory, nested);
    parent.set(rig);
    rig.appender.setMaxFlushTime("0");
    rig.start();
    IntStream.range(0, 100).forEach(event -> rig.logger.info("event {}", event));
    Thread stopper = new Thread(rig.appender::stop, "stopper");
    stopper.setDaemon(true);
    stopper.start();
    stopper.join(PATIENCE.toMillis());
    assertThat(stopper.isAlive()).isFalse();
    assertThat(taken).hasValue(100);
    rig.close();
  }

  /** What is logged while a stop waits for the sink is neither dropped nor out of order. */
  @ParameterizedTest
  @Tag("gate")
  @CsvSource({"WRAPPED, true", "WRAPPED, false", "OWN_FILE, true", "OWN_FILE, false"})
  void shouldTakeWhatIsLoggedWhileAStopWaitsForTheSink(Kind kind, boolean stuck) throws Exception {
    Subject old = new Subject(kind, directory);
    old.settings().setMaxFlushTime(stuck ? "3 seconds" : "60 seconds");
    old.gate.shut();
    old.start();
    old.log("0", 0, EVENTS);
    await().until(old.gate::isHolding);
    Thread stopper = stopping(old);
    awaitWaiting(stopper);
    old.log("0", EVENTS, 2 * EVENTS);
    if (!stuck) {
      old.gate.open();
    }
    stopper.join();
    assertThat(old.metrics().getAccepted()).isEqualTo(2 * EVENTS);
    assertThat(old.metrics().getDropped()).isZero();
    assertThat(old.metrics().getLost()).isZero();
    assertThat(old.metrics().getDelivered()).isEqualTo(stuck ? 0 : 2 * EVENTS);
    old.logger.info("after the stop");
    assertThat(old.metrics().getDropped()).isOne();
    try (Subject next = new Subject(kind, directory)) {
      next.start();
      next.log("1", 0, 100);
      next.awaitDelivered();
      SequenceCheck check = new SequenceCheck(next.lines()).assertInOrderWithoutFragments();
      check.assertComplete("0", 2 * EVENTS).assertComplete("1", 100);
      assertThat(check.interleaved()).isZero();
    }
    assertThat(Rig.filesBelow(old.spillDirectory())).isEmpty();
    old.close();
  }

  /** Until it waits for what is under way. */
  private static void awaitWaiting(Thread stopper) {
    await()
        .until(
            () ->
                stopper.getState() == Thread.State.TIMED_WAITING
                    && Stream.of(stopper.getStackTrace())
                        .anyMatch(
                            frame ->
                                frame.getClassName().equals("io.spillway.Pipeline")
                                    && frame.getMethodName().equals("stop")));
  }

  @Test
  void shouldKeepLittleForEachRestartOverASinkThatIsStuckForEver() {
    List<GatedAppender> stuck = new ArrayList<>();
    long before = 0;
    for (int i = 0; i <= RESTARTS; i++) {
      before = i == 1 ? usedHeap() : before; // all classes are loaded
      GatedAppender nested = new GatedAppender();
      nested.shut();
      stuck.add(nested);
      Rig rig = new Rig(directory.resolve("spill"), nested);
      rig.appender.setMaxFlushTime("1");
      rig.start();
      IntStream.range(0, 100).forEach(event -> rig.logger.info("event {}", event));
      rig.appender.stop();
      assertThat(rig.appender.getMetrics().getLost()).isZero();
      rig.close();
    }
    await().atMost(PATIENCE).until(() -> threads("spillway-stop-") == 0);
    assertThat(threads("spillway-deliverer-")).as("stuck threads").isLessThanOrEqualTo(9);
    assertThat((usedHeap() - before) / RESTARTS).as("bytes a restart").isLessThan(450_000);
    stuck.forEach(GatedAppender::open);
    await().atMost(PATIENCE).until(() -> threads("spillway-deliverer-") == 0);
  }

  private static long usedHeap() {
    for (int i = 0; i < 3; i++) {
      System.gc();
    }
    Runtime runtime = Runtime.getRuntime();
    return runtime.totalMemory() - runtime.freeMemory();
  }

  /** Nobody listens to Logback's status messages, and the exit code is 0 all the same. */
  @Test
  void shouldSayOnStandardErrorHowManyEventsAnExitLost() {
    try (Tmpfs disk = new Tmpfs(directory.resolve("disk"), "size=1m");
        Fork child = Fork.start(FullDiskChild.class, List.of(), disk.directory())) {
      child.awaitLine("ready");
      disk.ballast("ballast", disk.free());
      child.awaitEnd(0);
      assertThat(child.output())
          .filteredOn(line -> line.contains("NOT_SAVED"))
          .hasSize(1)
          .allMatch(line -> line.contains("|-ERROR in") && line.contains("AUDIT"))
          .allMatch(line -> line.contains("events are lost") && line.contains("To do:"));
    }
  }
}
