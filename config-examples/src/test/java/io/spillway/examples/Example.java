package io.spillway.examples;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.joran.JoranConfigurator;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.util.LogbackMDCAdapter;
import ch.qos.logback.core.joran.spi.JoranException;
import ch.qos.logback.core.status.Status;
import io.spillway.SpillwayRollingFileAppender;
import io.spillway.internal.metrics.Reports;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.awaitility.Awaitility;

/**
 * An example's configuration, loaded as it stands; any warning fails, but for what a test expects.
 * Close it to stop.
 */
final class Example implements AutoCloseable {
  /** For whatever has to happen; enough for a machine under load. */
  static final Duration PATIENCE = Duration.ofSeconds(30);

  static {
    Awaitility.setDefaultPollInterval(Duration.ofMillis(10));
  }

  private static final String COMPRESSOR = "spillway-compressor";

  private final LoggerContext context = new LoggerContext();
  private final List<String> expected = new ArrayList<>();

  Example(String folder, Path logDirectory) throws JoranException {
    this(folder + "/logback.xml", Map.of("LOG_DIR", logDirectory.toString()));
  }

  Example(String file, Map<String, String> properties) throws JoranException {
    context.setMDCAdapter(new LogbackMDCAdapter());
    properties.forEach(context::putProperty);
    JoranConfigurator configurator = new JoranConfigurator();
    configurator.setContext(context);
    configurator.doConfigure(Path.of(file).toFile());
    try {
      assertNoWarnings();
    } catch (AssertionError e) {
      context.stop(); // nobody else will, and its threads would be in the way of other tests
      throw e;
    }
  }

  Logger logger(String name) {
    return context.getLogger(name);
  }

  Logger root() {
    return logger(Logger.ROOT_LOGGER_NAME);
  }

  SpillwayRollingFileAppender<ILoggingEvent> file(Logger logger, String appender) {
    return (SpillwayRollingFileAppender<ILoggingEvent>) logger.getAppender(appender);
  }

  void putMdc(String key, String value) {
    context.getMDCAdapter().put(key, value);
  }

  /** A warning or an error that begins so has to come before the example is closed. */
  void expect(String beginning) {
    expected.add(beginning);
  }

  boolean hasWarned(String beginning) {
    return warnings().stream().anyMatch(warning -> warning.startsWith(beginning));
  }

  private void assertNoWarnings() {
    assertThat(warnings())
        .filteredOn(warning -> expected.stream().noneMatch(warning::startsWith))
        .isEmpty();
  }

  /**
   * Those that have been told by now; to wait for more here would be to wait in the tests' loops.
   */
  private List<String> warnings() {
    return context.getStatusManager().getCopyOfStatusList().stream()
        .filter(status -> status.getLevel() > Status.INFO)
        .map(Status::getMessage)
        .toList();
  }

  /**
   * Stops on a daemon thread, where a stop does not wait for compressions: those of rolled
   * gigabytes are left for the next start.
   */
  void closeBeforeItsArchives() throws InterruptedException {
    Thread thread = new Thread(context::stop);
    thread.setDaemon(true);
    thread.start();
    thread.join();
    close();
  }

  @Override
  public void close() {
    context.stop();
    // It goes on for a moment with what it has in hand; the test's files must not be removed
    // before.
    await().atMost(PATIENCE).until(() -> !isCompressing());
    Reports.flush(context);
    assertNoWarnings();
    for (String beginning : expected) {
      assertThat(warnings()).anyMatch(warning -> warning.startsWith(beginning));
    }
  }

  private static boolean isCompressing() {
    return Thread.getAllStackTraces().keySet().stream()
        .anyMatch(thread -> thread.getName().equals(COMPRESSOR));
  }
}
