package io.spillway.internal.sink;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.PatternLayout;
import ch.qos.logback.classic.boolex.OnMarkerEvaluator;
import ch.qos.logback.classic.encoder.JsonEncoder;
import ch.qos.logback.classic.encoder.PatternLayoutEncoder;
import ch.qos.logback.classic.pattern.ClassicConverter;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.spi.LoggingEvent;
import ch.qos.logback.classic.util.LogbackMDCAdapter;
import ch.qos.logback.core.CoreConstants;
import ch.qos.logback.core.UnsynchronizedAppenderBase;
import ch.qos.logback.core.encoder.Encoder;
import ch.qos.logback.core.encoder.LayoutWrappingEncoder;
import java.math.BigDecimal;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.Tuple;
import org.slf4j.MarkerFactory;
import org.slf4j.event.KeyValuePair;

/** The bytes of Logback's own encoder, for every event, in the log call and on many threads. */
class PatternEncoderTest {
  private static final String TYPICAL = "%d [%t] %-5p %c{20} - %m%n";
  private static final Charset[] CHARSETS = {
    StandardCharsets.UTF_8, StandardCharsets.ISO_8859_1, StandardCharsets.US_ASCII
  };
  private static final Level[] LEVELS = {
    Level.TRACE, Level.DEBUG, Level.INFO, Level.WARN, Level.ERROR
  };
  private static final LoggerContext CONTEXT = context();

  private static LoggerContext context() {
    LoggerContext context = new LoggerContext();
    context.setMDCAdapter(new LogbackMDCAdapter());
    context.setName("test");
    context.putProperty("key", "value");
    return context;
  }

  private static PatternLayoutEncoder stock(
      LoggerContext context, String pattern, Charset charset) {
    PatternLayoutEncoder stock = new PatternLayoutEncoder();
    stock.setContext(context);
    stock.setPattern(pattern);
    stock.setCharset(charset);
    stock.start();
    return stock;
  }

  @Example
  void shouldPrintEveryDateAsLogbackDoes() {
    String[] dates = {
      "%d",
      "%d{ISO8601}",
      "%d{STRICT}",
      "%d{S}",
      "%d{SS}",
      "%d{ss.S.SS}",
      "%d{SSS SSS}",
      "%d{SSSSSS}",
      "%d{A}",
      "%d{N}",
      "%d{n}",
      "%d{epoch}",
      "%d{yyyy'000'SSS'999'}",
      "%d{d. MMMM yyyy HH:mm:ss.SSS, Asia/Kathmandu, ja-JP}",
      "%d{EEEE SSS 'Uhr \u00fc', UTC, th-TH}",
      "%d{yyyy-MM-dd'T'HH:mm:ss.SSSXXX, Europe/Berlin}",
      "%d{HH:mm:ss}",
      "%d{SSS}",
      "%d{yyyy'\ud83d'}",
      "%d{ss'\ud83d'SSS}"
    };
    long[] seconds = {0, -1, -62_135_596_800L, 1_764_000_000, 1_774_746_000, 253_402_300_799L};
    int[] millis = {0, 1, 9, 10, 99, 100, 456, 999};
    for (String date : dates) {
      for (Charset charset : CHARSETS) {
        PatternLayoutEncoder stock = stock(CONTEXT, date + " %m", charset);
        PatternEncoder ours = PatternEncoder.of(stock, true);
        for (long second : seconds) {
          for (int milli : millis) {
            LoggingEvent event =
                new LoggingEvent("x", CONTEXT.getLogger("a"), Level.INFO, "m", null, null);
            event.setTimeStamp(1000 * second + milli);
            assertThat(ours.encode(event))
                .as(date + event.getTimeStamp())
                .isEqualTo(stock.encode(event));
          }
        }
      }
    }
  }

  private static PatternEncoder of(String pattern) {
    return PatternEncoder.of(stock(CONTEXT, pattern, StandardCharsets.UTF_8), true);
  }

  /** An event of one's own that is made anew, since an event keeps its text. */
  private record Content(
      Level level,
      String logger,
      String thread,
      String message,
      List<Object> arguments,
      Throwable thrown,
      Map<String, String> mdc,
      List<String> markers) {
    LoggingEvent event() {
      Object[] array = arguments == null ? null : arguments.toArray();
      LoggingEvent event =
          new LoggingEvent("x", CONTEXT.getLogger(logger), level, message, thrown, array);
      event.setThreadName(thread);
      event.setInstant(Instant.ofEpochSecond(1_764_000_000L + message.length(), 123_456_789));
      event.setMDCPropertyMap(mdc);
      event.setCallerData(
          new StackTraceElement[] {new StackTraceElement("a.B", "c\u00e9", "B.java", 7)});
      for (String marker : markers) {
        event.addMarker(MarkerFactory.getMarker(marker));
        event.addKeyValuePair(new KeyValuePair(marker, marker.length()));
      }
      return event;
    }
  }

  @Provide
  Arbitrary<String> patterns() {
    return Arbitraries.of(
            ("%d~%date{HH:mm:ss.SSS, UTC}~%-30d{ISO8601}|~%t~[%.3thread]~%-5p~%.-1level~%c{20}"
                    + "~%logger{0}~%-12.12c~%m~%-20.30m~%msg~%X~%X{user:-none}~%marker~%kvp"
                    + "~%kvp{SINGLE}~%ex{2}~%nopex~%rEx~%xEx{short}~%r~%micros~%contextName"
                    + "~%property{key}~%class{0}.%method:%line %file~%n~ - ~\u00a7~\\(x\\)"
                    + "~\ud83d~\ude00~\ud83d\ude00")
                .split("~"))
        .list()
        .ofMinSize(1)
        .ofMaxSize(8)
        .map(words -> String.join("", words));
  }

  private static Arbitrary<String> texts() {
    return Arbitraries.frequencyOf(
        Tuple.of(6, Arbitraries.strings().ascii().ofMaxLength(20)),
        Tuple.of(
            3,
            Arbitraries.strings()
                .withChars('a', ' ', '\u00e9', '\u0000', '\u2028', '\ud83d', '\ude00', '\n')
                .ofMaxLength(6)),
        Tuple.of(1, Arbitraries.strings().alpha().ofMinLength(50).ofMaxLength(1_500)));
  }

  private static Arbitrary<Object> arguments() {
    return Arbitraries.oneOf(
        List.of(
            Arbitraries.integers().map(Object.class::cast),
            Arbitraries.longs().map(Object.class::cast),
            Arbitraries.doubles().map(Object.class::cast),
            texts().map(Object.class::cast),
            Arbitraries.of(
                true,
                'c',
                (short) 1,
                new BigDecimal("1.50"),
                new UUID(1, 2),
                Level.INFO,
                List.of("a", 1),
                new int[] {1, 2},
                new Object[] {"x", null, new long[] {3}},
                new StringBuilder("mutable"),
                new IllegalStateException("as an argument"))));
  }

  @Provide
  Arbitrary<Content> contents() {
    Arbitrary<String> messages =
        Combinators.combine(
                texts(),
                Arbitraries.of("{}", "{} ", "", "\\{}", "\\\\{}", "{", "}", "\ud83d")
                    .list()
                    .ofMaxSize(6),
                texts())
            .as((before, places, after) -> before + String.join("", places) + after);
    Arbitrary<Throwable> throwables =
        Arbitraries.<Throwable>of(new IllegalStateException("caf\u00e9", new Error("cause")))
            .injectNull(0.8);
    return Combinators.combine(
            Arbitraries.of(LEVELS),
            Arbitraries.of("ROOT", "a.b.C", "com.example.shop.orders.OrderService", "x.\u00e9"),
            texts(),
            messages,
            arguments().injectNull(0.1).list().ofMaxSize(5).injectNull(0.1),
            throwables,
            Arbitraries.maps(Arbitraries.of("user", "b"), texts()).ofMaxSize(2),
            Arbitraries.of("m1", "m\u00fc2").list().uniqueElements().ofMaxSize(2))
        .as(Content::new);
  }

  @Property(tries = 3_000)
  void shouldMakeTheBytesOfLogback(
      @ForAll("patterns") String pattern, @ForAll("contents") Content content) {
    for (Charset charset : CHARSETS) {
      PatternLayoutEncoder stock = stock(CONTEXT, pattern, charset);
      PatternEncoder encoder = PatternEncoder.of(stock, true);
      assertThat(encoder).as(pattern).isNotNull();
      for (int i = 0; i < 3; i++) { // names and messages are remembered at the first and second
        byte[] expected = stock.encode(content.event());
        assertThat(encoder.encode(content.event())).as(pattern).isEqualTo(expected);
      }
    }
  }

  @Property(tries = 20)
  void shouldMakeThemOnManyThreadsAtOnce(
      @ForAll("patterns") String random, @ForAll("contents") Content other) throws Exception {
    PatternLayoutEncoder stock = stock(CONTEXT, TYPICAL + random, StandardCharsets.UTF_8);
    PatternEncoder encoder = PatternEncoder.of(stock, true);
    List<LoggingEvent> events = new ArrayList<>();
    for (int i = 0; i < 200; i++) {
      Logger logger = CONTEXT.getLogger("com.example.Logger" + i % 7);
      Object[] arguments = {i, "text", (long) i, i % 2 == 0};
      String message = ("{} of {}, " + i % 5 + " {} times {}").intern();
      events.add(new LoggingEvent("x", logger, Level.INFO, message, null, arguments));
      events.get(i).setThreadName("worker-" + i % 13);
      events.get(i).setMDCPropertyMap(Map.of());
    }
    events.add(other.event());
    List<byte[]> expected = events.stream().map(stock::encode).collect(Collectors.toList());
    ExecutorService threads = Executors.newFixedThreadPool(8);
    try {
      CyclicBarrier start = new CyclicBarrier(8);
      List<Future<?>> results = new ArrayList<>();
      for (int t = 0; t < 8; t++) {
        int first = t * 23;
        results.add(
            threads.submit(
                () -> {
                  start.await(30, TimeUnit.SECONDS);
                  for (int i = 0; i < 3 * events.size(); i++) {
                    int at = (first + i) % events.size();
                    assertThat(encoder.encode(events.get(at))).isEqualTo(expected.get(at));
                  }
                  return null;
                }));
      }
      for (Future<?> result : results) {
        result.get(60, TimeUnit.SECONDS);
      }
    } finally {
      threads.shutdown();
    }
  }

  @Example
  void shouldRememberNoMoreNamesAndMessagesThanItHasSlotsFor() {
    PatternLayoutEncoder stock = stock(CONTEXT, TYPICAL, StandardCharsets.UTF_8);
    PatternEncoder encoder = PatternEncoder.of(stock, true);
    for (int i = 0; i < 20_000; i++) {
      String thread = i % 3 == 0 ? "GET /" + "x".repeat(600) + i : "thread-" + i % 5_000;
      Logger logger = CONTEXT.getLogger("logger-" + i / LEVELS.length); // all levels of each
      String message = "message " + i % 3_000 + ": {}";
      LoggingEvent event =
          new LoggingEvent("x", logger, LEVELS[i % LEVELS.length], message, null, new Object[] {i});
      event.setThreadName(thread);
      assertThat(encoder.encode(event)).isEqualTo(stock.encode(event));
    }
  }

  /** A line of any length, and a short one after it. */
  @Example
  void shouldEncodeLongLines() {
    PatternEncoder encoder = of("%m%n");
    for (int length : new int[] {0, 63, 64, 65, 127, 128, 1_023, 1_024, 100_000, 5_000_000, 1}) {
      String text = "\u00e9".repeat(length);
      for (int i = 0; i < 3; i++) {
        LoggingEvent event =
            new LoggingEvent(
                "x", CONTEXT.getLogger("a"), Level.INFO, "{}{}", null, new Object[] {text, "x"});
        String expected = text + "x" + System.lineSeparator();
        assertThat(new String(encoder.encode(event), StandardCharsets.UTF_8)).isEqualTo(expected);
      }
    }
  }

  /** Encodes in the log call, as the file appender does. */
  private static final class Lines extends UnsynchronizedAppenderBase<ILoggingEvent> {
    private final PatternEncoder encoder;
    private final List<String> lines = new ArrayList<>();

    Lines(PatternEncoder encoder) {
      this.encoder = encoder;
    }

    @Override
    protected void append(ILoggingEvent event) {
      lines.add(new String(encoder.encode(event), StandardCharsets.UTF_8));
    }
  }

  @Example
  void shouldPrintEachArgumentOnceAsItIsInTheLogCallForAllAppenders() {
    LoggerContext context = context();
    Logger logger = context.getLogger("logger");
    PatternLayoutEncoder stock = stock(context, "%m|%m", StandardCharsets.UTF_8);
    List<Lines> appenders = new ArrayList<>();
    for (int i = 0; i < 2; i++) {
      Lines appender = new Lines(PatternEncoder.of(stock, true));
      appender.setContext(context);
      appender.start();
      appenders.add(appender);
      logger.addAppender(appender);
    }
    int[] printed = new int[1];
    Object counting =
        new Object() {
          @Override
          public String toString() {
            return "printed " + ++printed[0];
          }
        };
    StringBuilder mutable = new StringBuilder("now");
    for (int i = 1; i < 4; i++) {
      logger.info("{} {} {}", counting, mutable, i);
      assertThat(printed[0]).isEqualTo(i);
      mutable.append(i);
    }
    String[] expected = {
      "printed 1 now 1|printed 1 now 1",
      "printed 2 now1 2|printed 2 now1 2",
      "printed 3 now12 3|printed 3 now12 3"
    };
    for (Lines appender : appenders) {
      assertThat(appender.lines).containsExactly(expected);
    }
  }

  @Example
  void shouldPrintAnArgumentThatThrowsAsSlf4jDoes() {
    PatternLayoutEncoder stock = stock(CONTEXT, "%p %m", StandardCharsets.UTF_8);
    PatternEncoder encoder = PatternEncoder.of(stock, true);
    int[] printed = new int[1];
    class Throwing {
      @Override
      public String toString() {
        printed[0]++;
        throw new IllegalStateException("of an argument");
      }
    }
    for (int i = 1; i < 4; i++) {
      Object[] arguments = {"first", new Throwing(), "last"};
      LoggingEvent event =
          new LoggingEvent("x", CONTEXT.getLogger("a"), Level.INFO, "{} {} {}", null, arguments);
      assertThat(encoder.encode(event))
          .asString()
          .isEqualTo("INFO first [FAILED toString()] last")
          .isEqualTo(new String(stock.encode(event), StandardCharsets.UTF_8));
      assertThat(printed[0]).isEqualTo(i);
    }
  }

  @Example
  void shouldEncodeWithinTheEncodingOfAnotherEvent() {
    LoggerContext context = context();
    Logger logger = context.getLogger("logger");
    PatternLayoutEncoder stock = stock(context, "%p %m", StandardCharsets.UTF_8);
    PatternEncoder encoder = PatternEncoder.of(stock, true);
    List<String> lines = new ArrayList<>();
    class Logging {
      @Override
      public String toString() {
        LoggingEvent inner =
            new LoggingEvent("x", logger, Level.WARN, "inner {}", null, new Object[] {1});
        lines.add(new String(encoder.encode(inner), StandardCharsets.UTF_8));
        return "logging";
      }
    }
    for (int i = 0; i < 3; i++) {
      Object[] arguments = {"first", new Logging()};
      LoggingEvent outer = new LoggingEvent("x", logger, Level.INFO, "{} {} end", null, arguments);
      lines.add(new String(encoder.encode(outer), StandardCharsets.UTF_8));
    }
    assertThat(lines.subList(4, 6)).containsExactly("WARN inner 1", "INFO first logging end");
  }

  @Example
  void shouldCallTheMethodsOfAnEventOfAnotherClass() {
    PatternEncoder encoder = of("%m");
    LoggingEvent own =
        new LoggingEvent("x", CONTEXT.getLogger("a"), Level.INFO, "{}", null, new Object[] {1}) {
          @Override
          public String getFormattedMessage() {
            return "its own";
          }
        };
    for (int i = 0; i < 3; i++) {
      assertThat(encoder.encode(own)).asString().isEqualTo("its own");
    }
  }

  /** A converter of the user. */
  public static final class Own extends ClassicConverter {
    private static int made;

    /** Called by Logback. */
    public Own() {
      made++;
    }

    @Override
    public String convert(ILoggingEvent event) {
      return "own";
    }
  }

  @Example
  void shouldTakeThePlaceOfLogbacksOwnConvertersOnly() {
    assertThat(of(TYPICAL)).isNotNull();
    for (String unknown :
        List.of(
            "%replace(%m){'a','b'}",
            "%highlight(%p) %m", "%(%p %c) %m", "%caller{2}", "%lsn %m", "%nosuchword %m")) {
      assertThat(of(unknown)).as(unknown).isNull();
    }
    for (String other : List.of("UTF-16", "UTF-16LE", "UTF-32", "IBM037", "ISO-2022-JP")) {
      PatternLayoutEncoder stock = stock(CONTEXT, TYPICAL, Charset.forName(other));
      assertThat(PatternEncoder.of(stock, true)).as(other).isNull();
    }
  }

  @Example
  void shouldTakeThePlaceOfLogbacksOwnEncoderOnly() {
    assertThat(PatternEncoder.of(null, true)).isNull();
    assertThat(PatternEncoder.of(new PatternLayoutEncoder(), true)).as("not started").isNull();
    PatternLayoutEncoder own = new PatternLayoutEncoder() {};
    own.setContext(CONTEXT);
    own.setPattern(TYPICAL);
    own.start();
    assertThat(PatternEncoder.of(own, true)).isNull();
    JsonEncoder json = new JsonEncoder();
    json.start();
    assertThat(PatternEncoder.of(json, true)).isNull();
    LayoutWrappingEncoder<ILoggingEvent> wrapping = new LayoutWrappingEncoder<>();
    PatternLayout layout = new PatternLayout();
    layout.setContext(CONTEXT);
    layout.setPattern(TYPICAL);
    layout.start();
    wrapping.setLayout(layout);
    wrapping.start();
    assertThat(PatternEncoder.of(wrapping, true)).isNull();
    PatternLayoutEncoder stopped = stock(CONTEXT, TYPICAL, null);
    stopped.getLayout().stop();
    assertThat(PatternEncoder.of(stopped, true)).as("prints nothing").isNull();
    assertThat(PatternEncoder.of(stock(CONTEXT, TYPICAL, null), true))
        .as("default charset")
        .isNotNull();
  }

  @Example
  void shouldMakeNoSecondConverterOfTheUser() {
    LoggerContext context = context();
    Map<String, String> rules = new HashMap<>(Map.of("own", Own.class.getName()));
    context.putObject(CoreConstants.PATTERN_RULE_REGISTRY, rules);
    PatternLayoutEncoder using = stock(context, "%own %m", StandardCharsets.UTF_8);
    int before = Own.made;
    assertThat(PatternEncoder.of(using, true)).isNull();
    assertThat(Own.made).isEqualTo(before).isPositive();
    assertThat(PatternEncoder.of(stock(context, "%m", StandardCharsets.UTF_8), true)).isNotNull();

    rules.put("m", Own.class.getName()); // in place of Logback's
    assertThat(PatternEncoder.of(stock(context, "%m", StandardCharsets.UTF_8), true)).isNull();

    LoggerContext evaluating = context();
    OnMarkerEvaluator evaluator = new OnMarkerEvaluator();
    evaluating.putObject(CoreConstants.EVALUATOR_MAP, Map.of("MINE", evaluator));
    PatternLayoutEncoder asking = stock(evaluating, "%m%ex{full, MINE}", StandardCharsets.UTF_8);
    assertThat(PatternEncoder.of(asking, true)).isNull();
  }

  @Example
  void shouldTellEncodersThatNeedTheOrderOfTheirLines() {
    class Chaining extends JsonEncoder {
      @SuppressWarnings("MissingOverride") // Logback 1.5 knows no such method
      public boolean isStateful() {
        return true;
      }
    }
    boolean asked =
        Stream.of(Encoder.class.getMethods()).anyMatch(m -> m.getName().equals("isStateful"));
    assertThat(PassThroughEncoder.isStateful(new Chaining())).isEqualTo(asked);
    assertThat(PassThroughEncoder.isStateful(new JsonEncoder())).isFalse();
    assertThat(PassThroughEncoder.isStateful(stock(CONTEXT, TYPICAL, null))).isFalse();
  }
}
