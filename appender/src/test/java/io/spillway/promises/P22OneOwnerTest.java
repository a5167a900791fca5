package io.spillway.promises;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.encoder.PatternLayoutEncoder;
import ch.qos.logback.core.status.Status;
import io.spillway.testkit.Configured;
import io.spillway.testkit.Probe;
import io.spillway.testkit.Probe.Kind;
import java.nio.file.Files;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Promise 22: a spill directory, a log file and an archive pattern belong to one appender of a JVM;
 * a second one is told by an ERROR that names both, in its own context or another one.
 */
class P22OneOwnerTest extends Promise {
  private static List<String> errors(LoggerContext context) {
    return context.getStatusManager().getCopyOfStatusList().stream()
        .filter(status -> status.getEffectiveLevel() == Status.ERROR)
        .map(Status::toString) // with its origin, which names an appender, too
        .toList();
  }

  private Probe probe(Kind kind, String name, LoggerContext context) {
    Probe probe = new Probe(kind, directory, context);
    probe.appender().setName(name);
    probe.log(directory.resolve(name + ".log"));
    return probe;
  }

  /** The second one works on its ring, or does not start; it takes nothing of the first one's. */
  @ParameterizedTest
  @CsvSource({"WRAPPED, false", "WRAPPED, true", "FILE, false", "FILE, true"})
  void aSpillDirectoryHasOneOwner(Kind kind, boolean otherContext) {
    LoggerContext context = Probe.newContext();
    try (Probe first = probe(kind, "first", context);
        Probe second = probe(kind, "second", otherContext ? Probe.newContext() : context)) {
      first.gate.shut();
      first.settings.setSpillMode("ALWAYS");
      first.start();
      first.log("0", 0, 1_000);
      Probe.await("spilled", () -> first.metrics().getRingUsed() == 0);
      first.logger.detachAppender(first.appender());
      second.tryStart();
      second.awaitStatus(
          Status.ERROR, directory.resolve("spill").toString(), "[first]", "[second]");
      second.log("1", 0, 1_000);
      first.gate.open();
      first.awaitDelivered();
      assertThat(first.lines()).hasSize(1_000);
      if (second.appender().isStarted()) {
        second.awaitDelivered();
        assertThat(second.lines()).hasSize(1_000).noneMatch(line -> line.startsWith("#0"));
      }
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void aLogFileHasOneOwner(boolean otherContext) {
    LoggerContext context = Probe.newContext();
    try (Probe first = probe(Kind.FILE, "first", context).start();
        Probe second = probe(Kind.FILE, "second", otherContext ? Probe.newContext() : context)) {
      first.log("0", 0, 10);
      first.logger.detachAppender(first.appender());
      second.settings.setSpillDirectory(directory.resolve("spill2").toString());
      second.log(directory.resolve("sub").resolve("..").resolve("first.log")); // the same
      second.tryStart();
      assertThat(second.appender().isStarted()).isFalse();
      second.awaitStatus(Status.ERROR, "first.log", "[first]", "[second]");
      first.awaitDelivered();
      assertThat(first.lines()).hasSize(10);
    }
  }

  @Test
  void anAppenderThatDoesNotStartOwnsNothing() {
    LoggerContext context = Probe.newContext();
    PatternLayoutEncoder throwing =
        new PatternLayoutEncoder() {
          @Override
          public byte[] headerBytes() {
            throw new IllegalStateException("of the header");
          }
        };
    throwing.setPattern("%msg%n");
    try (Probe failed = probe(Kind.FILE, "first", context).encoder(throwing);
        Probe next = probe(Kind.FILE, "first", context)) {
      assertThatThrownBy(failed::tryStart).hasMessage("of the header");
      next.start();
    }
  }

  private String appender(String name, String pattern) {
    return "<appender name='NAME' class='io.spillway.SpillwayRollingFileAppender'>"
            .replace("NAME", name)
        + "<file>DIR/NAME.log</file><encoder><pattern>%msg%n</pattern></encoder>"
            .replace("NAME", name)
            .replace("DIR", directory.toString())
        + "<rollingPolicy class='io.spillway.rolling.TimeBasedRollingPolicy'><fileNamePattern>"
        + directory.resolve(pattern)
        + "</fileNamePattern></rollingPolicy></appender>";
  }

  private static String root(String name) {
    return "<root level='INFO'><appender-ref ref='" + name + "'/></root>";
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void anArchivePatternHasOneOwner(boolean otherContext) {
    String pattern = "app.%d{yyyy-MM-dd}.log.gz";
    String first = appender("first", pattern) + root("first");
    String second = appender("second", pattern) + root("second");
    try (Configured one = new Configured(otherContext ? first : first + second);
        Configured two = new Configured(otherContext ? second : "")) {
      LoggerContext told = otherContext ? two.context : one.context;
      Probe.await("an error", () -> !errors(told).isEmpty());
      assertThat(errors(told))
          .anySatisfy(
              error -> assertThat(error).contains("app.%d{yyyy-MM-dd}.log", "first", "second"));
      assertThat(one.appender("first").isStarted()).isTrue();
      assertThat(Files.exists(directory.resolve("first.log"))).isTrue();
    }
  }
}
