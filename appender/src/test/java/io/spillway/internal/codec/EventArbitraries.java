package io.spillway.internal.codec;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.spi.LoggerContextVO;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.Tuple;
import org.slf4j.event.KeyValuePair;

/** Random events: every kind of content that SLF4J 2 and Logback know. */
final class EventArbitraries {
  private EventArbitraries() {}

  /** Any event; {@code opaque} for values of foreign classes too. */
  static Arbitrary<Events> events(boolean opaque) {
    Arbitrary<Events> base =
        Combinators.combine(levels(), names(), names(), messages(), arguments(opaque), contexts())
            .as(EventArbitraries::base);
    return Combinators.combine(
            base,
            maps(),
            pairs(opaque),
            MarkerArbitraries.lists(),
            ThrowableArbitraries.proxies(),
            ThrowableArbitraries.frames().array(StackTraceElement[].class).ofMaxSize(4),
            instants(),
            Arbitraries.longs())
        .as(
            (event, mdc, pairs, markers, throwable, caller, instant, sequence) -> {
              event.setInstant(instant);
              event.setSequenceNumber(sequence);
              event.setKeyValuePairs(pairs);
              return event.mdc(mdc).markers(markers).throwable(throwable).caller(caller);
            });
  }

  private static Events base(
      Level level,
      String logger,
      String thread,
      String message,
      Object[] arguments,
      LoggerContextVO context) {
    Events event = new Events();
    event.setLevel(level);
    event.setLoggerName(logger);
    event.setThreadName(thread);
    event.setMessage(message);
    event.setArgumentArray(arguments);
    event.setLoggerContextRemoteView(context);
    return event;
  }

  private static Arbitrary<Level> levels() {
    return Arbitraries.of(Level.TRACE, Level.DEBUG, Level.INFO, Level.WARN, Level.ERROR);
  }

  /** Any Unicode, lone surrogates included, but mostly what logs hold. */
  static Arbitrary<String> strings() {
    return Arbitraries.frequencyOf(
        Tuple.of(4, Arbitraries.strings().ascii().ofMaxLength(40)),
        Tuple.of(2, Arbitraries.strings().all().ofMaxLength(20)),
        Tuple.of(1, Arbitraries.strings().withCharRange('\u00a0', '\u0102')),
        Tuple.of(1, Arbitraries.of("", "\ud800", "\udc00\ud800", "😀", "a\r\nb\t")));
  }

  static Arbitrary<String> names() {
    return Arbitraries.oneOf(
        Arbitraries.of("ROOT", "com.example.shop.Till", "com.example.shop.order.OrderService"),
        strings());
  }

  private static Arbitrary<String> messages() {
    Arbitrary<String> patterns =
        Arbitraries.of("{}", "{} and {}", "\\{} {}", "{}{}{}{}", "no place").map(s -> "m: " + s);
    return Arbitraries.oneOf(patterns, strings()).injectNull(0.05);
  }

  static Arbitrary<Object> values(boolean opaque) {
    Arbitrary<Object> plain =
        Arbitraries.oneOf(
            strings().asGeneric(),
            Arbitraries.integers().asGeneric(),
            Arbitraries.longs().asGeneric(),
            Arbitraries.shorts().asGeneric(),
            Arbitraries.bytes().asGeneric(),
            Arbitraries.doubles().asGeneric(),
            Arbitraries.floats().asGeneric(),
            Arbitraries.chars().asGeneric(),
            Arbitraries.of(true, false).asGeneric(),
            Arbitraries.of((Object) Double.NaN, Float.NEGATIVE_INFINITY, -0.0));
    Arbitrary<Object> foreign =
        Arbitraries.oneOf(
            Arbitraries.of(Hostile.values()).asGeneric(),
            Arbitraries.just((Object) new int[] {1, 2, 3}),
            Arbitraries.just((Object) new Object[] {"deep", new Object[] {1, null}}),
            Arbitraries.just((Object) List.of(1, "two", Map.of("three", 4))),
            Arbitraries.just((Object) new IllegalStateException("an argument")),
            strings().map(StringBuilder::new).asGeneric());
    return (opaque ? Arbitraries.oneOf(plain, foreign) : plain).injectNull(0.1);
  }

  private static Arbitrary<Object[]> arguments(boolean opaque) {
    return values(opaque).array(Object[].class).ofMaxSize(5).injectNull(0.2);
  }

  private static Arbitrary<List<KeyValuePair>> pairs(boolean opaque) {
    return Combinators.combine(keys(), values(opaque))
        .as(KeyValuePair::new)
        .list()
        .ofMaxSize(4)
        .injectNull(0.3);
  }

  private static Arbitrary<String> keys() {
    return Arbitraries.oneOf(Arbitraries.of("first", "second"), strings());
  }

  private static Arbitrary<Map<String, String>> maps() {
    return Combinators.combine(keys(), strings().injectNull(0.1))
        .as((key, value) -> new String[] {key, value})
        .list()
        .ofMaxSize(4)
        .map(EventArbitraries::ordered)
        .injectNull(0.1);
  }

  private static Map<String, String> ordered(List<String[]> entries) {
    Map<String, String> map = new LinkedHashMap<>();
    entries.forEach(entry -> map.put(entry[0], entry[1]));
    return map;
  }

  private static Arbitrary<LoggerContextVO> contexts() {
    return Combinators.combine(names(), maps(), Arbitraries.longs())
        .as(LoggerContextVO::new)
        .injectNull(0.05);
  }

  private static Arbitrary<Instant> instants() {
    return Combinators.combine(
            Arbitraries.longs().between(-62_135_596_800L, 253_402_300_799L),
            Arbitraries.integers().between(0, 999_999_999))
        .as(Instant::ofEpochSecond);
  }
}
