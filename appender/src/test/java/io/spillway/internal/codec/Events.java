package io.spillway.internal.codec;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.spi.IThrowableProxy;
import ch.qos.logback.classic.spi.LoggerContextVO;
import ch.qos.logback.classic.spi.LoggingEvent;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.slf4j.Marker;
import org.slf4j.event.KeyValuePair;

/** An event of any content: what {@link LoggingEvent} refuses to hold can be set here. */
final class Events extends LoggingEvent {
  static final LoggerContextVO CONTEXT =
      new LoggerContextVO("shop", Map.of("app", "till"), 1_790_000_000_000L);

  private List<Marker> markers;
  private Map<String, String> mdc;
  private IThrowableProxy proxy;
  private Time time;

  private record Time(long millis, int nanos, Instant instant) {}

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

  Events markers(List<Marker> list) {
    markers = list;
    return this;
  }

  Events markers(Marker... list) {
    return markers(Arrays.asList(list));
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

  Events time(long millis, int nanos, Instant instant) {
    time = new Time(millis, nanos, instant);
    return this;
  }

  @Override
  public List<Marker> getMarkerList() {
    return markers;
  }

  @Override
  public Map<String, String> getMDCPropertyMap() {
    return mdc;
  }

  @Override
  public IThrowableProxy getThrowableProxy() {
    return proxy;
  }

  @Override
  public long getTimeStamp() {
    return time == null ? super.getTimeStamp() : time.millis;
  }

  @Override
  public int getNanoseconds() {
    return time == null ? super.getNanoseconds() : time.nanos;
  }

  @Override
  public Instant getInstant() {
    return time == null ? super.getInstant() : time.instant;
  }
}
