package io.spillway.examples;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.sift.SiftingAppender;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.sift.AppenderTracker;
import ch.qos.logback.core.util.FileSize;
import io.spillway.examples.testkit.Internals;
import io.spillway.internal.flow.FlowConfig.WhenFull;
import io.spillway.metrics.MonitoredAppender;
import io.spillway.metrics.SpillwayMetrics;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Bounds and times that the examples set, as they are in effect. */
class SettingsTest {
  @TempDir Path logs;

  private Example load(String folder) throws Exception {
    return new Example(
        folder + "/logback.xml",
        Map.of("LOG_DIR", "" + logs, "SPILL_DIR", "" + logs.resolve("spool")));
  }

  @ParameterizedTest
  @CsvSource({
    "console, SPILLWAY, 256MB",
    "debug-log, DEBUG, 16MB",
    "keep-levels, FILE, 64MB",
    "small-container, FILE, 256MB",
    "spill-on-another-disk, FILE, 4GB",
  })
  void shouldBoundTheSpill(String folder, String appender, String spill) throws Exception {
    try (Example example = load(folder)) {
      assertBound(example.root().getAppender(appender), spill);
    }
  }

  private static void assertBound(Object appender, String spill) {
    SpillwayMetrics metrics = ((MonitoredAppender) appender).getMetrics();
    assertThat(metrics.getSpillCapacityBytes()).isEqualTo(FileSize.valueOf(spill).getSize());
  }

  @Test
  void shouldCloseTheLogOfATenantAfterADay() throws Exception {
    try (Example example = load("sifting")) {
      example.putMdc("tenant", "acme");
      example.root().info("event");
      long logged = System.currentTimeMillis();
      SiftingAppender sifting = (SiftingAppender) example.root().getAppender("TENANTS");
      AppenderTracker<ILoggingEvent> tenants = sifting.getAppenderTracker();
      assertBound(tenants.find("acme"), "100MB");

      long day = Duration.ofDays(1).toMillis();
      tenants.removeStaleComponents(logged + day - Duration.ofMinutes(1).toMillis());
      assertThat(tenants.allKeys()).containsExactly("acme");
      tenants.removeStaleComponents(logged + day + Duration.ofMinutes(1).toMillis());
      assertThat(tenants.allKeys()).isEmpty();
    }
  }

  @Test
  void shouldForceTheAuditLogToTheDiskFiveTimesASecond() throws Exception {
    try (Example example = load("audit-log")) {
      Logger audit = example.logger("audit");
      assertInEffect(
          audit, "AUDIT", "core.pipeline.parts.spill.syncer.intervalNanos", Duration.ofMillis(200));
      assertInEffect(audit, "AUDIT", "core.pipeline.config.maxFlushNanos", Duration.ofSeconds(10));
    }
  }

  @Test
  void shouldLetTheAuditLogWaitRatherThanLose() throws Exception {
    try (Example example = load("audit-log")) {
      assertThat(
              Internals.read(
                  example.logger("audit").getAppender("AUDIT"), "core.pipeline.config.whenFull"))
          .isEqualTo(WhenFull.BLOCK);
    }
  }

  @Test
  void shouldGiveTheConsoleTimeAtTheEnd() throws Exception {
    try (Example example = load("console")) {
      assertInEffect(
          example.root(), "SPILLWAY", "core.pipeline.config.maxFlushNanos", Duration.ofSeconds(20));
    }
  }

  private static void assertInEffect(Logger logger, String appender, String path, Duration value)
      throws Exception {
    assertThat(Internals.read(logger.getAppender(appender), path)).isEqualTo(value.toNanos());
  }
}
