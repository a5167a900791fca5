package io.spillway.stress.sandbox;

import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.AsyncAppenderBase;
import ch.qos.logback.core.ConsoleAppender;
import ch.qos.logback.core.FileAppender;
import ch.qos.logback.core.UnsynchronizedAppenderBase;
import ch.qos.logback.core.model.Model;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * Takes events in place of an appender that would send them to another process. Logback creates it,
 * with the name and the filters of the appender that it replaces.
 */
public final class SilentAppender extends UnsynchronizedAppenderBase<ILoggingEvent> {

  /** Wrappers that are named like senders, but only add to events. */
  private static final String TRACING = "io.opentelemetry.instrumentation.logback.mdc.";

  /** Names of sending appenders of Logback, its add-ons and the vendors of log services. */
  private static final Pattern SENDERS =
      Pattern.compile(
          "(?:.*\\.)?[^.]*((?i:socket|tcp|udp|syslog|smtp|e?mail|kafka|jms|amqp|rabbit|redis|gelf"
              + "|graylog|fluent|loki|sentry|slack|http|grpc|elastic|opensearch|solr|cloudwatch"
              + "|splunk|datadog|relic|telemetry|otlp|telegram|webhook|dingtalk|wechat|mongo|jdbc"
              + "|mqtt|zeromq|pulsar|rocketmq|loghub|insights|stackdriver|rollbar|bugsnag|airbrake"
              + "|logentries|papertrail|loggly|logz|flume|influx|remote|cloud)|D[Bb]Appender)[^.]*");

  private static final Pattern ADDRESSES =
      Pattern.compile(
          "(?i)(remote|smtp|syslog)?host(name)?|port|ur[il]|endpoint|servers?|broker(s|list)"
              + "|bootstrapservers|producerconfig|dsn|webhook(url)?|connectionsource|providerurl");

  /** Called by Logback. */
  public SilentAppender() {}

  /**
   * Returns whether an appender that is about to be created sends: by the name of its class, which
   * may be missing, or by an address among its properties.
   */
  static boolean replaces(String className, Model model) {
    return !className.startsWith(TRACING)
        && !isLocal(className)
        && (SENDERS.matcher(className).matches()
            || model.getSubModels().stream()
                .map(Model::getTag)
                .anyMatch(tag -> tag != null && ADDRESSES.matcher(tag).matches()));
  }

  private static boolean isLocal(String className) {
    try {
      Class<?> type = Class.forName(className, false, SilentAppender.class.getClassLoader());
      return Stream.<Class<?>>of(FileAppender.class, ConsoleAppender.class, AsyncAppenderBase.class)
          .anyMatch(local -> local.isAssignableFrom(type));
    } catch (ClassNotFoundException | LinkageError e) {
      return false;
    }
  }

  @Override
  protected void append(ILoggingEvent event) {}
}
