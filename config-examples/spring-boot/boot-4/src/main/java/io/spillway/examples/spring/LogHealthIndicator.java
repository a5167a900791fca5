package io.spillway.examples.spring;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.core.spi.AppenderAttachable;
import io.spillway.metrics.MonitoredAppender;
import java.util.Map;
import java.util.TreeMap;
import org.slf4j.LoggerFactory;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.stereotype.Component;

/**
 * Adds a component "log" to {@code /actuator/health}, with the health of every Spillway appender.
 * Only DOWN, when events are being lost, makes the overall status DOWN; a log that spills is
 * DEGRADED, which Spring ignores in the overall status.
 */
@Component
class LogHealthIndicator implements HealthIndicator {
  @Override
  public Health health() {
    Map<String, MonitoredAppender> appenders = new TreeMap<>();
    for (Logger logger : ((LoggerContext) LoggerFactory.getILoggerFactory()).getLoggerList()) {
      find(logger, appenders);
    }
    var worst = io.spillway.metrics.Health.Status.UP;
    Health.Builder health = Health.up();
    for (Map.Entry<String, MonitoredAppender> appender : appenders.entrySet()) {
      io.spillway.metrics.Health log = appender.getValue().health();
      worst = log.status().compareTo(worst) > 0 ? log.status() : worst;
      String text = log.status() + (log.reason().isEmpty() ? "" : ": " + log.reason());
      health.withDetail(appender.getKey(), text);
    }
    return health.status(worst.name()).build();
  }

  /** Finds the Spillway appenders of a logger, also those behind another appender. */
  private static void find(AppenderAttachable<?> parent, Map<String, MonitoredAppender> found) {
    parent
        .iteratorForAppenders()
        .forEachRemaining(
            appender -> {
              if (appender instanceof MonitoredAppender spillway) {
                found.put(String.valueOf(appender.getName()), spillway);
              }
              if (appender instanceof AppenderAttachable<?> outer) {
                find(outer, found);
              }
            });
  }
}
