package io.spillway.stress.watch;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.encoder.EchoEncoder;
import io.spillway.SpillwayRollingFileAppender;
import io.spillway.rolling.TimeBasedRollingPolicy;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadInfo;
import java.lang.management.ThreadMXBean;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Stacks as the JDK and well-known libraries make them, the innermost frame first. */
class WaitRuleTest {

  private static final String PARK =
      "jdk.internal.misc.Unsafe.park java.util.concurrent.locks.LockSupport.park ";
  private static final String TAKE =
      PARK
          + "java.util.concurrent.locks.AbstractQueuedSynchronizer$ConditionObject.await"
          + " java.util.concurrent.LinkedBlockingQueue.take ";
  private static final Set<Thread.State> WAITS =
      Set.of(Thread.State.WAITING, Thread.State.TIMED_WAITING);
  private static final String POOL =
      " java.util.concurrent.ThreadPoolExecutor.runWorker"
          + " java.util.concurrent.ThreadPoolExecutor$Worker.run java.lang.Thread.run";

  @ParameterizedTest
  @ValueSource(
      strings = {
        TAKE + "java.util.concurrent.ThreadPoolExecutor.getTask" + POOL,
        PARK + "java.util.concurrent.ForkJoinPool.awaitWork java.lang.Thread.run",
        "java.lang.Object.wait java.util.TimerThread.mainLoop java.util.TimerThread.run",
        "java.lang.Object.wait java.lang.ref.ReferenceQueue.remove com.acme.Cleaner.sweep"
            + " com.acme.Cleaner.run java.lang.Thread.run",
        TAKE + "ch.qos.logback.core.AsyncAppenderBase$Worker.run",
        TAKE + "com.acme.Consumer.run java.lang.Thread.run",
        TAKE + "com.acme.Consumer.run java.util.concurrent.FutureTask.run" + POOL,
        TAKE
            + "com.acme.Consumer.lambda$start$0 com.acme.Consumer$$Lambda/0x01.run"
            + " java.lang.Thread.run",
        PARK
            + "com.lmax.disruptor.BlockingWaitStrategy.waitFor"
            + " com.lmax.disruptor.BatchEventProcessor.run java.lang.Thread.run",
        PARK
            + "io.spillway.internal.flow.Sleeper.sleepWhile"
            + " io.spillway.internal.flow.Deliverer.idle"
            + " io.spillway.internal.flow.Deliverer.deliver"
            + " io.spillway.internal.flow.Deliverer.run java.lang.Thread.run",
        PARK
            + "org.eclipse.jetty.util.thread.AutoLock$WithCondition.awaitNanos"
            + " org.eclipse.jetty.util.BlockingArrayQueue.poll"
            + " org.eclipse.jetty.util.thread.QueuedThreadPool$Runner.idleJobPoll"
            + " org.eclipse.jetty.util.thread.QueuedThreadPool$Runner.run java.lang.Thread.run",
        PARK
            + "java.util.concurrent.Semaphore.tryAcquire"
            + " org.eclipse.jetty.util.thread.ReservedThreadExecutor$ReservedThread.waitForTask"
            + " org.eclipse.jetty.util.thread.ReservedThreadExecutor$ReservedThread.run"
            + " org.eclipse.jetty.util.thread.QueuedThreadPool.runJob"
            + " org.eclipse.jetty.util.thread.QueuedThreadPool$Runner.run java.lang.Thread.run",
        "java.lang.Thread.sleep com.acme.Poller.run java.lang.Thread.run",
        "java.lang.Thread.sleep com.acme.App.sleep com.acme.Poller.run java.lang.Thread.run",
        "java.lang.Thread.sleep java.util.concurrent.TimeUnit.sleep com.acme.App.pause"
            + " com.acme.Poller.run java.lang.Thread.run",
        PARK + "java.util.concurrent.CountDownLatch.await com.acme.Main.main",
        "java.lang.Object.wait java.lang.Thread.join com.acme.Main.main",
        "java.lang.Object.wait sun.rmi.transport.Reaper.run java.lang.Thread.run",
        "",
      })
  void shouldCallAThreadIdleThatWaitsForWork(String stack) {
    assertThat(WaitRule.place(frames(stack), false).reason()).isEqualTo(Place.Reason.IDLE);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        PARK
            + "java.util.concurrent.locks.ReentrantLock.lock com.acme.Task.run"
            + " java.lang.Thread.run",
        PARK + "java.util.concurrent.Semaphore.acquire com.acme.Task.run java.lang.Thread.run",
        PARK + "java.util.concurrent.ArrayBlockingQueue.put com.acme.Task.run java.lang.Thread.run",
        PARK + "java.util.concurrent.CompletableFuture.get com.acme.Task.run java.lang.Thread.run",
        TAKE + "com.acme.Pool.borrow com.acme.Task.run" + POOL,
        "java.lang.Thread.sleep com.acme.Retry.pause com.acme.Task.run" + POOL,
        PARK
            + "java.util.concurrent.ArrayBlockingQueue.put com.acme.Task.run"
            + " java.util.TimerThread.mainLoop java.util.TimerThread.run",
        PARK
            + "java.util.concurrent.locks.ReentrantLock.lock"
            + " java.util.concurrent.LinkedBlockingQueue.drainTo java.lang.Thread.run",
      })
  void shouldCallAThreadHeldUpThatSomethingCalled(String stack) {
    assertThat(WaitRule.place(frames(stack), false).reason()).isEqualTo(Place.Reason.OTHER);
  }

  @Test
  void shouldNameWhoSleepsByTheCallerOfTheHelper() {
    Place place =
        WaitRule.place(
            frames(
                "java.lang.Thread.sleep com.acme.App.sleep com.acme.Retry.attempt"
                    + " com.acme.Task.run"
                    + POOL),
            false);

    assertThat(place.reason()).isEqualTo(Place.Reason.OTHER);
    assertThat(place.frame()).isEqualTo("com.acme.Retry.attempt");
    assertThat(place.call()).isEqualTo("Thread.sleep");
  }

  private static final String SOCKET_READ =
      "sun.nio.ch.Net.poll sun.nio.ch.NioSocketImpl.park sun.nio.ch.NioSocketImpl.implRead"
          + " sun.nio.ch.NioSocketImpl.read java.net.Socket$SocketInputStream.read ";
  private static final String FORCE =
      "sun.nio.ch.FileDispatcherImpl.force0 sun.nio.ch.FileDispatcherImpl.force"
          + " sun.nio.ch.FileChannelImpl.force ";

  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      value = {
        SOCKET_READ + "com.acme.Db.query com.acme.Task.run; com.acme.Db.query; OTHER",
        SOCKET_READ + "com.acme.Reader.run java.lang.Thread.run; com.acme.Reader.run; OTHER",
        FORCE + "com.acme.Journal.append com.acme.Task.run; com.acme.Journal.append; OTHER",
        "sun.nio.ch.UnixFileDispatcherImpl.force0 com.acme.A.run; com.acme.A.run; OTHER",
        "java.io.FileDescriptor.sync0 java.io.FileDescriptor.sync com.acme.A.run;"
            + " com.acme.A.run; OTHER",
        "java.net.Inet6AddressImpl.lookupAllHostAddr java.net.InetAddress.getByName"
            + " com.acme.A.run; com.acme.A.run; OTHER",
        FORCE
            + "ch.qos.logback.core.FileAppender.flush ch.qos.logback.classic.Logger.info"
            + " com.acme.A.run; ch.qos.logback.core.FileAppender.flush; LOGGING",
        FORCE
            + "ch.qos.logback.core.FileAppender.flush"
            + " ch.qos.logback.core.AsyncAppenderBase$Worker.run;"
            + " ch.qos.logback.core.FileAppender.flush; OTHER",
        "sun.nio.ch.Net.accept sun.nio.ch.NioSocketImpl.accept java.net.ServerSocket.implAccept"
            + " java.net.ServerSocket.accept com.acme.A.run; com.acme.A.run; IDLE",
        "sun.nio.ch.EPoll.wait sun.nio.ch.EPollSelectorImpl.doSelect com.acme.A.run;"
            + " com.acme.A.run; IDLE",
        "java.io.FileInputStream.readBytes java.io.FileInputStream.read com.acme.A.main;"
            + " com.acme.A.main; IDLE",
      })
  void shouldKnowWhoWaitsForASocketOrAFile(String stack, String frame, Place.Reason reason) {
    assertThat(WaitRule.inSystemCall(frames(stack))).isTrue();
    Place place = WaitRule.systemCall(frames(stack));
    assertThat(place.frame()).isEqualTo(frame);
    assertThat(place.reason()).isEqualTo(reason);
  }

  @Test
  void shouldNotTakeAThreadThatComputesForOneThatWaits() {
    assertThat(WaitRule.inSystemCall(frames("com.acme.A.run java.lang.Thread.run"))).isFalse();
    assertThat(
            WaitRule.inSystemCall(
                frames("java.util.zip.Deflater.deflateBytesBytes com.acme.A.run")))
        .isFalse();
  }

  @Test
  void shouldCallEveryThreadHeldUpThatWaitsForAMonitor() {
    List<Place.Frame> stack = frames("com.acme.Cache.get com.acme.Task.run" + POOL);

    assertThat(WaitRule.place(stack, true))
        .isEqualTo(new Place(Place.Reason.OTHER, "com.acme.Cache.get", "monitor", stack));
  }

  @Test
  void shouldNameTheLoggingFrameNearestToTheWait() {
    List<Place.Frame> stack =
        frames(
            PARK
                + "java.util.concurrent.ArrayBlockingQueue.put"
                + " ch.qos.logback.core.AsyncAppenderBase.put"
                + " ch.qos.logback.classic.Logger.info com.acme.Task.run"
                + POOL);

    assertThat(WaitRule.place(stack, false))
        .isEqualTo(
            new Place(
                Place.Reason.LOGGING,
                "ch.qos.logback.core.AsyncAppenderBase.put",
                "ArrayBlockingQueue.put",
                stack));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "org.apache.logging.log4j.core.appender.OutputStreamManager.writeBytes",
        "java.util.logging.StreamHandler.publish",
        "net.logstash.logback.appender.AsyncDisruptorAppender.append",
        "org.slf4j.helpers.SubstituteLogger.info",
        "io.spillway.internal.flow.Backoff.await",
        "io.spillway.internal.flow.Receipt.await",
      })
  void shouldKnowTheLoggingLibraries(String frame) {
    Place place = WaitRule.place(frames(frame + " com.acme.Task.work com.acme.Task.run"), true);

    assertThat(place.reason()).isEqualTo(Place.Reason.LOGGING);
    assertThat(place.frame()).isEqualTo(frame);
  }

  @Test
  void shouldNotBlameAServletFilterOfALoggingLibrary() {
    List<Place.Frame> request =
        frames(
            TAKE
                + "com.acme.Pool.borrow com.acme.Shop.service"
                + " ch.qos.logback.classic.helpers.MDCInsertingServletFilter.doFilter"
                + " com.acme.Server.handle"
                + POOL);

    assertThat(WaitRule.place(request, false))
        .isEqualTo(
            new Place(
                Place.Reason.OTHER, "com.acme.Pool.borrow", "LinkedBlockingQueue.take", request));
  }

  @Test
  void shouldNameSecureRandomRatherThanItsInternals() {
    String stack =
        "sun.security.provider.NativePRNG$RandomIO.implNextBytes"
            + " sun.security.provider.NativePRNG.engineNextBytes"
            + " java.security.SecureRandom.nextBytes java.util.UUID.randomUUID"
            + " com.acme.Task.work com.acme.Task.run"
            + POOL;

    Place place = WaitRule.place(frames(stack), true);

    assertThat(place.reason()).isEqualTo(Place.Reason.OTHER);
    assertThat(place.frame()).isEqualTo("java.security.SecureRandom.nextBytes");
  }

  @Test
  void shouldNotTakeALoggingLibrarysOwnThreadForOneInALogCall() {
    List<Place.Frame> stack =
        frames(
            PARK
                + "java.util.concurrent.locks.ReentrantLock.lock"
                + " ch.qos.logback.core.OutputStreamAppender.writeBytes"
                + " ch.qos.logback.core.AsyncAppenderBase$Worker.run");

    assertThat(WaitRule.place(stack, false).reason()).isEqualTo(Place.Reason.OTHER);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "spillway-deliverer-IDLE",
        "spillway-spiller-IDLE",
        "spillway-spill-sync",
        "spillway-compressor",
      })
  @Timeout(60)
  void shouldCallTheThreadsOfAnIdleSpillwayAppenderIdle(String name, @TempDir Path directory) {
    LoggerContext context = new LoggerContext();
    SpillwayRollingFileAppender<ILoggingEvent> appender = appender(context, directory);
    appender.start();
    try {
      long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(10);
      List<Place.Frame> stack = waiting(name);
      while (WaitRule.place(stack, false).reason() != Place.Reason.IDLE
          && System.nanoTime() < end) {
        stack = waiting(name); // it may still start, and wait for another one
      }
      assertThat(WaitRule.place(stack, false).reason())
          .as(stack.toString())
          .isEqualTo(Place.Reason.IDLE);
    } finally {
      appender.stop();
      context.stop();
    }
  }

  private static SpillwayRollingFileAppender<ILoggingEvent> appender(
      LoggerContext context, Path directory) {
    SpillwayRollingFileAppender<ILoggingEvent> appender = new SpillwayRollingFileAppender<>();
    appender.setContext(context);
    appender.setName("IDLE");
    appender.setFile(directory.resolve("app.log").toString());
    appender.setSpillSync("200ms");
    TimeBasedRollingPolicy<ILoggingEvent> policy = new TimeBasedRollingPolicy<>();
    policy.setContext(context);
    policy.setParent(appender);
    policy.setFileNamePattern(directory.resolve("app.%d.log.gz").toString());
    policy.start();
    appender.setRollingPolicy(policy);
    EchoEncoder<ILoggingEvent> encoder = new EchoEncoder<>();
    encoder.setContext(context);
    encoder.start();
    appender.setEncoder(encoder);
    return appender;
  }

  /** Looks until a thread of that name waits. */
  private static List<Place.Frame> waiting(String name) {
    ThreadMXBean threads = ManagementFactory.getThreadMXBean();
    while (true) {
      for (ThreadInfo thread : threads.dumpAllThreads(false, false)) {
        if (thread.getThreadName().startsWith(name) && WAITS.contains(thread.getThreadState())) {
          return Arrays.stream(thread.getStackTrace())
              .map(frame -> new Place.Frame(frame.getClassName(), frame.getMethodName()))
              .toList();
        }
      }
      Thread.yield();
    }
  }

  private static List<Place.Frame> frames(String stack) {
    return Arrays.stream(stack.strip().split(" +"))
        .filter(frame -> !frame.isEmpty())
        .map(Place.Frame::of)
        .toList();
  }
}
