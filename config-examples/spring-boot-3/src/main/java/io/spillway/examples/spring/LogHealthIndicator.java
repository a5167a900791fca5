package io.spillway.examples.spring;

import ch.qos.logback.classic.LoggerContext;
import io.spillway.metrics.LiveAppenders;
import io.spillway.metrics.SpillwayMetrics;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.boot.actuate.health.Health;
import org.springframework.boot.actuate.health.HealthIndicator;
import org.springframework.stereotype.Component;

/**
 * Adds a component "log" to {@code /actuator/health}, with the health of every Spillway appender.
 * Only DOWN, when events are being lost, makes the overall status DOWN; a log that spills is
 * DEGRADED, which Spring ignores in the overall status.
 */
@Component
class LogHealthIndicator implements HealthIndicator, LiveAppenders.Listener, DisposableBean {
  private final Map<SpillwayMetrics, String> appenders = new ConcurrentHashMap<>();

  LogHealthIndicator() {
    LiveAppenders.follow((LoggerContext) LoggerFactory.getILoggerFactory(), this);
  }

  @Override
  public void started(String appender, SpillwayMetrics metrics) {
    appenders.put(metrics, String.valueOf(appender));
  }

  @Override
  public void stopped(SpillwayMetrics metrics) {
    appenders.remove(metrics);
  }

  @Override
  public Health health() {
    var worst = io.spillway.metrics.Health.Status.UP;
    Health.Builder health = Health.up();
    for (Map.Entry<SpillwayMetrics, String> appender : appenders.entrySet()) {
      io.spillway.metrics.Health log = appender.getKey().health();
      worst = log.status().compareTo(worst) > 0 ? log.status() : worst;
      String text = log.status() + (log.reason().isEmpty() ? "" : ": " + log.reason());
      health.withDetail(appender.getValue(), text);
    }
    return health.status(worst.name()).build();
  }

  @Override
  public void destroy() {
    LiveAppenders.unfollow(this);
  }
}
