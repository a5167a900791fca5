package io.spillway.stress.load;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.Appender;
import ch.qos.logback.core.AppenderBase;
import io.spillway.stress.record.LatencyRecorder;
import io.spillway.stress.record.RotationWindow;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SenderTest {

  private static final long EVENTS = 9;

  @TempDir private Path directory;

  /** Of every third call. */
  private static final class Interrupting extends AppenderBase<ILoggingEvent> {
    private long events;

    @Override
    protected void append(ILoggingEvent event) {
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

  /** A few calls are due at once, and no more. */
  private static class Now implements Sender.Schedule {
    private final long start = System.nanoTime();

    @Override
    public long dueNanos(long sequence) {
      return sequence < EVENTS ? start : Long.MAX_VALUE;
    }

    @Override
    public boolean endsBefore(long dueNanos) {
      return dueNanos == Long.MAX_VALUE;
    }

    @Override
    public boolean isGivenUp() {
      return false;
    }

    @Override
    public boolean isMeasured(long endNanos) {
      return true;
    }

    @Override
    public long startNanos() {
      return start;
    }
  }

  @AfterEach
  void clearInterrupt() {
    Thread.interrupted();
  }

  /** Or the thread would go on without ever waiting for the next call's time. */
  @Test
  void shouldCountCallsThatInterruptTheirThreadAndGoOnWithoutIt() throws Exception {
    Sender sender = sender(new Interrupting());

    sender.run();

    assertThat(sender.sent()).isEqualTo(EVENTS);
    assertThat(sender.interrupted()).isEqualTo(EVENTS / 3);
    assertThat(Thread.currentThread().isInterrupted()).isFalse();
  }

  /** As an appender in Kotlin may throw it; a thread that ends by it would just ask less. */
  @Test
  void shouldCountCallsThatThrowWhatTheyCannotDeclareAndGoOn() throws Exception {
    Sender sender = sender(new Throwing());

    sender.run();

    assertThat(sender.sent()).isEqualTo(EVENTS);
    assertThat(sender.threw()).isEqualTo(EVENTS);
    assertThat(sender.firstThrown()).isInstanceOf(IOException.class);
  }

  /** Until it returns, and as much of it as fell into each second. */
  @Test
  void shouldCountALongCallAsHeldUpWhileItLasts() throws Exception {
    CountDownLatch release = new CountDownLatch(1);
    Sender sender =
        sender(
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
    Thread thread = new Thread(sender);
    thread.start();
    while (!sender.isHeldUp(System.nanoTime())) {
      Thread.onSpinWait();
    }
    release.countDown();
    thread.join();

    assertThat(sender.isHeldUp(System.nanoTime())).isFalse();
    assertThat(sender.worstNanos()).isGreaterThanOrEqualTo(10_000_000);
    assertThat(sender.held().seconds(60).stream().mapToDouble(s -> s).sum())
        .isBetween(0.010, sender.worstNanos() * EVENTS / 1e9);
  }

  /** An hour before its next call, whose time never comes. */
  @Test
  void shouldEndWithTheLoadAndNotWhenItsNextCallWouldBeDue() throws Exception {
    AtomicBoolean ended = new AtomicBoolean();
    Sender.Schedule inAnHour =
        new Now() {
          @Override
          public long dueNanos(long sequence) {
            return startNanos() + TimeUnit.HOURS.toNanos(1);
          }

          @Override
          public boolean endsBefore(long dueNanos) {
            return ended.get();
          }
        };
    Sender sender = sender(new Throwing(), inAnHour);
    Thread thread = new Thread(sender);
    thread.setDaemon(true);
    thread.start();
    while (thread.getState() != Thread.State.TIMED_WAITING) {
      Thread.onSpinWait();
    }

    ended.set(true);
    LockSupport.unpark(thread);
    thread.join(TimeUnit.SECONDS.toMillis(20));

    assertThat(thread.isAlive()).isFalse();
    assertThat(sender.sent()).isZero();
  }

  private Sender sender(Appender<ILoggingEvent> appender) throws IOException {
    return sender(appender, new Now());
  }

  private Sender sender(Appender<ILoggingEvent> appender, Sender.Schedule schedule)
      throws IOException {
    LoggerContext context = new LoggerContext();
    appender.setContext(context);
    appender.start();
    context.getLogger("ROOT").addAppender(appender);
    LoadSpec.Target target =
        new LoadSpec.Target("shop", false, 0, null, false, 0, null, null, null);
    LoadSpec spec = new LoadSpec(1, false, 1, 0, 0, 1, Set.of(), 0, target, null, null, null);
    LatencyRecorder latency =
        new LatencyRecorder(directory.resolve("l.hlog"), System.nanoTime(), new RotationWindow());
    return new Sender(0, schedule, latency, context.getLogger("shop"), spec);
  }
}
