package io.spillway.promises;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.encoder.JsonEncoder;
import ch.qos.logback.classic.pattern.ClassicConverter;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.FileAppender;
import ch.qos.logback.core.encoder.Encoder;
import io.spillway.testkit.Configured;
import io.spillway.testkit.Probe;
import io.spillway.testkit.Probe.Kind;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.function.Supplier;
import net.logstash.logback.argument.StructuredArguments;
import net.logstash.logback.encoder.LogstashEncoder;
import net.logstash.logback.marker.Markers;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.slf4j.Marker;
import org.slf4j.MarkerFactory;
import org.slf4j.spi.LoggingEventBuilder;

/**
 * Promise 17: a line has the bytes that Logback's own encoder makes of the event, also when the
 * event went through the spill and a restart. A stock FileAppender with an encoder of its own gets
 * each event, too.
 */
class P17SameBytesTest extends Promise {
  private static final int EVENTS = FULL ? 20_000 : 60;
  private static final List<String> PATTERNS =
      List.of(
          "%d{yyyy-MM-dd HH:mm:ss.SSS} [%thread] %-5level %logger{36} - %msg%n",
          "%d %-30.-10logger{0} %level %X{user:-nobody} %X %marker %kvp %msg%n",
          "%highlight(%level) %replace(%msg){'a', 'b'} %rEx{full}%n",
          "%.-3msg|%20.30msg|%property{none} %contextName %sn%n",
          "%class %method %line %file %msg%n%xEx",
          "%d{ISO8601, UTC} %caller{2} %msg%n");

  static List<Arguments> everything() {
    List<Arguments> all = new ArrayList<>();
    for (Kind kind : Kind.values()) {
      for (boolean restart : new boolean[] {false, true}) {
        for (String pattern : PATTERNS.subList(0, FULL || !restart ? PATTERNS.size() : 2)) {
          all.add(arguments(kind, restart, pattern, () -> Probe.pattern(pattern)));
        }
        all.add(arguments(kind, restart, "JsonEncoder", JsonEncoder::new));
        all.add(arguments(kind, restart, "LogstashEncoder", LogstashEncoder::new));
      }
    }
    return all;
  }

  private static Arguments arguments(
      Kind kind, boolean restart, String name, Supplier<Encoder<ILoggingEvent>> encoder) {
    return Arguments.of(kind, restart, name, encoder);
  }

  @ParameterizedTest(name = "{0}, restart {1}, {2}")
  @MethodSource("everything")
  void areThoseOfLogbacksEncoder(
      Kind kind, boolean restart, String name, Supplier<Encoder<ILoggingEvent>> encoder)
      throws IOException {
    Path stock = directory.resolve("stock.log");
    try (Probe probe = new Probe(kind, directory).encoder(encoder.get())) {
      if (restart) {
        probe.settings.setSpillMode("ALWAYS");
        probe.settings.setMaxFlushTime("1");
        probe.gate.shut();
      }
      logBeside(probe.start(), encoder.get(), stock);
      probe.stop();
    }
    if (restart) {
      try (Probe next = new Probe(kind, directory).encoder(encoder.get()).start()) {
        next.awaitDelivered();
        assertThat((long) next.metrics().value("Recovered")).isPositive();
      }
    }
    String expected = text(stock);
    String printed = text(directory.resolve("app.log"));
    assertThat(printed).isNotEmpty().endsWith(expected);
    String before = printed.substring(0, printed.length() - expected.length());
    assertThat(expected).as("the event of a fenced sink comes twice").startsWith(before);
    assertThat(before.isEmpty() || kind == Kind.WRAPPED && restart).isTrue();
  }

  private static void logBeside(Probe probe, Encoder<ILoggingEvent> encoder, Path stock) {
    FileAppender<ILoggingEvent> file = new FileAppender<>();
    file.setContext(probe.context);
    file.setFile(stock.toString());
    encoder.setContext(probe.context);
    encoder.start();
    file.setEncoder(encoder);
    file.start();
    probe.logger.addAppender(file); // behind the other: that has to prepare the event itself
    probe.logger.setLevel(Level.TRACE);
    Random random = new Random(17);
    for (int i = 0; i < EVENTS; i++) {
      logAny(probe, random);
    }
    probe.logger.detachAppender(file);
    file.stop();
  }

  /** Each byte as a character. */
  private static String text(Path file) throws IOException {
    return Files.readString(file, StandardCharsets.ISO_8859_1);
  }

  private static final List<String> TEXTS =
      List.of(
          "",
          "plain text",
          "{}",
          "{} and {}",
          "ümläut € \uD83D\uDE00",
          "lone \uD800 half",
          "two\nlines\r\n",
          "tab\tquote\"\\",
          "a".repeat(5_000),
          "\u0000\u0007",
          "{{}} \\{} {}");

  private static void logAny(Probe probe, Random random) {
    String user = random.nextInt(3) == 0 ? null : "u" + random.nextInt(5);
    probe.context.getMDCAdapter().clear();
    if (user != null) {
      probe.context.getMDCAdapter().put("user", user);
      probe.context.getMDCAdapter().put("k " + random.nextInt(9), "v");
    }
    LoggingEventBuilder event =
        probe.logger.atLevel(org.slf4j.event.Level.values()[random.nextInt(5)]);
    event = event.setMessage(TEXTS.get(random.nextInt(TEXTS.size())));
    for (int i = random.nextInt(4); i > 0; i--) {
      event = event.addArgument(value(random));
    }
    if (random.nextInt(4) == 0) {
      event = event.addMarker(marker(random));
    }
    if (random.nextInt(4) == 0) {
      event = event.addKeyValue("key", value(random)).addKeyValue("other", random.nextInt());
    }
    if (random.nextInt(5) == 0) {
      event = event.setCause(thrown(random));
    }
    event.log();
  }

  private static Object value(Random random) {
    return switch (random.nextInt(10)) {
      case 0 -> null;
      case 1 -> random.nextLong();
      case 2 -> random.nextDouble();
      case 3 -> new int[] {1, 2};
      case 4 -> List.of("a", 1, true);
      case 5 -> Map.of("k", 2);
      case 6 -> StructuredArguments.keyValue("order", 17);
      case 7 -> StructuredArguments.entries(Map.of("x", List.of(1, 2)));
      case 8 -> new Object[] {"nested", new String[] {"x", null}};
      default -> TEXTS.get(random.nextInt(TEXTS.size()));
    };
  }

  private static Marker marker(Random random) {
    return random.nextBoolean()
        ? Markers.append("user", "u1").and(Markers.append("list", List.of(1, 2)))
        : MarkerFactory.getDetachedMarker("AUDIT");
  }

  private static Throwable thrown(Random random) {
    Exception cause = new IllegalArgumentException(TEXTS.get(random.nextInt(TEXTS.size())));
    Exception thrown = new IllegalStateException("outer", cause);
    thrown.addSuppressed(new IOException("suppressed"));
    if (random.nextBoolean()) {
      cause.addSuppressed(new Error(thrown)); // in a circle
    }
    return thrown;
  }

  /** A converter of the user's own that asks the calling thread, as tracing products do. */
  public static final class TraceId extends ClassicConverter {
    static final ThreadLocal<String> ID = new ThreadLocal<>();

    @Override
    public String convert(ILoggingEvent event) {
      return ID.get() + " on " + Thread.currentThread().getName();
    }
  }

  /** The file appender encodes in the log call, where such a converter has what it needs. */
  @Test
  void includeWhatAConverterFindsInTheCallingThread() throws IOException {
    String pattern = "<encoder><pattern>%trace %msg%n</pattern></encoder>";
    String content =
        "<conversionRule conversionWord='trace' class='"
            + TraceId.class.getName()
            + "'/>"
            + "<appender name='STOCK' class='ch.qos.logback.core.FileAppender'>"
            + "<file>DIR/stock.log</file>"
            + pattern
            + "</appender>"
            + "<appender name='FILE' class='io.spillway.SpillwayRollingFileAppender'>"
            + "<file>DIR/app.log</file>"
            + pattern
            + "<rollingPolicy class='ch.qos.logback.core.rolling.TimeBasedRollingPolicy'>"
            + "<fileNamePattern>DIR/app.%d{yyyy-MM}.log</fileNamePattern></rollingPolicy></appender>"
            + "<root level='DEBUG'><appender-ref ref='STOCK'/><appender-ref ref='FILE'/></root>";
    try (Configured configured = new Configured(content.replace("DIR", directory.toString()))) {
      for (int i = 0; i < 100; i++) {
        TraceId.ID.set("trace-" + i);
        configured.logger.info("event {}", i);
      }
      configured.awaitDelivered();
      assertThat(text(directory.resolve("app.log")))
          .isNotEmpty()
          .isEqualTo(text(directory.resolve("stock.log")));
    } finally {
      TraceId.ID.remove();
    }
  }
}
