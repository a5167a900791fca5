package io.spillway.internal.codec;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.net.LoggingEventPreSerializationTransformer;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.spi.LoggerContextVO;
import ch.qos.logback.classic.spi.LoggingEvent;
import ch.qos.logback.classic.spi.ThrowableProxy;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.slf4j.event.KeyValuePair;

class EventCodecTest {
  @Test
  void shouldKeepTheLevelsOwnConstants() {
    for (Level level :
        List.of(Level.TRACE, Level.DEBUG, Level.INFO, Level.WARN, Level.ERROR, Level.OFF)) {
      LoggingEvent event = new Events();
      event.setLevel(level);
      assertThat(Runs.roundTrip(event).getLevel()).isSameAs(level);
    }
    assertThat(Runs.roundTrip(new Events()).getLevel()).isNull();
  }

  @Test
  @SuppressWarnings("deprecation") // getMdc(): newer Logback deprecates it and still has it
  void shouldKeepNullsApartFromEmptyThings() {
    ILoggingEvent nothing = Runs.roundTrip(new Events());
    assertThat(nothing.getArgumentArray()).isNull();
    assertThat(nothing.getMarkerList()).isNull();
    assertThat(nothing.getMDCPropertyMap()).isNull();
    assertThat(nothing.getMdc()).isNull();
    assertThat(nothing.getKeyValuePairs()).isNull();
    assertThat(nothing.getThrowableProxy()).isNull();
    assertThat(nothing.getLoggerContextVO()).isNull();
    assertThat(nothing.getLoggerName()).isNull();
    assertThat(nothing.getThreadName()).isNotNull(); // LoggingEvent asks the current thread
    assertThat(nothing.getMessage()).isNull();
    assertThat(nothing.getFormattedMessage()).isNull();
    assertThat(nothing.getInstant()).isNull();

    ILoggingEvent empty =
        Runs.roundTrip(Events.of("").markers(List.of()).mdc(Map.of()).pairs().caller());
    assertThat(empty.getArgumentArray()).isEmpty();
    assertThat(empty.getMarkerList()).isEmpty();
    assertThat(empty.getMDCPropertyMap()).isEmpty();
    assertThat(empty.getMdc()).isEmpty();
    assertThat(empty.getKeyValuePairs()).isEmpty();
    assertThat(empty.getMessage()).isEmpty();
    assertThat(empty.hasCallerData()).isTrue();
    assertThat(empty.getCallerData()).isEmpty();
  }

  @Test
  void shouldGiveAnEmptyArrayWithoutCallerDataAndNeverLookAtTheStack() {
    ILoggingEvent spilled = Runs.roundTrip(Events.of("no caller"));

    assertThat(spilled.hasCallerData()).isFalse();
    assertThat(spilled.getCallerData()).isEmpty();
    assertThat(spilled.hasCallerData()).isFalse();
  }

  @Test
  void shouldKeepTimesThatDoNotFollowFromOneAnother() {
    Instant instant = Instant.ofEpochSecond(-5, 999_999_999);
    Events plain = Events.of("plain");
    plain.setInstant(instant);
    Events odd = Events.of("odd").time(Long.MIN_VALUE, -7, Instant.MAX);
    Events none = Events.of("none").time(42, 43, null);
    ILoggingEvent[] spilled = Runs.roundTrip(plain, odd, none);

    for (int i = 0; i < spilled.length; i++) {
      ILoggingEvent event = List.of(plain, odd, none).get(i);
      assertThat(spilled[i].getTimeStamp()).isEqualTo(event.getTimeStamp());
      assertThat(spilled[i].getNanoseconds()).isEqualTo(event.getNanoseconds());
      assertThat(spilled[i].getInstant()).isEqualTo(event.getInstant());
    }
  }

  @Test
  void shouldKeepTheOrderOfTheMdc() {
    Map<String, String> mdc = new TreeMap<>(java.util.Comparator.reverseOrder());
    mdc.putAll(Map.of("a", "1", "b", "2", "c", "3"));
    mdc.put("b", null);

    assertThat(
            new ArrayList<>(Runs.roundTrip(Events.of("").mdc(mdc)).getMDCPropertyMap().entrySet()))
        .isEqualTo(new ArrayList<>(mdc.entrySet()));
  }

  @Test
  void shouldLeaveOutAndReportAnEventThatFailsAndGoOn() {
    Map<String, String> bad =
        new java.util.HashMap<>() {
          private static final long serialVersionUID = 1L;

          @Override
          public java.util.Set<Map.Entry<String, String>> entrySet() {
            throw new StackOverflowError("bad map");
          }
        };
    bad.put("key", "value");
    LoggingEvent failing = Events.of("{} new names {}", 1, 2).mdc(bad);
    failing.setLoggerName("only.here");
    failing.setLoggerContextRemoteView(new LoggerContextVO("only here", Map.of(), 1));
    Events after = Events.of("b {}", 2);
    after.setLoggerName("new.after.the.failure");
    Events again = new Events();
    again.setThreadName("main");
    again.setLoggerName(after.getLoggerName());
    LoggerContextVO later = new LoggerContextVO("later", null, 2);
    Events inLater = new Events();
    inLater.setLoggerContextRemoteView(later);
    ILoggingEvent[] events = {
      Events.of("a {}", 1), failing, null, after, again, inLater, inLater, null
    };
    List<Integer> reported = new ArrayList<>();
    EventCodec codec = new EventCodec();
    int encoded =
        codec.encode(
            events, 0, 7, EventCodec.Foreign.UNWATCHED, (index, cause) -> reported.add(index));

    assertThat(encoded).isEqualTo(5);
    assertThat(reported).containsExactly(1, 2);
    assertThat(Arrays.copyOf(codec.buffer(), codec.length()))
        .isEqualTo(Runs.encode(events[0], after, again, inLater, inLater));
  }

  @Test
  void shouldWriteALoggerContextOncePerRun() {
    LoggerContextVO copy = new LoggerContextVO("shop", Map.of("app", "till"), 1_790_000_000_000L);
    Events other = Events.of("x");
    other.setLoggerContextRemoteView(new LoggerContextVO("other", null, 5));
    LoggingEvent copied = new Events();
    copied.setLoggerContextRemoteView(copy);
    ILoggingEvent[] spilled = Runs.roundTrip(Events.of("a"), Events.of("b"), copied, other);

    assertThat(spilled[0].getLoggerContextVO()).isEqualTo(Events.CONTEXT);
    assertThat(spilled[1].getLoggerContextVO()).isSameAs(spilled[0].getLoggerContextVO());
    assertThat(spilled[2].getLoggerContextVO()).isSameAs(spilled[0].getLoggerContextVO());
    assertThat(spilled[3].getLoggerContextVO()).isEqualTo(other.getLoggerContextVO());
  }

  @Test
  void shouldKeepMoreContextsThanAreNumbered() {
    ILoggingEvent[] events = new ILoggingEvent[Dictionary.MAX_CONTEXTS + 10];
    for (int i = 0; i < events.length; i++) {
      Events event = Events.of("x");
      event.setLoggerContextRemoteView(new LoggerContextVO("context " + i, null, i));
      events[i] = event;
    }
    ILoggingEvent[] spilled = Runs.roundTrip(events);

    for (int i = 0; i < events.length; i++) {
      assertThat(spilled[i].getLoggerContextVO()).isEqualTo(events[i].getLoggerContextVO());
    }
  }

  @Test
  void shouldStoreAMessageThatIsItsOwnFormattedMessageOnce() {
    String message = "m".repeat(10_000);

    assertThat(Runs.encode(Events.of(message, (Object[]) null)).length).isLessThan(10_200);
  }

  @Test
  void shouldStartEachRunAnew() {
    EventCodec codec = new EventCodec();
    ILoggingEvent[] events = {Events.of("a {}", 1), Events.of("b {}", 2)};
    codec.encode(events, 0, 2, EventCodec.Foreign.UNWATCHED, (index, cause) -> {});
    codec.encode(events, 1, 2, EventCodec.Foreign.UNWATCHED, (index, cause) -> {});

    assertThat(Arrays.copyOf(codec.buffer(), codec.length())).isEqualTo(Runs.encode(events[1]));
  }

  @Test
  void shouldHoldAnEmptyRun() throws CodecException {
    EventCodec codec = new EventCodec();

    assertThat(EventCodec.decode(Arrays.copyOf(codec.buffer(), codec.length()))).isEmpty();
    assertThat(Runs.roundTrip(new ILoggingEvent[0])).isEmpty();
  }

  @Test
  void shouldNameAVersionThatItCannotRead() {
    byte[] payload = Runs.encode(Events.of("a"));
    payload[0] = 77;

    assertThatExceptionOfType(CodecException.class)
        .isThrownBy(() -> EventCodec.decode(payload))
        .withMessageContaining("77");
  }

  @Test
  void shouldBeTakenByAppendersThatSendEventsElsewhere() {
    LoggingEventPreSerializationTransformer transformer =
        new LoggingEventPreSerializationTransformer();
    ILoggingEvent spilled = Runs.roundTrip(Events.of("to {}", "a socket"));

    assertThat(transformer.transform(spilled))
        .isInstanceOfSatisfying(
            ILoggingEvent.class,
            sent -> assertThat(sent.getFormattedMessage()).isEqualTo("to a socket"));
  }

  /** So that whoever watches can tell an event that takes long from one that is stuck. */
  @Test
  void shouldTellOfEachPartOfAnEvent() {
    IllegalStateException throwable = new IllegalStateException();
    StackTraceElement frame = new StackTraceElement("com.example.Till", "sell", "Till.java", 7);
    throwable.setStackTrace(Collections.nCopies(100_000, frame).toArray(StackTraceElement[]::new));
    Events deep = Events.of("deep").throwable(new ThrowableProxy(throwable));
    Events wide = Events.of("Ж".repeat(1_000_000));
    List<Long> told = new ArrayList<>();
    EventCodec codec = new EventCodec();
    Events plain = Events.of("x".repeat(1_000_000));
    ILoggingEvent[] events = {Events.of("small"), deep, wide, plain, Events.of("small")};
    EventCodec.Foreign how = new EventCodec.Foreign(false, false, told::add);

    assertThat(codec.encode(events, 0, events.length, how, (index, cause) -> {})).isEqualTo(5);
    assertThat(told).isSorted().startsWith(0L, 1L).endsWith(3L, 4L);
    assertThat(told.stream().filter(index -> index == 1)).hasSizeGreaterThan(20);
    assertThat(told.stream().filter(index -> index == 2)).hasSizeGreaterThan(20);
    assertThat(told.stream().filter(index -> index == 3)).hasSizeGreaterThan(20);
  }

  /** It is not the object's fault, and passes. */
  @Test
  void shouldNotTakeAShortageOfMemoryForATextOfTheEvent() throws Exception {
    Object shortOnce =
        new Object() {
          private boolean asked;

          @Override
          public String toString() {
            if (!asked) {
              asked = true;
              throw new OutOfMemoryError("Java heap space");
            }
            return "text";
          }
        };
    ILoggingEvent[] events = {Events.of("").pairs(new KeyValuePair("key", shortOnce))};
    EventCodec codec = new EventCodec();
    EventCodec.EncodeFailure none =
        (index, cause) -> {
          throw new AssertionError(cause);
        };
    EventCodec.Foreign patient =
        new EventCodec.Foreign(false, true, EventCodec.Foreign.UNWATCHED.at());
    assertThatExceptionOfType(OutOfMemoryError.class)
        .isThrownBy(() -> codec.encode(events, 0, 1, patient, none));
    codec.encode(events, 0, 1, patient, none);
    byte[] payload = Arrays.copyOf(codec.buffer(), codec.length());
    assertThat(EventCodec.decode(payload)[0].getKeyValuePairs().get(0).value).hasToString("text");
  }
}
