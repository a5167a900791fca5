package io.spillway.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import io.spillway.metrics.SpillwayMetrics;
import io.spillway.testkit.Subject;
import io.spillway.testkit.Subject.Kind;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongSupplier;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Application threads never wait: the flight recorder sees no park, monitor, sleep or file event of
 * theirs under our frames, while the sink stands still and events are spilled.
 */
@Timeout(300)
@Tag("alone")
@Tag("slow")
class PublishPathTest {
  private static final int PUBLISHES =
      Integer.getInteger(
          "spillway.test.publishes",
          Boolean.getBoolean("spillway.test.full") ? 5_000_000 : 200_000);
  private static final int PER_SECOND = 100_000;
  private static final int PLATFORM_THREADS = 300;
  private static final int VIRTUAL_THREADS = 10_000;
  private static final int BURST = 20;
  private static final int SLOTS = 262_144; // the drainer may have to wait for a busy machine

  @TempDir Path directory;

  /**
   * Log calls that came back on another carrier. The recorder is blind to a virtual thread that
   * unmounts to wait; but a virtual thread changes its carrier, which its name tells, only then.
   */
  private final LongAdder moves = new LongAdder();

  @ParameterizedTest
  @Tag("gate")
  @EnumSource
  void shouldNeverWaitOnPlatformThreads(Kind kind) throws Exception {
    assertNoWaits(kind, PLATFORM_THREADS, Thread::new);
  }

  @ParameterizedTest
  @Tag("gate")
  @EnumSource
  void shouldNeverWaitOnVirtualThreads(Kind kind) throws Exception {
    ThreadFactory virtual = virtualThreads();
    assumeTrue(
        virtual != null, "this JDK has no virtual threads: checked on platform threads only");
    assertNoWaits(kind, VIRTUAL_THREADS, virtual);
  }

  private void assertNoWaits(Kind kind, int threads, ThreadFactory factory) throws Exception {
    try (Subject subject = new Subject(kind, directory)) {
      subject.settings().setQueueSize(String.valueOf(SLOTS));
      subject.start();
      SpillwayMetrics metrics = subject.metrics();
      // Loads classes, which reads files.
      publish(subject.logger, metrics::getRingUsed, 4, 20_000, factory);
      subject.awaitDelivered();
      long before = metrics.getAccepted();
      subject.gate.shut();
      List<String> waits;
      try (WaitRecording recording = new WaitRecording()) {
        publish(subject.logger, metrics::getRingUsed, threads, PUBLISHES, factory);
        waits = recording.waitsUnderOurFrames(directory);
      }
      assertThat(metrics.getAccepted() - before).isEqualTo(PUBLISHES / threads * (long) threads);
      assertThat(metrics.getSpilled()).as("spilled").isGreaterThan(PUBLISHES / 2);
      assertThat(metrics.getBlockedCalls()).as("the ring was never full").isZero();
      assertThat(moves.sum()).as("unmounted in a log call").isZero();
      assertThat(waits.stream().limit(3).toList()).as(waits.size() + " waits").isEmpty();
      subject.gate.open();
      subject.awaitDelivered();
      assertThat(metrics.getDelivered()).isEqualTo(metrics.getAccepted());
    }
  }

  /** The ring is full for good, and each call is counted and told of: no lock, no listener. */
  @ParameterizedTest
  @EnumSource
  void shouldNeverWaitWhenItDrops(Kind kind) throws Exception {
    try (Subject subject = new Subject(kind, directory)) {
      subject.settings().setMaxSpillSize("1 MB");
      subject.settings().setWhenFull("DROP");
      subject.start();
      SpillwayMetrics metrics = subject.metrics();
      subject.gate.shut();
      while (metrics.getDropped() < 100_000) {
        publish(subject.logger, () -> 0, 16, 100_000, Thread::new); // loads classes as well
      }
      long before = metrics.getDropped();
      List<String> waits;
      try (WaitRecording recording = new WaitRecording()) {
        publish(subject.logger, () -> 0, 16, PUBLISHES, Thread::new);
        waits = recording.waitsUnderOurFrames(directory);
      }
      assertThat(metrics.getDropped() - before).isGreaterThan(PUBLISHES / 2);
      assertThat(waits.stream().limit(3).toList()).as(waits.size() + " waits").isEmpty();
      subject.gate.open();
      subject.awaitDelivered();
      assertThat(metrics.getDelivered()).isEqualTo(metrics.getAccepted());
    }
  }

  /**
   * Each thread logs bursts at its times, all together at a rate; later, if the disk is so slow
   * that the ring would fill up: then log calls have to wait, which is not what this is about.
   */
  private void publish(
      Logger logger, LongSupplier ringUsed, int threads, int events, ThreadFactory factory)
      throws InterruptedException {
    int perThread = events / threads;
    long interval = 1_000_000_000L * BURST * threads / PER_SECOND;
    long start = System.nanoTime();
    List<Thread> all = new ArrayList<>();
    for (int t = 0; t < threads; t++) {
      int id = t;
      long first = start + interval * t / threads;
      Thread thread =
          factory.newThread(
              () -> {
                for (int i = 0; i < perThread; i++) {
                  if (i % BURST == 0) {
                    LockSupport.parkNanos(first + i / BURST * interval - System.nanoTime());
                    while (ringUsed.getAsLong() > SLOTS / 2) {
                      LockSupport.parkNanos(1_000_000);
                    }
                  }
                  String carrier = Thread.currentThread().toString();
                  logger.info("#{}:{}.", id, i);
                  if (!carrier.equals(Thread.currentThread().toString())) {
                    moves.increment();
                  }
                }
              });
      all.add(thread);
      thread.start();
    }
    for (Thread thread : all) {
      thread.join();
    }
  }

  @ParameterizedTest
  @Tag("gate")
  @ValueSource(booleans = {true, false})
  void shouldCatchAnAppenderThatWaits(boolean withMonitor) throws Exception {
    assertThat(waitsOfWaitingAppender(withMonitor, 8, Thread::new))
        .anyMatch(wait -> wait.contains(withMonitor ? "JavaMonitorEnter" : "ThreadPark"));
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void shouldCatchAnAppenderThatWaitsOnVirtualThreads(boolean withMonitor) throws Exception {
    ThreadFactory virtual = virtualThreads();
    assumeTrue(virtual != null, "this JDK has no virtual threads");
    List<String> waits = waitsOfWaitingAppender(withMonitor, 100, virtual);
    assertThat(waits.size() + moves.sum()).isPositive();
  }

  private List<String> waitsOfWaitingAppender(
      boolean withMonitor, int threads, ThreadFactory factory) throws Exception {
    LoggerContext context = Subject.newContext();
    WaitingAppender appender = new WaitingAppender(withMonitor);
    appender.setContext(context);
    appender.start();
    Logger logger = context.getLogger("test");
    logger.addAppender(appender);
    try (WaitRecording recording = new WaitRecording()) {
      publish(logger, () -> 0, threads, 20_000, factory);
      return recording.waitsUnderOurFrames(directory);
    } finally {
      context.stop();
    }
  }

  /** By reflection, since this is compiled for Java 17. */
  private static ThreadFactory virtualThreads() throws ReflectiveOperationException {
    if (Runtime.version().feature() < 21) {
      return null;
    }
    Object builder = Thread.class.getMethod("ofVirtual").invoke(null);
    return (ThreadFactory)
        Class.forName("java.lang.Thread$Builder").getMethod("factory").invoke(builder);
  }
}
