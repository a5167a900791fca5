package io.spillway.stress.bench;

import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.joran.JoranConfigurator;
import ch.qos.logback.classic.util.LogbackMDCAdapter;
import ch.qos.logback.core.joran.spi.JoranException;
import ch.qos.logback.core.status.Status;
import io.spillway.stress.plan.LoggingLibrary;
import java.net.URL;
import java.nio.file.Path;
import java.util.List;
import org.apache.logging.log4j.LogManager;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Loads the configurations that are compared: XML files in the package of this class. */
final class Configurations {
  /** Log4j 2 with async loggers, called through SLF4J; its jars come first on the class path. */
  static final String LOG4J2 = "log4j2-async";

  private static final String ASYNC = "async-"; // followed by the size of the queue
  private static final String LOGGER = "io.spillway.stress.bench.Service";

  private Configurations() {}

  /**
   * A logger of an opened configuration and the action that stops it.
   *
   * @param logger the logger that the load uses
   * @param stop stops the logging library once all events are in the file or saved
   */
  record Logging(Logger logger, Runnable stop) {}

  /** Loads a configuration of Logback or Log4j 2, with its log files in the directory. */
  static Logging open(String name, Path directory) throws JoranException {
    if (name.equals(LOG4J2)) {
      System.setProperty("dir", directory.toString());
      LoggingLibrary.LOG4J2.properties(resource(name).toString()).forEach(System::setProperty);
      return new Logging(LoggerFactory.getLogger(LOGGER), LogManager::shutdown);
    }
    LoggerContext context = load(name, directory);
    return new Logging(context.getLogger(LOGGER), context::stop);
  }

  /**
   * Returns the URL of a configuration, which refers to the property {@code dir} and, if its name
   * begins with {@code async-}, to {@code queueSize}.
   */
  static URL resource(String name) {
    String file = name.startsWith(ASYNC) ? "async" : name;
    URL xml = Configurations.class.getResource(file + ".xml");
    if (xml == null) {
      throw new IllegalArgumentException("No configuration " + file + ".xml to measure.");
    }
    return xml;
  }

  /** Loads a Logback configuration; any warning is a failure, because it spoils the comparison. */
  static LoggerContext load(String name, Path directory) throws JoranException {
    return load(name, directory, Long.MAX_VALUE);
  }

  /**
   * Loads a Logback configuration that rolls over at {@code limit} bytes; refuses warnings, too.
   */
  static LoggerContext load(String name, Path directory, long limit) throws JoranException {
    URL xml = resource(name);
    LoggerContext context = new LoggerContext();
    context.setName(name);
    context.setMDCAdapter(new LogbackMDCAdapter());
    context.putProperty("dir", directory.toString());
    context.putProperty("limit", Long.toString(limit));
    if (name.startsWith(ASYNC)) {
      context.putProperty("queueSize", name.substring(ASYNC.length()));
    }
    JoranConfigurator configurator = new JoranConfigurator();
    configurator.setContext(context);
    configurator.doConfigure(xml);
    List<Status> bad =
        context.getStatusManager().getCopyOfStatusList().stream()
            .filter(status -> status.getLevel() > Status.INFO)
            // Spillway warns that a policy it does not know gets no events; this one needs none
            .filter(status -> !status.getMessage().contains(TimedSizePolicy.class.getName()))
            .toList();
    if (!bad.isEmpty()) {
      throw new IllegalStateException("Configuration " + name + ".xml: " + bad);
    }
    return context;
  }
}
