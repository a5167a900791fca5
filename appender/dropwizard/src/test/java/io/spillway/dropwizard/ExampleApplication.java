package io.spillway.dropwizard;

import ch.qos.logback.access.common.spi.IAccessEvent;
import ch.qos.logback.core.Appender;
import io.dropwizard.configuration.EnvironmentVariableSubstitutor;
import io.dropwizard.configuration.SubstitutingSourceProvider;
import io.dropwizard.core.Application;
import io.dropwizard.core.Configuration;
import io.dropwizard.core.setup.Bootstrap;
import io.dropwizard.core.setup.Environment;
import io.dropwizard.request.logging.LogbackAccessRequestLog;
import io.spillway.SpillwayRollingFileAppender;
import io.spillway.examples.testkit.SinkGate;
import org.eclipse.jetty.server.Server;

/** A shop that takes orders; its request log can be held up from outside. */
public class ExampleApplication extends Application<Configuration> {
  public static void main(String[] arguments) throws Exception {
    new ExampleApplication().run(arguments);
  }

  @Override
  public void initialize(Bootstrap<Configuration> bootstrap) {
    bootstrap.setConfigurationSourceProvider(
        new SubstitutingSourceProvider(
            bootstrap.getConfigurationSourceProvider(), new EnvironmentVariableSubstitutor(false)));
  }

  @Override
  public void run(Configuration configuration, Environment environment) {
    environment.jersey().register(new OrderResource());
    environment.admin().addTask(new FigureTask());
    environment
        .lifecycle()
        .addServerLifecycleListener(
            server -> environment.admin().addTask(new SinkTask(SinkGate.before(access(server)))));
  }

  private static SpillwayRollingFileAppender<IAccessEvent> access(Server server) {
    LogbackAccessRequestLog log = (LogbackAccessRequestLog) server.getRequestLog();
    Appender<IAccessEvent> appender = log.iteratorForAppenders().next();
    return (SpillwayRollingFileAppender<IAccessEvent>) appender;
  }
}
