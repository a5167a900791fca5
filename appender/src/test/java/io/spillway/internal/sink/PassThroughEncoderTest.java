package io.spillway.internal.sink;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.encoder.PatternLayoutEncoder;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.spi.LoggingEvent;
import ch.qos.logback.core.OutputStreamAppender;
import ch.qos.logback.core.encoder.EncoderBase;
import ch.qos.logback.core.read.ListAppender;
import io.spillway.internal.codec.EventCodec;
import io.spillway.metrics.LossCause;
import io.spillway.testkit.Gate;
import java.io.ByteArrayOutputStream;
import java.io.FilterOutputStream;
import java.io.IOException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

class PassThroughEncoderTest extends SinkRig {
  private final ByteArrayOutputStream written = new ByteArrayOutputStream();
  private final Gate gate = new Gate();

  /** Numbers its calls, so that a line shows when it was made. */
  private final class Numbering extends EncoderBase<ILoggingEvent> {
    private final String name;
    private boolean stateful;
    private int calls;
    private Consumer<ILoggingEvent> before = event -> {};

    Numbering(String name) {
      this.name = name;
      setContext(PassThroughEncoderTest.this.context);
      start();
    }

    @Override
    public byte[] encode(ILoggingEvent event) {
      before.accept(event);
      return (name + ++calls + ":" + event.getFormattedMessage() + " ").getBytes(UTF_8);
    }

    @Override
    public byte[] headerBytes() {
      return "header ".getBytes(UTF_8);
    }

    @Override
    public byte[] footerBytes() {
      return "footer".getBytes(UTF_8);
    }

    public boolean isStateful() { // of Logback 1.6
      return stateful;
    }
  }

  private OutputStreamAppender<ILoggingEvent> appender(Numbering encoder) {
    OutputStreamAppender<ILoggingEvent> appender = new OutputStreamAppender<>();
    appender.setContext(context);
    appender.setEncoder(encoder);
    appender.setOutputStream(
        new FilterOutputStream(written) {
          @Override
          public void write(byte[] bytes) throws IOException {
            gate.pass();
            super.write(bytes);
          }
        });
    appender.start();
    nested.addAppender(appender);
    return appender;
  }

  /** As the spiller does it, and the deliverer reads it. */
  private ILoggingEvent[] spill(NestedAppenderSink sink, String... messages) throws Exception {
    Object[] events = new Object[messages.length];
    for (int i = 0; i < events.length; i++) {
      events[i] = event(messages[i]);
    }
    EventCodec codec = new EventCodec();
    assertThat(codec.encode(events, events.length, sink::line, cause -> {}))
        .isEqualTo(events.length);
    return EventCodec.decode(codec.buffer(), codec.length());
  }

  @Test
  void shouldPrintTheLineThatWasMadeWhenTheEventWasSpilled() throws Exception {
    Numbering encoder = new Numbering("e");
    OutputStreamAppender<ILoggingEvent> appender = appender(encoder);
    NestedAppenderSink sink = sink();
    ILoggingEvent[] spilled = spill(sink, "one", "two");
    deliver(sink, event("memory"), spilled[0], spilled[1]);
    sink.close();

    assertThat(written).hasToString("header e3:memory e1:one e2:two footer");
    assertThat(counters.settled()).isEqualTo(3);
    assertThat(appender.getEncoder()).isSameAs(encoder);
  }

  /** The caller may use the array of its arguments again. */
  @Test
  void shouldPrintTheTextOfTheLogCallThroughAPattern() throws Exception {
    OutputStreamAppender<ILoggingEvent> appender = appender(null);
    PatternLayoutEncoder pattern = new PatternLayoutEncoder();
    pattern.setContext(context);
    pattern.setPattern("%-5level %msg ");
    pattern.start();
    appender.setEncoder(pattern);
    appender.start();
    NestedAppenderSink sink = sink();
    Object[] arguments = {"one"};
    LoggingEvent event =
        new LoggingEvent("", context.getLogger("a"), Level.INFO, "is {}", null, arguments);
    event.prepareForDeferredProcessing();
    arguments[0] = "two";
    deliver(sink, event, spill(sink, "three")[0]);

    assertThat(written).hasToString("INFO  is one INFO  three ");
  }

  @Test
  void shouldStandForItsEncoder() {
    Numbering encoder = new Numbering("e");
    OutputStreamAppender<ILoggingEvent> appender = appender(encoder);
    sink();
    PassThroughEncoder front = (PassThroughEncoder) appender.getEncoder();

    assertThat(front.getContext()).isSameAs(context);
    assertThat(front.headerBytes()).isEqualTo(encoder.headerBytes());
    assertThat(front.footerBytes()).isEqualTo(encoder.footerBytes());
    assertThat(front.isStarted()).isTrue();
    front.stop();
    assertThat(encoder.isStarted()).isFalse();
    assertThat(front.line(event("late"))).isNull(); // it may print nothing
    front.start();
    assertThat(encoder.isStarted()).isTrue();
    sink(); // a second one shares it
    assertThat(appender.getEncoder()).isSameAs(front);
  }

  @Test
  void shouldGoInFrontOfAnEncoderThatIsSetLater() throws Exception {
    OutputStreamAppender<ILoggingEvent> appender = appender(new Numbering("a"));
    NestedAppenderSink sink = sink();
    ILoggingEvent[] first = spill(sink, "one");
    Numbering other = new Numbering("b");
    appender.setEncoder(other);
    ILoggingEvent[] second = spill(sink, "two");
    deliver(sink, first[0], second[0], event("three"));
    Numbering last = new Numbering("c");
    appender.setEncoder(last);
    sink.close();

    assertThat(written).hasToString("header a1:one b1:two b2:three footer");
    assertThat(appender.getEncoder()).isSameAs(last);
  }

  @Test
  void shouldMakeNoLinesWithoutAnEncoder() throws Exception {
    ListAppender<ILoggingEvent> list = new ListAppender<>();
    list.setContext(context);
    list.start();
    nested.addAppender(list);
    NestedAppenderSink sink = sink();
    assertThat(sink.line(event("one"))).isNull();

    nested.detachAppender(list);
    OutputStreamAppender<ILoggingEvent> appender = appender(null); // which does not start
    assertThat(sink.line(event("two"))).isNull();
    Numbering encoder = new Numbering("e");
    appender.setEncoder(encoder);
    appender.start();
    assertThat(sink.line(event("three"))).asString(UTF_8).isEqualTo("e1:three ");
    ILoggingEvent[] spilled = spill(sink, "four");
    nested.detachAppender(appender);
    nested.addAppender(list);
    deliver(sink, spilled[0]); // as the appender is replaced by one without an encoder
    assertThat(list.list).containsExactly(spilled);
    assertThat(appender.getEncoder()).isSameAs(encoder);
  }

  /** Its bytes depend on those before, so they are made as they are written. */
  @Test
  void shouldMakeNoLinesOfAStatefulEncoder() throws Exception {
    Numbering encoder = new Numbering("e");
    encoder.stateful = true;
    org.junit.jupiter.api.Assumptions.assumeTrue(
        PassThroughEncoder.isStateful(encoder), "only Logback 1.6 has stateful encoders");
    appender(encoder);
    NestedAppenderSink sink = sink();
    ILoggingEvent[] spilled = spill(sink, "one");
    deliver(sink, event("memory"), spilled[0]);

    assertThat(written).hasToString("header e1:memory e2:one ");
    assertThat(((OutputStreamAppender<?>) nested.iteratorForAppenders().next()).getEncoder())
        .matches(PassThroughEncoder::isStateful);
  }

  @Test
  void shouldLoseTheEventThatTheEncoderThrowsAtWhenItIsDelivered() throws Exception {
    Numbering encoder = new Numbering("e");
    AtomicBoolean well = new AtomicBoolean();
    encoder.before =
        event -> {
          if (event.getMessage().startsWith("bad") && !well.get()) {
            assertThat(event.getMessage()).isNotEqualTo("bad one"); // an Error
            throw new IllegalStateException("which Logback swallows");
          }
        };
    appender(encoder);
    NestedAppenderSink sink = sink();
    ILoggingEvent[] spilled = spill(sink, "bad one", "two", "bad three");
    deliver(sink, event("bad memory"), spilled[0], spilled[1]);
    well.set(true);
    deliver(sink, spilled[2]);

    assertThat(written).hasToString("header e1:two e2:bad three ");
    assertThat(counters.count(LossCause.ENCODE_FAILED)).isEqualTo(2);
    assertThat(counters.settled()).isEqualTo(4);
    assertThat(statuses())
        .contains("The encoder of the nested appender threw")
        .contains("ENCODE_FAILED");
  }

  @Test
  void shouldMakeLinesWhileTheAppenderIsBlockedInAWrite() throws Exception {
    appender(new Numbering("e"));
    NestedAppenderSink sink = sink();
    gate.shut();
    Thread deliverer = new Thread(() -> deliver(sink, event("blocked")));
    deliverer.start();
    await().until(gate::isHolding);
    ILoggingEvent[] spilled = spill(sink, "one");
    gate.open();
    deliverer.join();
    deliver(sink, spilled[0]);

    assertThat(written).hasToString("header e1:blocked e2:one ");
  }

  @Test
  void shouldCallTheEncoderFromOneThreadAtATime() throws Exception {
    Numbering encoder = new Numbering("e");
    AtomicInteger inside = new AtomicInteger();
    AtomicBoolean together = new AtomicBoolean();
    encoder.before =
        event -> {
          together.compareAndSet(false, inside.incrementAndGet() > 1);
          Thread.yield();
          inside.decrementAndGet();
        };
    appender(encoder);
    NestedAppenderSink sink = sink();
    Thread spiller =
        new Thread(
            () -> {
              for (int call = 0; call < 10_000; call++) {
                sink.line(event("spilled"));
              }
            });
    spiller.start();
    for (int call = 0; call < 5_000; call++) {
      deliver(sink, event("delivered"));
    }
    spiller.join();

    assertThat(together).isFalse();
    assertThat(encoder.calls).isEqualTo(15_000);
    assertThat(counters.settled()).isEqualTo(5_000);
  }
}
