package io.spillway.process;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.spi.ILoggingEvent;
import io.spillway.SpillwayRollingFileAppender;
import io.spillway.testkit.Configured;
import io.spillway.testkit.ExitHooks;
import io.spillway.testkit.Subject;
import java.nio.file.Path;
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
