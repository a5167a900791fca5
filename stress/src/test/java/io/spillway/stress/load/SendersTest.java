package io.spillway.stress.load;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.Appender;
import ch.qos.logback.core.AppenderBase;
import io.spillway.stress.report.LoadFigures;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.LoggerFactory;

@Timeout(60)
class SendersTest {

  private static final int EVENTS = 9;
  private static final double ONE_A_MICROSECOND = 1e6;
  private static final double ONE_IN_100_SECONDS = 0.01;

  @TempDir private Path directory;
  private Logger logger;

  /** Of every third call; a thread that was still interrupted would not wait for its next one. */
  private static final class Interrupting extends AppenderBase<ILoggingEvent> {
    private int events;
    private boolean interruptedBefore;

    @Override
    protected void append(ILoggingEvent event) {
      interruptedBefore |= Thread.currentThread().isInterrupted();
      if (++events % 3 == 0) {
        Thread.currentThread().interrupt();
      }
    }
  }

  /** Past what AppenderBase catches. */
  private static final class Throwing extends AppenderBase<ILoggingEvent> {
    @Override
    public void doAppend(ILoggingEvent event) {
      sneak(new IOException("injected"));
    }

    @Override
    protected void append(ILoggingEvent event) {
      throw new AssertionError();
    }

    @SuppressWarnings("unchecked")
    private static <T extends Throwable> void sneak(Throwable thrown) throws T {
      throw (T) thrown;
    }
  }

  @BeforeEach
  void setUp() {
    logger = (Logger) LoggerFactory.getLogger("senders" + directory.getFileName());
    logger.setAdditive(false);
    logger.setLevel(Level.INFO);
  }

  @Test
  void shouldCountCallsThatInterruptTheirThreadAndGoOnWithoutIt() throws Exception {
    Interrupting appender = new Interrupting();
    Caller sender = finished(started(appender));

    assertThat(sender.sent).isEqualTo(EVENTS);
    assertThat(sender.interrupted).isEqualTo(EVENTS / 3);
    assertThat(appender.interruptedBefore).isFalse();
  }

  /** As an appender in Kotlin may throw it; a thread that ends by it would just ask less. */
  @Test
  void shouldCountCallsThatThrowWhatTheyCannotDeclareAndGoOn() throws Exception {
    Caller sender = finished(started(new Throwing()));

    assertThat(sender.sent).isEqualTo(EVENTS);
    assertThat(sender.threw).isEqualTo(EVENTS);
    assertThat(sender.firstThrown).isInstanceOf(IOException.class);
  }

  /** Until it returns, and as much of it as fell into each second. */
  @Test
  void shouldCountALongCallAsHeldUpWhileItLasts() throws Exception {
    CountDownLatch release = new CountDownLatch(1);
    Senders load =
        started(
            new AppenderBase<>() {
              @Override
              protected void append(ILoggingEvent event) {
                try {
                  release.await();
                } catch (InterruptedException e) {
                  throw new AssertionError(e);
                }
              }
            });
    while (load.heldUp(System.nanoTime()).isEmpty()) {
      Thread.sleep(1);
    }
    release.countDown();
    Caller sender = finished(load);

    assertThat(load.heldUp(System.nanoTime())).isEmpty();
    assertThat(sender.worstNanos).isGreaterThanOrEqualTo(10_000_000);
    assertThat(sender.held.seconds(60).stream().mapToDouble(s -> s).sum())
        .isBetween(0.010, sender.worstNanos * EVENTS / 1e9);
  }

  /** Figures that are divided by the time of the load would be those of a milder one. */
  @Test
  void shouldNotWaitForCallsThatAreDueAfterItsEnd() throws Exception {
    LoadFigures figures = run(ONE_IN_100_SECONDS, false);

    assertThat(figures.loadSeconds()).isLessThan(60);
    assertThat(figures.callsDue()).isZero();
    assertThat(figures.heldBySecond()).hasSameSizeAs(figures.cpuBySecond());
    assertThat(directory.resolve(LoadSpec.LATENCY_FILE)).isNotEmptyFile();
  }

  @Test
  void shouldSendFromVirtualThreadsWhereTheJvmHasThem() throws Exception {
    assumeTrue(Runtime.version().feature() >= 21, "skipped, virtual threads need Java 21");

    LoadFigures figures = run(1_000, true);

    assertThat(figures.callsMade()).isPositive().isEqualTo(figures.callsDue());
  }

  private LoadFigures run(double rate, boolean virtual) throws Exception {
    try (Senders load = new Senders(spec(3, virtual, rate))) {
      load.run(() -> {});
      return load.figures(List.of());
    }
  }

  /** Starts one thread with a few calls that are due at once. */
  private Senders started(Appender<ILoggingEvent> appender) throws IOException {
    appender.setContext(logger.getLoggerContext());
    appender.start();
    logger.addAppender(appender);
    Senders load = new Senders(spec(1, false, ONE_A_MICROSECOND));
    load.stop(load.startNanos() + EVENTS * 1_000 + 1);
    load.start();
    return load;
  }

  private static Caller finished(Senders load) throws Exception {
    try (load) {
      while (!load.awaitLastCall()) {
        Thread.yield();
      }
    }
    return load.callers().get(0);
  }

  private LoadSpec spec(int threads, boolean virtual, double rate) {
    String logs = directory.toString();
    LoadSpec.Target target =
        new LoadSpec.Target(
            logger.getName(), false, 0, logs + "/app.log", true, 0, logs, null, null);
    return new LoadSpec(
        threads, virtual, rate, 0, 0, 1, Set.of(), 0.1, target, null, logs, null, null);
  }
}
