package io.spillway.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.Appender;
import ch.qos.logback.core.read.ListAppender;
import ch.qos.logback.core.rolling.FixedWindowRollingPolicy;
import ch.qos.logback.core.status.Status;
import io.spillway.SpillwayAppender;
import io.spillway.SpillwayRollingFileAppender;
import io.spillway.internal.ring.EventRing;
import io.spillway.testkit.Gate;
import io.spillway.testkit.Subject;
import io.spillway.testkit.Subject.Kind;
import java.lang.management.ManagementFactory;
import java.lang.ref.WeakReference;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import javax.management.ObjectName;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Starts and stops of one appender by several threads, and by what a start itself calls. */
@Timeout(120)
class StartStopTest {
  private static final int STARTS = 100;
  private static final InheritableThreadLocal<byte[]> INHERITED = new InheritableThreadLocal<>();

  @TempDir Path directory;
  private Subject subject;
  private Appender<ILoggingEvent> nested;

  private void prepare(Kind kind) {
    subject = new Subject(kind, directory);
    nested =
        subject.appender() instanceof SpillwayAppender wrapping
            ? wrapping.iteratorForAppenders().next()
            : null;
  }

  @AfterEach
  void close() {
    subject.close();
  }

  /** With what a stop has stopped. */
  private void start() {
    if (subject.appender() instanceof SpillwayAppender wrapping) {
      nested.start();
      wrapping.addAppender(nested);
    } else {
      SpillwayRollingFileAppender<?> own = (SpillwayRollingFileAppender<?>) subject.appender();
      own.getRollingPolicy().start();
      own.getTriggeringPolicy().start();
    }
    subject.appender().start();
  }

  private void assertStopped() throws Exception {
    assertThat(subject.appender().isStarted()).isFalse();
    await().untilAsserted(() -> assertThat(threads()).as("threads of the appender").isZero());
    assertThat(
            ManagementFactory.getPlatformMBeanServer()
                .queryNames(new ObjectName("io.spillway:*"), null))
        .isEmpty();
  }

  private static long threads() {
    return Thread.getAllStackTraces().keySet().stream()
        .filter(thread -> thread.getName().matches("spillway-(drainer|deliverer|stop)-.*"))
        .count();
  }

  private void assertStartsAgain() {
    start();
    assertThat(subject.appender().isStarted())
        .as(() -> "" + subject.context().getStatusManager().getCopyOfStatusList())
        .isTrue();
    subject.logger.addAppender(subject.appender());
    subject.log("again", 0, 10);
    subject.awaitDelivered();
    assertThat(subject.lines()).filteredOn(line -> line.startsWith("#again")).hasSize(10);
  }

  /** A warning of its settings is told a listener, in the midst of a start. */
  private void inTheMidstOfAStart(Runnable what) {
    AtomicBoolean done = new AtomicBoolean();
    subject.settings().setWhenFullMaxAge("1 minute");
    subject
        .context()
        .getStatusManager()
        .add(
            status -> {
              if (status.getMessage().contains("whenFullMaxAge")
                  && done.compareAndSet(false, true)) {
                what.run();
              }
            });
  }

  /** Logback's SiftingAppender starts appenders in the midst of an application's request. */
  @ParameterizedTest
  @EnumSource
  void shouldKeepNothingThatThreadsInheritFromItsStarter(Kind kind) {
    prepare(kind);
    WeakReference<byte[]> inherited = startWithSomethingToInherit();
    await()
        .until(
            () -> {
              System.gc();
              return inherited.get() == null;
            });
    assertThat(subject.appender().isStarted()).isTrue();
  }

  private WeakReference<byte[]> startWithSomethingToInherit() {
    byte[] request = new byte[1_000];
    INHERITED.set(request);
    try {
      subject.start();
    } finally {
      INHERITED.remove();
    }
    return new WeakReference<>(request);
  }

  @ParameterizedTest
  @EnumSource
  void shouldBeStoppedAtTheEndHoweverManyThreadsStartAndStopIt(Kind kind) throws Exception {
    prepare(kind);
    AtomicInteger starts = new AtomicInteger();
    Thread[] threads = new Thread[3];
    for (int i = 0; i < threads.length; i++) {
      boolean starter = i == 0;
      threads[i] =
          new Thread(
              () -> {
                while (starts.get() < STARTS) {
                  if (!starter) {
                    subject.appender().stop();
                  } else if (!subject.appender().isStarted()) {
                    start();
                    starts.incrementAndGet();
                  }
                  if (ThreadLocalRandom.current().nextBoolean()) {
                    Thread.yield();
                  }
                }
              });
      threads[i].start();
    }
    for (Thread thread : threads) {
      thread.join();
    }

    subject.appender().stop();

    assertStopped();
    assertStartsAgain();
  }

  @ParameterizedTest
  @EnumSource
  void shouldStopWhatAnotherThreadStartsJustNow(Kind kind) throws Exception {
    prepare(kind);
    CountDownLatch midst = new CountDownLatch(1);
    CountDownLatch on = new CountDownLatch(1);
    inTheMidstOfAStart(
        () -> {
          midst.countDown();
          awaitQuietly(on);
        });
    Thread starter = new Thread(this::start);
    starter.start();
    midst.await();
    Thread stopper = new Thread(() -> subject.appender().stop());
    stopper.start();
    await()
        .until(
            () ->
                stopper.getState() == Thread.State.TIMED_WAITING
                    || stopper.getState() == Thread.State.TERMINATED);
    on.countDown();
    starter.join();
    stopper.join();

    assertStopped();
    assertStartsAgain();
  }

  private static void awaitQuietly(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  @ParameterizedTest
  @EnumSource
  void shouldObeyAStopByWhatItsStartCalls(Kind kind) throws Exception {
    prepare(kind);
    inTheMidstOfAStart(() -> subject.appender().stop());

    start();

    assertStopped();
    assertStartsAgain();
  }

  /** Logback attaches it all the same. */
  @Test
  void shouldHoldUpNoLogCallIfItsFileCouldNotBeOpened() throws Exception {
    prepare(Kind.OWN_FILE);
    Files.createDirectories(subject.logFile());
    subject.appender().start();
    assertThat(subject.appender().isStarted()).isFalse();
    subject.logger.addAppender(subject.appender());

    Thread caller = new Thread(() -> subject.log("0", 0, 2 * EventRing.MIN_CAPACITY));
    caller.setDaemon(true);
    caller.start();

    await("log calls").until(() -> !caller.isAlive());
    assertThat(subject.context().getStatusManager().getCopyOfStatusList())
        .extracting(Status::getMessage)
        .anyMatch(message -> message.contains("non started appender"));
  }

  @ParameterizedTest
  @EnumSource
  void shouldNotStartBesideAStopOfWhatHasNeverRun(Kind kind) throws Exception {
    prepare(kind);
    Gate stops = new Gate();
    if (subject.appender() instanceof SpillwayAppender wrapping) {
      wrapping.detachAppender(nested);
      wrapping.addAppender(
          new ListAppender<>() {
            @Override
            public void stop() {
              stops.pass();
            }
          });
    } else {
      ((SpillwayRollingFileAppender<?>) subject.appender())
          .setRollingPolicy(
              new FixedWindowRollingPolicy() {
                @Override
                public void stop() {
                  stops.pass();
                }
              });
    }
    stops.shut();
    Thread stopper = new Thread(() -> subject.appender().stop());
    stopper.start();
    await().until(stops::isHolding);

    subject.appender().start();

    assertRefused();
    stops.open();
    stopper.join();
    assertStopped();
  }

  private void assertRefused() {
    assertThat(subject.context().getStatusManager().getCopyOfStatusList())
        .filteredOn(status -> status.getLevel() == Status.WARN)
        .extracting(Status::getMessage)
        .anyMatch(message -> message.contains("call start() after stop() has returned"));
  }

  @ParameterizedTest
  @EnumSource
  void shouldNotStartBesideAStopThatWaitsForItsSink(Kind kind) throws Exception {
    prepare(kind);
    subject.settings().setMaxFlushTime("0");
    start();
    subject.logger.addAppender(subject.appender());
    subject.gate.shut();
    subject.log("first", 0, 5);
    Thread stopper = new Thread(() -> subject.appender().stop());
    stopper.start();
    await().until(() -> stopper.getState() == Thread.State.TIMED_WAITING);

    subject.appender().start();

    assertRefused();
    subject.gate.open();
    stopper.join();
    assertStopped();
    assertThat(subject.lines()).hasSize(5);
    assertStartsAgain();
  }
}
