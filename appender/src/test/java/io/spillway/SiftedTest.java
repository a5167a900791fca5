package io.spillway;

import static org.assertj.core.api.Assertions.assertThat;

import io.spillway.testkit.Configured;
import io.spillway.testkit.FileRig;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.spi.MDCAdapter;

/** Many tenants behind one ring: each event has the MDC of its log call, also out of the spill. */
@Timeout(60)
class SiftedTest {
  private static final int TENANTS = 50;
  private static final int EVENTS = 20;

  @TempDir Path directory;

  @Test
  void shouldGiveEachTenantItsFileBehindOneRing() throws Exception {
    String xml =
        """
        <appender name='SIFT' class='ch.qos.logback.classic.sift.SiftingAppender'>
          <discriminator><key>tenant</key><defaultValue>none</defaultValue></discriminator>
          <sift>
            <appender name='FILE-${tenant}' class='ch.qos.logback.core.rolling.RollingFileAppender'>
              <file>DIR/${tenant}/app.log</file>
              <rollingPolicy class='io.spillway.rolling.TimeBasedRollingPolicy'>
                <fileNamePattern>DIR/${tenant}/app.%d{yyyy-MM-dd}.log.gz</fileNamePattern>
              </rollingPolicy>
              <encoder><pattern>%msg%n</pattern></encoder>
            </appender>
          </sift>
        </appender>
        <appender name='TENANTS' class='io.spillway.SpillwayAppender'>
          <spillDirectory>DIR/spill</spillDirectory>
          <spillMode>ALWAYS</spillMode>
          <appender-ref ref='SIFT'/>
        </appender>
        <root level='INFO'><appender-ref ref='TENANTS'/></root>
        """
            .replace("DIR", directory.toString());
    try (Configured configured = new Configured(xml)) {
      assertThat(configured.complaints()).isEmpty();
      MDCAdapter mdc = configured.context.getMDCAdapter();
      for (int i = 0; i < TENANTS * EVENTS; i++) {
        mdc.put("tenant", "t" + i % TENANTS);
        configured.logger.info("t{}", i % TENANTS);
      }
      SpillwayAppender appender = (SpillwayAppender) configured.appender("TENANTS");
      assertThat(appender.awaitDelivered(FileRig.PATIENCE)).isTrue();
      assertThat(configured.complaints()).isEmpty();
      long threads =
          Thread.getAllStackTraces().keySet().stream()
              .filter(thread -> thread.getName().matches("spillway-(drainer|deliverer).*"))
              .count();
      assertThat(threads).isLessThanOrEqualTo(2);
    }
    for (int i = 0; i < TENANTS; i++) {
      assertThat(Files.readAllLines(directory.resolve("t" + i + "/app.log")))
          .hasSize(EVENTS)
          .containsOnly("t" + i);
    }
  }
}
