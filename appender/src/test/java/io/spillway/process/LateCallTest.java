package io.spillway.process;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.encoder.PatternLayoutEncoder;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.Appender;
import ch.qos.logback.core.OutputStreamAppender;
import ch.qos.logback.core.read.ListAppender;
import io.spillway.SpillwayAppender;
import io.spillway.SpillwayRollingFileAppender;
import io.spillway.testkit.Configured;
import io.spillway.testkit.ExitHooks;
import io.spillway.testkit.Gate;
import io.spillway.testkit.Subject;
import java.io.ByteArrayOutputStream;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Log calls that come when the appender's exit hook has ended deliver their own events. */
class LateCallTest {
  private static final String ROLLING =
      "<file>DIR/app.log</file><encoder><pattern>%msg%n</pattern></encoder>"
          + "<rollingPolicy class='io.spillway.rolling.SizeAndTimeBasedRollingPolicy'>"
          + "<fileNamePattern>DIR/app.%d.%i.log</fileNamePattern>"
          + "<maxFileSize>1KB</maxFileSize></rollingPolicy>";

  @TempDir Path directory;

  /** A hook may wait for a thread that logs when it is interrupted, and ends then. */
  @ParameterizedTest
  @EnumSource
  void shouldKeepTheInterruptOfWhoLogs(Subject.Kind kind) throws Exception {
    try (Subject subject = new Subject(kind, directory).start()) {
      ExitHooks.of(subject.appender()).run();
      Thread.currentThread().interrupt();

      subject.logger.info("told to end");

      assertThat(Thread.interrupted()).isTrue();
      assertThat(subject.lines()).containsExactly("told to end");
    }
  }

  /** In the middle of a call, as by a policy or converter, too. */
  @Test
  void shouldKeepAnInterruptThatComesWhileItDelivers() throws Exception {
    try (Subject subject = new Subject(Subject.Kind.OWN_FILE, directory).start()) {
      ExitHooks.of(subject.appender()).run();
      subject.gate.onPass(Thread.currentThread()::interrupt);

      subject.logger.info("told to end");

      assertThat(Thread.interrupted()).isTrue();
      assertThat(subject.lines()).containsExactly("told to end");
    }
  }

  /** As a stream to a host that answers no more. */
  @Test
  void shouldSaveWhatIsLoggedWhileASinkThatHasGotEverythingDoesNotReturn() throws Exception {
    LoggerContext context = Subject.newContext();
    Logger logger = context.getLogger("test");
    Gate flushes = new Gate();
    SpillwayAppender appender = new SpillwayAppender();
    appender.setMaxFlushTime("100");
    start(appender, flushing(context, flushes));
    logger.addAppender(appender);
    logger.info("delivered");
    assertThat(appender.awaitDelivered(Duration.ofSeconds(20))).isTrue();
    flushes.shut();
    try {
      ExitHooks.of(appender).run();

      logger.info("while it hangs");

      assertThat(appender.getMetrics().getLost() + appender.getMetrics().getDropped()).isZero();
    } finally {
      flushes.open();
      context.stop();
    }
    ListAppender<ILoggingEvent> rest = new ListAppender<>();
    rest.setContext(context);
    rest.start();
    SpillwayAppender next = new SpillwayAppender();
    start(next, rest);
    assertThat(next.awaitDelivered(Duration.ofSeconds(20))).isTrue();
    next.stop();
    assertThat(rest.list).extracting(ILoggingEvent::getMessage).containsExactly("while it hangs");
  }

  private void start(SpillwayAppender appender, Appender<ILoggingEvent> nested) {
    appender.setContext(nested.getContext());
    appender.setName("LATE");
    appender.setSpillDirectory(directory.resolve("spill").toString());
    appender.addAppender(nested);
    appender.start();
  }

  private static Appender<ILoggingEvent> flushing(LoggerContext context, Gate flushes) {
    PatternLayoutEncoder encoder = new PatternLayoutEncoder();
    encoder.setContext(context);
    encoder.setPattern("%msg%n");
    encoder.start();
    OutputStreamAppender<ILoggingEvent> appender = new OutputStreamAppender<>();
    appender.setContext(context);
    appender.setEncoder(encoder);
    appender.setImmediateFlush(false);
    appender.setOutputStream(
        new ByteArrayOutputStream() {
          @Override
          public void flush() {
            flushes.pass();
          }
        });
    appender.start();
    return appender;
  }

  @Test
  void shouldRollOverWhatIsDueThen() throws Exception {
    String large = "x".repeat(2_000);
    try (Configured configured = new Configured(Configured.SPILLWAY, directory, ROLLING)) {
      SpillwayRollingFileAppender<ILoggingEvent> appender =
          (SpillwayRollingFileAppender<ILoggingEvent>) configured.file();
      ExitHooks.of(appender).run();
      for (int i = 0; i < 4; i++) {
        configured.logger.info(large);
      }
      assertThat(appender.getMetrics().getRollovers()).isEqualTo(3);
    } // and waits until all have their names
    assertThat(Configured.contents(directory))
        .hasSize(4)
        .allSatisfy((name, content) -> assertThat(content).as(name).isEqualTo(large + "\n"));
  }
}
