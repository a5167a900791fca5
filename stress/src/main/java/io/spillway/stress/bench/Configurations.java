package io.spillway.stress.bench;

import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.joran.JoranConfigurator;
import ch.qos.logback.classic.util.LogbackMDCAdapter;
import ch.qos.logback.core.joran.spi.JoranException;
import ch.qos.logback.core.status.Status;
import java.net.URL;
import java.nio.file.Path;
import java.util.List;

/** The configurations that are compared: files beside this class. */
final class Configurations {
  private Configurations() {}

  /**
   * Loads one with {@code dir} set; any warning is a failure, for it would spoil the comparison.
   */
  static LoggerContext load(String name, Path directory) throws JoranException {
    return load(name, directory, Long.MAX_VALUE);
  }

  /** The same with {@code limit} set, the file size at which to roll over. */
  static LoggerContext load(String name, Path directory, long limit) throws JoranException {
    URL xml = Configurations.class.getResource(name + ".xml");
    if (xml == null) {
      throw new IllegalArgumentException("No configuration " + name + ".xml to measure.");
    }
    LoggerContext context = new LoggerContext();
    context.setName(name);
    context.setMDCAdapter(new LogbackMDCAdapter());
    context.putProperty("dir", directory.toString());
    context.putProperty("limit", Long.toString(limit));
    JoranConfigurator configurator = new JoranConfigurator();
    configurator.setContext(context);
    configurator.doConfigure(xml);
    List<Status> bad =
        context.getStatusManager().getCopyOfStatusList().stream()
            .filter(status -> status.getLevel() > Status.INFO)
            .toList();
    if (!bad.isEmpty()) {
      throw new IllegalStateException("Configuration " + name + ".xml: " + bad);
    }
    return context;
  }
}
