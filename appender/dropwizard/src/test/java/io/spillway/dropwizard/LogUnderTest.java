package io.spillway.dropwizard;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.util.LogbackMDCAdapter;
import ch.qos.logback.core.Appender;
import com.fasterxml.jackson.databind.JsonNode;
import io.dropwizard.configuration.ConfigurationException;
import io.dropwizard.configuration.ConfigurationSourceProvider;
import io.dropwizard.configuration.DefaultConfigurationFactoryFactory;
import io.dropwizard.core.Configuration;
import io.dropwizard.jackson.Jackson;
import io.dropwizard.jersey.validation.Validators;
import io.dropwizard.logging.common.AppenderFactory;
import io.dropwizard.logging.common.DefaultLoggingFactory;
import io.dropwizard.logging.common.LoggerConfiguration;
import io.dropwizard.logging.common.async.AsyncLoggingEventAppenderFactory;
import io.dropwizard.logging.common.filter.ThresholdLevelFilterFactory;
import io.dropwizard.logging.common.layout.DropwizardLayoutFactory;
import io.spillway.SpillwayRollingFileAppender;
import io.spillway.metrics.SpillwayMetrics;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;

/** One appender, built from YAML as Dropwizard builds it. */
final class LogUnderTest implements AutoCloseable {
  private final LoggerContext context = new LoggerContext();
  final SpillwayRollingFileAppender<ILoggingEvent> appender;
  final Logger logger = context.getLogger("shop");

  private LogUnderTest(AppenderFactory<ILoggingEvent> factory) {
    context.setMDCAdapter(new LogbackMDCAdapter());
    Appender<ILoggingEvent> built =
        factory.build(
            context,
            "shop",
            new DropwizardLayoutFactory(),
            new ThresholdLevelFilterFactory(),
            new AsyncLoggingEventAppenderFactory());
    appender = (SpillwayRollingFileAppender<ILoggingEvent>) built;
    logger.addAppender(appender);
  }

  /** The one of {@code logging.appenders}; its settings, one a line. */
  LogUnderTest(List<String> settings) throws IOException, ConfigurationException {
    this(logging("", settings).getAppenders().get(0));
  }

  /** The one of a logger, which Dropwizard parses when it builds it, and does not validate. */
  static LogUnderTest ofLogger(List<String> settings) throws IOException, ConfigurationException {
    JsonNode logger = logging("  loggers:\n    shop:\n    ", settings).getLoggers().get("shop");
    return new LogUnderTest(
        Jackson.newObjectMapper()
            .treeToValue(logger, LoggerConfiguration.class)
            .getAppenders()
            .get(0));
  }

  private static DefaultLoggingFactory logging(String parents, List<String> settings)
      throws IOException, ConfigurationException {
    String yaml =
        "logging:\n"
            + parents
            + "  appenders:\n        - type: spillway\n          "
            + String.join("\n          ", settings)
            + "\n";
    Configuration parsed =
        parse(path -> new ByteArrayInputStream(yaml.getBytes(StandardCharsets.UTF_8)), "shop.yml");
    return (DefaultLoggingFactory) parsed.getLoggingFactory();
  }

  /** As Dropwizard parses and checks its configuration. */
  static Configuration parse(ConfigurationSourceProvider source, String path)
      throws IOException, ConfigurationException {
    return new DefaultConfigurationFactoryFactory<Configuration>()
        .create(Configuration.class, Validators.newValidator(), Jackson.newObjectMapper(), "none")
        .build(source, path);
  }

  SpillwayMetrics metrics() {
    return appender.getMetrics();
  }

  void awaitDelivered() {
    assertThat(appender.awaitDelivered(Duration.ofSeconds(30))).isTrue();
  }

  @Override
  public void close() {
    context.stop();
  }
}
