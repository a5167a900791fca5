package io.spillway.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.encoder.PatternLayoutEncoder;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.Appender;
import ch.qos.logback.core.OutputStreamAppender;
import ch.qos.logback.core.read.ListAppender;
import io.spillway.SpillwayAppender;
import io.spillway.SpillwayRollingFileAppender;
import io.spillway.metrics.LossCause;
import io.spillway.testkit.Configured;
import io.spillway.testkit.ExitHooks;
import io.spillway.testkit.Gate;
import io.spillway.testkit.GatedAppender;
import io.spillway.testkit.Subject;
import java.io.ByteArrayOutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Log calls that come when the appender's exit hook has ended deliver their own events. */
class LateCallTest {
  private static final String ROLLING =
      "<file>DIR/app.log</file><encoder><pattern>%msg%n</pattern></encoder>"
          + "<rollingPolicy class='io.spillway.rolling.SizeAndTimeBasedRollingPolicy'>"
          + "<fileNamePattern>DIR/app.%d.%i.log</fileNamePattern>"
          + "<maxFileSize>1KB</maxFileSize></rollingPolicy>";

  @TempDir Path directory;

  /** A hook may wait for a thread that logs when it is interrupted, and ends then. */
  @ParameterizedTest
  @EnumSource
  void shouldKeepTheInterruptOfWhoLogs(Subject.Kind kind) throws Exception {
    try (Subject subject = new Subject(kind, directory).start()) {
      ExitHooks.of(subject.appender()).run();
      Thread.currentThread().interrupt();

      subject.logger.info("told to end");

      assertThat(Thread.interrupted()).isTrue();
      assertThat(subject.lines()).containsExactly("told to end");
    }
  }

  /** In the middle of a call, as by a policy or converter, too. */
  @Test
  void shouldKeepAnInterruptThatComesWhileItDelivers() throws Exception {
    try (Subject subject = new Subject(Subject.Kind.OWN_FILE, directory).start()) {
      ExitHooks.of(subject.appender()).run();
      subject.gate.onPass(Thread.currentThread()::interrupt);

      subject.logger.info("told to end");

      assertThat(Thread.interrupted()).isTrue();
      assertThat(subject.lines()).containsExactly("told to end");
    }
  }

  /** As a stream to a host that answers no more. */
  @Test
  void shouldSaveWhatIsLoggedWhileASinkThatHasGotEverythingDoesNotReturn() throws Exception {
    LoggerContext context = Subject.newContext();
    Logger logger = context.getLogger("test");
    Gate flushes = new Gate();
    SpillwayAppender appender = new SpillwayAppender();
    appender.setMaxFlushTime("100");
    start(appender, flushing(context, flushes));
    logger.addAppender(appender);
    logger.info("delivered");
    assertThat(appender.awaitDelivered(Duration.ofSeconds(20))).isTrue();
    flushes.shut();
    try {
      ExitHooks.of(appender).run();

      logger.info("while it hangs");

      assertThat(appender.getMetrics().getLost() + appender.getMetrics().getDropped()).isZero();
    } finally {
      flushes.open();
      context.stop();
    }
    assertThat(ofTheNextStart())
        .extracting(ILoggingEvent::getMessage)
        .containsExactly("while it hangs");
  }

  private List<ILoggingEvent> ofTheNextStart() {
    ListAppender<ILoggingEvent> rest = new ListAppender<>();
    rest.setContext(Subject.newContext());
    rest.start();
    SpillwayAppender next = new SpillwayAppender();
    start(next, rest);
    assertThat(next.awaitDelivered(Duration.ofSeconds(20))).isTrue();
    next.stop();
    return rest.list;
  }

  private void start(SpillwayAppender appender, Appender<ILoggingEvent> nested) {
    appender.setContext(nested.getContext());
    appender.setName("LATE");
    appender.setSpillDirectory(directory.resolve("spill").toString());
    appender.addAppender(nested);
    appender.start();
  }

  private static Appender<ILoggingEvent> flushing(LoggerContext context, Gate flushes) {
    PatternLayoutEncoder encoder = new PatternLayoutEncoder();
    encoder.setContext(context);
    encoder.setPattern("%msg%n");
    encoder.start();
    OutputStreamAppender<ILoggingEvent> appender = new OutputStreamAppender<>();
    appender.setContext(context);
    appender.setEncoder(encoder);
    appender.setImmediateFlush(false);
    appender.setOutputStream(
        new ByteArrayOutputStream() {
          @Override
          public void flush() {
            flushes.pass();
          }
        });
    appender.start();
    return appender;
  }

  private static Thread inBackground(Runnable work) {
    Thread thread = new Thread(work);
    thread.setDaemon(true);
    return thread;
  }

  /** One thread logs in the midst of what the value that another one logs waits for. */
  private static void logWhileAValueWaits(Logger logger) {
    Object lock = new Object();
    CountDownLatch printing = new CountDownLatch(1);
    Object value =
        new Object() {
          @Override
          public String toString() {
            printing.countDown();
            synchronized (lock) {
              return "text";
            }
          }
        };
    Thread first = inBackground(() -> logger.atInfo().addKeyValue("key", value).log("waits"));
    Thread second =
        inBackground(
            () -> {
              synchronized (lock) {
                first.start();
                await().until(() -> printing.getCount() == 0);
                logger.info("meanwhile");
              }
            });
    second.start();
    await("log calls").until(() -> !second.isAlive() && !first.isAlive());
  }

  /** Logback's own appender encodes outside its lock as well. */
  @Test
  void shouldHoldUpNoCallByAnotherWhoseEncoderWaitsForIt() throws Exception {
    String settings = ROLLING.replace("%msg", "%kvp%msg");
    try (Configured configured = new Configured(Configured.SPILLWAY, directory, settings)) {
      ExitHooks.of(configured.file()).run();

      logWhileAValueWaits(configured.logger);

      assertThat(directory.resolve("app.log")).hasContent("meanwhile\nkey=\"text\"waits\n");
    }
  }

  /** What is put behind a backlog is printed as it is when it is not. */
  @Test
  void shouldHoldUpNoCallByAnotherWhoseCodecWaitsForIt() throws Exception {
    LoggerContext context = Subject.newContext();
    Logger logger = context.getLogger("test");
    GatedAppender stuck = new GatedAppender();
    stuck.setContext(context);
    stuck.start();
    SpillwayAppender appender = new SpillwayAppender();
    appender.setMaxFlushTime("1");
    start(appender, stuck);
    logger.addAppender(appender);
    stuck.shut();
    try {
      logger.info("in the sink");
      await().until(stuck::isHoldingOne);
      ExitHooks.of(appender).run();

      logWhileAValueWaits(logger);

      assertThat(appender.getMetrics().getLost() + appender.getMetrics().getDropped()).isZero();
    } finally {
      stuck.open();
      appender.stop();
    }
    await("the spill's directory").until(() -> isGone("spillway-stop-LATE"));
    List<ILoggingEvent> rest = ofTheNextStart();
    assertThat(rest)
        .extracting(ILoggingEvent::getMessage)
        .endsWith("meanwhile", "waits")
        .hasSizeLessThanOrEqualTo(3);
    assertThat(rest.get(rest.size() - 1).getKeyValuePairs())
        .singleElement()
        .hasToString("key=\"text\"");
  }

  private static boolean isGone(String name) {
    return Thread.getAllStackTraces().keySet().stream()
        .noneMatch(thread -> thread.getName().equals(name));
  }

  private static boolean isTold(Subject subject, String text) {
    return subject.context().getStatusManager().getCopyOfStatusList().stream()
        .anyMatch(status -> status.getMessage().contains(text));
  }

  /** It may be this call that the sink waits for. */
  @ParameterizedTest
  @EnumSource
  void shouldWaitWithABoundForACallThatDoesNotReturnFromTheSink(Subject.Kind kind)
      throws Exception {
    try (Subject subject = new Subject(kind, directory).start()) {
      ExitHooks.of(subject.appender()).run();
      ExitHooks.setPatience(subject.appender(), 50_000_000L);
      subject.gate.shut();
      Thread stuck = inBackground(() -> subject.logger.info("in the sink"));
      stuck.start();
      await().until(subject.gate::isHolding);

      Thread others =
          inBackground(
              () -> {
                subject.logger.info("given up");
                subject.logger.info("likewise");
              });
      others.start();
      await("log calls").until(() -> !others.isAlive());

      assertThat(subject.metrics().lossOf(LossCause.NOT_SAVED)).isEqualTo(2);
      await().until(() -> isTold(subject, "has not returned from the sink"));
      subject.gate.open();
      await().until(() -> !stuck.isAlive());
      subject.logger.info("in time");
      assertThat(subject.lines()).containsExactly("in the sink", "in time");
      assertThat(subject.metrics().getAccepted()).isEqualTo(4);
    }
  }

  @Test
  void shouldTellThatNeitherSinkNorSpillTakesAnEvent() throws Exception {
    try (Subject subject = new Subject(Subject.Kind.WRAPPED, directory)) {
      subject.settings().setMaxFlushTime("1");
      subject.settings().setMaxSpillSize("1 MB");
      subject.gate.shut();
      subject.start();
      subject.logger.info("in the sink");
      await().until(subject.gate::isHolding);
      ExitHooks.of(subject.appender()).run();

      subject.logger.info("x".repeat(2_000_000));

      assertThat(subject.metrics().lossOf(LossCause.NOT_SAVED)).isOne();
      await().until(() -> isTold(subject, "neither the sink nor the spill has taken it"));
    }
  }

  /** Not that it waits in memory and is tried again. */
  @Test
  void shouldTellThatAnEventIsLostWhichTheLogFileDoesNotTake() throws Exception {
    try (Subject subject = new Subject(Subject.Kind.OWN_FILE, directory).start()) {
      ExitHooks.of(subject.appender()).run();
      Files.delete(subject.logFile());
      Files.createDirectory(subject.logFile());

      subject.logger.info("lost");

      assertThat(subject.metrics().lossOf(LossCause.NOT_SAVED)).isOne();
      await().until(() -> isTold(subject, "neither the sink nor the spill has taken it"));
      assertThat(isTold(subject, "The event is not tried again")).isTrue();
      assertThat(isTold(subject, "tried again until it works")).isFalse();
    }
  }

  @Test
  void shouldRollOverWhatIsDueThen() throws Exception {
    String large = "x".repeat(2_000);
    try (Configured configured = new Configured(Configured.SPILLWAY, directory, ROLLING)) {
      SpillwayRollingFileAppender<ILoggingEvent> appender =
          (SpillwayRollingFileAppender<ILoggingEvent>) configured.file();
      ExitHooks.of(appender).run();
      for (int i = 0; i < 4; i++) {
        configured.logger.info(large);
      }
      assertThat(appender.getMetrics().getRollovers()).isEqualTo(3);
    } // and waits until all have their names
    assertThat(Configured.contents(directory))
        .hasSize(4)
        .allSatisfy((name, content) -> assertThat(content).as(name).isEqualTo(large + "\n"));
  }
}
