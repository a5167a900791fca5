package io.spillway.internal.codec;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.PatternLayout;
import ch.qos.logback.classic.encoder.JsonEncoder;
import ch.qos.logback.classic.pattern.ClassicConverter;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.util.LogbackMDCAdapter;
import ch.qos.logback.core.FileAppender;
import ch.qos.logback.core.encoder.Encoder;
import ch.qos.logback.core.encoder.LayoutWrappingEncoder;
import ch.qos.logback.core.spi.AppenderAttachableImpl;
import io.spillway.internal.metrics.Counters;
import io.spillway.internal.metrics.Reports;
import io.spillway.internal.sink.Batch;
import io.spillway.internal.sink.NestedAppenderSink;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.logstash.logback.argument.StructuredArguments;
import net.logstash.logback.encoder.LogstashEncoder;
import net.logstash.logback.marker.Markers;
import org.slf4j.event.KeyValuePair;

/**
 * A wrapped file has the same bytes whether its events went through memory or through the spill.
 */
class SpilledLinesTest {
  private final LoggerContext context = new LoggerContext();

  SpilledLinesTest() {
    context.setMDCAdapter(new LogbackMDCAdapter());
  }

  /** Prints what the codec does not keep. */
  private static final class ClassOfArgument extends ClassicConverter {
    @Override
    public String convert(ILoggingEvent event) {
      Object[] arguments = event.getArgumentArray();
      return arguments == null || arguments.length == 0 || arguments[0] == null
          ? "none"
          : arguments[0].getClass().getName();
    }
  }

  private Encoder<ILoggingEvent> started(Encoder<ILoggingEvent> encoder) {
    encoder.setContext(context);
    encoder.start();
    return encoder;
  }

  private Encoder<ILoggingEvent> pattern() {
    PatternLayout layout = new PatternLayout();
    layout.setContext(context);
    layout.getInstanceConverterMap().put("own", ClassOfArgument::new);
    layout.setPattern("%d %level [%thread] %logger %marker %kvp %X %own %caller{2} %msg%n%xEx");
    layout.start();
    LayoutWrappingEncoder<ILoggingEvent> encoder = new LayoutWrappingEncoder<>();
    encoder.setCharset(UTF_8);
    encoder.setLayout(layout);
    return started(encoder);
  }

  private Encoder<ILoggingEvent> logstash() {
    LogstashEncoder encoder = new LogstashEncoder();
    encoder.setIncludeCallerData(true);
    return started(encoder);
  }

  private String print(
      Encoder<ILoggingEvent> encoder, List<? extends ILoggingEvent> events, boolean spill)
      throws Exception {
    Path log = Files.createTempFile("lines", ".log");
    FileAppender<ILoggingEvent> appender = new FileAppender<>();
    appender.setContext(context);
    appender.setFile(log.toString());
    appender.setEncoder(encoder);
    appender.start();
    AppenderAttachableImpl<ILoggingEvent> nested = new AppenderAttachableImpl<>();
    nested.addAppender(appender);
    NestedAppenderSink sink = new NestedAppenderSink(nested, new Counters(), new Reports(appender));
    Batch batch = Batch.ofEvents();
    events.forEach(event -> batch.add(event, 0));
    if (spill) {
      EventCodec codec = new EventCodec();
      int spilled = codec.encode(batch.events(), batch.count(), sink::line, cause -> {});
      assertThat(spilled).isEqualTo(events.size());
      ILoggingEvent[] read = EventCodec.decode(codec.buffer(), codec.length());
      batch.fill(null, 0, read, spilled, 0, false);
    }
    sink.deliver(batch);
    sink.close();
    String printed = Files.readString(log);
    Files.delete(log);
    return printed;
  }

  /** Fails unless each is printed the same; what an encoder throws at is not printed at once. */
  private void assertSame(
      Supplier<Encoder<ILoggingEvent>> encoder, List<? extends ILoggingEvent> events)
      throws Exception {
    for (ILoggingEvent event : events) {
      String direct = print(encoder.get(), List.of(event), false);
      if (!direct.isEmpty()) {
        assertThat(print(encoder.get(), List.of(event), true)).isEqualTo(direct);
      }
    }
  }

  @Property(tries = 60)
  void shouldPrintTheSameThroughEachEncoder(@ForAll long seed) throws Exception {
    List<Events> run = new RandomEvents(seed, true).events();

    assertSame(this::pattern, run);
    assertSame(this::logstash, run);
    assertSame(() -> started(new JsonEncoder()), run);
  }

  @Example
  void shouldKeepTheFieldsOfStructuredArgumentsMarkersAndPairs() throws Exception {
    List<Events> run =
        List.of(
            Events.of("argument {}", StructuredArguments.kv("order", 17)),
            Events.of("marker").markers(Markers.append("user", "u1")),
            Events.of("pair").pairs(new KeyValuePair("items", List.of(1, 2))));
    for (Events event : run) {
      event.mdc(Map.of("a", "b")).caller(new Throwable().getStackTrace()[0]);
    }

    assertThat(print(logstash(), run, true))
        .isEqualTo(print(logstash(), run, false))
        .contains("\"order\":17", "\"user\":\"u1\"", "\"items\":[1,2]");
    assertSame(this::pattern, run);
  }
}
