package io.spillway.survival;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.encoder.PatternLayoutEncoder;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.util.LogbackMDCAdapter;
import ch.qos.logback.core.filter.Filter;
import ch.qos.logback.core.rolling.RollingFileAppender;
import ch.qos.logback.core.rolling.RolloverFailure;
import ch.qos.logback.core.spi.FilterReply;
import ch.qos.logback.core.status.StatusListener;
import io.spillway.SpillwayRollingFileAppender;
import io.spillway.internal.metrics.Reports;
import io.spillway.metrics.Health;
import io.spillway.metrics.LossCause;
import io.spillway.metrics.Snapshot;
import io.spillway.metrics.SpillwayMetrics;
import io.spillway.rolling.FixedWindowRollingPolicy;
import io.spillway.rolling.SizeBasedTriggeringPolicy;
import io.spillway.testkit.FileRig;
import io.spillway.testkit.Gate;
import io.spillway.testkit.GatedAppender;
import io.spillway.testkit.Rig;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Status listeners are foreign code: they run neither in a log call nor on a worker. */
@Timeout(60)
class StatusListenerTest {
  @TempDir Path directory;

  @ParameterizedTest
  @ValueSource(strings = {"DROP", "BLOCK"})
  void shouldNotRunAListenerInALogCallNorOnAWorker(String whenFull) {
    GatedAppender nested = new GatedAppender();
    ConcurrentLinkedQueue<String> listening = new ConcurrentLinkedQueue<>();
    Gate told = new Gate();
    try (Rig rig = new Rig(directory, nested)) {
      fillable(rig, whenFull);
      rig.context
          .getStatusManager()
          .add(
              (StatusListener)
                  status -> {
                    listening.add(Thread.currentThread().getName() + ": " + status.getMessage());
                    told.pass();
                  });
      listening.clear();
      nested.shut();
      told.shut();
      Thread logging =
          new Thread(
              () -> {
                SpillwayMetrics metrics = rig.appender.getMetrics();
                long since = Long.MAX_VALUE; // when the listener began to hang
                while (metrics.lossOf(LossCause.QUEUE_FULL) - since < 10_000
                    && !Thread.currentThread().isInterrupted()) {
                  rig.logger.info("fill");
                  if (since == Long.MAX_VALUE && told.isHolding()) {
                    since = metrics.lossOf(LossCause.QUEUE_FULL);
                  }
                }
              },
              "logging");
      logging.start();
      try {
        rig.await(
            "log calls do not wait for the listener",
            () -> told.isHolding() && (whenFull.equals("BLOCK") || !logging.isAlive()));
      } finally {
        told.open();
      }
      rig.await("told", () -> listening.stream().anyMatch(s -> s.contains("The ring is full")));
      logging.interrupt();
      nested.open();
      rig.awaitDelivered();
      rig.await("ended", () -> !logging.isAlive());
      assertThat(listening).allMatch(text -> text.startsWith("spillway-status: "));
    }
  }

  /** In the log call, Logback itself would tell the listener. */
  @Test
  void shouldNotWaitForAListenerThatIsToldOfAFilterThatThrew() throws InterruptedException {
    Gate listening = new Gate();
    GatedAppender nested = new GatedAppender();
    try (Rig rig = new Rig(directory, nested)) {
      rig.appender.addFilter(
          new Filter<>() {
            @Override
            public FilterReply decide(ILoggingEvent event) {
              if (event.getMessage().equals("bad")) {
                throw new IllegalStateException("on purpose");
              }
              return FilterReply.NEUTRAL;
            }
          });
      rig.start();
      StatusListener hanging =
          status -> {
            if (status.getMessage().startsWith("A filter failed")
                || status.getThrowable() != null) {
              listening.pass();
            }
          };
      rig.context.getStatusManager().add(hanging);
      listening.shut();
      try {
        Thread logging =
            new Thread(
                () -> {
                  rig.logger.info("bad");
                  rig.logger.info("good");
                });
        logging.setDaemon(true);
        logging.start();
        logging.join(30_000);
        assertThat(logging.isAlive()).as("still logging").isFalse();
      } finally {
        listening.open();
      }
      rig.awaitDelivered();
      assertThat(nested.messages()).containsExactly("good");
      rig.await(
          "told", () -> rig.statuses().stream().anyMatch(s -> s.startsWith("A filter failed")));
    }
  }

  /** Logback's appender tells of it; one that hangs would end the delivery for good. */
  @Test
  void shouldNotRunAListenerWhereARolloverFails() {
    Gate listening = new Gate();
    ConcurrentLinkedQueue<String> listeners = new ConcurrentLinkedQueue<>();
    try (FileRig rig = new FileRig(directory.resolve("app.log")).start()) {
      rig.context
          .getStatusManager()
          .add(
              (StatusListener)
                  status -> {
                    if (status.getMessage().startsWith("RolloverFailure")) {
                      listeners.add(Thread.currentThread().getName());
                      listening.pass();
                    }
                  });
      rig.policy.onRollover(
          () -> {
            throw new RolloverFailure("on purpose");
          });
      listening.shut();
      try {
        rig.policy.roll();
        rig.log(1);
        assertThat(rig.appender.awaitDelivered(Duration.ofSeconds(20))).isTrue();
      } finally {
        listening.open();
      }
      rig.await("told", () -> !listeners.isEmpty());
      assertThat(listeners).containsExactly("spillway-status");
    }
  }

  @Test
  void shouldNotRunAListenerWhereAPolicyTellsOfARollover() throws Exception {
    LoggerContext context = new LoggerContext();
    context.setMDCAdapter(new LogbackMDCAdapter());
    SpillwayRollingFileAppender<ILoggingEvent> own = new SpillwayRollingFileAppender<>();
    rolling(context, own, "own").start();
    Logger logger = context.getLogger("test");
    logger.addAppender(own);
    logger.info("first");
    assertThat(own.awaitDelivered(Rig.PATIENCE)).isTrue();
    ConcurrentLinkedQueue<String> listeners = new ConcurrentLinkedQueue<>();
    context
        .getStatusManager()
        .add(
            (StatusListener)
                status -> {
                  if (status.getMessage().startsWith("There is no [")) {
                    listeners.add(Thread.currentThread().getName());
                  }
                });
    Files.delete(directory.resolve("own.log"));
    own.rollover();
    logger.info("second");
    assertThat(own.awaitDelivered(Rig.PATIENCE)).isTrue();
    context.stop();
    assertThat(listeners).containsExactly("spillway-status");
  }

  private static void fillable(Rig rig, String whenFull) {
    rig.appender.setMemoryBuffer("64 KB");
    rig.appender.setMaxSpillSize("1 MB");
    rig.appender.setWhenFull(whenFull);
    rig.start();
  }

  @Test
  void shouldBoundWhatWaitsForAListenerThatHangs() {
    AtomicBoolean released = new AtomicBoolean();
    GatedAppender nested = new GatedAppender();
    try (Rig rig = new Rig(directory, nested).start()) {
      StatusListener hanging =
          status -> {
            for (int i = 0; i < 20_000 && !released.get(); i++) {
              LockSupport.parkNanos(1_000_000L);
            }
          };
      rig.context.getStatusManager().add(hanging);
      Reports reports = new Reports(rig.appender);
      for (int i = 0; i < 10_000; i++) {
        reports.info("one of many");
      }
      for (int i = 0; i < 50_000; i++) {
        rig.logger.info("event");
      }
      rig.awaitDelivered();
      released.set(true);
      rig.await(
          "told that some were left out",
          () -> {
            reports.info("another");
            return rig.statuses().stream().anyMatch(s -> s.contains("similar messages left out"));
          });
      long told = rig.statuses().stream().filter(s -> s.startsWith("one of many")).count();
      assertThat(told).isBetween(1L, 256L); // Logback keeps the first 150 and the last 150
    }
  }

  /** One that hangs is its own context's affair. */
  @Test
  void shouldTellOtherContextsThoughAListenerHangs() throws Exception {
    CountDownLatch hanging = new CountDownLatch(1);
    CountDownLatch released = new CountDownLatch(1);
    StatusListener hangs =
        status -> {
          hanging.countDown();
          awaitUninterruptibly(released);
        };
    try (Rig hung = new Rig(directory.resolve("hung"), new GatedAppender()).start();
        Rig other = new Rig(directory.resolve("other"), new GatedAppender()).start()) {
      try {
        hung.context.getStatusManager().add(hangs);
        new Reports(hung.appender).info("hangs");
        assertThat(hanging.await(Rig.PATIENCE.toSeconds(), TimeUnit.SECONDS)).isTrue();
        new Reports(other.appender).info("heard");
        other.await("told", () -> isTold(other, "heard"));
      } finally {
        released.countDown(); // a context is not closed while its listener hangs
      }
    }
  }

  private static boolean isTold(Rig rig, String message) {
    return rig.context.getStatusManager().getCopyOfStatusList().stream()
        .anyMatch(status -> status.getMessage().equals(message));
  }

  private static void awaitUninterruptibly(CountDownLatch latch) {
    while (latch.getCount() > 0) {
      LockSupport.parkNanos(1_000_000L);
    }
  }

  /** Logback lets it through: its own appenders do not start. */
  @Test
  void shouldStartLogAndStopThoughAListenerThrows() throws Exception {
    LoggerContext context = new LoggerContext();
    context.setMDCAdapter(new LogbackMDCAdapter());
    StatusListener throwing =
        status -> {
          throw new IllegalStateException("thrown by a listener");
        };
    context.getStatusManager().add(throwing);
    assertThatThrownBy(() -> rolling(context, new RollingFileAppender<>(), "stock").start())
        .hasMessageContaining("thrown by a listener");
    SpillwayRollingFileAppender<ILoggingEvent> wrong = new SpillwayRollingFileAppender<>();
    wrong.setQueueSize("many");
    rolling(context, wrong, "wrong").start();
    assertThat(wrong.isStarted()).isFalse();
    wrong.getRollingPolicy().stop(); // it was started on its own
    SpillwayRollingFileAppender<ILoggingEvent> own = new SpillwayRollingFileAppender<>();
    rolling(context, own, "own").start();
    Logger logger = context.getLogger("test");
    logger.addAppender(own);
    logger.info("event");
    assertThat(own.awaitDelivered(Rig.PATIENCE)).isTrue();
    own.stop();
    assertThat(directory.resolve("own.log")).hasContent("event");
  }

  private RollingFileAppender<ILoggingEvent> rolling(
      LoggerContext context, RollingFileAppender<ILoggingEvent> appender, String name) {
    PatternLayoutEncoder encoder = new PatternLayoutEncoder();
    encoder.setContext(context);
    encoder.setPattern("%msg%n");
    encoder.start();
    appender.setContext(context);
    appender.setName(name);
    appender.setFile(directory.resolve(name + ".log").toString());
    appender.setEncoder(encoder);
    if (appender instanceof SpillwayRollingFileAppender) {
      FixedWindowRollingPolicy policy = new FixedWindowRollingPolicy();
      policy.setContext(context);
      policy.setParent(appender);
      policy.setFileNamePattern(directory.resolve(name + ".%i.log.gz").toString());
      policy.start();
      SizeBasedTriggeringPolicy<ILoggingEvent> size = new SizeBasedTriggeringPolicy<>();
      size.setContext(context);
      size.start();
      appender.setRollingPolicy(policy);
      appender.setTriggeringPolicy(size);
    }
    return appender;
  }

  /** What has been waited for is not spilling any more. */
  @Test
  void shouldBeHealthyOnceEverythingIsDelivered() {
    int rounds = Boolean.getBoolean("spillway.test.full") ? 1_000 : 100;
    GatedAppender nested = new GatedAppender();
    nested.handTo(message -> {});
    try (Rig rig = new Rig(directory, nested)) {
      rig.appender.setMemoryBuffer("64 KB");
      rig.start();
      for (int round = 0; round < rounds; round++) {
        nested.shut();
        long spilled = rig.appender.getMetrics().getSpilled();
        while (rig.appender.getMetrics().getSpilled() == spilled) {
          rig.logger.info("fill {}", "x".repeat(1_000));
        }
        nested.open();
        Snapshot now;
        do {
          now = rig.appender.getMetrics().snapshot();
        } while (now.events().pending() > 0);
        assertThat(Health.of(now)).isEqualTo(new Health(Health.Status.UP, ""));
      }
    }
  }

  @Test
  void shouldStopOnTheThreadThatTells() {
    GatedAppender nested = new GatedAppender();
    try (Rig rig = new Rig(directory, nested).start()) {
      rig.context.getStatusManager().add((StatusListener) status -> rig.appender.stop());
      new Reports(rig.appender).info("stop");
      rig.await("stopped", () -> !rig.appender.isStarted());
    }
  }

  /** The message tells the limit: what is behind the ring, or the drainer. */
  @Test
  void shouldSayWhyTheRingIsFull() {
    GatedAppender nested = new GatedAppender();
    try (Rig rig = new Rig(directory, nested)) {
      fillable(rig, "DROP");
      nested.shut();
      SpillwayMetrics metrics = rig.appender.getMetrics();
      while (metrics.getSpillBytes() < 900_000) {
        rig.logger.info("fill {}", "x".repeat(100));
        LockSupport.parkNanos(10_000); // the drainer keeps up
      }
      while (metrics.lossOf(LossCause.QUEUE_FULL) == 0) {
        rig.logger.info("fill");
      }
      rig.await("told", () -> rig.statuses().stream().anyMatch(s -> s.contains("ring is full")));
      assertThat(ringFull(rig)).allMatch(s -> s.contains("memory and spill take nothing more"));
      nested.open();
      rig.awaitDelivered();
    }
  }

  @Test
  void shouldNameTheDrainerWhenItIsTheLimit() {
    try (FileRig rig = new FileRig(directory.resolve("app.log"))) {
      rig.appender.setWhenFull("DROP");
      AtomicBoolean told = new AtomicBoolean();
      PatternLayoutEncoder slow =
          new PatternLayoutEncoder() {
            @Override
            public byte[] encode(ILoggingEvent event) {
              if (!told.get()) {
                LockSupport.parkNanos(1_000_000L);
              }
              return super.encode(event);
            }
          };
      slow.setPattern("%msg%n");
      rig.encoder(slow).start();
      while (rig.metrics().lossOf(LossCause.QUEUE_FULL) == 0) {
        rig.logger.info("fast");
      }
      rig.await("told", () -> rig.statuses().stream().anyMatch(s -> s.contains("ring is full")));
      assertThat(rig.statuses()).anyMatch(s -> s.contains("the drainer, the one thread that"));
      assertThat(rig.appender.health().reason()).contains("the drainer, the one thread that");
      told.set(true); // the stop has the rest of the ring encoded
    }
  }

  private static List<String> ringFull(Rig rig) {
    return rig.statuses().stream().filter(s -> s.contains("ring is full")).toList();
  }
}
