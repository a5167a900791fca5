package io.spillway.stress.plan;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.joran.JoranConfigurator;
import ch.qos.logback.classic.util.LogbackMDCAdapter;
import ch.qos.logback.core.status.Status;
import java.io.ByteArrayInputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class TrialsTest {
  @TempDir Path directory;

  static Stream<Trial> forLogback() {
    return Trials.builtIn().stream().filter(t -> t.library().equals(Trial.LOGBACK));
  }

  @Test
  void shouldHaveDifferentNamesAndConfigurations() {
    List<Trial> all = Trials.builtIn();
    assertThat(all.stream().map(Trial::name)).doesNotHaveDuplicates();
    assertThat(all.stream().map(Trial::configuration)).doesNotHaveDuplicates();
    assertThat(all.stream().map(Trial::name)).containsAll(Trials.DEFAULT);
  }

  /** The strongest thing that a user could do without Spillway. */
  @Test
  void shouldCompareWithALargeQueueOverAnAsynchronousCompressionByDefault() {
    assertThat(forLogback().filter(trial -> Trials.DEFAULT.contains(trial.name())))
        .extracting(Trial::configuration)
        .anyMatch(
            configuration ->
                configuration.contains("ch.qos.logback.classic.AsyncAppender")
                    && configuration.contains("<queueSize>131072</queueSize>")
                    && configuration.contains(
                        "ch.qos.logback.core.rolling.SizeAndTimeBasedRollingPolicy"));
  }

  @ParameterizedTest
  @MethodSource("forLogback")
  void shouldPrintTheCallerIfAsked(Trial trial) throws Exception {
    shouldLoadWithoutAComplaint(trial.withCallers());
    assertThat(Files.readString(directory.resolve("app.log"))).contains("any (TrialsTest.java:");
  }

  @ParameterizedTest
  @MethodSource("forLogback")
  void shouldLoadWithoutAComplaint(Trial trial) throws Exception {
    LoggerContext context = new LoggerContext();
    context.setMDCAdapter(new LogbackMDCAdapter());
    context.putProperty("logs", directory.toString());
    context.putProperty("limit", "1000000");
    JoranConfigurator configurator = new JoranConfigurator();
    configurator.setContext(context);
    configurator.doConfigure(
        new ByteArrayInputStream(trial.configuration().getBytes(StandardCharsets.UTF_8)));
    context.getLogger("any").info("an event");
    context.stop();
    assertThat(trial.configuration()).doesNotContain("{{");
    assertThat(context.getStatusManager().getCopyOfStatusList())
        .as(trial.configuration())
        .noneMatch(status -> status.getEffectiveLevel() >= Status.WARN);
    assertThat(directory.resolve("app.log")).isNotEmptyFile();
  }
}
