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

  private static final List<String> OPTIONS =
      List.of(
          "%d{yyyy-MM-dd HH:mm:ss.SSSSSSSSS}",
          "%d{ISO8601,UTC}",
          "%date{STRICT}",
          "%d{HH:mm:ss.SSS,Asia/Tokyo,ja}%micros",
          "%epoch{seconds}",
          "%logger{0}",
          "%logger{12}",
          "%logger{60}",
          "%class{0}",
          "%class{12}",
          "%caller{1}",
          "%caller{1..3}",
          "%caller{0}",
          "%-12.5level|%12.-5thread",
          "%ex{short}",
          "%ex{3}",
          "%ex{full}",
          "%ex{full,org.junit,Events}",
          "%xEx{short}",
          "%xEx{2}",
          "%rEx{short}",
          "%rEx{2}",
          "%X{first}",
          "%X{second:-none}",
          "%kvp{NONE}",
          "%kvp{SINGLE}",
          "%maskedKvp{NONE,first}",
          "%maskedKvp{DOUBLE,first,second}",
          "%property{app}",
          "%property{no such}",
          "%replace(%msg){'[a-m]+','*'}%nopex",
          "%prefix(%level %logger %msg %X{first} %property{app})%nopex",
          "%highlight(%boldRed(%level) %cyan(%msg)) %nopex");

  private static final class Printers
      extends LinkedHashMap<String, Function<ILoggingEvent, String>> {
    private static final long serialVersionUID = 1L;
  }

  private final Printers direct = new Printers();
  private final Printers spilled = new Printers();
  private final LoggerContext context = new LoggerContext();

  Layouts() {
    register(direct);
    register(spilled);
  }

  private void register(Printers printers) {
    context.putObject(CoreConstants.EVALUATOR_MAP, new HashMap<String, Object>());
    for (String word : PatternLayout.DEFAULT_CONVERTER_SUPPLIER_MAP.keySet()) {
      if (!NOT_OF_THE_EVENT.contains(word)) {
        pattern(printers, composite(word) ? "%" + word + "(%msg %level)" : "%" + word);
      }
    }
    OPTIONS.forEach(pattern -> pattern(printers, pattern));
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

  private void logstash(Printers printers) {
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

  private void pattern(Printers printers, String pattern) {
    PatternLayout layout = new PatternLayout();
    layout.setPattern(pattern);
    layout(printers, pattern, layout);
  }

  private void layout(Printers printers, String name, Layout<ILoggingEvent> layout) {
    layout.setContext(context);
    layout.start();
    printers.put(name, layout::doLayout);
  }

  private void encoder(Printers printers, String name, Encoder<ILoggingEvent> encoder) {
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
          if (!wanted.equals(printed)) {
            differences.add(name + " wanted: " + wanted + " but: " + printed);
          }
        });
    assertThat(differences).isEmpty();
  }

  private static String print(Function<ILoggingEvent, String> printer, ILoggingEvent event) {
    try {
      return "printed " + printer.apply(event);
    } catch (RuntimeException e) {
      return "threw " + e.getMessage();
    }
  }
}
