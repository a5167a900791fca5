package io.spillway.examples;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.Appender;
import ch.qos.logback.core.spi.AppenderAttachable;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.SpanContext;
import io.opentelemetry.api.trace.TraceFlags;
import io.opentelemetry.api.trace.TraceState;
import io.opentelemetry.context.Context;
import io.opentelemetry.instrumentation.logback.mdc.v1_0.OpenTelemetryAppender;
import io.spillway.SpillwayAppender;
import io.spillway.SpillwayRollingFileAppender;
import io.spillway.examples.testkit.ChildJvm;
import io.spillway.examples.testkit.LogFiles;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.LoggerFactory;

/** Each line has the trace of the thread that logged it, also through the spill and a restart. */
class TracesTest {
  private static final int EVENTS = 3_000;
  private static final int MORE = 10;
  private static final String TEXT = "x".repeat(5_000);

  @TempDir Path logs;

  @SuppressWarnings("try") // what a scope does, it does by being open
  private static void log(Logger logger, int from, int to, String text) {
    for (int i = from; i < to; i++) {
      Context.current().with(span(i)).wrap(line(logger, i, text)).run();
    }
  }

  private static Runnable line(Logger logger, int number, String text) {
    return () -> logger.info("event {} {}", number, text);
  }

  private static Span span(int number) {
    return Span.wrap(
        SpanContext.create(
            traceId(number), "%016x".formatted(number + 1), TraceFlags.getSampled(), state()));
  }

  private static TraceState state() {
    return TraceState.getDefault();
  }

  private static String traceId(int number) {
    return "%032x".formatted(number + 1);
  }

  /**
   * A service of two lives; in the first its file takes no writes, so that it ends with a spill.
   */
  public static void main(String[] arguments) throws Exception {
    Logger root = (Logger) LoggerFactory.getLogger(Logger.ROOT_LOGGER_NAME);
    if (Boolean.parseBoolean(arguments[0])) {
      new BlockedFile(file(root));
      log(root, 0, EVENTS, TEXT);
    } else {
      log(root, EVENTS, EVENTS + MORE, "");
    }
  }

  private static SpillwayRollingFileAppender<ILoggingEvent> file(Logger root) {
    AppenderAttachable<ILoggingEvent> traces = (OpenTelemetryAppender) root.getAppender("TRACES");
    return (SpillwayRollingFileAppender<ILoggingEvent>) traces.getAppender("FILE");
  }

  private void live(boolean blocked) throws Exception {
    List<String> options =
        List.of(
            "-DLOG_DIR=" + logs,
            "-Dlogback.configurationFile=" + Path.of("opentelemetry/logback.xml").toAbsolutePath());
    Process service = ChildJvm.of(logs, options, TracesTest.class, blocked).inheritIO().start();
    try {
      assertThat(service.waitFor(Example.PATIENCE.toSeconds(), TimeUnit.SECONDS)).isTrue();
      assertThat(service.exitValue()).isZero();
    } finally {
      service.destroyForcibly();
    }
  }

  @Test
  void shouldKeepTheTraceThroughSpillAndRestart() throws Exception {
    Path log = logs.resolve("app.log");
    live(true);
    assertThat(LogFiles.names(logs)).anyMatch(name -> name.matches("app.log.spill/.*\\.bytes"));
    Files.delete(log); // the directory that was in the way
    live(false);

    List<String> lines = LogFiles.lines(log);
    assertThat(lines).hasSize(EVENTS + MORE);
    for (int i = 0; i < lines.size(); i++) {
      assertThat(lines.get(i))
          .contains("trace_id=" + traceId(i) + " span_id=")
          .contains("event " + i + " ");
    }
  }

  /** What the page warns of. */
  @Test
  void shouldShowThatTheOtherOrderHasNoTrace() {
    LoggerContext context = new LoggerContext();
    ConcurrentLinkedQueue<Map<String, String>> seen = new ConcurrentLinkedQueue<>();
    Appender<ILoggingEvent> last =
        new ch.qos.logback.core.AppenderBase<>() {
          @Override
          protected void append(ILoggingEvent event) {
            seen.add(event.getMDCPropertyMap());
          }
        };
    OpenTelemetryAppender traces = new OpenTelemetryAppender();
    traces.addAppender(last);
    SpillwayAppender spillway = new SpillwayAppender();
    spillway.setSpillDirectory(logs.toString());
    spillway.setName("SPILLWAY");
    spillway.addAppender(traces);
    for (var part : List.of(last, traces, spillway)) {
      part.setContext(context);
      part.start();
    }
    context.setMDCAdapter(new ch.qos.logback.classic.util.LogbackMDCAdapter());
    Logger logger = context.getLogger("shop");
    logger.addAppender(spillway);
    try {
      log(logger, 0, 1, "");
      assertThat(spillway.awaitDelivered(Example.PATIENCE)).isTrue();
      assertThat(seen).singleElement().isEqualTo(Map.of());
    } finally {
      context.stop();
    }
  }
}
