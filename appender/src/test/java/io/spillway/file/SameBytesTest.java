package io.spillway.file;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.encoder.PatternLayoutEncoder;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.util.LogbackMDCAdapter;
import ch.qos.logback.core.encoder.Encoder;
import ch.qos.logback.core.rolling.RollingFileAppender;
import io.spillway.SpillwayRollingFileAppender;
import io.spillway.testkit.FileRig;
import io.spillway.testkit.GatedPolicy;
import java.math.BigInteger;
import java.nio.charset.Charset;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import java.util.function.Consumer;
import java.util.function.Supplier;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.ShrinkingMode;
import org.slf4j.MDC;
import org.slf4j.MarkerFactory;
import org.slf4j.event.Level;

/** Both appenders get the same log calls, from the same lines, and write the same bytes. */
class SameBytesTest {
  private static final String HIGH = "\uD83D";
  private static final String LOW = "\uDE00";

  /** Stands for one that is made for the call, and changed after it. */
  private static final Object MUTABLE = new Object();

  @Provide
  Arbitrary<List<String>> messages() {
    Arbitrary<String> any = Arbitraries.strings().all().ofMaxLength(60);
    Arbitrary<String> plain = Arbitraries.strings().ascii().ofMaxLength(60);
    Arbitrary<String> surrogates =
        Arbitraries.of(
            "", HIGH, LOW, HIGH + LOW, LOW + HIGH, "a" + HIGH, LOW + "b", "\u00e4\u20ac");
    return Arbitraries.oneOf(any, plain, surrogates).list().ofMinSize(1).ofMaxSize(40);
  }

  @Provide
  Arbitrary<String> charsets() {
    return Arbitraries.of("UTF-8", "ISO-8859-1", "US-ASCII", "UTF-16", "UTF-16LE", "default");
  }

  /** Without line end or separator, so that surrogates meet where events meet. */
  @Provide
  Arbitrary<String> patterns() {
    return Arbitraries.of(
        "%msg",
        "%msg%n",
        "%-5level [%thread] %logger{12} %marker %X{key:-none} - %replace(%msg){'a','b'}%n%ex{short}",
        "%20.30msg|%mdc|%kvp|%property{NAME}%n%xEx",
        "%msg %nopex%n");
  }

  @Property(tries = 100, shrinking = ShrinkingMode.BOUNDED)
  void shouldWriteWhatStockWrites(
      @ForAll("messages") List<String> messages,
      @ForAll("patterns") String pattern,
      @ForAll("charsets") String charset)
      throws Exception {
    Supplier<Encoder<ILoggingEvent>> encoders = () -> encoder(pattern, charset);
    assertSameBytes(
        encoders,
        logger -> {
          for (int i = 0; i < messages.size(); i++) {
            log(logger, messages.get(i), i);
          }
        });
  }

  private static void log(Logger logger, String message, int number) {
    MDC.put("key", message);
    logger.info(message);
    MDC.remove("key");
    switch (number % 4) {
      case 0 -> logger.error("failed {}", message, new IllegalStateException(message));
      case 1 -> logger.warn(MarkerFactory.getMarker("M" + number % 3), "{} {}", message, number);
      case 2 -> logger.atInfo().addKeyValue("k", message).log("fluent");
      default -> logger.info("{} and {} and {}", message, null, new int[] {number, 1});
    }
  }

  /** Whoever formats the message, and whatever becomes of array and arguments after the call. */
  @Property(tries = 200, shrinking = ShrinkingMode.BOUNDED)
  void shouldPrintArgumentsAsTheyWereInTheCall(
      @ForAll("templates") List<String> templates,
      @ForAll("arguments") List<Object> arguments,
      @ForAll("patternsOfMessages") String pattern,
      @ForAll("charsets") String charset)
      throws Exception {
    assertSameBytes(
        () -> encoder(pattern, charset),
        logger -> {
          for (String template : templates) {
            Object[] reused = arguments.toArray();
            for (int i = 0; i < reused.length; i++) {
              reused[i] = reused[i] == MUTABLE ? new StringBuilder("as it was") : reused[i];
            }
            Changing.text = "as it was";
            logger.info(template, reused);
            Changing.text = "changed";
            for (int i = 0; i < reused.length; i++) {
              if (reused[i] instanceof StringBuilder text) {
                text.append(", then changed");
              }
              reused[i] = "changed";
            }
          }
        });
  }

  @Provide
  Arbitrary<String> patternsOfMessages() {
    return Arbitraries.of(
        "%msg", "%msg%n", "%d{HH} [%t] %-5p %c{20} - %m%n", "%m%m %X{key} %M%n", "%30m|%m%n");
  }

  @Provide
  Arbitrary<List<String>> templates() {
    return Arbitraries.of("{}", "{}{}", "a", "\u00e4 ", HIGH, LOW, "\\", "{", "}", "{ }", "")
        .list()
        .ofMaxSize(12)
        .map(pieces -> String.join("", pieces))
        .list()
        .ofMinSize(1)
        .ofMaxSize(8);
  }

  @Provide
  Arbitrary<List<Object>> arguments() {
    Arbitrary<Object> edges =
        Arbitraries.of(
            null,
            "",
            "text",
            HIGH,
            LOW + "x",
            "\u20ac".repeat(70),
            "x".repeat(5000),
            true,
            'c',
            '\uD83D');
    Arbitrary<Object> numbers =
        Arbitraries.oneOf(
            Arbitraries.longs().map(Object.class::cast),
            Arbitraries.integers().map(Object.class::cast),
            Arbitraries.doubles().map(Object.class::cast),
            Arbitraries.bytes().map(Object.class::cast),
            Arbitraries.bigDecimals().map(Object.class::cast),
            Arbitraries.of(Long.MIN_VALUE, Long.MAX_VALUE, 0L, -1, 9, 10, 99, 100));
    Arbitrary<Object> others =
        Arbitraries.of(
            Instant.EPOCH,
            Duration.ofDays(3),
            String.class,
            Thread.State.NEW,
            Changing.ONE,
            UUID.fromString("00000000-0000-0001-0000-000000000002"),
            BigInteger.TEN.pow(300),
            new int[] {1, 2},
            List.of(1));
    return Arbitraries.oneOf(edges, numbers, others, Arbitraries.just(MUTABLE)).list().ofMaxSize(6);
  }

  /** An enum that says something else from time to time. */
  private enum Changing {
    ONE;

    private static volatile String text;

    @Override
    public String toString() {
      return text;
    }
  }

  /** Never what is remembered of another; the hash codes of Aa and BB are the same. */
  @Property(tries = 25, shrinking = ShrinkingMode.BOUNDED)
  void shouldTellLevelsLoggersAndThreadsApart(
      @ForAll("patternsOfOrigin") String pattern, @ForAll("origins") List<Integer> origins)
      throws Exception {
    String name = Thread.currentThread().getName();
    try {
      assertSameBytes(
          () -> encoder(pattern, "UTF-8"),
          logger -> origins.forEach(origin -> log(logger, origin)));
    } finally {
      Thread.currentThread().setName(name);
    }
  }

  private static void log(Logger parent, int origin) {
    Thread.currentThread().setName(List.of("Aa", "BB", "main", HIGH, "").get(origin % 5));
    parent
        .getLoggerContext()
        .getLogger(parent.getName() + List.of("", ".Aa", ".BB").get(origin / 5 % 3))
        .atLevel(List.of(Level.INFO, Level.WARN, Level.ERROR).get(origin / 15))
        .log("{}" + LOW, origin);
  }

  @Provide
  Arbitrary<String> patternsOfOrigin() {
    return Arbitraries.of(
        "%level%n",
        "%thread%n",
        "%logger%n",
        "%level%thread%msg%n",
        "%thread%level%logger{1}",
        "%msg[%-3.3thread]%n",
        "%d{HH} [%t] %-5p %c{20} - %m%n");
  }

  @Provide
  Arbitrary<List<Integer>> origins() {
    return Arbitraries.integers().between(0, 44).list().ofSize(120);
  }

  @Property(tries = 8)
  void shouldFindOutThatThePatternPrintsCallerData(@ForAll("callerPatterns") String pattern)
      throws Exception {
    String printed =
        assertSameBytes(() -> encoder(pattern, "UTF-8"), logger -> logger.info("who is calling?"));
    assertThat(printed).contains("SameBytesTest");
  }

  @Provide
  Arbitrary<String> callerPatterns() {
    return Arbitraries.of(
        "%C %M %L %msg%n",
        "%class{0}.%method:%line%n",
        "%F:%L SameBytesTest %msg%n",
        "%-40.40file|%msg%n",
        "%highlight(%C{1}) %msg%n",
        "%caller{1} %msg%n",
        "%msg %30M SameBytesTest%n",
        "%5L SameBytesTest%n");
  }

  private static Encoder<ILoggingEvent> encoder(String pattern, String charset) {
    PatternLayoutEncoder encoder = new PatternLayoutEncoder();
    encoder.setPattern(pattern);
    if (!charset.equals("default")) {
      encoder.setCharset(Charset.forName(charset));
    }
    return encoder;
  }

  /** Returns what both wrote. */
  private static String assertSameBytes(
      Supplier<Encoder<ILoggingEvent>> encoders, Consumer<Logger> calls) throws Exception {
    Path directory = Files.createTempDirectory("spillway-bytes");
    LoggerContext context = new LoggerContext();
    context.setMDCAdapter((LogbackMDCAdapter) MDC.getMDCAdapter()); // MDC.put goes there
    context.putProperty("NAME", "value");
    SpillwayRollingFileAppender<ILoggingEvent> own = new SpillwayRollingFileAppender<>();
    RollingFileAppender<ILoggingEvent> stock = new RollingFileAppender<>();
    try {
      own.setMaxFlushTime("10000");
      Path ownFile = start(own, context, encoders.get(), directory.resolve("own.log"));
      Path stockFile = start(stock, context, encoders.get(), directory.resolve("stock.log"));
      Logger logger = context.getLogger("some.logger.Name");
      for (RollingFileAppender<ILoggingEvent> appender : List.of(own, stock)) {
        logger.addAppender(appender);
        calls.accept(logger);
        logger.detachAppender(appender);
      }
      assertThat(own.awaitDelivered(FileRig.PATIENCE)).isTrue();
      assertThat(ownFile).hasSameBinaryContentAs(stockFile);
      return Files.readString(stockFile, java.nio.charset.StandardCharsets.ISO_8859_1);
    } finally {
      own.stop();
      stock.stop();
      context.stop();
      delete(directory);
    }
  }

  private static Path start(
      RollingFileAppender<ILoggingEvent> appender,
      LoggerContext context,
      Encoder<ILoggingEvent> encoder,
      Path file) {
    GatedPolicy<ILoggingEvent> policy = new GatedPolicy<>();
    encoder.setContext(context);
    encoder.start();
    appender.setContext(context);
    appender.setName(file.getFileName().toString());
    appender.setFile(file.toString());
    appender.setEncoder(encoder);
    policy.setParent(appender);
    policy.start();
    appender.setRollingPolicy(policy);
    appender.start();
    assertThat(appender.isStarted()).isTrue();
    return file;
  }

  private static void delete(Path directory) throws Exception {
    try (var all = Files.walk(directory)) {
      for (Path path : all.sorted(java.util.Comparator.reverseOrder()).toList()) {
        Files.delete(path);
      }
    }
  }
}
