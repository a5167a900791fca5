package io.spillway.examples;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.joran.JoranConfigurator;
import ch.qos.logback.classic.util.LogbackMDCAdapter;
import ch.qos.logback.core.joran.spi.JoranException;
import ch.qos.logback.core.status.Status;
import java.nio.file.Path;

/** An example's logback.xml, loaded as it stands; any warning fails. Close it to stop. */
final class Example implements AutoCloseable {
  private final LoggerContext context = new LoggerContext();

  Example(String folder, Path logDirectory) throws JoranException {
    context.setMDCAdapter(new LogbackMDCAdapter());
    context.putProperty("LOG_DIR", logDirectory.toString());
    JoranConfigurator configurator = new JoranConfigurator();
    configurator.setContext(context);
    configurator.doConfigure(Path.of(folder, "logback.xml").toFile());
    assertNoWarnings();
  }

  Logger logger(String name) {
    return context.getLogger(name);
  }

  void assertNoWarnings() {
    assertThat(context.getStatusManager().getCopyOfStatusList())
        .filteredOn(status -> status.getLevel() > Status.INFO)
        .isEmpty();
  }

  @Override
  public void close() {
    context.stop();
    assertNoWarnings();
  }
}
