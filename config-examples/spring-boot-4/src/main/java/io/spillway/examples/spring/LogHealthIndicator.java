package io.spillway.examples.spring;

import ch.qos.logback.classic.Logger;
import io.spillway.metrics.MonitoredAppender;
import org.slf4j.LoggerFactory;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.stereotype.Component;

/**
 * {@code /actuator/health} has a component "log". Only DOWN, when events are being lost, makes the
 * whole of it DOWN; a log that spills is DEGRADED, which Spring does not count.
 */
@Component
class LogHealthIndicator implements HealthIndicator {
  private final Logger root = (Logger) LoggerFactory.getLogger(Logger.ROOT_LOGGER_NAME);

  @Override
  public Health health() {
    io.spillway.metrics.Health log = ((MonitoredAppender) root.getAppender("FILE")).health();
    Health.Builder health = Health.status(log.status().name());
    return log.reason().isEmpty()
        ? health.build()
        : health.withDetail("reason", log.reason()).build();
  }
}
