package io.spillway.internal.codec;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.spi.LoggerContextVO;
import io.spillway.internal.codec.Events.Odd;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import java.util.zip.DataFormatException;
import org.junit.jupiter.api.Test;
import org.slf4j.event.KeyValuePair;

class EventCodecTest {
  @Test
  void shouldKeepWhatIsNotThere() {
    Events none = new Events();
    none.setLevel(Level.INFO);
    ILoggingEvent nothing = Events.roundTrip(none.mdc(Map.of()));
    assertThat(nothing)
        .extracting(
            ILoggingEvent::getArgumentArray,
            ILoggingEvent::getMarkerList,
            ILoggingEvent::getKeyValuePairs,
            ILoggingEvent::getThrowableProxy,
            ILoggingEvent::getLoggerContextVO,
            ILoggingEvent::getLoggerName,
            ILoggingEvent::getMessage,
            ILoggingEvent::getFormattedMessage)
        .containsOnlyNulls();
    assertThat(nothing.getMDCPropertyMap()).isEmpty();
    assertThat(nothing.getCallerData()).isEmpty(); // the stack of this thread is not looked at
    assertThat(nothing.hasCallerData()).isFalse();

    ILoggingEvent empty = Events.roundTrip(Events.of("").mdc(Map.of()).pairs().caller());
    assertThat(empty.getArgumentArray()).isEmpty();
    assertThat(empty.getMessage()).isEmpty();
    assertThat(empty.hasCallerData()).isTrue();
    assertThat(empty.getCallerData()).isEmpty();
  }

  @Test
  void shouldKeepNumbersAndTextOfForeignObjects() {
    List<Object> arguments = new ArrayList<>(List.of("text", "Ж😀\ud800", true, false, 1.1f));
    arguments.addAll(List.of(Integer.MIN_VALUE, Long.MIN_VALUE, Long.MAX_VALUE, Double.NaN, -0.0));
    arguments.add(null);
    Object[] foreign = {
      'ø', (byte) -1, (short) 2, Odd.PLAIN, Odd.NULL_TEXT, Odd.THROWS, List.of(1)
    };
    ILoggingEvent spilled =
        Events.roundTrip(Events.of("{}", arguments.toArray()).pairs(new KeyValuePair("k", 'ø')));

    assertThat(spilled.getArgumentArray()).isEqualTo(arguments.toArray());
    assertThat(spilled.getKeyValuePairs().get(0).value).isEqualTo("ø");
    assertThat(Events.roundTrip(Events.of("{}", foreign)).getArgumentArray())
        .containsExactly("ø", -1, 2, "plain ø text", "null", "[FAILED toString()]", "[1]");
  }

  @Test
  void shouldLeaveOutAndReportAnEventThatFailsAndGoOn() {
    Events failing = Events.of("{} new names {}", 1, 2).pairs((KeyValuePair) null);
    failing.setLoggerName("only.here");
    failing.setLoggerContextRemoteView(new LoggerContextVO("only here", Map.of(), 1));
    Events after = Events.of("b {}", 2);
    after.setLoggerName("new.after.the.failure");
    after.setLoggerContextRemoteView(failing.getLoggerContextVO());
    Events again = Events.of("b {}", 3);
    again.setLoggerName(after.getLoggerName());
    Object[] events = {Events.of("a {}", 1), failing, null, after, again, "no event"};
    List<Class<?>> thrown = new ArrayList<>();
    EventCodec codec = new EventCodec();
    int encoded = codec.encode(events, 6, event -> null, cause -> thrown.add(cause.getClass()));

    assertThat(encoded).isEqualTo(3);
    Class<?> ofNull = NullPointerException.class;
    assertThat(thrown).containsExactly(ofNull, ofNull, ClassCastException.class);
    assertThat(Arrays.copyOf(codec.buffer(), codec.length()))
        .isEqualTo(Events.encode((Events) events[0], after, again));
  }

  private static byte[] line(ILoggingEvent event) {
    return switch (event.getMessage()) {
      case "none" -> null;
      case "throws" -> throw new StackOverflowError();
      default -> event.getMessage().getBytes();
    };
  }

  @Test
  void shouldKeepALineBesideTheEventThatHasOne() throws DataFormatException {
    Object[] events = {Events.of("with"), Events.of("none"), Events.of("throws"), Events.of("")};
    EventCodec codec = new EventCodec();
    int encoded = codec.encode(events, 4, EventCodecTest::line, cause -> {});
    ILoggingEvent[] spilled = EventCodec.decode(codec.buffer(), codec.length());

    assertThat(encoded).isEqualTo(4);
    assertThat(spilled)
        .extracting(event -> ((SpilledEvent) event).line())
        .containsExactly("with".getBytes(), null, null, new byte[0]);
  }

  @Test
  void shouldWriteWhatRepeatsOncePerRun() {
    Events other = Events.of("x");
    other.setLoggerContextRemoteView(new LoggerContextVO("other", Map.of("a", "b"), 5));
    ILoggingEvent[] spilled =
        Events.roundTrip(Events.of("a"), Events.of("b"), other, Events.of("c"));

    assertThat(spilled[0].getLoggerContextVO()).isEqualTo(Events.CONTEXT);
    assertThat(spilled[1].getLoggerContextVO()).isSameAs(spilled[0].getLoggerContextVO());
    assertThat(spilled[2].getLoggerContextVO()).isEqualTo(other.getLoggerContextVO());
    assertThat(spilled[3].getLoggerContextVO()).isEqualTo(Events.CONTEXT);
    assertThat(spilled[3].getLoggerName()).isSameAs(spilled[0].getLoggerName());
    assertThat(Events.encode(Events.of("m".repeat(10_000), (Object[]) null)).length)
        .isLessThan(10_200);
  }

  @Test
  void shouldStartEachRunAnew() throws DataFormatException {
    EventCodec codec = new EventCodec();
    ILoggingEvent[] events = {Events.of("a {}", 1), Events.of("b {}", 2)};
    codec.encode(events, 2, event -> null, cause -> {});
    codec.encode(events, 1, event -> null, cause -> {});

    assertThat(Arrays.copyOf(codec.buffer(), codec.length())).isEqualTo(Events.encode(events[0]));
    assertThat(codec.encode(events, 0, event -> null, cause -> {})).isZero();
    assertThat(EventCodec.decode(codec.buffer(), codec.length())).isEmpty();
  }

  @Test
  void shouldNotHoldTheMemoryOfOneHugeRun() {
    EventCodec codec = new EventCodec();
    Object[] huge = {Events.of("x".repeat(6 << 20))};
    codec.encode(huge, 1, event -> null, cause -> {});
    assertThat(codec.buffer().length).isGreaterThan(6 << 20);
    codec.encode(new Object[] {Events.of("small")}, 1, event -> null, cause -> {});

    assertThat(codec.buffer().length).isLessThan(1 << 20);
  }

  @Test
  void shouldNameAVersionThatItCannotRead() {
    byte[] payload = Events.encode(Events.of("a"));
    payload[0] = 77;

    assertThatExceptionOfType(DataFormatException.class)
        .isThrownBy(() -> EventCodec.decode(payload, payload.length))
        .withMessageContaining("77");
  }

  @Test
  void shouldKeepEachOf65536CharactersAndEachLengthAroundAHeaderByteMore() {
    String all =
        IntStream.rangeClosed(0, 0xFFFF)
            .collect(StringBuilder::new, (s, c) -> s.append((char) c), StringBuilder::append)
            .toString();

    assertThat(Events.roundTrip(Events.of(all)).getMessage()).isEqualTo(all);
    for (int length : new int[] {0, 1, 62, 63, 64, 127, 128, 8191, 8192, 8193, 70_000}) {
      for (String unit : new String[] {"a", "ÿ", "\u0100", "\uffff"}) {
        String text = unit.repeat(length);
        assertThat(Events.roundTrip(Events.of(text)).getMessage()).isEqualTo(text);
      }
    }
  }
}
