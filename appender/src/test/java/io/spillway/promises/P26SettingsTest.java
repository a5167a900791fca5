package io.spillway.promises;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.core.Appender;
import ch.qos.logback.core.status.Status;
import io.spillway.testkit.Configured;
import io.spillway.testkit.Probe.Kind;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Promise 26: a wrong setting is an ERROR that names the setting, its value and what is allowed;
 * the appender stays unstarted, and the application runs. That counters and health are true after
 * each fault is asserted where the fault is.
 */
class P26SettingsTest extends Promise {
  private Configured configure(Kind kind, String settings) {
    String content =
        kind == Kind.WRAPPED
            ? "<appender name='NESTED' class='ch.qos.logback.core.read.ListAppender'/>"
                + "<appender name='IT' class='io.spillway.SpillwayAppender'>"
                + settings
                + "<appender-ref ref='NESTED'/></appender>"
            : "<appender name='IT' class='io.spillway.SpillwayRollingFileAppender'>"
                + "<file>DIR/app.log</file><encoder><pattern>%msg%n</pattern></encoder>"
                + "<rollingPolicy class='ch.qos.logback.core.rolling.TimeBasedRollingPolicy'>"
                + "<fileNamePattern>DIR/app.%d{yyyy-MM}.log</fileNamePattern></rollingPolicy>"
                + settings
                + "</appender>";
    String all = content + "<root level='INFO'><appender-ref ref='IT'/></root>";
    return new Configured(all.replace("DIR", directory.toString()));
  }

  private static String setting(String name, String value) {
    return "<" + name + ">" + value + "</" + name + ">";
  }

  private static List<String> messages(LoggerContext context, int level) {
    return context.getStatusManager().getCopyOfStatusList().stream()
        .filter(status -> status.getEffectiveLevel() >= level)
        .map(Status::getMessage)
        .toList();
  }

  /** Each wrong value, and a word of what the ERROR has to say is allowed. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "queueSize | 0 | 1 to",
        "queueSize | -5 | 1 to",
        "queueSize | many | 1 to",
        "queueSize | 99999999999 | 1 to",
        "maxSpillSize | 1000 | 1 MB",
        "maxSpillSize | -1 MB | 1 MB",
        "maxSpillSize | 5 parsecs | 1 MB",
        "spillMode | SOMETIMES | ALWAYS",
        "spillSync | soon | OS",
        "spillSync | 0 | OS",
        "spillSync | -5 ms | OS",
        "spillSync | 200000 days | OS",
        "whenFull | WAIT | DROP_OLDEST",
        "neverBlock | perhaps | true",
        "discardingThreshold | few | number",
        "includeCallerData | 1 | true",
        "maxFlushTime | eternity | 1 second",
        "maxFlushTime | -1 | 1 second",
        "maxFlushTime | 0.5 ms | 1 second",
        "acknowledge | PERHAPS | WRITTEN",
        "acknowledgeTimeout | 0 | seconds",
        "acknowledgeTimeout | never | seconds",
      })
  void aWrongValueIsAnErrorThatNamesSettingValueAndWhatIsAllowed(
      String name, String value, String allowed) {
    for (Kind kind : Kind.values()) {
      assertRefused(kind, setting(name, value), name, value, allowed);
    }
  }

  /** What is wrong only beside another setting. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "FILE | whenFull=DROP whenFullKeepLevel=LOUD | whenFullKeepLevel | LOUD | WARN",
        "FILE | whenFull=DROP whenFullKeepLevel=OFF | whenFullKeepLevel | OFF | WARN",
        "FILE | whenFull=BLOCK whenFullKeepLevel=WARN | whenFullKeepLevel | WARN | DROP",
        "FILE | whenFullKeepLevel=WARN | whenFullKeepLevel | WARN | DROP",
        "FILE | whenFull=DROP_OLDEST whenFullKeepLevel=WARN | whenFullKeepLevel | WARN | DROP",
        "FILE | acknowledge=WRITTEN whenFull=DROP_OLDEST | acknowledge | WRITTEN | NONE",
        "WRAPPED | acknowledge=SYNCED | acknowledge | SYNCED | WRITTEN",
        "WRAPPED | spillDirectory=/dev/null | spillDirectory | /dev/null | directory",
        "FILE | spillDirectory=/dev/null/sub | spillDirectory | /dev/null/sub | directory",
      })
  void settingsThatContradictEachOtherAreAnErrorToo(
      Kind kind, String settings, String name, String value, String allowed) {
    StringBuilder xml = new StringBuilder();
    for (String each : settings.split(" ")) {
      xml.append(setting(each.split("=")[0], each.split("=")[1]));
    }
    assertRefused(kind, xml.toString(), name, value, allowed);
  }

  private void assertRefused(Kind kind, String xml, String name, String value, String allowed) {
    try (Configured configured = configure(kind, xml)) {
      Appender<?> appender = configured.appender("IT");
      assertThat(appender.isStarted()).as(kind + " " + xml).isFalse();
      configured.logger.info("the application runs");
      assertThat(messages(configured.context, Status.ERROR))
          .as(kind + " " + xml)
          .anySatisfy(
              message ->
                  assertThat(message)
                      .contains("[" + name + "]", "[" + value + "]", "allowed: ")
                      .contains(allowed));
    }
  }

  /** A configuration of AsyncAppender, and each unit: no complaint. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "queueSize=256 discardingThreshold=0 neverBlock=true maxFlushTime=2000",
        "includeCallerData=true",
        "spillSync=200ms maxFlushTime=2s",
        "spillSync=1_second maxFlushTime=1min acknowledgeTimeout=1_hour",
        "spillMode=always whenFull=drop whenFullKeepLevel=warn maxSpillSize=64_mb",
        "whenFull=DROP_OLDEST maxSpillSize=1GB spillSync=os",
        "acknowledge=WRITTEN acknowledgeMarker=AUDIT acknowledgeTimeout=500",
        "maxFlushTime=0",
      })
  void aRightValueIsTaken(String settings) {
    for (Kind kind : Kind.values()) {
      StringBuilder xml = new StringBuilder(setting("spillDirectory", "DIR/spill"));
      for (String each : settings.split(" ")) {
        xml.append(setting(each.split("=")[0], each.split("=")[1].replace('_', ' ')));
      }
      String text = xml.toString().replace("DROP OLDEST", "DROP_OLDEST");
      try (Configured configured = configure(kind, text)) {
        assertThat(configured.appender("IT").isStarted())
            .as(() -> kind + " " + text + messages(configured.context, Status.WARN))
            .isTrue();
        assertThat(messages(configured.context, Status.WARN)).as(kind + " " + text).isEmpty();
      }
    }
  }
}
