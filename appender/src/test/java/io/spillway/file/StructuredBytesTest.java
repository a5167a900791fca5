package io.spillway.file;

import static net.logstash.logback.argument.StructuredArguments.array;
import static net.logstash.logback.argument.StructuredArguments.entries;
import static net.logstash.logback.argument.StructuredArguments.fields;
import static net.logstash.logback.argument.StructuredArguments.kv;
import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.encoder.JsonEncoder;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.encoder.Encoder;
import ch.qos.logback.core.rolling.RollingFileAppender;
import io.spillway.testkit.FileRig;
import io.spillway.testkit.GatedPolicy;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Supplier;
import java.util.stream.Stream;
import net.logstash.logback.encoder.LogstashEncoder;
import org.junit.jupiter.api.Named;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.slf4j.MDC;
import org.slf4j.MarkerFactory;

/**
 * JSON with structured arguments, the same from both appenders, also for what went through the
 * spill.
 */
@Timeout(60)
class StructuredBytesTest {
  @TempDir Path directory;

  /** An object that is printed by its fields. */
  public record Order(int id, List<String> items) {}

  static Stream<Arguments> encoders() {
    Supplier<Encoder<ILoggingEvent>> json = JsonEncoder::new;
    Supplier<Encoder<ILoggingEvent>> logstash = LogstashEncoder::new;
    Supplier<Encoder<ILoggingEvent>> callers =
        () -> {
          LogstashEncoder encoder = new LogstashEncoder();
          encoder.setIncludeCallerData(true);
          return encoder;
        };
    return Stream.of(
            Named.of("json", json), Named.of("logstash", logstash), Named.of("callers", callers))
        .flatMap(encoder -> Stream.of(Arguments.of(encoder, true), Arguments.of(encoder, false)));
  }

  @ParameterizedTest(name = "{0}, through the spill: {1}")
  @MethodSource("encoders")
  void shouldWriteWhatStockWrites(Supplier<Encoder<ILoggingEvent>> encoders, boolean spilled)
      throws IOException {
    FileRig unstarted =
        new FileRig(directory.resolve("own.log"))
            .spill(directory.resolve("spill"))
            .encoder(encoders.get());
    unstarted.appender.setMemoryBuffer("64 KB");
    try (FileRig rig = unstarted.start()) {
      RollingFileAppender<ILoggingEvent> stock = stock(rig, encoders.get());
      if (spilled) {
        rig.policy.gate.shut();
      }
      for (int i = 0; i < 300; i++) {
        logStructured(rig, i);
      }
      if (spilled) {
        rig.await("all spilled", () -> rig.metrics().getRingUsed() == 0);
        assertThat(rig.metrics().getSpilled()).isPositive();
        rig.policy.gate.open();
      }
      rig.awaitDelivered();
      stock.stop();

      assertThat(Files.size(rig.file)).isGreaterThan(300_000);
      assertThat(rig.file).hasSameBinaryContentAs(directory.resolve("stock.log"));
      rig.assertAllDelivered();
    }
  }

  private static void logStructured(FileRig rig, int i) {
    MDC.put("request", "r" + i);
    Order order = new Order(i, List.of("a\u20ac", "\uD83D", "line\nend \"quoted\""));
    rig.logger.info("kv {} {}", kv("id", i), kv("nothing", null));
    rig.logger.info("entries {}", entries(new TreeMap<>(Map.of("x", i, "y", "why"))));
    rig.logger.info("fields {}", fields(order));
    rig.logger.warn("array {}", array("items", i, "two", 3.5));
    rig.logger.error("failed {}", kv("order", order), new IllegalStateException("no " + i));
    rig.logger
        .atInfo()
        .addMarker(MarkerFactory.getMarker("AUDIT"))
        .addKeyValue("fluent", i)
        .log("with {}", "marker");
    MDC.clear();
  }

  /** Attached behind the appender under test and given the same events. */
  private RollingFileAppender<ILoggingEvent> stock(FileRig rig, Encoder<ILoggingEvent> encoder) {
    RollingFileAppender<ILoggingEvent> stock = new RollingFileAppender<>();
    GatedPolicy<ILoggingEvent> policy = new GatedPolicy<>();
    encoder.setContext(rig.context);
    encoder.start();
    stock.setContext(rig.context);
    stock.setFile(directory.resolve("stock.log").toString());
    stock.setEncoder(encoder);
    policy.setParent(stock);
    policy.start();
    stock.setRollingPolicy(policy);
    stock.start();
    assertThat(stock.isStarted()).isTrue();
    rig.logger.addAppender(stock);
    return stock;
  }
}
