package io.spillway.internal.codec;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.spi.IThrowableProxy;
import ch.qos.logback.classic.spi.LoggerContextVO;
import ch.qos.logback.classic.spi.LoggingEvent;
import java.time.Instant;
import java.util.Arrays;
import java.util.Map;
import java.util.zip.DataFormatException;
import org.slf4j.Marker;
import org.slf4j.event.KeyValuePair;

/** An event to be filled, through the codec and back. */
final class Events extends LoggingEvent {
  static final LoggerContextVO CONTEXT =
      new LoggerContextVO("shop", Map.of("app", "till"), 1_790_000_000_000L);

  /** Values whose text is out of the ordinary. */
  enum Odd {
    PLAIN,
    NULL_TEXT,
    THROWS;

    @Override
    public String toString() {
      if (this == THROWS) {
        throw new UnsupportedOperationException("no text for you");
      }
      return this == PLAIN ? "plain ø text" : null;
    }
  }

  private IThrowableProxy proxy;
  private Map<String, String> mdc = Map.of(); // not that of this thread

  /** An ordinary event with this message and these arguments. */
  static Events of(String message, Object... arguments) {
    Events event = new Events();
    event.setLevel(Level.INFO);
    event.setLoggerName("com.example.Till");
    event.setThreadName("main");
    event.setLoggerContextRemoteView(CONTEXT);
    event.setMessage(message);
    event.setArgumentArray(arguments);
    event.setInstant(Instant.ofEpochSecond(1_790_000_123, 123_456_789));
    return event;
  }

  Events markers(Marker... list) {
    Arrays.asList(list).forEach(this::addMarker);
    return this;
  }

  Events mdc(Map<String, String> map) {
    mdc = map;
    return this;
  }

  Events pairs(KeyValuePair... pairs) {
    setKeyValuePairs(Arrays.asList(pairs));
    return this;
  }

  Events throwable(IThrowableProxy throwable) {
    proxy = throwable;
    return this;
  }

  Events caller(StackTraceElement... frames) {
    setCallerData(frames);
    return this;
  }

  @Override
  public Map<String, String> getMDCPropertyMap() {
    return mdc;
  }

  @Override
  public IThrowableProxy getThrowableProxy() {
    return proxy;
  }

  /** Through the codec, as bytes. */
  static byte[] encode(ILoggingEvent... events) {
    EventCodec codec = new EventCodec();
    codec.encode(
        events,
        events.length,
        event -> null,
        cause -> {
          throw new AssertionError(cause);
        });
    return Arrays.copyOf(codec.buffer(), codec.length());
  }

  static ILoggingEvent[] decode(byte[] payload) {
    try {
      return EventCodec.decode(payload, payload.length);
    } catch (DataFormatException e) {
      throw new AssertionError(e);
    }
  }

  static ILoggingEvent[] roundTrip(ILoggingEvent... events) {
    return decode(encode(events));
  }

  static ILoggingEvent roundTrip(ILoggingEvent event) {
    return roundTrip(new ILoggingEvent[] {event})[0];
  }
}
