package io.spillway.promises;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.UnsynchronizedAppenderBase;
import io.spillway.metrics.SpillwayMetrics;
import io.spillway.testkit.Probe;
import io.spillway.testkit.Probe.Kind;
import io.spillway.testkit.Waits;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Promise 1: a log call takes no lock or monitor, does no I/O and never parks while the ring has
 * room. The flight recorder sees no wait of application threads under a frame of Spillway while the
 * sink stands still and the spill is written.
 */
@Tag("alone")
class P01NoWaitTest extends Promise {
  private static final int PUBLISHES = FULL ? 10_000_000 : 150_000;
  private static final int PLATFORM_THREADS = 300;
  private static final int VIRTUAL_THREADS = 10_000;
  private static final int SLOTS = 131_072;
  private static final int ROOM = 16_384; // more than there are threads

  /**
   * Log calls that came back on another carrier. The recorder is blind to a virtual thread that
   * unmounts to wait; but only then does it change its carrier, which its name tells.
   */
  private final LongAdder moves = new LongAdder();

  @Both
  void neverWaitsOnPlatformThreads(Kind kind) throws Exception {
    assertNoWaits(kind, PLATFORM_THREADS, Thread::new);
  }

  @Both
  void neverWaitsOnVirtualThreads(Kind kind) throws Exception {
    ThreadFactory virtual = virtualThreads();
    assumeTrue(virtual != null, "skipped, this JDK has no virtual threads");
    assertNoWaits(kind, VIRTUAL_THREADS, virtual);
  }

  private void assertNoWaits(Kind kind, int threads, ThreadFactory factory) throws Exception {
    try (Probe probe = new Probe(kind, directory).width(80)) {
      probe.settings.setQueueSize(String.valueOf(SLOTS));
      probe.settings.setMaxSpillSize("8 GB");
      probe.start();
      SpillwayMetrics metrics = probe.metrics();
      BooleanSupplier hasRoom = () -> metrics.getRingUsed() < SLOTS - ROOM;
      publish(probe.logger, 8, 20_000, factory, hasRoom); // loads classes, which reads files
      probe.awaitDelivered();
      moves.reset();
      long before = metrics.getAccepted();
      probe.gate.shut();
      List<String> waits;
      try (Waits recording = new Waits()) {
        publish(probe.logger, threads, PUBLISHES, factory, hasRoom);
        waits = recording.underSpillway();
      }
      assertThat(metrics.getAccepted() - before).isEqualTo(PUBLISHES / threads * (long) threads);
      Probe.await("spilled", () -> metrics.getSpilled() > 0);
      assertThat(metrics.getBlockedCalls()).as("the ring was never full").isZero();
      assertThat(moves.sum()).as("unmounted in a log call").isZero();
      assertThat(waits.stream().limit(3).toList()).as(waits.size() + " waits").isEmpty();
      probe.gate.open();
      probe.awaitDelivered();
      assertThat(metrics.getDelivered()).isEqualTo(metrics.getAccepted());
    }
  }

  /** Each thread waits, outside of log calls, while there might be no room. */
  private void publish(
      Logger logger, int threads, int events, ThreadFactory factory, BooleanSupplier hasRoom)
      throws InterruptedException {
    List<Thread> all = new ArrayList<>();
    for (int t = 0; t < threads; t++) {
      int id = t;
      all.add(
          factory.newThread(
              () -> {
                for (int i = 0; i < events / threads; i++) {
                  while (!hasRoom.getAsBoolean()) {
                    LockSupport.parkNanos(1_000_000);
                  }
                  String carrier = Thread.currentThread().toString();
                  logger.info(
                      "an event of thread {} with a number, and some words to fill a line up, which is {}",
                      id,
                      i);
                  if (!carrier.equals(Thread.currentThread().toString())) {
                    moves.increment();
                  }
                }
              }));
    }
    all.forEach(Thread::start);
    for (Thread thread : all) {
      thread.join();
    }
  }

  /**
   * What the tests above have to see if it is there: a monitor that others wait for, and a park.
   */
  private static final class Waiting extends UnsynchronizedAppenderBase<ILoggingEvent> {
    @Override
    protected synchronized void append(ILoggingEvent event) {
      LockSupport.parkNanos(1_000);
    }
  }

  @Test
  void seesAnAppenderThatWaits() throws Exception {
    LoggerContext context = Probe.newContext();
    Waiting appender = new Waiting();
    appender.setContext(context);
    appender.start();
    context.getLogger("test").addAppender(appender);
    try (Waits recording = new Waits()) {
      publish(context.getLogger("test"), 16, 1_600, Thread::new, () -> true);
      assertThat(recording.under(type -> type.equals(Waiting.class.getName())))
          .anyMatch(wait -> wait.contains("JavaMonitorEnter"))
          .anyMatch(wait -> wait.contains("ThreadPark"));
    } finally {
      context.stop();
    }
  }

  /** By reflection, since this is compiled for Java 17. */
  static ThreadFactory virtualThreads() throws ReflectiveOperationException {
    if (Runtime.version().feature() < 21) {
      return null;
    }
    Object builder = Thread.class.getMethod("ofVirtual").invoke(null);
    return (ThreadFactory)
        Class.forName("java.lang.Thread$Builder").getMethod("factory").invoke(builder);
  }
}
