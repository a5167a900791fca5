package io.spillway.stress.sandbox;

import ch.qos.logback.core.AsyncAppenderBase;
import ch.qos.logback.core.ConsoleAppender;
import ch.qos.logback.core.FileAppender;
import ch.qos.logback.core.helpers.NOPAppender;
import ch.qos.logback.core.model.Model;
import ch.qos.logback.core.net.AbstractSocketAppender;
import ch.qos.logback.core.net.SMTPAppenderBase;
import ch.qos.logback.core.net.SyslogAppenderBase;
import ch.qos.logback.core.sift.SiftingAppenderBase;
import ch.qos.logback.core.spi.AppenderAttachable;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Pattern;

/** How far the events of an appender reach. */
enum Reach {
  /** Files, the console, or other appenders. */
  LOCAL,
  /** Another process, by its class, by its name, or by an address among its properties. */
  NETWORK,
  /** Not known. */
  UNKNOWN;

  private static final List<Class<?>> LOCALS =
      List.of(
          FileAppender.class,
          ConsoleAppender.class,
          NOPAppender.class,
          AsyncAppenderBase.class,
          SiftingAppenderBase.class);

  /** Wrappers that are named like senders, but only add to events. */
  private static final String TRACING = "io.opentelemetry.instrumentation.logback.mdc.";

  private static final List<Class<?>> SENDERS =
      List.of(AbstractSocketAppender.class, SyslogAppenderBase.class, SMTPAppenderBase.class);

  /** Names of sending appenders of Logback, its add-ons and the vendors of log services. */
  private static final Pattern NAMES =
      Pattern.compile(
          ".*(?i:socket|tcp|udp|syslog|smtp|e?mail|kafka|jms|amqp|rabbit|redis|gelf|graylog"
              + "|fluent|loki|sentry|slack|http|grpc|elastic|opensearch|solr|cloudwatch|splunk"
              + "|datadog|relic|telemetry|otlp|telegram|webhook|dingtalk|wechat|mongo|jdbc|mqtt"
              + "|zeromq|pulsar|rocketmq|loghub|insights|stackdriver|rollbar|bugsnag|airbrake"
              + "|logentries|papertrail|loggly|logz|flume|influx|remote|cloud).*|.*D[Bb]Appender");

  private static final Set<String> ADDRESSES =
      Set.of(
          "host",
          "hostname",
          "remotehost",
          "port",
          "url",
          "uri",
          "endpoint",
          "server",
          "servers",
          "brokers",
          "brokerlist",
          "bootstrapservers",
          "producerconfig",
          "smtphost",
          "sysloghost",
          "dsn",
          "webhook",
          "webhookurl",
          "connectionsource",
          "providerurl");

  /**
   * Returns the reach of an appender that is about to be created.
   *
   * @param className its class, which may be missing
   * @param model its element
   */
  static Reach of(String className, Model model) {
    Class<?> type = load(className);
    if (type != null && isA(LOCALS, type) || className.startsWith(TRACING)) {
      return LOCAL;
    }
    if (type != null && isA(SENDERS, type) || isNamedSo(className) || hasAddress(model)) {
      return NETWORK;
    }
    return type == null || AppenderAttachable.class.isAssignableFrom(type) ? LOCAL : UNKNOWN;
  }

  private static boolean isA(List<Class<?>> bases, Class<?> type) {
    return bases.stream().anyMatch(base -> base.isAssignableFrom(type));
  }

  private static boolean isNamedSo(String className) {
    return NAMES.matcher(className.substring(className.lastIndexOf('.') + 1)).matches();
  }

  private static boolean hasAddress(Model model) {
    return model.getSubModels().stream()
        .anyMatch(
            sub -> {
              String name = RedirectingConfigurator.Properties.name(sub);
              return name != null && ADDRESSES.contains(name.toLowerCase(Locale.ROOT));
            });
  }

  /**
   * Loads a class; null if it or a class that it needs is missing, which Logback reports if it
   * creates the appender.
   */
  private static Class<?> load(String className) {
    try {
      return Class.forName(className, false, Reach.class.getClassLoader());
    } catch (ClassNotFoundException | LinkageError e) {
      return null;
    }
  }
}
