package io.spillway;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.AsyncAppender;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.PatternLayout;
import ch.qos.logback.classic.html.HTMLLayout;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.Appender;
import ch.qos.logback.core.Layout;
import ch.qos.logback.core.OutputStreamAppender;
import ch.qos.logback.core.encoder.LayoutWrappingEncoder;
import ch.qos.logback.core.read.ListAppender;
import io.spillway.testkit.Probe;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import net.logstash.logback.layout.LogstashLayout;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Who called is known in the calling thread only: it has to be asked there, if it is wanted. */
class CallerDataTest {
  @TempDir Path directory;

  private final LoggerContext context = Probe.newContext();

  @ParameterizedTest
  @ValueSource(strings = {"OVERFLOW", "ALWAYS"}) // through memory, through the spill
  void shouldHandOnWhoCalledIfToldTo(String spillMode) {
    ILoggingEvent event = delivered("true", spillMode).get(0);

    assertThat(event.getCallerData()[0].getClassName()).isEqualTo(getClass().getName());
    assertThat(event.getCallerData()[0].getMethodName()).isEqualTo("log");
  }

  @ParameterizedTest
  @ValueSource(strings = {"OVERFLOW", "ALWAYS"})
  void shouldNotLookByDefault(String spillMode) {
    assertThat(delivered("false", spillMode).get(0).hasCallerData()).isFalse();
  }

  @ParameterizedTest
  @CsvSource({"'', log", "true, log", "false, ?"})
  void shouldLookIfThePatternBehindItPrintsWhoCalled(String includeCallerData, String printed) {
    PatternLayout layout = new PatternLayout();
    layout.setPattern("%M");

    assertThat(printed(layout, includeCallerData)).isEqualTo(printed);
  }

  @Test
  void shouldLookIfTheLayoutBehindItPrintsWhoCalled() {
    LogstashLayout layout = new LogstashLayout();
    layout.setIncludeCallerData(true);

    assertThat(printed(layout, "")).contains("\"caller_method_name\":\"log\"");
  }

  @Test
  void shouldLookIfATableBehindItPrintsWhoCalled() {
    HTMLLayout layout = new HTMLLayout();
    layout.setPattern("%M");

    assertThat(printed(layout, "")).contains(">log</td>");
  }

  @Test
  void shouldLookIfTheAppenderBehindItIsToldTo() {
    ListAppender<ILoggingEvent> list = new ListAppender<>();
    AsyncAppender async = new AsyncAppender();
    async.setContext(context);
    async.setIncludeCallerData(true);
    async.addAppender(list);
    list.start();
    async.start();
    log(async, "", "OVERFLOW");

    assertThat(list.list.get(0).getCallerData()[0].getMethodName()).isEqualTo("log");
  }

  private String printed(Layout<ILoggingEvent> layout, String includeCallerData) {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    LayoutWrappingEncoder<ILoggingEvent> encoder = new LayoutWrappingEncoder<>();
    OutputStreamAppender<ILoggingEvent> nested = new OutputStreamAppender<>();
    layout.setContext(context);
    layout.start();
    encoder.setLayout(layout);
    encoder.start();
    nested.setContext(context);
    nested.setEncoder(encoder);
    nested.setOutputStream(out);
    nested.start();
    log(nested, includeCallerData, "OVERFLOW");
    return out.toString(StandardCharsets.UTF_8);
  }

  private List<ILoggingEvent> delivered(String includeCallerData, String spillMode) {
    ListAppender<ILoggingEvent> list = new ListAppender<>();
    list.start();
    log(list, includeCallerData, spillMode);
    return list.list;
  }

  private void log(Appender<ILoggingEvent> nested, String includeCallerData, String spillMode) {
    SpillwayAppender appender = new SpillwayAppender();
    appender.setContext(context);
    appender.setName("CALLER");
    appender.setIncludeCallerData(includeCallerData);
    appender.setSpillMode(spillMode);
    appender.setSpillDirectory(directory.resolve("spill").toString());
    appender.addAppender(nested);
    appender.start();
    Logger logger = context.getLogger("test");
    logger.addAppender(appender);
    logger.info("who?");
    assertThat(appender.awaitDelivered(Duration.ofSeconds(30))).isTrue();
    context.stop();
  }
}
