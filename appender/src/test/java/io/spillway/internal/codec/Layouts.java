package io.spillway.internal.codec;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.PatternLayout;
import ch.qos.logback.classic.encoder.JsonEncoder;
import ch.qos.logback.classic.html.HTMLLayout;
import ch.qos.logback.classic.layout.TTLLLayout;
import ch.qos.logback.classic.log4j.XMLLayout;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.CoreConstants;
import ch.qos.logback.core.Layout;
import ch.qos.logback.core.encoder.Encoder;
import ch.qos.logback.core.pattern.parser.Parser;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import net.logstash.logback.encoder.LogstashEncoder;

/**
 * Everything of Logback that prints an event, twice: some remember the event before (odd and even
 * rows, a time not formatted again), so that each side has its own and both see the same sequence.
 */
final class Layouts {
  /** Prints a number of its own, not the event's. */
  private static final Set<String> NOT_OF_THE_EVENT = Set.of("lsn");

  private static final String[] OPTIONS =
      """
      %d{yyyy-MM-dd HH:mm:ss.SSSSSSSSS}\n%d{ISO8601,UTC}\n%date{STRICT}\n%epoch{seconds}
      %d{HH:mm:ss.SSS,Asia/Tokyo,ja}%micros\n%logger{0}\n%logger{12}\n%logger{60}
      %class{0}\n%class{12}\n%caller{1}\n%caller{1..3}\n%caller{0}\n%-12.5level|%12.-5thread
      %ex{short}\n%ex{3}\n%ex{full}\n%ex{full,org.junit,Events}\n%xEx{short}\n%xEx{2}
      %rEx{short}\n%rEx{2}\n%X{first}\n%X{second:-none}\n%kvp{NONE}\n%kvp{SINGLE}
      %maskedKvp{NONE,first}\n%maskedKvp{DOUBLE,first,second}\n%property{app}
      %property{no such}\n%replace(%msg){'[a-m]+','*'}%nopex
      %prefix(%level %logger %msg %X{first} %property{app})%nopex
      %highlight(%boldRed(%level) %cyan(%msg)) %nopex"""
          .split("\n");

  private static final String PRINTED = "printed ";

  private final Map<String, Function<ILoggingEvent, String>> direct = new LinkedHashMap<>();
  private final Map<String, Function<ILoggingEvent, String>> spilled = new LinkedHashMap<>();
  private final LoggerContext context = new LoggerContext();

  Layouts() {
    register(direct);
    register(spilled);
  }

  private void register(Map<String, Function<ILoggingEvent, String>> printers) {
    context.putObject(CoreConstants.EVALUATOR_MAP, new HashMap<String, Object>());
    for (String word : PatternLayout.DEFAULT_CONVERTER_SUPPLIER_MAP.keySet()) {
      if (!NOT_OF_THE_EVENT.contains(word)) {
        pattern(printers, composite(word) ? "%" + word + "(%msg %level)" : "%" + word);
      }
    }
    for (String pattern : OPTIONS) {
      pattern(printers, pattern);
    }
    layout(printers, "html", new HTMLLayout());
    XMLLayout xml = new XMLLayout();
    xml.setLocationInfo(true);
    xml.setProperties(true);
    layout(printers, "xml", xml);
    layout(printers, "ttll", new TTLLLayout());
    JsonEncoder json = new JsonEncoder();
    json.setWithFormattedMessage(true);
    encoder(printers, "json", json);
  }

  /** Adds logstash-logback-encoder, which looks into arguments that the codec makes text of. */
  Layouts withLogstash() {
    logstash(direct);
    logstash(spilled);
    return this;
  }

  private void logstash(Map<String, Function<ILoggingEvent, String>> printers) {
    LogstashEncoder logstash = new LogstashEncoder();
    logstash.setIncludeCallerData(true);
    logstash.setIncludeContext(true);
    logstash.setIncludeTags(true);
    encoder(printers, "logstash", logstash);
  }

  private static boolean composite(String word) {
    return Parser.DEFAULT_COMPOSITE_CONVERTER_MAP.containsKey(word)
        || PatternLayout.DEFAULT_CONVERTER_SUPPLIER_MAP.get(word).get()
            instanceof ch.qos.logback.core.pattern.CompositeConverter;
  }

  private void pattern(Map<String, Function<ILoggingEvent, String>> printers, String pattern) {
    PatternLayout layout = new PatternLayout();
    layout.setPattern(pattern);
    layout(printers, pattern, layout);
  }

  private void layout(
      Map<String, Function<ILoggingEvent, String>> printers,
      String name,
      Layout<ILoggingEvent> layout) {
    layout.setContext(context);
    layout.start();
    printers.put(name, layout::doLayout);
  }

  private void encoder(
      Map<String, Function<ILoggingEvent, String>> printers,
      String name,
      Encoder<ILoggingEvent> encoder) {
    encoder.setContext(context);
    encoder.start();
    printers.put(name, event -> new String(encoder.encode(event), UTF_8));
  }

  /** Fails with what differs, if any printer prints the two otherwise or fails otherwise. */
  void assertSame(ILoggingEvent expected, ILoggingEvent actual) {
    List<String> differences = new ArrayList<>();
    direct.forEach(
        (name, printer) -> {
          String wanted = print(printer, expected);
          String printed = print(spilled.get(name), actual);
          // What throws at a foreign object has its text to print when it comes back.
          if (!wanted.equals(printed) && wanted.startsWith(PRINTED)) {
            differences.add(name + " wanted: " + wanted + " but: " + printed);
          }
        });
    assertThat(differences).isEmpty();
  }

  private static String print(Function<ILoggingEvent, String> printer, ILoggingEvent event) {
    try {
      return PRINTED + printer.apply(event);
    } catch (RuntimeException e) {
      return "threw " + e.getMessage();
    }
  }
}
