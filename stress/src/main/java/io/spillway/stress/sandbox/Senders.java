package io.spillway.stress.sandbox;

import ch.qos.logback.core.AsyncAppenderBase;
import ch.qos.logback.core.ConsoleAppender;
import ch.qos.logback.core.FileAppender;
import ch.qos.logback.core.model.Model;
import java.util.List;
import java.util.regex.Pattern;

/** Recognizes appenders that send events to another process. */
final class Senders {
  /** Wrappers that are named like senders, but only add to events. */
  private static final String TRACING = "io.opentelemetry.instrumentation.logback.mdc.";

  /** Names of sending appenders of Logback, its add-ons and the vendors of log services. */
  private static final Pattern NAMES =
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

  private static final List<Class<?>> LOCALS =
      List.of(FileAppender.class, ConsoleAppender.class, AsyncAppenderBase.class);

  private Senders() {}

  /**
   * Returns whether an appender that is about to be created sends: by its name, or by an address
   * among its properties.
   *
   * @param className its class, which may be missing: Logback reports that
   * @param model its element
   */
  static boolean contain(String className, Model model) {
    return !className.startsWith(TRACING)
        && !isLocal(className)
        && (NAMES.matcher(className).matches()
            || model.getSubModels().stream()
                .map(Model::getTag)
                .anyMatch(tag -> tag != null && ADDRESSES.matcher(tag).matches()));
  }

  private static boolean isLocal(String className) {
    try {
      Class<?> type = Class.forName(className, false, Senders.class.getClassLoader());
      return LOCALS.stream().anyMatch(local -> local.isAssignableFrom(type));
    } catch (ClassNotFoundException | LinkageError e) {
      return false;
    }
  }
}
