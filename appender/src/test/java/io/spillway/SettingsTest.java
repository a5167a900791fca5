package io.spillway;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.joran.JoranConfigurator;
import ch.qos.logback.core.joran.spi.JoranException;
import ch.qos.logback.core.status.Status;
import java.io.ByteArrayInputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Wrong values name the setting, the value and what is allowed, and nothing half-works. */
class SettingsTest {
  private final LoggerContext context = new LoggerContext();
  @TempDir Path directory;

  @AfterEach
  void stop() {
    context.stop();
  }

  @ParameterizedTest
  @CsvSource({
    "queueSize, 0",
    "queueSize, -5",
    "queueSize, many",
    "queueSize, 99999999999",
    "memoryBuffer, 1 KB",
    "memoryBuffer, big",
    "maxSpillSize, 1000",
    "maxSpillSize, 5 parsecs",
    "spillMode, SOMETIMES",
    "spillSync, soon",
    "spillSync, 0",
    "spillSync, 200000 days",
    "spillSync, 9999999999999999999999",
    "whenFull, WAIT",
    "whenFullKeepLevel, LOUD",
    "whenFullKeepLevel, OFF",
    "whenFullMaxAge, 999",
    "whenFullMaxAge, 366 days",
    "whenFullMaxAge, old",
    "neverBlock, perhaps",
    "discardingThreshold, few",
    "includeCallerData, 1",
    "maxFlushTime, eternity",
    "maxFlushTime, -1",
    "maxFlushTime, -10 seconds",
    "maxFlushTime, 0.5 ms",
    "acknowledge, PERHAPS",
    "acknowledge, SYNCED",
    "acknowledgeTimeout, 0",
    "acknowledgeTimeout, never",
    "spillDirectory, /dev/null",
  })
  void shouldStayUnstartedAndNameSettingValueAndRemedy(String setting, String value)
      throws JoranException {
    configure("<" + setting + ">" + value + "</" + setting + ">");

    assertThat(appender().isStarted()).isFalse();
    assertThat(context.getStatusManager().getCopyOfStatusList())
        .filteredOn(status -> status.getLevel() == Status.ERROR)
        .extracting(Status::getMessage)
        .anySatisfy(
            message ->
                assertThat(message)
                    .contains("Setting [" + setting + "]", "[" + value + "]", "allowed: "));
  }

  @Test
  void shouldTakeEverySettingOfAsyncAppenderAsItIs() throws JoranException {
    configure(
        "<queueSize>256</queueSize><discardingThreshold>0</discardingThreshold>"
            + "<neverBlock>true</neverBlock><includeCallerData>true</includeCallerData>"
            + "<maxFlushTime>2000</maxFlushTime><spillDirectory>"
            + directory
            + "</spillDirectory>");

    assertThat(appender().isStarted()).isTrue();
    assertThat(appender().getMetrics().getRingCapacity()).isEqualTo(16_384);
    assertThat(context.getStatusManager().getCopyOfStatusList())
        .noneMatch(status -> status.getLevel() > Status.INFO);
  }

  @ParameterizedTest
  @CsvSource({
    "200ms, 200",
    "200 ms, 200",
    "200 milliseconds, 200",
    "200, 200",
    "2s, 2000",
    "2 seconds, 2000",
    "1min, 60000",
    "1h, 3600000",
    "1 day, 86400000",
  })
  void shouldReadTimesInEveryUnit(String text, long millis) throws JoranException {
    String both = "<spillSync>" + text + "</spillSync><maxFlushTime>" + text + "</maxFlushTime>";
    configure(both + "<spillDirectory>" + directory + "</spillDirectory>");

    Settings.Checked checked = appender().settings().check(appender());
    assertThat(checked.syncNanos()).isEqualTo(millis * 1_000_000);
    assertThat(checked.maxFlushNanos()).isEqualTo(millis * 1_000_000);
    assertThat(appender().isStarted()).isTrue();
  }

  @Test
  void shouldTakeNullForTheDefault() throws JoranException {
    configure("<whenFull>WAIT</whenFull>");
    assertThat(appender().isStarted()).isFalse();
    appender().setWhenFull(null);
    appender().setIncludeCallerData(null);
    assertThat(appender().isIncludeCallerData()).isFalse();
    appender().setNeverBlock(null);
    assertThat(appender().isNeverBlock()).isFalse();
    appender().setNeverBlock("false");
    appender().setSpillDirectory(null);
    appender().start(); // whether there is a default or not: no exception
    appender().setSpillDirectory(directory.toString());
    appender().start();

    assertThat(appender().isStarted()).isTrue();
  }

  @Test
  void shouldRoundQueueSizeUpToAPowerOfTwo() throws JoranException {
    configure("<queueSize>100000</queueSize><spillDirectory>" + directory + "</spillDirectory>");

    assertThat(appender().getMetrics().getRingCapacity()).isEqualTo(131_072);
  }

  /** AsyncAppender drops them as well, without a message. */
  @ParameterizedTest
  @CsvSource({
    "16385, '', '', every event of level INFO and below is dropped",
    "16385, '', WARN, every event of level INFO and below is dropped",
    "16385, '', INFO, every event of level DEBUG and below is dropped",
    "16384, '', '', every event of level INFO and below is dropped that is logged while",
    "50000, 32768, '', fewer than 50000",
    "16385, 16385, '', ''",
    "16383, '', '', ''",
    "16385, '', TRACE, ''",
    "0, '', '', ''",
  })
  void shouldWarnOfADiscardingThresholdThatTheRingNeverReaches(
      String threshold, String queueSize, String kept, String effect) throws JoranException {
    configure(
        "<discardingThreshold>"
            + threshold
            + "</discardingThreshold><queueSize>"
            + (queueSize.isEmpty() ? "256" : queueSize)
            + "</queueSize>"
            + (kept.isEmpty()
                ? ""
                : "<whenFull>DROP</whenFull><whenFullKeepLevel>" + kept + "</whenFullKeepLevel>")
            + "<spillDirectory>"
            + directory
            + "</spillDirectory>");

    assertThat(appender().isStarted()).isTrue();
    List<String> warnings =
        context.getStatusManager().getCopyOfStatusList().stream()
            .filter(status -> status.getLevel() == Status.WARN)
            .map(Status::getMessage)
            .filter(message -> message.contains("[discardingThreshold]"))
            .toList();
    if (effect.isEmpty()) {
      assertThat(warnings).isEmpty();
    } else {
      assertThat(warnings)
          .singleElement()
          .asString()
          .contains("[" + threshold + "]", effect, "(DISCARDED)", "To do: ");
    }
  }

  private SpillwayAppender appender() {
    return (SpillwayAppender) context.getLogger("ROOT").getAppender("SPILLWAY");
  }

  private void configure(String settings) throws JoranException {
    String xml =
        "<configuration><appender name='NESTED' class='ch.qos.logback.core.read.ListAppender'/>"
            + "<appender name='SPILLWAY' class='io.spillway.SpillwayAppender'>"
            + settings
            + "<appender-ref ref='NESTED'/></appender>"
            + "<root level='INFO'><appender-ref ref='SPILLWAY'/></root></configuration>";
    JoranConfigurator configurator = new JoranConfigurator();
    configurator.setContext(context);
    configurator.doConfigure(new ByteArrayInputStream(xml.getBytes(StandardCharsets.UTF_8)));
  }
}
