package io.spillway.internal.route;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.spi.IThrowableProxy;
import ch.qos.logback.classic.spi.LoggingEvent;
import ch.qos.logback.classic.spi.StackTraceElementProxy;
import ch.qos.logback.core.spi.ContextAwareBase;
import io.spillway.internal.codec.EventCodec;
import io.spillway.internal.metrics.Counters;
import io.spillway.internal.metrics.Reports;
import io.spillway.internal.sink.Batch;
import io.spillway.internal.sink.Delivery;
import io.spillway.internal.sink.Sink;
import java.util.Arrays;
import java.util.Collections;
import java.util.Map;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Ticks of the watchdog are given by hand. */
@Timeout(60)
class WorkerTest {
  /** More than a second of them. */
  private static final int MANY_TICKS = 40;

  /** As when there is no memory for what follows; an appender that has started again is in use. */
  @Test
  void shouldCloseTheSinkOnceThoughTheDelivererEndsTwice() {
    AtomicInteger closed = new AtomicInteger();
    Sink sink =
        new Sink() {
          @Override
          public void deliver(Batch batch, boolean leftover, Delivery delivery) {}

          @Override
          public void close() {
            closed.incrementAndGet();
          }
        };
    PipelineContext context =
        new PipelineContext("test", new Counters(), new Reports(new ContextAwareBase()));
    Deliverer deliverer = new Deliverer(context, null, sink, null);
    assertThat(deliverer.closesSink()).isTrue();
    deliverer.onEnd();
    assertThat(deliverer.closesSink()).as("not the caller's to close").isTrue();
    deliverer.onEnd();
    assertThat(closed).hasValue(1);
  }

  private static final StackTraceElementProxy[] FRAMES =
      Collections.nCopies(
              10_000,
              new StackTraceElementProxy(
                  new StackTraceElement("com.example.Till", "sell", "Till.java", 7)))
          .toArray(StackTraceElementProxy[]::new);

  private final Semaphore ticked = new Semaphore(0);
  private final Semaphore reached = new Semaphore(0);
  private final Encoding worker = new Encoding();
  private volatile boolean copying;
  private volatile byte[] copied;

  /** Encodes one event that others wait for. */
  private final class Encoding extends Worker {
    private final ILoggingEvent event = event();
    private volatile boolean done;
    private volatile long fenced = -1;
    private volatile boolean awaited = true;

    Encoding() {
      super(
          new PipelineContext("test", new Counters(), new Reports(new ContextAwareBase())),
          "encoder",
          1,
          1);
    }

    @Override
    protected boolean step(Shift shift) {
      EventCodec.Foreign how = new EventCodec.Foreign(false, false, shift);
      shift.enter(0);
      try {
        new EventCodec().encode(new ILoggingEvent[] {event}, 0, 1, how, (index, cause) -> {});
      } finally {
        shift.leave();
      }
      done = true;
      return true;
    }

    @Override
    protected boolean hasWork() {
      return false;
    }

    @Override
    protected boolean ended() {
      return done || fenced >= 0;
    }

    @Override
    protected boolean isAwaited() {
      return awaited;
    }

    @Override
    protected void onFenced(long position) {
      fenced = position;
    }
  }

  private LoggingEvent event() {
    Gated top = null;
    for (int i = 0; i < MANY_TICKS; i++) {
      top = new Gated(top);
    }
    LoggingEvent event = new SlowEvent(top);
    event.setMDCPropertyMap(Map.of());
    event.setThreadName("main");
    return event;
  }

  private static final class SlowEvent extends LoggingEvent {
    private final IThrowableProxy throwable;

    SlowEvent(IThrowableProxy throwable) {
      this.throwable = throwable;
    }

    @Override
    public IThrowableProxy getThrowableProxy() {
      return throwable;
    }
  }

  /** Is written no sooner than the test says. */
  private final class Gated implements IThrowableProxy {
    private final IThrowableProxy cause;

    Gated(IThrowableProxy cause) {
      this.cause = cause;
    }

    @Override
    public StackTraceElementProxy[] getStackTraceElementProxyArray() {
      while (copying) {
        copied = Arrays.copyOf(new byte[1 << 20], 1 << 20);
      }
      reached.release();
      ticked.acquireUninterruptibly();
      return FRAMES;
    }

    @Override
    public IThrowableProxy getCause() {
      return cause;
    }

    @Override
    public String getMessage() {
      return null;
    }

    @Override
    public String getClassName() {
      return "Gated";
    }

    @Override
    public int getCommonFrames() {
      return 0;
    }

    @Override
    public IThrowableProxy[] getSuppressed() {
      return null;
    }

    @Override
    public boolean isCyclic() {
      return false;
    }
  }

  @Test
  void shouldLetAnEventTakeLongThatGoesOn() throws InterruptedException {
    worker.begin();
    for (int i = 0; i < MANY_TICKS; i++) {
      reached.acquire();
      worker.lookAfter(false);
      ticked.release();
    }
    await().until(() -> worker.done || worker.fenced >= 0);

    assertThat(worker.fenced).isEqualTo(-1);
    await().until(() -> !worker.isAlive());
  }

  /** Of a huge event, while others have the processors. */
  @Test
  void shouldLetOneStepThroughATextTakeLong() throws InterruptedException {
    copying = true;
    worker.begin();
    await().until(() -> copied != null);
    for (int i = 0; i < MANY_TICKS; i++) {
      worker.lookAfter(false);
    }
    copying = false;
    ticked.release(MANY_TICKS);
    await().until(() -> worker.done || worker.fenced >= 0);

    assertThat(worker.fenced).isEqualTo(-1);
    await().until(() -> !worker.isAlive());
  }

  @Test
  void shouldReplaceAThreadThatDoesNotGoOn() throws InterruptedException {
    worker.begin();
    reached.acquire();
    for (int i = 0; i < MANY_TICKS; i++) {
      worker.lookAfter(false);
    }
    ticked.release(MANY_TICKS);

    assertThat(worker.fenced).isZero();
    await().until(() -> worker.stuckThreads() == 0 && !worker.isAlive());
  }

  @Test
  void shouldCountTheTimeInWhichOthersWait() throws InterruptedException {
    worker.awaited = false;
    worker.begin();
    reached.acquire();
    for (int i = 0; i < MANY_TICKS; i++) {
      worker.lookAfter(false);
    }
    worker.awaited = true;
    worker.lookAfter(false);
    long atFirst = worker.fenced;
    for (int i = 0; i < MANY_TICKS; i++) {
      worker.lookAfter(false);
    }
    ticked.release(MANY_TICKS);

    assertThat(atFirst).as("fenced as soon as others wait").isEqualTo(-1);
    assertThat(worker.fenced).isZero();
    await().until(() -> worker.stuckThreads() == 0 && !worker.isAlive());
  }

  @Test
  void shouldSayWhoseCodeDoesNotReturn() {
    StackTraceElement park =
        new StackTraceElement(
            null, "java.base", "17", "java.lang.Object", "wait", "Object.java", 1);
    StackTraceElement theirs =
        new StackTraceElement("com.example.Till", "toString", "Till.java", 7);
    StackTraceElement ours =
        new StackTraceElement("io.spillway.internal.codec.FrameCodec", "write", "X.java", 8);

    assertThat(Worker.where(new StackTraceElement[] {park, theirs, ours, park}))
        .startsWith(
            "does not return from code that is not Spillway's, at [com.example.Till.toString(");
    assertThat(Worker.where(new StackTraceElement[] {park, ours, theirs}))
        .startsWith("does not return from [java.base")
        .contains("which [io.spillway.internal.codec.FrameCodec.write(");
    assertThat(Worker.where(new StackTraceElement[] {ours, park}))
        .startsWith(
            "takes long in Spillway's own code, at [io.spillway.internal.codec.FrameCodec.write(");
    assertThat(Worker.where(new StackTraceElement[0]))
        .startsWith("does not return from code that is not Spillway's. ");
  }
}
