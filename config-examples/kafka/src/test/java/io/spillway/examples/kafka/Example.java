package io.spillway.examples.kafka;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.joran.JoranConfigurator;
import ch.qos.logback.core.joran.spi.JoranException;
import ch.qos.logback.core.status.Status;
import com.github.danielwegener.logback.kafka.KafkaAppender;
import io.spillway.SpillwayAppender;
import io.spillway.SpillwayRollingFileAppender;
import io.spillway.metrics.SpillwayMetrics;
import java.nio.file.Path;
import java.time.Duration;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The example's logback.xml as it stands, as the configuration of this JVM, so that what Kafka's
 * client logs goes where the example sends it. Any warning fails. Close it to stop.
 */
final class Example implements AutoCloseable {
  /** The example's configuration. */
  static final Path XML = Path.of("logback.xml").toAbsolutePath();

  private final LoggerContext context = (LoggerContext) LoggerFactory.getILoggerFactory();
  private final SpillwayAppender appender;

  /**
   * Loads and starts it.
   *
   * @param bootstrapServers null for what the example has if nothing is set
   */
  Example(Path logDirectory, String bootstrapServers) throws JoranException {
    context.start(); // the example before this one has stopped it
    context.reset();
    context.getStatusManager().clear(); // Kafka's client logs while there is no configuration, too
    context.putProperty("LOG_DIR", logDirectory.toString());
    if (bootstrapServers != null) {
      context.putProperty("KAFKA_BOOTSTRAP_SERVERS", bootstrapServers);
    }
    JoranConfigurator configurator = new JoranConfigurator();
    configurator.setContext(context);
    configurator.doConfigure(XML.toFile());
    assertNoWarnings();
    appender =
        (SpillwayAppender) context.getLogger(Logger.ROOT_LOGGER_NAME).getAppender("SPILLWAY");
  }

  Logger logger() {
    return context.getLogger("application");
  }

  /** The one behind Spillway. */
  KafkaAppender<?> kafka() {
    return (KafkaAppender<?>) appender.getAppender("KAFKA");
  }

  SpillwayMetrics metrics() {
    return appender.getMetrics();
  }

  /** To Kafka, or refused by it and in the local file. */
  void awaitDelivered(Duration patience) {
    assertThat(appender.awaitDelivered(patience)).as("delivered in time").isTrue();
    assertThat(local().awaitDelivered(patience)).as("written in time").isTrue();
  }

  /** Where what Kafka's client logs goes. */
  SpillwayRollingFileAppender<?> local() {
    return (SpillwayRollingFileAppender<?>) kafkasLogger().getAppender("LOCAL");
  }

  ch.qos.logback.classic.Logger kafkasLogger() {
    return context.getLogger("org.apache.kafka");
  }

  private void assertNoWarnings() {
    assertThat(context.getStatusManager().getCopyOfStatusList())
        .filteredOn(status -> status.getLevel() > Status.INFO)
        .isEmpty();
  }

  @Override
  public void close() {
    assertNoWarnings();
    context.stop();
  }
}
