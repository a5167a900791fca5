package io.spillway.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.UnsynchronizedAppenderBase;
import io.spillway.SpillwayAppender;
import io.spillway.metrics.LossCause;
import io.spillway.testkit.ExitHooks;
import io.spillway.testkit.Gate;
import io.spillway.testkit.Subject;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * A stop that comes when the appender's own exit hook has ended, as that of a framework whose hook
 * takes longer. Other threads log, and have delivered their own events so far.
 */
@Timeout(120)
class LateStopTest {
  @TempDir Path directory;
  private final LoggerContext context = Subject.newContext();
  private final Logger logger = context.getLogger("test");
  private final Nested nested = new Nested();
  private final SpillwayAppender appender = new SpillwayAppender();

  /** Stands still where it delivers, and where it is stopped. */
  private static final class Nested extends UnsynchronizedAppenderBase<ILoggingEvent> {
    private final List<String> messages = new CopyOnWriteArrayList<>();
    private final Gate deliveries = new Gate();
    private final Gate stops = new Gate();

    @Override
    protected void append(ILoggingEvent event) {
      deliveries.pass();
      messages.add(event.getFormattedMessage());
    }

    @Override
    public void stop() {
      stops.pass();
      super.stop();
    }
  }

  private void start(String maxFlushTime) {
    nested.setContext(context);
    nested.start();
    appender.setContext(context);
    appender.setName("LATE");
    appender.setSpillDirectory(directory.resolve("spill").toString());
    appender.setMaxFlushTime(maxFlushTime);
    appender.addAppender(nested);
    appender.start();
    logger.addAppender(appender);
  }

  private void exit(String maxFlushTime) throws Exception {
    start(maxFlushTime);
    ExitHooks.of(appender).run();
    logger.info("after the exit");
    assertThat(nested.messages).containsExactly("after the exit");
  }

  @AfterEach
  void close() {
    nested.deliveries.open();
    nested.stops.open();
    context.stop();
    await().until(() -> !nested.isStarted());
  }

  private static Thread inBackground(Runnable work) {
    Thread thread = new Thread(work);
    thread.setDaemon(true);
    thread.start();
    return thread;
  }

  private static void awaitEnd(String whose, Thread thread) {
    await(whose).until(() -> !thread.isAlive());
  }

  private long dropped() {
    return appender.getMetrics().lossOf(LossCause.STOPPED);
  }

  /** As long as a footer, a force of the file, or a compression takes, or a disk that hangs. */
  @Test
  void shouldHoldUpNoLogCallWhileTheSinkIsStoppedAndWaitForThatWithABound() throws Exception {
    exit("100");
    nested.stops.shut();
    Thread stop = inBackground(appender::stop);
    await().until(nested.stops::isHolding);

    Thread call = inBackground(() -> logger.info("too late"));

    awaitEnd("log call", call);
    assertThat(dropped()).isOne();
    awaitEnd("stop", stop);
    assertThat(nested.isStarted()).as("still stopping").isTrue();
    nested.stops.open();
    await().until(() -> !nested.isStarted());
    assertThat(nested.messages).hasSize(1);
  }

  @Test
  void shouldNotHangIfWhatStopsTheSinkJoinsAThreadThatLogs() throws Exception {
    exit("0");
    nested.stops.onPass(
        () -> awaitEnd("a thread of its own", inBackground(() -> logger.info("x"))));

    Thread stop = inBackground(appender::stop);

    awaitEnd("stop", stop);
    assertThat(nested.isStarted()).isFalse();
    assertThat(dropped()).isOne();
  }

  /** What a log call gives the sink comes before the sink is stopped, but nobody waits for ever. */
  @Test
  void shouldStopTheSinkOnlyAfterALogCallThatIsInIt() throws Exception {
    exit("100");
    nested.deliveries.shut();
    Thread call = inBackground(() -> logger.info("in the sink"));
    await().until(nested.deliveries::isHolding);

    Thread stop = inBackground(appender::stop);

    awaitEnd("stop", stop);
    awaitEnd("log call", inBackground(() -> logger.info("too late")));
    assertThat(dropped()).isOne();
    assertThat(nested.isStarted()).as("still used").isTrue();
    nested.deliveries.open();
    awaitEnd("log call", call);
    await().until(() -> !nested.isStarted());
    assertThat(nested.messages).containsExactly("after the exit", "in the sink");
    assertThat(appender.getMetrics().getLost()).isZero();
  }

  /** Nobody uses it any more, once it returns. */
  @Test
  void shouldStopASinkThatHasBeenStuckSinceBeforeTheExit() throws Exception {
    start("1");
    nested.deliveries.shut();
    logger.info("in the sink");
    await().until(nested.deliveries::isHolding);
    ExitHooks.of(appender).run();

    awaitEnd("stop", inBackground(appender::stop));

    assertThat(nested.isStarted()).as("still used").isTrue();
    nested.deliveries.open();
    await().until(() -> !nested.isStarted());
  }

  /** The deliverer has ended by the time of the stop. */
  @Test
  void shouldStopASinkThatWasStuckAtTheExitAndCameBackBeforeTheStop() throws Exception {
    start("1");
    nested.deliveries.shut();
    logger.info("in the sink");
    await().until(nested.deliveries::isHolding);
    ExitHooks.of(appender).run();
    nested.deliveries.open();
    await().until(LateStopTest::isDelivererGone);

    awaitEnd("stop", inBackground(appender::stop));

    await().until(() -> !nested.isStarted());
  }

  private static boolean isDelivererGone() {
    return Thread.getAllStackTraces().keySet().stream()
        .noneMatch(thread -> thread.getName().equals("spillway-deliverer-LATE"));
  }

  @Test
  void shouldNotWaitForItselfIfTheSinkStopsItsAppender() throws Exception {
    exit("0"); // without a bound
    nested.deliveries.onPass(appender::stop);

    Thread call = inBackground(() -> logger.info("stops it"));

    awaitEnd("log call", call);
    assertThat(nested.messages).containsExactly("after the exit", "stops it");
    await().until(() -> !nested.isStarted());
  }
}
