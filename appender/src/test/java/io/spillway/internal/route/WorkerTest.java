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
import io.spillway.internal.metrics.EpisodeReports;
import io.spillway.internal.metrics.Reports;
import io.spillway.internal.sink.Batch;
import io.spillway.internal.sink.Delivery;
import io.spillway.internal.sink.Sink;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.Pipe;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/** Ticks of the watchdog are given by hand. */
@Timeout(60)
class WorkerTest {
  /** More than a second of them. */
  private static final int MANY_TICKS = 40;

  private static final String TEXT = "x".repeat(1 << 20);

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
    assertThat(deliverer.requestSinkClose()).isTrue();
    deliverer.onEnd();
    assertThat(deliverer.requestSinkClose()).as("not the caller's to close").isTrue();
    deliverer.onEnd();
    assertThat(closed).hasValue(1);
  }

  /** The drainer wakes it, so that each look between is in vain. */
  @Test
  void shouldLookSeldomWhereNothingBecomesDueByTheTimeAlone() {
    Counters counters = new Counters();
    PipelineContext context =
        new PipelineContext("test", counters, new Reports(new ContextAwareBase()));
    Route route =
        new Route(
            context,
            new HandOff(1),
            new Route.Overflow(
                null, BatchCodec.bytes(), SpillMode.OVERFLOW, () -> false, false, Routes.NO_DROPS),
            new EpisodeReports("test", counters, null));
    Deliverer deliverer = new Deliverer(context, route, null, null);
    assertThat(deliverer.step(null)).isFalse();
    LockSupport.parkNanos(1); // a permit that others have left would end the pause
    long began = System.nanoTime();
    deliverer.pause(1);
    assertThat(System.nanoTime() - began).isGreaterThan(100_000_000L);
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
  private volatile UnaryOperator<Object> copying; // null: it is over
  private volatile Object copied;
  private volatile Pipe hanging;

  /** Encodes one event that others wait for. */
  private final class Encoding extends Worker {
    private final ILoggingEvent event = event();
    private volatile boolean done;
    private volatile long fenced = -1;
    private volatile boolean awaited = true;
    private volatile long cpuNanos = -1;

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
    long cpuNanos(Thread thread) {
      return cpuNanos;
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
      for (UnaryOperator<Object> copy = copying; copy != null; copy = copying) {
        copied = copy.apply(TEXT);
      }
      Pipe foreign = hanging;
      if (foreign != null) {
        readFrom(foreign);
      }
      reached.release();
      ticked.acquireUninterruptibly();
      return FRAMES;
    }

    private void readFrom(Pipe foreign) {
      try {
        foreign.source().read(ByteBuffer.allocate(1));
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
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

  static List<UnaryOperator<Object>> copies() {
    return List.of(
        text -> Arrays.copyOf(new byte[TEXT.length()], TEXT.length()),
        text -> new StringBuilder(TEXT.length()).append(TEXT));
  }

  /** Of a huge event, while others have the processors. */
  @ParameterizedTest
  @MethodSource("copies")
  void shouldLetOneStepThroughATextTakeLong(UnaryOperator<Object> copy)
      throws InterruptedException {
    copying = copy;
    worker.begin();
    await().until(() -> copied != null);
    for (int i = 0; i < 10 * MANY_TICKS; i++) {
      worker.lookAfter(false);
    }
    copying = null;
    ticked.release(MANY_TICKS);
    await().until(() -> worker.done || worker.fenced >= 0);

    assertThat(worker.fenced).isEqualTo(-1);
    await().until(() -> !worker.isAlive());
  }

  /** What waits in the system runs as well, for all that Java knows. */
  @ParameterizedTest
  @CsvSource({
    "-1, 13", // not known
    "0, 13", "1, 61", "25, 37", "100, 13"
  })
  void shouldLeaveAThreadItsTimeThatGetsAProcessorNowAndThen(int millisATick, int ticks)
      throws Exception {
    hanging = Pipe.open();
    try (Pipe.SinkChannel release = hanging.sink()) {
      worker.cpuNanos = Math.min(millisATick, 0);
      worker.begin();
      await().until(() -> isInSystem(worker.thread()));
      long before = -1;
      for (int i = 0; i < ticks; i++) {
        before = worker.fenced;
        worker.cpuNanos = worker.cpuNanos + Math.max(millisATick, 0) * 1_000_000L;
        worker.lookAfter(false);
      }
      ticked.release(MANY_TICKS);
      release.write(ByteBuffer.allocate(MANY_TICKS));

      assertThat(before).isEqualTo(-1);
      assertThat(worker.fenced).isZero();
    }
    await().until(() -> worker.stuckThreads() == 0 && !worker.isAlive());
  }

  private static boolean isInSystem(Thread thread) {
    StackTraceElement[] stack = thread.getStackTrace();
    return stack.length > 0
        && stack[0].isNativeMethod()
        && List.of(stack).toString().contains("readFrom");
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
