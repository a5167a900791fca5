package io.spillway.internal.codec;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.spi.ClassPackagingData;
import ch.qos.logback.classic.spi.LoggerContextVO;
import ch.qos.logback.classic.spi.StackTraceElementProxy;
import ch.qos.logback.classic.spi.ThrowableProxy;
import java.time.Instant;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.function.Supplier;
import java.util.stream.Stream;
import net.logstash.logback.marker.Markers;
import org.slf4j.Marker;
import org.slf4j.event.KeyValuePair;
import org.slf4j.helpers.BasicMarkerFactory;

/** Events with every kind of content that SLF4J 2 and Logback know; the same for each seed. */
final class RandomEvents {
  private final Random random;
  private final boolean foreign;

  /** With objects of foreign classes, which encoders of JSON look into, or without. */
  RandomEvents(long seed, boolean foreign) {
    this.random = new Random(seed);
    this.foreign = foreign;
  }

  Events event() {
    Events event = new Events();
    event.setLevel(any(Level.TRACE, Level.DEBUG, Level.INFO, Level.WARN, Level.ERROR));
    event.setLoggerName(name());
    event.setThreadName(name());
    event.setMessage(any("m {}", "{} and {}", "\\{} {}", "{}{}{}{}", "no place", text()));
    event.setArgumentArray(mostly(() -> list(5, this::value).toArray()));
    event.setLoggerContextRemoteView(
        mostly(() -> new LoggerContextVO(name(), map(), random.nextLong())));
    event.setInstant(Instant.ofEpochSecond(random.nextLong() >> 28, random.nextInt(1_000_000_000)));
    event.setSequenceNumber(random.nextLong());
    event.setKeyValuePairs(mostly(() -> list(4, () -> new KeyValuePair(key(), value()))));
    list(3, () -> marker(3)).forEach(event::addMarker);
    return event
        .mdc(map())
        .throwable(mostly(() -> proxy(throwable(3))))
        .caller(list(4, this::frame).toArray(StackTraceElement[]::new));
  }

  List<Events> events() {
    return list(6, this::event);
  }

  @SafeVarargs
  private <T> T any(T... choices) {
    return choices[random.nextInt(choices.length)];
  }

  private <T> T mostly(Supplier<T> supplier) {
    return random.nextInt(5) == 0 ? null : supplier.get();
  }

  private <T> List<T> list(int most, Supplier<T> element) {
    return Stream.generate(element).limit(random.nextInt(most + 1)).toList();
  }

  /** Any Unicode, lone surrogates included, but mostly what logs hold. */
  private String text() {
    int bound = any(0x7F, 0x7F, 0x7F, 0xFF, 0x102, 0x10000);
    StringBuilder text = new StringBuilder();
    for (int length = random.nextInt(40); length > 0; length--) {
      text.append((char) (random.nextInt(4) == 0 ? random.nextInt(bound) : 'a' + length));
    }
    return any(text.toString(), text.toString(), "", "\ud800", "\udc00\ud800", "😀", "a\r\nb\t");
  }

  private String name() {
    return any("ROOT", "com.example.shop.Till", "com.example.shop.order.OrderService", text());
  }

  private String key() {
    return any("first", "second", text());
  }

  private Object value() {
    Object plain =
        any(null, text(), random.nextInt(), random.nextLong(), (short) random.nextInt(), (byte) -1);
    Object more =
        any(plain, random.nextGaussian(), random.nextFloat(), Double.NaN, -0.0, true, 'ø');
    return foreign && random.nextBoolean()
        ? any(
            new int[] {1, 2, 3},
            new Object[] {"deep", new Object[] {1, null}},
            List.of(1, "two", Map.of("three", 4)),
            new IllegalStateException("an argument"),
            new StringBuilder(text()),
            Events.Odd.NULL_TEXT,
            Events.Odd.THROWS)
        : more;
  }

  private Map<String, String> map() {
    Map<String, String> map = new LinkedHashMap<>();
    list(4, this::key).forEach(key -> map.put(key, mostly(this::text)));
    return map;
  }

  @SuppressWarnings("deprecation") // references are deprecated by SLF4J and still in use
  private Marker marker(int depth) {
    if (foreign && random.nextInt(4) == 0) {
      return Markers.append("key", text());
    }
    Marker marker = new BasicMarkerFactory().getDetachedMarker(name());
    if (depth > 0) {
      list(2, () -> marker(depth - 1)).forEach(marker::add);
    }
    return marker;
  }

  private Throwable throwable(int depth) {
    Throwable cause = depth == 0 ? null : mostly(() -> throwable(depth - 1));
    String message = mostly(this::text);
    Throwable throwable =
        switch (random.nextInt(3)) {
          case 0 -> new AssertionError(message, cause);
          case 1 -> new IllegalStateException(message, cause);
          default ->
              new RuntimeException(message, cause) {
                private static final long serialVersionUID = 1L;

                @Override
                public String toString() {
                  return "renamed <" + getMessage() + ">";
                }
              };
        };
    // Real frames show less than they know; made ones show all.
    throwable.setStackTrace(
        any(
            new StackTraceElement[0],
            list(4, this::frame).toArray(StackTraceElement[]::new),
            Arrays.copyOf(throwable.getStackTrace(), 6)));
    if (depth > 0) {
      list(2, () -> throwable(depth - 1)).forEach(throwable::addSuppressed);
    }
    if (cause != null && random.nextInt(5) == 0) {
      cause.addSuppressed(throwable); // circular
    }
    return throwable;
  }

  @SuppressWarnings("deprecation") // newer Logback deprecates packaging data and still prints it
  private ThrowableProxy proxy(Throwable throwable) {
    ThrowableProxy proxy = new ThrowableProxy(throwable);
    for (StackTraceElementProxy frame : proxy.getStackTraceElementProxyArray()) {
      if (random.nextBoolean()) {
        frame.setClassPackagingData(
            new ClassPackagingData("lib.jar", any(null, "1"), random.nextBoolean()));
      }
    }
    return proxy;
  }

  private StackTraceElement frame() {
    StackTraceElement[] real = new Throwable().getStackTrace();
    return any(
        real[random.nextInt(real.length)],
        new StackTraceElement(
            any(null, "app", "", "x"),
            any(null, "java.base", "", "my.mod"),
            any(null, "17", ""),
            name(),
            text(),
            mostly(this::text),
            random.nextInt(5_000) - 2));
  }
}
