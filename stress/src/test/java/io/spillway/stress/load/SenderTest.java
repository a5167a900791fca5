package io.spillway.stress.load;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.Appender;
import ch.qos.logback.core.AppenderBase;
import io.spillway.stress.record.LatencyRecorder;
import io.spillway.stress.record.RotationWindow;
import java.io.IOException;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class SenderTest {

  private static final long EVENTS = 9;

  private byte[] kept;

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

  /** Everything is due at once. */
  private static class Now implements Sender.Schedule {
    private final long start = System.nanoTime();

    @Override
    public boolean wants(long sequence) {
      return sequence < EVENTS;
    }

    @Override
    public long dueNanos(long sequence) {
      return start;
    }

    @Override
    public boolean endsBefore(long dueNanos) {
      return false;
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
  void shouldCountCallsThatInterruptTheirThreadAndGoOnWithoutIt() {
    Sender sender = sender(new Interrupting());

    sender.run();

    assertThat(sender.sent()).isEqualTo(EVENTS);
    assertThat(sender.interrupted()).isEqualTo(EVENTS / 3);
    assertThat(Thread.currentThread().isInterrupted()).isFalse();
  }

  /** As an appender in Kotlin may throw it; a thread that ends by it would just ask less. */
  @Test
  void shouldCountCallsThatThrowWhatTheyCannotDeclareAndGoOn() {
    Sender sender = sender(new Throwing());

    sender.run();

    assertThat(sender.sent()).isEqualTo(EVENTS);
    assertThat(sender.threw()).isEqualTo(EVENTS);
    assertThat(sender.firstThrown()).isInstanceOf(IOException.class);
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

  private static Sender sender(Appender<ILoggingEvent> appender) {
    return sender(appender, new Now());
  }

  private static Sender sender(Appender<ILoggingEvent> appender, Sender.Schedule schedule) {
    LoggerContext context = new LoggerContext();
    appender.setContext(context);
    appender.start();
    context.getLogger("ROOT").addAppender(appender);
    LoadSpec.Target target =
        new LoadSpec.Target("shop", false, 0, null, false, 0, null, null, null);
    LoadSpec spec =
        new LoadSpec(1, false, 1, EVENTS, 0, 0, 1, Set.of(), 0, target, null, null, null);
    LatencyRecorder latency = new LatencyRecorder(System.nanoTime(), new RotationWindow(), true);
    return new Sender(0, schedule, latency, context.getLogger("shop"), spec);
  }

  @Test
  void shouldCountWhatTheCurrentThreadAllocates() {
    long before = Sender.allocatedByCurrentThread();
    kept = new byte[1_000_000];
    long after = Sender.allocatedByCurrentThread();

    assertThat(kept).hasSize(1_000_000);
    assertThat(after - before).isBetween(1_000_000L, 1_001_000L);
  }
}
